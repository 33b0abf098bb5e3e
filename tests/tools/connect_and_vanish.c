/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * connect_and_vanish SOCKET N: N clients of spind (the daemon that attaches handlers for unprivileged users), each of which sends nothing,
 * half of a request, or a whole one, and closes without reading. Used by tests/cli/spind.sh: spind must survive them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "user/libspin/broker.h"

#define OPEN 50 /* connections that stay open for a while */

int main(int argc, char **argv)
{
	const struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_LIST };
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	int open_fd[OPEN];

	memset(open_fd, -1, sizeof(open_fd));
	for (unsigned long i = 0; i < count; i++) {
		int fd = broker__connect(argv[1]);

		for (int tries = 0; fd < 0 && tries < 1000; tries++) {
			usleep(1000);
			fd = broker__connect(argv[1]);
		}
		if (fd < 0) {
			printf("client %lu: %s\n", i, strerror(-fd));
			return 1;
		}
		if (i % 3)
			broker__send(fd, &request, i % 3 == 1 ? sizeof(request) / 2 : sizeof(request), NULL, 0, MSG_DONTWAIT);
		if (open_fd[i % OPEN] >= 0)
			close(open_fd[i % OPEN]);
		open_fd[i % OPEN] = fd;
	}
	return 0;
}
