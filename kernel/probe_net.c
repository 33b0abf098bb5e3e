/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens a network namespace for reading: a route socket and a sysfs of its own. Called by `spinctl doctor`, probe_pair.c and the code that
 * looks for an interface in all namespaces.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mount.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>

#include "kernel/netlink.h"
#include "kernel/probe_net.h"
#include "kernel/textfile.h"

/*
 * Opens a sysfs of the current namespace that is mounted nowhere and goes away with the descriptor. /sys may belong to another namespace
 * (nsenter --net= keeps it).
 */
static int open_sysfs(void)
{
	int context = (int)syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC), fd = -1;

	if (context >= 0) {
		if (!syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
			fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
		close(context);
	}
	return fd >= 0 ? fd : open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int kernel_net__open(struct probe_net *out)
{
	*out = (struct probe_net){
		.route_fd = netlink__open(NETLINK_ROUTE),
		.generic_fd = netlink__open(NETLINK_GENERIC),
		.inet_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
		.sysfs_fd = open_sysfs(),
	};
	return out->route_fd < 0 ? out->route_fd : 0;
}

void kernel_net__close(struct probe_net *net)
{
	int fds[] = { net->route_fd, net->generic_fd, net->inet_fd, net->sysfs_fd };

	for (unsigned i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*net = (struct probe_net){ -1, -1, -1, -1, "", "", -1 };
}

static void parse_nsid(void *arg, const struct nlmsghdr *answer)
{
	const struct nlattr *a[NETNSA_NSID + 1];

	if (answer->nlmsg_type != RTM_NEWNSID)
		return;
	netlink__attributes(answer, sizeof(struct rtgenmsg), a, NETNSA_NSID);
	if (a[NETNSA_NSID])
		*(int *)arg = (int)(int32_t)netlink__number(a[NETNSA_NSID]);
}

/* Returns the id that `own` has for the namespace, or -1 if it has none. */
static int nsid_of(const struct probe_net *own, int netns_fd)
{
	struct rtgenmsg fixed = { .rtgen_family = AF_UNSPEC };
	struct netlink_request r;
	uint32_t fd = (uint32_t)netns_fd;
	int number = -1;

	netlink__begin(&r, RTM_GETNSID, 0, &fixed, sizeof(fixed));
	netlink__put(&r, NETNSA_FD, &fd, sizeof(fd));
	return netlink__transact(own->route_fd, &r, parse_nsid, &number) ? -1 : number;
}

/* Opens the sockets in the other namespace and returns to the current one. Only the calling thread changes namespace. */
static int open_at(int netns_fd, struct probe_net *out)
{
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), err;

	if (home < 0)
		return -errno;
	if (setns(netns_fd, CLONE_NEWNET)) {
		err = -errno;
	} else {
		err = kernel_net__open(out);
		if (setns(home, CLONE_NEWNET))
			err = -errno;
	}
	close(home);
	return err;
}

/* Returns 1 if the file at path is the namespace wanted; *err is then the result of opening it. */
static int try_path(const struct probe_net *own, int number, const char *path, struct probe_net *out, int *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found;

	if (fd < 0)
		return 0;
	found = nsid_of(own, fd) == number;
	if (found)
		*err = open_at(fd, out);
	close(fd);
	return found;
}

/* Tries PREFIX/ENTRY/SUFFIX for each entry of a directory. */
static int search_directory(const struct probe_net *own, int number, const char *directory, const char *suffix, struct probe_net *out,
			    char *entry_found, size_t bytes, int *err)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		char path[600];

		if (entry->d_name[0] == '.' || (*suffix && !isdigit((unsigned char)entry->d_name[0])))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", directory, entry->d_name, suffix);
		found = try_path(own, number, path, out, err);
		if (found)
			snprintf(entry_found, bytes, "%.60s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

int kernel_net__open_numbered(const struct probe_net *own, int number, struct probe_net *out)
{
	char entry[64], path[80], command[32];
	int err = -ENOENT;

	*out = (struct probe_net){ -1, -1, -1, -1, "", "", -1 };
	if (search_directory(own, number, "/run/netns", "", out, entry, sizeof(entry), &err)) {
		snprintf(out->path, sizeof(out->path), "/run/netns/%s", entry);
		snprintf(out->name, sizeof(out->name), "namespace %s", entry);
	} else if (search_directory(own, number, "/proc", "/ns/net", out, entry, sizeof(entry), &err)) {
		snprintf(out->path, sizeof(out->path), "/proc/%.10s/ns/net", entry);
		snprintf(path, sizeof(path), "/proc/%.10s/comm", entry);
		textfile__line(AT_FDCWD, path, command, sizeof(command));
		snprintf(out->name, sizeof(out->name), "the namespace of process %.10s (%s)", entry, command);
	}
	return err;
}

struct visitor {
	int (*fn)(void *arg, const struct probe_net *net);
	void *arg;
	ino_t last; /* consecutive processes often share a namespace: skip the one just visited */
	int done;
};

static void visit(struct visitor *v, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct probe_net net;
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_ino != v->last) {
		net = (struct probe_net){ -1, -1, -1, -1, "", "", -1 };
		v->last = st.st_ino;
		if (!open_at(fd, &net)) {
			net.netns_fd = fd;
			v->done = v->fn(v->arg, &net);
		}
		kernel_net__close(&net);
	}
	close(fd);
}

static void visit_directory(struct visitor *v, const char *directory, const char *suffix)
{
	DIR *dir = v->done ? NULL : opendir(directory);
	struct dirent *entry;

	while (dir && !v->done && (entry = readdir(dir))) {
		char path[600];

		if (entry->d_name[0] == '.' || (*suffix && !isdigit((unsigned char)entry->d_name[0])))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", directory, entry->d_name, suffix);
		visit(v, path);
	}
	if (dir)
		closedir(dir);
}

void kernel_net__each(int (*fn)(void *arg, const struct probe_net *net), void *arg)
{
	struct visitor v = { .fn = fn, .arg = arg };

	visit(&v, "/proc/thread-self/ns/net");
	visit_directory(&v, "/run/netns", "");
	visit_directory(&v, "/proc", "/ns/net");
}
