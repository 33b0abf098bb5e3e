/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_SHARE_H
#define KERNEL_SHARE_H

/*
 * Runs one of our programs next to third-party programs on one interface, by libxdp's dispatcher, an XDP program that calls several others
 * in turn. libxdp pins what it attaches, so the program outlives its process: a record in /run/spin, and a random number in the program's
 * section MAKER, tell the next start what to remove. On failure a function writes the reason and the next step into `reason`. Called by
 * libspin and spinctl.
 */
#include <stddef.h>
#include <stdint.h>

#include "kernel/attach.h"

struct bpf_object;
struct kernel_share;

/* The section with a 64-bit constant that identifies the process that loaded the program. */
#define KERNEL_SHARE_MAKER ".rodata.maker"

/* How the program takes its place among others. */
struct kernel_share_opts {
	const char *program; /* its name in the object, which `xdp-loader status` shows */
	unsigned priority;   /* programs with a lower priority run before it */
	uint32_t chain;      /* bits 1 << XDP_PASS and so on: after these verdicts the programs after it also run */
};

/*
 * Returns 0 if the kernel and this machine have what libxdp's dispatcher needs, whichever programs it gets; -EOPNOTSUPP or another -errno
 * if not.
 */
int kernel_share__possible(char *reason, size_t reason_bytes);

/*
 * Prepares an object that is not loaded. The caller has CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON, and keeps the object, which must outlive
 * the handle. Returns -EOPNOTSUPP if the kernel or this machine lacks what libxdp's dispatcher needs, and `reason` says what; -ENOENT,
 * -ENOMEM.
 */
int kernel_share__open(struct bpf_object *bpf, const struct kernel_share_opts *opts, struct kernel_share **out, char *reason,
		       size_t reason_bytes);
/* Must not be called while the program is attached. */
void kernel_share__close(struct kernel_share *s);

/*
 * Attaches the program; the first call loads its object. Returns the codes of kernel_attach__link(), and -ENOEXEC if the object was not
 * loaded (its log says more than `reason`), or -EIO if no record could be written.
 */
int kernel_share__attach(struct kernel_share *s, int ifindex, const char *ifname, enum kernel_attach_mode mode, char *reason,
			 size_t reason_bytes);
/*
 * Removes the program, and the dispatcher if it was the last one. Other programs go on. What cannot be removed now is left to the first
 * start after kernel_share__close().
 */
void kernel_share__detach(struct kernel_share *s);

/* Returns 0 if it is attached; -ENOLINK if something removed it, or what it was attached to; -ENODEV if the interface is gone. */
int kernel_share__check(struct kernel_share *s);

/*
 * Returns the pid of the process that owns the program, its name, and its interface's index; 0 if it is not ours, or its record is not
 * visible here.
 */
int kernel_share__owner(uint32_t prog_id, int *ifindex, char *name, size_t name_bytes);

/* Removes programs of killed processes. Called at every start of a program; returns at once if none was killed. */
void kernel_share__recover(void);

/* --- pins.c --- */

/* Returns the number in a loaded program's section MAKER; 0 if it has no such section, or was not loaded to be shared. */
uint64_t kernel_share__maker(int prog_fd);
/*
 * Removes the maker's program from the interface with this index in the current network namespace. Returns 1 if done, 0 if it is not there,
 * -1 if refused or if the programs there cannot be read.
 */
int kernel_share__release(int ifindex, uint64_t maker);
/*
 * Same, in all visible namespaces. Then unpins each dispatcher of this index that is attached in none of them and for which one of these
 * holds: it has no links; it has the maker's program; it shares a program with an attached dispatcher, or with a dispatcher that has the
 * maker's program. Returns 1 if all is undone.
 */
int kernel_share__undo(int ifindex, uint64_t maker);

#endif
