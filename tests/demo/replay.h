/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_REPLAY_H
#define TESTS_DEMO_REPLAY_H

/* Measures the time per packet of a context's program on captured frames (PROG_TEST_RUN). Called by demo_filtering.c and demo_kvstore.c. */
#include <spin/libspin.h>
#include "tests/demo/capture.h"

struct replay;

struct replay *replay_open(const char *object);
void replay_close(struct replay *replay);

/*
 * Returns the ns per packet, minus an empty XDP program with the same frames: medians of alternating bursts. Frames must be of one length,
 * at least REPLAY_BYTES; the first REPLAY_FRAMES_MAX are used, round robin.
 */
double replay_ns(struct replay *replay, struct spin_ctx *ctx, const struct frame *const *frame, size_t frames);

#endif
