/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches XDP programs to interfaces by bpf_link, and reports who holds an interface and how to free it. Called by libspin and `spinctl
 * doctor`. A third party's program is never replaced.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_link.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/attach.h"
#include "kernel/native.h"
#include "kernel/share/dispatcher.h"

int kernel_link__ifindex(int link_fd)
{
	struct bpf_link_info info = { 0 };
	uint32_t bytes = sizeof(info);

	if (bpf_obj_get_info_by_fd(link_fd, &info, &bytes))
		return -errno;
	return (int)info.xdp.ifindex;
}

static void program_name(uint32_t id, char *name, size_t bytes)
{
	struct bpf_prog_info info = { 0 };
	uint32_t info_bytes = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	snprintf(name, bytes, "?");
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &info_bytes) && info.name[0])
		snprintf(name, bytes, "%s", info.name);
	close(fd);
}

/*
 * Returns the id of the link that attaches the program to the interface; 0 if it is attached by netlink; -EPERM if the caller is not root.
 */
static int64_t link_of(uint32_t prog_id, int ifindex)
{
	uint32_t id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = { 0 };
		uint32_t bytes = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id), err;

		if (fd < 0)
			continue;
		err = bpf_obj_get_info_by_fd(fd, &info, &bytes);
		close(fd);
		if (!err && info.type == BPF_LINK_TYPE_XDP && info.prog_id == prog_id && (int)info.xdp.ifindex == ifindex)
			return id;
	}
	return errno == EPERM ? -EPERM : 0;
}

/* libxdp's dispatcher: it is pinned and its programs are attached to it, so it must not be removed on its own. */
static int is_libxdp(const char *program)
{
	return !strcmp(program, "xdp_dispatcher");
}

/* Says whose XDP program holds the interface and how to remove it. */
static void describe(uint32_t prog_id, const char *mode, const char *off, int ifindex, const char *ifname, char *reason, size_t bytes)
{
	char program[BPF_OBJ_NAME_LEN], owner[64], names[160];
	int64_t link = link_of(prog_id, ifindex);
	int pid;

	if (link < 0) {
		snprintf(reason, bytes,
			 "%s is held by an %sXDP program (id %u); whose it is, and how to remove it, only root "
			 "sees: `sudo spinctl doctor --dev %s`",
			 ifname, mode, prog_id, ifname);
		return;
	}
	program_name(prog_id, program, sizeof(program));
	if (is_libxdp(program)) {
		kernel_dispatcher__names(ifindex, names, sizeof(names));
		snprintf(reason, bytes,
			 "%s is held by libxdp's %sXDP program '%s' (id %u) with the programs that xdp-loader put on "
			 "it%s%s: remove them with `xdp-loader unload %s --all`, or share the interface with them by `spinctl run --share`",
			 ifname, mode, program, prog_id, *names ? ", " : "", names, ifname);
		return;
	}
	if (!link) {
		snprintf(reason, bytes,
			 "%s is held by the %sXDP program '%s' (id %u), attached by netlink: "
			 "remove it with `ip link set dev %s %s off`",
			 ifname, mode, program, prog_id, ifname, off);
		return;
	}
	pid = kernel_link__owner((uint32_t)link, owner, sizeof(owner));
	if (pid == getpid())
		snprintf(reason, bytes,
			 "%s is held by the %sXDP program '%s' (id %u) of this process: use the handle that it "
			 "was attached with",
			 ifname, mode, program, prog_id);
	else if (pid)
		snprintf(reason, bytes,
			 "%s is held by the %sXDP program '%s' (id %u) of process %d (%s): "
			 "stop that process first (`kill %d`)",
			 ifname, mode, program, prog_id, pid, owner, pid);
	else
		snprintf(reason, bytes,
			 "%s is held by the %sXDP program '%s' (id %u) through bpf_link %u, "
			 "of a process not visible here or pinned: release it with `bpftool link detach "
			 "id %u`",
			 ifname, mode, program, prog_id, (uint32_t)link, (uint32_t)link);
}

int kernel_attach__holder(int ifindex, const char *ifname, char *reason, size_t reason_bytes)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	if (bpf_xdp_query(ifindex, 0, &q))
		return 0;
	if (q.attach_mode != XDP_ATTACHED_MULTI) {
		/* with a single program, prog_id holds its id as well */
		if (q.attach_mode == XDP_ATTACHED_SKB)
			q.skb_prog_id = q.prog_id;
		else if (q.attach_mode == XDP_ATTACHED_HW)
			q.hw_prog_id = q.prog_id;
		else
			q.drv_prog_id = q.prog_id;
	}
	if (q.drv_prog_id)
		describe(q.drv_prog_id, "", "xdpdrv", ifindex, ifname, reason, reason_bytes);
	else if (q.skb_prog_id)
		describe(q.skb_prog_id, "generic ", "xdpgeneric", ifindex, ifname, reason, reason_bytes);
	else if (q.hw_prog_id)
		describe(q.hw_prog_id, "offloaded ", "xdpoffload", ifindex, ifname, reason, reason_bytes);
	else
		return 0;
	return 1;
}

