/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/common/netns.h"

static __thread int current = -1; /* a thread without privileges may stay where it is */

int netns_new(void)
{
	int fd = -1;

	if (geteuid() || unshare(CLONE_NEWNET) || (fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) < 0) {
		printf("skip: namespaces and XDP need root\n");
		exit(77);
	}
	current = fd;
	return fd;
}

void netns_enter(int fd)
{
	if (fd != current && setns(fd, CLONE_NEWNET)) {
		printf("FAIL: setns\n");
		exit(1);
	}
	current = fd;
}

void netns_shell(const char *command)
{
	if (!system(command))
		return;
	printf("FAIL: %s\n", command);
	exit(1);
}
