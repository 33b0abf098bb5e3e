/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Threaded NAPI of interfaces: switched on for queues as HPUs, and back, also by the next process after a kill. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "kernel/netlink.h"
#include "kernel/probe_bpf.h"
#include "kernel/probe_iface.h"
#include "kernel/threaded.h"

#define DIRECTORY  "/run/spin"
#define PREFIX     "threaded."
#define LINE_BYTES 64
#define KEPT_S     86400 /* the file's interface is not visible now: try again at a later start */

int kernel_threaded__read(int ifindex, uint32_t *queues, int *threaded)
{
	struct probe_iface iface;
	struct probe_net net;
	int err = kernel_net__open(&net);

	if (!err)
		err = kernel_iface__read_index(&net, ifindex, &iface);
	kernel_net__close(&net);
	if (err)
		return err;
	*queues = iface.rx_queues_max > iface.rx_queues ? iface.rx_queues_max : iface.rx_queues;
	*threaded = iface.threaded;
	return 0;
}

static int write_digit(int sysfs_fd, const char *name, int on)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "class/net/%s/threaded", name);
	fd = openat(sysfs_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -EOPNOTSUPP;
	err = write(fd, on ? "1" : "0", 1) == 1 ? 0 : -errno;
	close(fd);
	return err;
}

/* --- the file --- */

