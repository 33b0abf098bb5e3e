/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_DISPATCHER_H
#define KERNEL_DISPATCHER_H

/*
 * Reads which programs libxdp's dispatcher of an interface has. Also collects libxdp's messages, which would otherwise go to
 * stderr. Called by share.c and attach.c.
 */
#include <stddef.h>

struct xdp_multiprog;
struct xdp_program;

/* Forgets what libxdp has said to this thread. Called before a step of libxdp's whose failure is to be explained. */
void kernel_dispatcher__listen(void);
/* The first warning since then, or else the last notice; "": none. */
const char *kernel_dispatcher__message(void);

/* The interface's dispatcher, for xdp_multiprog__close(); NULL: the interface has no program, or one by itself. */
struct xdp_multiprog *kernel_dispatcher__open(int ifindex);
/* 1: it is attached in generic mode, as all its programs are; 0: native; -1: there is none. */
int kernel_dispatcher__is_generic(int ifindex);
/* Names of its programs, with commas between; "" if it has none, or only root sees them. */
void kernel_dispatcher__names(int ifindex, char *names, size_t bytes);

/* Loads libxdp's dispatcher, attached to nothing, for xdp_program__close(). NULL: it is not installed, or the kernel refuses. */
struct xdp_program *kernel_dispatcher__load(int *prog_fd);

#endif
