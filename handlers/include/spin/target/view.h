/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_VIEW_H
#define SPIN_TARGET_VIEW_H

/*
 * How a frame is seen, which is known when compiling: one source, and code of its
 * own for each. What is written in terms of struct spin_view runs
 *
 *   direct   where the frame lies in one piece: pointers are compared with its end
 *   copied   in a buffer that is larger than any frame. That loads without
 *            CAP_PERFMON, and frames in several pieces end up there. Pointers may not
 *            be compared or subtracted, so numbers are: of the frame's bytes.
 *
 * Without CAP_PERFMON the verifier also wants an addition to a pointer to have one
 * range of values, whichever way it was reached, and takes a number it knows for a
 * range of its own; and it takes states for one only if all numbers in them are the
 * same. So offsets go through memory (spin_verifier_forget_()), and loops are such that the
 * verifier finds their end by itself (spin_can_loop_()).
 */
#include <spin/reason.h>
#include <spin/wire.h>

/* The buffer that frames are copied to: a power of two, and what headers and the last piece may add. */
#define SPIN_COPY_BYTES 16384u
#define SPIN_COPY_SLACK 512u

/* The first word is spin_verifier_forget_()'s, the others hold what is too large for the stack (struct spin_message). */
#define SPIN_SCRATCH_WORDS 20u

enum spin_access {
	SPIN_DIRECT,
	SPIN_HEADERS, /* the headers as in SPIN_DIRECT, the rest is elsewhere: for parsing only */
	SPIN_COPIED,
};

struct spin_view {
	enum spin_access access;
	uint8_t *data;              /* the frame's start */
	uint8_t *end;               /* one past what lies there; not for SPIN_COPIED */
	uint32_t bytes;             /* of the frame; not for SPIN_DIRECT */
	volatile uint64_t *scratch; /* SPIN_SCRATCH_WORDS that the verifier does not follow; SPIN_COPIED only */
};

/*
 * A 16-bit length that may be added to a packet pointer. Verifiers before Linux 6.18.44 (seen on 6.1 to 6.18.5)
 * forget all bounds of a byte swap's result and refuse the addition: "math between pkt pointer and register with
 * unbounded min value". The mask restores them; the compiler must not see that it changes nothing.
 */
SPIN_INLINE uint32_t spin_length16(spin_be16 length)
{
	return spin_barrier_var_(spin_ntoh16(length)) & 0xffff;
}

/* The same number, of which the verifier knows nothing, nor where it came from. SPIN_COPIED only. */
SPIN_INLINE uint64_t spin_verifier_forget_(const struct spin_view *view, uint64_t v)
{
	*view->scratch = v;
	return *view->scratch;
}

/* What was stored before is read again behind it. */
SPIN_INLINE void spin_compiler_barrier_(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Is a pointer, that a bounded offset gave, at or before the frame's end? */
SPIN_INLINE _Bool spin_inside_(const struct spin_view *view, const void *at)
{
	return view->access == SPIN_COPIED || spin_within_(at, view->end);
}

/* The bytes that loops over a packet may have to go through, and the mask of an offset into it. */
SPIN_INLINE uint32_t spin_bytes_max_(const struct spin_view *view)
{
	return view->access == SPIN_DIRECT ? SPIN_DIRECT_BYTES_MAX : SPIN_IP_BYTES_MAX;
}

SPIN_INLINE uint32_t spin_offset_mask_(const struct spin_view *view)
{
	return spin_bytes_max_(view) < 4096 ? 4095 : SPIN_COPY_BYTES - 1;
}

#endif
