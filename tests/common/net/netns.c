/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Network namespaces of a test, which the calling thread creates, enters and leaves. Used by tests in tests/live, tests/ring, tests/sockets
 * and others. They have no name, so nothing remains.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/common/net/netns.h"

#define HERE "/proc/thread-self/ns/net"

int netns_here(void)
{
	int fd = open(HERE, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		printf("FAIL: " HERE "\n");
		exit(1);
	}
	return fd;
}

int netns_new(void)
{
	if (geteuid() || unshare(CLONE_NEWNET)) {
		printf("skip: namespaces and XDP need root\n");
		exit(77);
	}
	return netns_here();
}

/* A thread without privileges may stay in its own namespace. */
static int is_here(int fd)
{
	struct stat here, there;

	return !stat(HERE, &here) && !fstat(fd, &there) && here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

void netns_enter(int fd)
{
	if (!is_here(fd) && setns(fd, CLONE_NEWNET)) {
		printf("FAIL: setns\n");
		exit(1);
	}
}

void netns_shell(const char *command)
{
	if (!system(command))
		return;
	printf("FAIL: %s\n", command);
	exit(1);
}

static void skip(const char *reason)
{
	printf("skip: %s\n", reason);
	exit(77);
}

/* sysfs shows the namespace in which it was mounted, so this mounts one. No other process sees the mount. */
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
