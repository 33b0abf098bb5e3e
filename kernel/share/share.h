/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_SHARE_H
#define KERNEL_SHARE_H

/*
 * One of our programs next to those of others on one interface, by libxdp's dispatcher. libxdp pins what it attaches, so the
 * program outlives its process: a record in /run/spin, and a random number in the program's section MAKER, tell the next start what
 * to remove. A function that fails writes a reason with the next step into `reason`.
 */
#include <stddef.h>
#include <stdint.h>

#include "kernel/attach.h"

struct bpf_object;
struct kernel_share;

/* The section of a 64-bit constant by which a program is known to be of one process. */
#define KERNEL_SHARE_MAKER ".rodata.maker"

struct kernel_share_opts {
	const char *program; /* its name in the object, which is what `xdp-loader status` shows */
	unsigned priority;   /* programs with lower ones run before it */
	uint32_t chain;      /* bits 1 << XDP_PASS and so on: with these verdicts the programs behind it run, too */
};

/* 0 if the kernel and this machine have what libxdp's dispatcher needs, whichever programs it takes; or -EOPNOTSUPP, -errno. */
int kernel_share__possible(char *reason, size_t reason_bytes);

/*
 * Prepares an object that is not loaded, for a caller with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; it stays the caller's and must outlive
 * the handle. -EOPNOTSUPP: the kernel or this machine does not have what libxdp's dispatcher needs, and `reason` says what; -ENOENT, -ENOMEM.
 */
int kernel_share__open(struct bpf_object *bpf, const struct kernel_share_opts *opts, struct kernel_share **out, char *reason,
		       size_t reason_bytes);
/* Not while it is attached. */
void kernel_share__close(struct kernel_share *s);

/*
 * Attaches the program, the first time by loading its object. Codes are those of kernel_attach__link(), and -ENOEXEC: the object was
 * not loaded, and its log says more than `reason`; -EIO: no record could be written.
 */
int kernel_share__attach(struct kernel_share *s, int ifindex, const char *ifname, enum kernel_attach_mode mode, char *reason,
			 size_t reason_bytes);
/*
 * Removes the program, and the dispatcher with the last one. Other programs go on. What cannot be removed now is left to the first start
 * after kernel_share__close().
 */
void kernel_share__detach(struct kernel_share *s);

/* 0: it is attached; -ENOLINK: somebody has removed it, or what it was attached to; -ENODEV: the interface has gone away. */
int kernel_share__check(struct kernel_share *s);

/* The process whose program this is, its name, and its interface's index. 0: it is not one of ours, or its record is not visible here. */
int kernel_share__owner(uint32_t prog_id, int *ifindex, char *name, size_t name_bytes);

/* Removes programs of killed processes. Called at every start of a program; takes no time if none was killed. */
void kernel_share__recover(void);

/* --- pins.c --- */

/* The number in a loaded program's section MAKER; 0: it has no such section, or was not loaded to be shared. */
uint64_t kernel_share__maker(int prog_fd);
/*
 * Removes the maker's program from the interface of this index in the present network namespace. 1: done; 0: it is not there; -1: refused,
 * or what is there cannot be read.
 */
int kernel_share__release(int ifindex, uint64_t maker);
/*
 * The same in all namespaces that are visible; then unpins dispatchers that are attached to no interface of this index there, and have the
 * maker's program, or one of a dispatcher that has it or is attached, or no links. 1: all is undone.
 */
int kernel_share__undo(int ifindex, uint64_t maker);

#endif
