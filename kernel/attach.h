/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_ATTACH_H
#define KERNEL_ATTACH_H

/*
 * Attaches XDP programs by bpf_link, and finds programs of others on the interface. A function that fails writes a reason with the
 * next step into `reason`.
 */
#include <stddef.h>
#include <stdint.h>

enum kernel_attach_mode { KERNEL_ATTACH_NATIVE, KERNEL_ATTACH_GENERIC, KERNEL_ATTACH_OFFLOAD /* a program that is bound to the card */ };

/*
 * Attaches a program to an interface; the link ends with the last descriptor.
 * Returns the link's descriptor; -EBUSY (held: `reason` names the holder),
 * -EOPNOTSUPP (no native XDP in the driver, or of OFFLOAD: the card does not take the program now), -ERANGE (MTU), -ENOSPC (a veth with
 * fewer queues than its peer), -ENODEV, -EPERM.
 */
int kernel_attach__link(int prog_fd, int ifindex, const char *ifname, enum kernel_attach_mode mode, char *reason, size_t reason_bytes);

/*
 * The same for another way to attach: attach() returns a descriptor, 0 or -errno, and is not called where native mode would crash the
 * kernel.
 */
struct kernel_attach {
	int ifindex;
	const char *ifname;
	enum kernel_attach_mode mode;
	int (*attach)(void *arg, uint32_t flags); /* flags: XDP_FLAGS_DRV_MODE, _SKB_MODE or _HW_MODE */
	void *arg;
};
int kernel_attach__try(const struct kernel_attach *a, char *reason, size_t reason_bytes);

/* 1 if this error means that the driver refused native mode: generic mode may work. */
int kernel_attach__may_be_generic(int err);

/* 0: no program; 1: one or more, and `reason` says which, whose, and how to remove them. */
int kernel_attach__holder(int ifindex, const char *ifname, char *reason, size_t reason_bytes);

/* The interface a link is attached to; 0 when the interface is gone. Or -errno. */
int kernel_link__ifindex(int link_fd);

/* A process that has the link open, 0 if none is visible; its name goes to `name`. */
int kernel_link__owner(uint32_t link_id, char *name, size_t name_bytes);

#endif
