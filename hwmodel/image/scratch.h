/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef IMAGE_SCRATCH_H
#define IMAGE_SCRATCH_H

/*
 * The start of a message's scratchpad in its home cluster's L1: what one task
 * of a message tells the next. Each word is touched only if both a handler that
 * says it and a handler that asks for it are registered.
 */
#include <stdint.h>

struct hpu_scratch {
	uint32_t header;        /* enum spin_rc of the header handler, or HPU_SCRATCH_FAILED */
	uint32_t dropped_bytes; /* of payload, or HPU_SCRATCH_FAILED */
};

#define HPU_SCRATCH_FAILED 0xffffffffu

#endif
