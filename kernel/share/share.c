/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches one of our programs to libxdp's dispatcher on an interface that may also run third-party programs. Called by libspin
 * and spinctl. Third-party programs are never removed or replaced, and only one process of ours may use an interface.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/if_link.h>
#include <linux/magic.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

#include "kernel/probe_bpf.h"
#include "kernel/record.h"
#include "kernel/share/dispatcher.h"
#include "kernel/share/share.h"
#include "kernel/textfile.h"

#define KIND "share"

struct kernel_share {
	const struct bpf_program *bpf;
	struct xdp_program *program;
	uint64_t maker;
	int ifindex;          /* 0: not attached */
	uint32_t dispatcher;  /* the interface's program at the last check */
	struct record record; /* kept until all is undone: attaching again after a failed detach uses the same maker */
};

/* --- whether the interface can be shared --- */

static int explain_freplace(int err, char *reason, size_t bytes)
{
	switch (err) {
	case -EPERM: /* the caller has the capabilities */
	case -EACCES:
		snprintf(
			reason, bytes,
			"this kernel forbids that a program replaces another's function (freplace: %s), which libxdp's dispatcher is made of: "
			"a security policy, or a patch of the distribution; without --share the interface is this process's alone",
			strerror(-err));
		break;
	case -EOPNOTSUPP:
	case -ENOSYS:
	case -EINVAL:
		snprintf(
			reason, bytes,
			"this kernel cannot let a program replace another's function (freplace: %s), which libxdp's dispatcher is made of: "
			"that takes CONFIG_BPF_JIT with the JIT on (`sysctl -w net.core.bpf_jit_enable=1`) and CONFIG_DEBUG_INFO_BTF; "
			"without --share the interface is this process's alone",
			strerror(-err));
		break;
	default:
		snprintf(reason, bytes, "whether a program can replace another's function here (freplace) cannot be found out: %s",
			 strerror(-err));
		return err;
	}
	return -EOPNOTSUPP;
}

int kernel_share__possible(char *reason, size_t reason_bytes)
{
	const char *bpffs = secure_getenv(XDP_BPFFS_ENVVAR), *skip = secure_getenv("LIBXDP_SKIP_DISPATCHER");
	int err = kernel_bpf__freplace();
	struct statfs st;

	if (err)
		return explain_freplace(err, reason, reason_bytes);
	bpffs = bpffs ? bpffs : "/sys/fs/bpf";
	if (statfs(bpffs, &st) || st.f_type != BPF_FS_MAGIC) {
		snprintf(
			reason, reason_bytes,
			"libxdp keeps its programs in a BPF file system, and %s is not one: `mount -t bpf bpf %s`; `ip netns exec` hides it, "
			"`nsenter --net=/run/netns/NAME` does not",
			bpffs, bpffs);
		return -EOPNOTSUPP;
	}
	if (skip && !strcmp(skip, "1")) {
		snprintf(reason, reason_bytes, "LIBXDP_SKIP_DISPATCHER=1 is in the environment, so libxdp makes no dispatcher: unset it");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* --- the handle --- */

static int set_maker(struct kernel_share *s, struct bpf_object *bpf, char *reason, size_t bytes)
{
	struct bpf_map *map = bpf_object__find_map_by_name(bpf, KERNEL_SHARE_MAKER);

	if (!map || getrandom(&s->maker, sizeof(s->maker), 0) != sizeof(s->maker) ||
	    bpf_map__set_initial_value(map, &s->maker, sizeof(s->maker))) {
		snprintf(reason, bytes, "the interface's program is of another version: build libspin again");
		return -EINVAL;
	}
	return 0;
}

/* Opens the object's program for libxdp, with its priority and the verdicts after which the next program runs. */
static int open_program(struct kernel_share *s, struct bpf_object *bpf, const struct kernel_share_opts *opts, char *reason, size_t bytes)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, of_object, .obj = bpf, .prog_name = opts->program);
	int err = 0;

	s->bpf = bpf_object__find_program_by_name(bpf, opts->program);
	s->program = xdp_program__create(&of_object);
	if (libxdp_get_error(s->program) || !s->bpf) {
		err = s->program ? (int)libxdp_get_error(s->program) : -errno;
		s->program = NULL;
	}
	for (unsigned action = 0; !err && action <= XDP_REDIRECT; action++)
		err = xdp_program__set_chain_call_enabled(s->program, action, opts->chain >> action & 1);
	if (!err)
		err = xdp_program__set_run_prio(s->program, opts->priority);
	if (err)
		snprintf(reason, bytes, "libxdp does not take %s: %s", opts->program,
			 *kernel_dispatcher__message() ? kernel_dispatcher__message() : strerror(-err));
	return err;
}

