/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Removes our programs from libxdp's dispatchers, and what libxdp has pinned for dispatchers that are gone. Called by share.c when a
 * process ends, and for killed processes. A program is ours if the number in its section MAKER is the record's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <linux/if_link.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <xdp/libxdp.h>
#include <xdp/prog_dispatcher.h>

#include "kernel/probe_net.h"
#include "kernel/share/share.h"

#define MAPS_MAX     64
#define ATTACHED_MAX 256 /* dispatchers on interfaces with one index, over all network namespaces */
#define KNOWN_MAX    256 /* programs; the pins of dispatchers beyond this number stay */
#define ATTACH_S     2   /* libxdp attaches a dispatcher within milliseconds of pinning it */

uint64_t kernel_share__maker(int prog_fd)
{
	uint32_t ids[MAPS_MAX], bytes = sizeof(struct bpf_prog_info), zero = 0;
	struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)ids };
	uint64_t maker = 0;

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &bytes))
		return 0;
	for (uint32_t i = 0; !maker && i < info.nr_map_ids && i < MAPS_MAX; i++) {
		struct bpf_map_info map = { 0 };
		uint32_t map_bytes = sizeof(map);
		int fd = bpf_map_get_fd_by_id(ids[i]);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &map, &map_bytes) || strcmp(map.name, KERNEL_SHARE_MAKER) ||
		    map.type != BPF_MAP_TYPE_ARRAY || map.value_size != sizeof(maker) || bpf_map_lookup_elem(fd, &zero, &maker))
			maker = 0;
		close(fd);
	}
	return maker;
}

/* --- a program without a dispatcher, or one of a dispatcher's --- */

static int release_single(struct xdp_multiprog *mp, int ifindex, uint64_t maker)
{
	const struct xdp_program *p = xdp_multiprog__main_prog(mp);
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = p ? xdp_program__fd(p) : -1);

	if (!p || kernel_share__maker(xdp_program__fd(p)) != maker)
		return 0;
	return bpf_xdp_detach(ifindex, xdp_multiprog__attach_mode(mp) == XDP_MODE_SKB ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE, &opts) ? -1
																	: 1;
}

int kernel_share__release(int ifindex, uint64_t maker)
{
	struct xdp_multiprog *mp = xdp_multiprog__get_from_ifindex(ifindex);
	struct xdp_program *ours = NULL;
	int done = 0;

	if (!mp || libxdp_get_error(mp))
		return libxdp_get_error(mp) == -ENOENT ? 0 : -1;
	if (xdp_multiprog__is_legacy(mp)) {
		done = release_single(mp, ifindex, maker);
	} else {
		for (struct xdp_program *p = NULL; !ours && (p = xdp_multiprog__next_prog(p, mp));)
			if (kernel_share__maker(xdp_program__fd(p)) == maker)
				ours = p;
		if (ours)
			done = xdp_program__detach(ours, ifindex, xdp_multiprog__attach_mode(mp), 0) ? -1 : 1;
	}
	xdp_multiprog__close(mp);
	return done;
}

/* --- all network namespaces --- */

struct scan {
	int ifindex;
	uint64_t maker;
	char path[512];    /* directory of libxdp's pins */
	int failed;        /* 1: the maker's program could not be removed */
	unsigned left;     /* dispatchers whose pins are not removed, because they may be about to be attached */
	unsigned attached; /* dispatchers on interfaces with that index */
	uint32_t id[ATTACHED_MAX];
	unsigned known; /* programs pinned for those dispatchers, and for dispatchers that have the maker's program */
	uint32_t program[KNOWN_MAX];
};

static void record_program(struct scan *s, uint32_t id)
{
	if (id && s->attached < ATTACHED_MAX)
		s->id[s->attached++] = id;
}

/* Looks in the current namespace. */
static void scan_namespace(struct scan *s)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	if (bpf_xdp_query(s->ifindex, 0, &q) || q.attach_mode == XDP_ATTACHED_NONE)
		return;
	if (kernel_share__release(s->ifindex, s->maker) < 0)
		s->failed = 1;
	if (bpf_xdp_query(s->ifindex, 0, &q))
		return;
	record_program(s, q.prog_id);
	record_program(s, q.drv_prog_id);
	record_program(s, q.skb_prog_id);
}

static int enter_and_scan(void *arg, const struct probe_net *net)
{
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	if (home >= 0 && !setns(net->netns_fd, CLONE_NEWNET)) {
		scan_namespace(arg);
		if (setns(home, CLONE_NEWNET))
			abort(); /* otherwise this thread would go on in another namespace */
	}
	if (home >= 0)
		close(home);
	return 0;
}

/* --- pins --- */