/* The file gets its name after it is written and locked, so that nobody takes it for a dead process's. */
static void write_file(struct threaded *t)
{
	char hidden[96], line[LINE_BYTES];
	uint64_t number;
	const uint8_t *a = t->iface.address;
	int bytes = snprintf(line, sizeof(line), "%d %02x%02x%02x%02x%02x%02x%02x%02x %s\n", t->iface.ifindex, a[0], a[1], a[2], a[3], a[4],
			     a[5], a[6], a[7], t->iface.name);

	mkdir(DIRECTORY, 0755);
	if (getrandom(&number, sizeof(number), 0) != sizeof(number)) /* processes of other namespaces can have this one's id */
		return;
	snprintf(hidden, sizeof(hidden), DIRECTORY "/.%016" PRIx64, number);
	snprintf(t->path, sizeof(t->path), DIRECTORY "/" PREFIX "%016" PRIx64, number);
	t->fd = open(hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (t->fd < 0)
		return;
	if (!flock(t->fd, LOCK_EX | LOCK_NB) && write(t->fd, line, (size_t)bytes) == bytes && !rename(hidden, t->path))
		return;
	unlink(hidden);
	close(t->fd);
	t->fd = -1;
}

static void unlink_file(struct threaded *t)
{
	if (t->fd >= 0)
		unlink(t->path);
}

static void close_file(struct threaded *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

static int read_file(int fd, struct threaded_iface *iface)
{
	unsigned a[8];
	char line[LINE_BYTES];
	ssize_t bytes = read(fd, line, sizeof(line) - 1);

	line[bytes > 0 ? bytes : 0] = '\0';
	if (sscanf(line, "%d %2x%2x%2x%2x%2x%2x%2x%2x %15s", &iface->ifindex, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &a[6], &a[7],
		   iface->name) != 10)
		return -EINVAL;
	for (unsigned i = 0; i < sizeof(iface->address); i++)
		iface->address[i] = (uint8_t)a[i];
	return 0;
}

/* --- the setting --- */

int kernel_threaded__begin(int ifindex, struct threaded *t)
{
	struct probe_iface iface;
	struct probe_net net;
	int err = kernel_net__open(&net);

	*t = (struct threaded){ .fd = -1 };
	if (!err)
		err = kernel_iface__read_index(&net, ifindex, &iface);
	/* threaded is not known where sysfs is another namespace's */
	if (!err && iface.threaded < 0)
		err = -EOPNOTSUPP;
	if (!err) {
		t->iface.ifindex = ifindex;
		memcpy(t->iface.address, iface.address, sizeof(t->iface.address));
		snprintf(t->iface.name, sizeof(t->iface.name), "%s", iface.name);
		write_file(t);
		err = write_digit(net.sysfs_fd, iface.name, 1);
		if (err) {
			unlink_file(t);
			close_file(t);
		}
	}
	kernel_net__close(&net);
	return err;
}

/* The same interface: a move keeps its address, and its index unless that is taken there. */
static int is_same(const struct threaded_iface *a, const struct probe_iface *b)
{
	static const uint8_t none[sizeof(a->address)]; /* a tunnel's address, which many interfaces have */
	int same_index = a->ifindex == b->ifindex, same_name = !strcmp(a->name, b->name);

	if (memcmp(a->address, b->address, sizeof(a->address)))
		return 0;
	return memcmp(a->address, none, sizeof(none)) ? same_index || same_name : same_index && same_name;
}

/* By netlink, as the interface may be in another namespace; beside no other program. fd -1: `expected` goes away. */
static int set_program(const struct probe_net *net, int ifindex, int fd, int expected)
{
	struct ifinfomsg fixed = { .ifi_index = ifindex };
	uint32_t flags = XDP_FLAGS_DRV_MODE | (fd < 0 ? XDP_FLAGS_REPLACE : XDP_FLAGS_UPDATE_IF_NOEXIST);
	struct netlink_request r;
	struct nlattr *nest;

	netlink__begin(&r, RTM_SETLINK, NLM_F_ACK, &fixed, sizeof(fixed));
	nest = netlink__nest(&r, IFLA_XDP | NLA_F_NESTED);
	netlink__put(&r, IFLA_XDP_FD, &fd, sizeof(fd));
	netlink__put(&r, IFLA_XDP_FLAGS, &flags, sizeof(flags));
	if (fd < 0)
		netlink__put(&r, IFLA_XDP_EXPECTED_FD, &expected, sizeof(expected));
	netlink__nest_end(&r, nest);
	return netlink__ask(net->route_fd, &r, NULL, NULL);
}

/*
 * The kernel takes the setting only while the interface has NAPI, which a veth has as long as there is an XDP program: one
 * that passes everything stands in for that of the dead.
 */
static int take_threads(const struct probe_net *net, const struct probe_iface *iface)
{
	int err = write_digit(net->sysfs_fd, iface->name, 0), fd;

	if (err != -EOPNOTSUPP)
		return err;
	fd = kernel_bpf__xdp_pass();
	if (fd < 0)
		return fd;
	if (!set_program(net, iface->ifindex, fd, -1)) {
		err = write_digit(net->sysfs_fd, iface->name, 0);
		set_program(net, iface->ifindex, -1, fd);
	}
	close(fd);
	return err;
}

struct search {
	const struct threaded_iface *iface;
	int is_undone;
};

static int undo_in(void *arg, const struct probe_net *net)
{
	struct search *s = arg;
	struct probe_iface iface;

	if ((kernel_iface__read_index(net, s->iface->ifindex, &iface) || !is_same(s->iface, &iface)) &&
	    (kernel_iface__read(net, s->iface->name, &iface) || !is_same(s->iface, &iface)))
		return 0;
	s->is_undone = iface.threaded <= 0 || !take_threads(net, &iface);
	return 1;
}

void kernel_threaded__end(struct threaded *t)
{
	struct search s = { .iface = &t->iface };

	kernel_net__each(undo_in, &s);
	if (s.is_undone)
		unlink_file(t);
	close_file(t); /* otherwise the next start tries again */
}

static void recover(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct threaded_iface iface;
	struct search s = { .iface = &iface };
	struct stat st;

	if (fd < 0)
		return;
	/* without a name: another process has just recovered it */
	if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && st.st_nlink && st.st_uid == geteuid()) {
		if (!read_file(fd, &iface))
			kernel_net__each(undo_in, &s);
		if (s.is_undone || st.st_mtime + KEPT_S < time(NULL))
			unlinkat(directory, name, 0);
	}
	close(fd);
}

void kernel_threaded__recover(void)
{
	DIR *dir = opendir(DIRECTORY);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			recover(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
}