int kernel_share__open(struct bpf_object *bpf, const struct kernel_share_opts *opts, struct kernel_share **out, char *reason,
		       size_t reason_bytes)
{
	struct kernel_share *s;
	int err = kernel_share__possible(reason, reason_bytes);

	*out = NULL;
	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s) {
		snprintf(reason, reason_bytes, "no memory to share the interface");
		return -ENOMEM;
	}
	s->record.fd = -1;
	kernel_dispatcher__clear_messages();
	err = set_maker(s, bpf, reason, reason_bytes);
	if (!err)
		err = open_program(s, bpf, opts, reason, reason_bytes);
	if (err)
		kernel_share__close(s);
	else
		*out = s;
	return err;
}

void kernel_share__close(struct kernel_share *s)
{
	if (!s)
		return;
	record__close(&s->record);
	xdp_program__close(s->program);
	free(s);
}

/* --- who holds the interface --- */

struct owner {
	uint64_t maker;
	int ifindex, pid;
};

static int is_owner(void *arg, const char *line)
{
	struct owner *owner = arg;
	struct owner of_line = { 0 };

	if (sscanf(line, "%d %" SCNx64 " %d", &of_line.ifindex, &of_line.maker, &of_line.pid) != 3 || of_line.maker != owner->maker)
		return 0;
	*owner = of_line;
	return 1;
}

int kernel_share__owner(uint32_t prog_id, int *ifindex, char *name, size_t name_bytes)
{
	int fd = bpf_prog_get_fd_by_id(prog_id);
	struct owner owner = { 0 };
	char path[64];

	snprintf(name, name_bytes, "?");
	*ifindex = 0;
	if (fd < 0)
		return 0;
	owner.maker = kernel_share__maker(fd);
	close(fd);
	if (!owner.maker)
		return 0;
	record__each(KIND, is_owner, &owner);
	*ifindex = owner.ifindex;
	snprintf(path, sizeof(path), "/proc/%d/comm", owner.pid);
	if (owner.pid && textfile__line(AT_FDCWD, path, name, name_bytes))
		snprintf(name, name_bytes, "?");
	return owner.pid;
}

/* Returns -EBUSY if a process of ours has the interface, shared or alone, or if a program that libxdp did not attach is there. */
static int refuse_others(int ifindex, const char *ifname, char *reason, size_t bytes)
{
	struct xdp_multiprog *mp = kernel_dispatcher__open(ifindex);
	struct owner owner = { 0 };

	if (!mp) /* no program, or one without a dispatcher */
		return kernel_attach__holder(ifindex, ifname, reason, bytes) ? -EBUSY : 0;
	for (struct xdp_program *p = NULL; !owner.maker && (p = xdp_multiprog__next_prog(p, mp));)
		owner.maker = kernel_share__maker(xdp_program__fd(p));
	xdp_multiprog__close(mp);
	if (!owner.maker)
		return 0;
	record__each(KIND, is_owner, &owner);
	if (owner.pid)
		snprintf(reason, bytes,
			 "%s is shared by sPIN's process %d already, and one process has all contexts of an interface: stop that process "
			 "first (`kill %d`), or give it these handlers, too",
			 ifname, owner.pid, owner.pid);
	else
		snprintf(
			reason, bytes,
			"%s is shared by a sPIN process that is not visible here, or whose record in /run/spin is gone: `xdp-loader status "
			"%s` lists its program as spin_root, and `xdp-loader unload %s --id ID` removes that",
			ifname, ifname, ifname);
	return -EBUSY;
}

/* --- attaching --- */

static int attach_by_libxdp(void *arg, uint32_t flags)
{
	struct kernel_share *s = arg;

	return xdp_program__attach(s->program, s->ifindex, flags & XDP_FLAGS_SKB_MODE ? XDP_MODE_SKB : XDP_MODE_NATIVE, 0);
}

/* The id of the interface's program, in any mode. */
static uint32_t program_at(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	if (bpf_xdp_query(ifindex, 0, &q))
		return 0;
	return q.drv_prog_id ? q.drv_prog_id : q.skb_prog_id ? q.skb_prog_id : q.prog_id;
}