static int is_attached(const struct scan *s, uint32_t id)
{
	for (unsigned i = 0; i < s->attached; i++)
		if (s->id[i] == id)
			return 1;
	return s->attached == ATTACHED_MAX;
}

struct pinned {
	const char *name;  /* name of its directory */
	unsigned programs; /* programs that have a link */
	uint32_t program[MAX_DISPATCHER_ACTIONS];
	int is_attached, has_ours;
};

static int is_of_maker(uint32_t prog_id, uint64_t maker)
{
	int fd = bpf_prog_get_fd_by_id(prog_id), found;

	if (fd < 0)
		return 0;
	found = kernel_share__maker(fd) == maker;
	close(fd);
	return found;
}

/* Finds the programs by their links, which attach them to the dispatcher. */
static void read_programs(struct scan *s, struct pinned *p)
{
	for (unsigned i = 0; i < MAX_DISPATCHER_ACTIONS; i++) {
		struct bpf_link_info info = { 0 };
		uint32_t bytes = sizeof(info);
		char path[sizeof(s->path) + 320];
		int fd;

		snprintf(path, sizeof(path), "%s/%.255s/prog%u-link", s->path, p->name, i);
		fd = bpf_obj_get(path);
		if (fd < 0) {
			s->failed |= errno != ENOENT;
			continue;
		}
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes)) {
			p->program[p->programs++] = info.prog_id;
			p->has_ours |= is_of_maker(info.prog_id, s->maker);
		}
		close(fd);
	}
}

/* Calls fn() for the pins of each dispatcher that is or was on an interface with this index. */
static void each_pinned(struct scan *s, int xdp_fd, void (*fn)(struct scan *s, int xdp_fd, const struct pinned *p))
{
	int copy = openat(xdp_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct pinned p = { .name = entry->d_name };
		uint32_t id;
		int ifindex;

		if (sscanf(p.name, "dispatch-%d-%u", &ifindex, &id) != 2 || ifindex != s->ifindex)
			continue;
		p.is_attached = is_attached(s, id);
		read_programs(s, &p);
		fn(s, xdp_fd, &p);
	}
	s->failed |= !dir;
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
}

static int is_known(const struct scan *s, const struct pinned *p)
{
	for (unsigned i = 0; i < p->programs; i++)
		for (unsigned j = 0; j < s->known; j++)
			if (p->program[i] == s->program[j])
				return 1;
	return 0;
}

static void collect_programs(struct scan *s, int xdp_fd, const struct pinned *p)
{
	(void)xdp_fd;
	s->failed |= p->is_attached && p->has_ours;
	if (p->is_attached || p->has_ours)
		for (unsigned i = 0; i < p->programs && s->known < KNOWN_MAX; i++)
			s->program[s->known++] = p->program[i];
}

static int unpin(int xdp_fd, const char *name)
{
	int fd = openat(xdp_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return !unlinkat(xdp_fd, name, AT_REMOVEDIR);
}

/*
 * A dispatcher that is not attached here may be attached in a namespace that is not visible. Removing its links would detach its programs
 * there, so links are removed only if a known program is among them. libxdp pins links first and unpins them first: pins without links are
 * left by a kill in between.
 */
static void remove_pins(struct scan *s, int xdp_fd, const struct pinned *p)
{
	struct stat st;

	if (p->is_attached || (p->programs && !is_known(s, p)))
		return;
	if (fstatat(xdp_fd, p->name, &st, AT_SYMLINK_NOFOLLOW) || st.st_mtime + ATTACH_S >= time(NULL) || !unpin(xdp_fd, p->name))
		s->left++;
}

int kernel_share__undo(int ifindex, uint64_t maker)
{
	const char *bpffs = secure_getenv(XDP_BPFFS_ENVVAR);
	struct scan s = { .left = 1 };

	for (unsigned tries = 0; s.left && tries < 2; tries++) {
		int fd;

		if (tries)
			sleep(ATTACH_S + 1);
		s = (struct scan){ .ifindex = ifindex, .maker = maker };
		snprintf(s.path, sizeof(s.path), "%s/xdp", bpffs ? bpffs : "/sys/fs/bpf");
		kernel_net__each(enter_and_scan, &s);
		fd = open(s.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return errno == ENOENT && !s.failed; /* nothing was ever pinned, or libxdp pins elsewhere */
		if (flock(fd, LOCK_EX)) {                    /* libxdp's own lock of its pins */
			close(fd);
			return 0;
		}
		each_pinned(&s, fd, collect_programs);
		if (!s.failed)
			each_pinned(&s, fd, remove_pins);
		close(fd);
	}
	return !s.left && !s.failed;
}
