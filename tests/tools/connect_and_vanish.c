/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * connect_and_vanish SOCKET N OPEN: N clients of spind (the daemon that attaches handlers for unprivileged users), each of which sends
 * nothing, half of a request, or a whole one, and closes without having waited for an answer. OPEN of them are open at a time, and the last
 * ones wait for their answers. Prints how many spind has refused, as too many of one user. Used by tests/cli/spind.sh and spind_journal.sh:
 * spind must survive them.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "user/libspin/broker.h"

#define OPEN_MAX  900
#define ANSWER_MS 30000

/* Returns 1 if spind has said that its user has too many connections. */
static int is_refused(int fd)
{
	int fds[BROKER_FDS], refused = 0;
	struct broker_answer answer = { 0 };
	unsigned count = 0;
	ssize_t got;

	do { /* a connection that was closed with an unread request is first reset, and then read */
		got = broker__receive(fd, &answer, sizeof(answer), fds, &count, MSG_DONTWAIT);
		broker__close(fds, count);
		refused |= answer.error == -EBUSY && strstr(answer.text, "`connections`");
	} while (got == sizeof(answer) || got == -ECONNRESET);
	return refused;
}

int main(int argc, char **argv)
{
	const struct broker_request request = { .magic = BROKER_MAGIC, .version = BROKER_VERSION, .op = BROKER_LIST };
	unsigned long count = argc > 3 ? strtoul(argv[2], NULL, 10) : 0, open_count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0,
		      refused = 0;
	int open_fd[OPEN_MAX];

	if (!open_count || open_count > OPEN_MAX)
		return 2;
	memset(open_fd, -1, sizeof(open_fd));
	for (unsigned long i = 0; i < count; i++) {
		int fd = broker__connect(argv[1]), *slot = &open_fd[i % open_count];

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
		if (*slot >= 0) {
			refused += (unsigned long)is_refused(*slot);
			close(*slot);
		}
		*slot = fd;
	}
	/* spind may not even have accepted the last ones yet */
	for (unsigned long i = count > open_count ? count - open_count : 0; i < count; i++) {
		struct pollfd wait = { .fd = open_fd[i % open_count], .events = POLLIN };

		if (i % 3 && poll(&wait, 1, ANSWER_MS) != 1) {
			printf("client %lu has no answer\n", i);
			return 1;
		}
		refused += (unsigned long)is_refused(wait.fd);
	}
	printf("%lu refused\n", refused);
	return 0;
}