/* Returns 1 if the interface's dispatcher has our program. */
static int is_component(const struct kernel_share *s)
{
	struct xdp_multiprog *mp = kernel_dispatcher__open(s->ifindex);
	int found = 0;

	if (!mp)
		return 0;
	for (struct xdp_program *p = NULL; !found && (p = xdp_multiprog__next_prog(p, mp));)
		found = xdp_program__id(p) == xdp_program__id(s->program);
	xdp_multiprog__close(mp);
	return found;
}

static int write_record(struct kernel_share *s, char *reason, size_t bytes)
{
	char line[RECORD_LINE_BYTES];

	if (s->record.fd >= 0)
		return 0;
	snprintf(line, sizeof(line), "%d %016" PRIx64 " %d\n", s->ifindex, s->maker, (int)getpid());
	record__write(&s->record, KIND, line);
	if (s->record.fd >= 0)
		return 0;
	snprintf(reason, bytes,
		 "no record can be written in /run/spin, by which the program would be removed if this process were killed: make /run "
		 "writable, or run without --share");
	return -EIO;
}

static void release_record(struct kernel_share *s, int is_undone)
{
	if (is_undone) {
		record__remove(&s->record);
		record__close(&s->record);
	}
	s->ifindex = 0;
	s->dispatcher = 0;
}

int kernel_share__attach(struct kernel_share *s, int ifindex, const char *ifname, enum kernel_attach_mode mode, char *reason,
			 size_t reason_bytes)
{
	const struct kernel_attach attach = { ifindex, ifname, mode, attach_by_libxdp, s };
	int err;

	kernel_dispatcher__clear_messages();
	err = refuse_others(ifindex, ifname, reason, reason_bytes);
	if (err)
		return err;
	s->ifindex = ifindex;
	err = write_record(s, reason, reason_bytes);
	if (err) {
		s->ifindex = 0;
		return err;
	}
	kernel_dispatcher__clear_messages();
	err = kernel_attach__try(&attach, reason, reason_bytes);
	if (err >= 0) {
		s->dispatcher = program_at(ifindex);
		if (is_component(s))
			return 0;
		/* libxdp attached it directly, without a dispatcher */
		snprintf(reason, reason_bytes, "libxdp makes no dispatcher for %s here: %s", ifname,
			 *kernel_dispatcher__message() ? kernel_dispatcher__message() : "it does not say why");
		err = -EOPNOTSUPP;
	} else if (bpf_program__fd(s->bpf) < 0) {
		snprintf(reason, reason_bytes, "libxdp cannot load the program for %s: %s", ifname,
			 *kernel_dispatcher__message() ? kernel_dispatcher__message() : strerror(-err));
		err = -ENOEXEC;
	}
	release_record(s, kernel_share__undo(ifindex, s->maker));
	return err;
}

void kernel_share__detach(struct kernel_share *s)
{
	int ifindex = s->ifindex;

	if (!ifindex)
		return;
	kernel_dispatcher__clear_messages();
	release_record(s, kernel_share__release(ifindex, s->maker) > 0 || kernel_share__undo(ifindex, s->maker));
}

/* libxdp replaces its dispatcher whenever another program comes or goes, so ours is looked up in the new one. */
int kernel_share__check(struct kernel_share *s)
{
	uint32_t now;

	for (unsigned tries = 0; s->ifindex && tries < 3; tries++) {
		LIBBPF_OPTS(bpf_xdp_query_opts, q);

		if (bpf_xdp_query(s->ifindex, 0, &q) == -ENODEV)
			return -ENODEV;
		now = program_at(s->ifindex);
		if (now && now == s->dispatcher)
			return 0;
		kernel_dispatcher__clear_messages();
		if (is_component(s)) {
			s->dispatcher = now;
			return 0;
		}
		usleep(20000); /* the pins read were those of one libxdp step and the dispatcher that of another: read again */
	}
	return -ENOLINK;
}

static int undo(const char *line)
{
	uint64_t maker;
	int ifindex;

	if (sscanf(line, "%d %" SCNx64, &ifindex, &maker) != 2 || ifindex <= 0 || !maker)
		return 1;
	kernel_dispatcher__clear_messages();
	return kernel_share__undo(ifindex, maker);
}

void kernel_share__recover(void)
{
	record__recover(KIND, undo);
}
