/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_DISPATCHER_H
#define KERNEL_DISPATCHER_H

/*
 * Reads which programs libxdp's dispatcher (an XDP program that calls several others in turn) of an interface has. Also collects libxdp's
 * messages, which would otherwise go to stderr. Called by share.c, attach.c and libspin.
 */
#include <stddef.h>

struct xdp_multiprog;
struct xdp_program;

/* Clears the messages that libxdp has printed in this thread. Called before a libxdp call whose failure is to be explained. */
void kernel_dispatcher__clear_messages(void);
/* Returns the first warning since then, or else the last notice; "" if there is none. */
const char *kernel_dispatcher__message(void);

/*
 * Returns the interface's dispatcher, to be closed by xdp_multiprog__close(); NULL if the interface has no program, or one without a
 * dispatcher.
 */
struct xdp_multiprog *kernel_dispatcher__open(int ifindex);
/* Returns 1 if the dispatcher and all its programs are attached in generic mode, 0 if in native mode, -1 if there is none. */
int kernel_dispatcher__is_generic(int ifindex);
/* Writes the names of its programs, separated by commas; "" if it has none or the caller is not root. */
void kernel_dispatcher__names(int ifindex, char *names, size_t bytes);

/*
 * Loads libxdp's dispatcher, attached to nothing, to be closed by xdp_program__close(). Returns NULL if it is not installed or the kernel
 * refuses it.
 */
struct xdp_program *kernel_dispatcher__load(int *prog_fd);

#endif
