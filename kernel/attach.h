/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_ATTACH_H
#define KERNEL_ATTACH_H

/*
 * Attaches XDP programs by bpf_link, and finds third-party programs on the interface. On failure a function writes the reason and the next
 * step into `reason`. Called by libspin and spinctl.
 */
#include <stddef.h>
#include <stdint.h>

enum kernel_attach_mode { KERNEL_ATTACH_NATIVE, KERNEL_ATTACH_GENERIC, KERNEL_ATTACH_OFFLOAD /* a program that is bound to the card */ };

/*
 * Attaches a program to an interface. The attachment ends when the last descriptor of the link is closed.
 * Returns the link's descriptor; -EBUSY (another program holds the interface; `reason` names it),
 * -EOPNOTSUPP (no native XDP in the driver; for OFFLOAD: the card does not take the program now), -ERANGE (MTU), -ENOSPC (a veth with
 * fewer queues than its peer), -ENODEV, -EPERM.
 */
int kernel_attach__link(int prog_fd, int ifindex, const char *ifname, enum kernel_attach_mode mode, char *reason, size_t reason_bytes);

/*
 * Same as kernel_attach__link(), but the caller attaches: attach() returns a descriptor, 0 or -errno. It is not called if native mode would
 * crash the kernel.
 */
struct kernel_attach {
	int ifindex;
	const char *ifname;
	enum kernel_attach_mode mode;
	int (*attach)(void *arg, uint32_t flags); /* flags: XDP_FLAGS_DRV_MODE, _SKB_MODE or _HW_MODE */
	void *arg;
};
int kernel_attach__try(const struct kernel_attach *a, char *reason, size_t reason_bytes);

/* Returns 1 if this error means that the driver refused native mode; generic mode may work. */
int kernel_attach__may_be_generic(int err);

/* Returns 0 if no program is attached, 1 if one or more are. Then `reason` names the program, its owner, and how to remove it. */
int kernel_attach__holder(int ifindex, const char *ifname, char *reason, size_t reason_bytes);

/* Returns the index of the interface that a link is attached to; 0 if the interface is gone; or -errno. */
int kernel_link__ifindex(int link_fd);

/* Returns the pid of a process that has the link open, and writes its name to `name`; 0 if none is visible. */
int kernel_link__owner(uint32_t link_id, char *name, size_t name_bytes);

#endif
