/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_FEATURES_H
#define KERNEL_FEATURES_H

/*
 * What handlers need from a kernel, and the first version that has it. Only the table in features.c holds this: the loader, `spinctl
 * doctor`, `spinctl limits` and all messages take versions and names from it.
 */
#include <stddef.h>

/* The features, in the order of the table. */
enum kernel_feature {
	KERNEL_DATAGRAMS, /* trusted datagram handlers, on frames of one buffer */
	KERNEL_MESSAGES,
	KERNEL_SENDING,  /* packets that handlers send (SPIN_PUTS) */
	KERNEL_ISOLATED, /* the isolated class: handlers loaded without CAP_PERFMON */
	KERNEL_JUMBO,    /* frames in several buffers, which are copied */
	KERNEL_FEATURES,
};

/* "messages", "the isolated class", ... */
const char *kernel_feature__name(enum kernel_feature feature);
/* "6.9": the first kernel that has it; static storage. */
const char *kernel_feature__version(enum kernel_feature feature);

/*
 * Returns 1 if the running kernel has the feature. It is tested once per process; while it cannot be tested (no privilege, no descriptors),
 * the kernel's version decides.
 */
int kernel_feature__has(enum kernel_feature feature);

/* "kernel 6.1.0 is too old for messages (Linux 6.9 or newer): ..." with what to do. Returns buf. */
const char *kernel_feature__refusal(enum kernel_feature feature, char *buf, size_t bytes);
/* The advice for all features: "boot Linux 6.9 or newer (...)". Returns buf. */
const char *kernel_feature__advice(char *buf, size_t bytes);
/* The features that a kernel without may_goto (opcode e5) lacks: "messages, the isolated class". Returns buf. */
const char *kernel_feature__of_may_goto(char *buf, size_t bytes);
/*
 * The message for a kernel of which kernel_probe__refuses_speculation() is true: "in the isolated class Linux before 6.17 refuses ...";
 * static storage.
 */
const char *kernel_feature__speculation(void);
/* The release of the running kernel, as uname reports it: "6.1.0-50-amd64". */
const char *kernel_feature__release(void);

#endif
