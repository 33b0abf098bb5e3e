/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_ATTACH_H
#define KERNEL_ATTACH_H

/*
 * Native XDP by bpf_link, and who else is there. Functions that fail write a
 * sentence with the next step into `why`.
 */
#include <stddef.h>
#include <stdint.h>

/*
 * Attaches a program to an interface; the link ends with the last descriptor.
 * Returns the link's descriptor; -EBUSY (held: `why` names the holder),
 * -EOPNOTSUPP (no native XDP in the driver), -ERANGE (MTU), -ENODEV, -EPERM.
 */
int kernel_attach__link(int prog_fd, int ifindex, const char *ifname, char *why, size_t why_bytes);

/* 0: no program; 1: one or more, and `why` says which, whose, and how to remove them. */
int kernel_attach__holder(int ifindex, const char *ifname, char *why, size_t why_bytes);

/* The interface a link is attached to; 0 when the interface is gone. Or -errno. */
int kernel_link__ifindex(int link_fd);

/* A process that has the link open, 0 if none is visible; its name goes to `name`. */
int kernel_link__owner(uint32_t link_id, char *name, size_t name_bytes);

#endif
