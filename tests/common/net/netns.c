/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Network namespaces of a test: created, entered and left by the calling thread. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/common/net/netns.h"

static __thread int current = -1; /* a thread without privileges may stay in its namespace */

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

static void skip(const char *why)
{
	printf("skip: %s\n", why);
	exit(77);
}

/* sysfs shows the namespace in which it was mounted. No other process sees this mount. */
void netns_thread_napi(const char *dev)
{
	char path[64], command[160];

	snprintf(path, sizeof(path), "/sys/class/net/%s/threaded", dev);
	snprintf(command, sizeof(command), "ethtool -K %s gro on && echo 1 >%s", dev, path);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("sysfs", "/sys", "sysfs", 0, NULL))
		skip("no private sysfs");
	if (access(path, W_OK))
		skip("no threaded NAPI");
	netns_shell(command);
	if (umount2("/sys", MNT_DETACH)) {
		printf("FAIL: umount\n");
		exit(1);
	}
}