int kernel_attach__may_be_generic(int err)
{
	return err == -EOPNOTSUPP || err == -ERANGE || err == -ENOSPC || err == -EINVAL;
}

static int refuse_native(const struct kernel_native *native, char *reason, size_t reason_bytes)
{
	snprintf(reason, reason_bytes, "%s%s%s", native->reason, *native->advice ? ": " : "", native->advice);
	return -EOPNOTSUPP;
}

static uint32_t flag_of(enum kernel_attach_mode mode)
{
	switch (mode) {
	case KERNEL_ATTACH_NATIVE:
		return XDP_FLAGS_DRV_MODE;
	case KERNEL_ATTACH_GENERIC:
		return XDP_FLAGS_SKB_MODE;
	default:
		return XDP_FLAGS_HW_MODE;
	}
}

/* Writes every possible cause: for offload a driver reports only an error number. Returns -errno. */
static int refuse_offload(int err, const char *ifname, char *reason, size_t reason_bytes)
{
	if (err == EINVAL)
		snprintf(reason, reason_bytes,
			 "the card of %s does not take the program: it is bound to another device, or to none, or the device does not "
			 "offload now; `dmesg` may say more",
			 ifname);
	else
		snprintf(
			reason, reason_bytes,
			"the card of %s does not take the program with its present settings: the program looks further into a packet than the "
			"card has of it, or the MTU is too large; lower it, `ip link set dev %s mtu 1500`; `dmesg` may say more",
			ifname, ifname);
	return -EOPNOTSUPP;
}

int kernel_attach__try(const struct kernel_attach *a, char *reason, size_t reason_bytes)
{
	struct kernel_native native = { .verdict = KERNEL_NATIVE_YES };
	const char *ifname = a->ifname;
	int ifindex = a->ifindex, fd, err;

	if (a->mode == KERNEL_ATTACH_NATIVE)
		kernel_native__check_by_name(ifname, &native);
	if (native.verdict == KERNEL_NATIVE_UNSAFE)
		return refuse_native(&native, reason, reason_bytes);
	fd = a->attach(a->arg, flag_of(a->mode));
	if (fd >= 0)
		return fd;
	err = -fd;
	if ((err == EOPNOTSUPP || err == EINVAL) && native.verdict == KERNEL_NATIVE_NO)
		return refuse_native(&native, reason, reason_bytes);
	if (a->mode == KERNEL_ATTACH_OFFLOAD && (err == EOPNOTSUPP || err == EINVAL))
		return refuse_offload(err, ifname, reason, reason_bytes);
	switch (err) {
	case EBUSY:
	case EEXIST:
		if (!kernel_attach__holder(ifindex, ifname, reason, reason_bytes))
			snprintf(reason, reason_bytes,
				 "%s is held by another XDP program, which has just gone: "
				 "try again",
				 ifname);
		return -EBUSY;
	case EOPNOTSUPP:
		snprintf(reason, reason_bytes,
			 "the driver of %s has no native XDP: use generic mode, or a card or a virtual "
			 "interface that has (for instance veth)",
			 ifname);
		return -EOPNOTSUPP;
	case ENOSPC:
		snprintf(reason, reason_bytes,
			 "%s has fewer receive queues than its peer has transmit queues, so native XDP is "
			 "refused: make it with `ip link add ... numrxqueues N`, or `ethtool -L %s rx N`",
			 ifname, ifname);
		return -ENOSPC;
	case ERANGE:
	case EMSGSIZE:
		snprintf(reason, reason_bytes,
			 "the MTU of %s (of its peer, if it is a veth) is too large for XDP here: frames of "
			 "several pieces are refused by this kernel or driver; lower it, `ip link set dev %s mtu 3000`",
			 ifname, ifname);
		return -ERANGE;
	case ENODEV:
		snprintf(reason, reason_bytes, "interface %s has gone away", ifname);
		return -ENODEV;
	case EPERM:
		snprintf(reason, reason_bytes,
			 "attaching to %s needs CAP_NET_ADMIN in its network namespace: "
			 "run it as root (sudo)",
			 ifname);
		return -EPERM;
	default:
		/* some drivers return EINVAL if another program holds the interface */
		if (err == EINVAL && kernel_attach__holder(ifindex, ifname, reason, reason_bytes))
			return -EBUSY;
		snprintf(reason, reason_bytes, "the kernel refuses to attach to %s: %s; `dmesg` may say more", ifname, strerror(err));
		return -err;
	}
}

struct by_link {
	int prog_fd, ifindex;
};

static int attach_link(void *arg, uint32_t flags)
{
	const struct by_link *link = arg;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);
	int fd = bpf_link_create(link->prog_fd, link->ifindex, BPF_XDP, &opts);

	return fd < 0 ? -errno : fd;
}

int kernel_attach__link(int prog_fd, int ifindex, const char *ifname, enum kernel_attach_mode mode, char *reason, size_t reason_bytes)
{
	struct by_link link = { prog_fd, ifindex };
	const struct kernel_attach attach = { ifindex, ifname, mode, attach_link, &link };

	return kernel_attach__try(&attach, reason, reason_bytes);
}
