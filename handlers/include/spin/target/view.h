/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_VIEW_H
#define SPIN_TARGET_VIEW_H

/*
 * How BPF programs and the host build access a frame, which is known at compile time: one source, and separate code for each kind of
 * access. Included by <spin/target/frame.h> and the headers of bpf/. Code that uses struct spin_view accesses the frame
 *
 *   direct   in place, in a linear frame: pointers are compared with its end
 *   copied   in a buffer that is larger than any frame. That loads without
 *            CAP_PERFMON, and multi-buffer frames are also copied. Pointers may not
 *            be compared or subtracted, so offsets in the frame are compared instead.
 *
 * Without CAP_PERFMON the verifier also requires that an addition to a pointer has one
 * range of values on all paths, and treats a known number as a
 * separate range; and it merges states only if all numbers in them are the
 * same. So offsets go through memory (spin_verifier_forget_()), and loops are written so that the
 * verifier can prove that they end (spin_can_loop_()).
 */
#include <spin/reason.h>
#include <spin/wire.h>

/* Size of the buffer for copied frames: a power of two, plus slack for headers and the last piece. */
#define SPIN_COPY_BYTES 16384u
#define SPIN_COPY_SLACK 512u

/* The first word is for spin_verifier_forget_(); the others hold what is too large for the stack (struct spin_message). */
#define SPIN_SCRATCH_WORDS 20u

enum spin_access {
	SPIN_DIRECT,
	SPIN_HEADERS, /* headers as in SPIN_DIRECT, the rest in other buffers: for parsing only */
	SPIN_COPIED,
};

struct spin_view {
	enum spin_access access;
	uint8_t *data;              /* the frame's start */
	uint8_t *end;               /* end of the linear part; not for SPIN_COPIED */
	uint32_t bytes;             /* of the frame; not for SPIN_DIRECT */
	volatile uint64_t *scratch; /* SPIN_SCRATCH_WORDS words that the verifier does not track; SPIN_COPIED only */
};

/*
 * Returns a 16-bit length that may be added to a packet pointer. Verifiers before Linux 6.18.44 (seen on 6.1 to 6.18.5) lose all bounds of
 * a byte swap's result and reject the addition: "math between pkt pointer and register with unbounded min value". The mask restores them;
 * the barrier keeps the compiler from removing it.
 */
SPIN_INLINE uint32_t spin_length16(spin_be16 length)
{
	return spin_barrier_var_(spin_ntoh16(length)) & 0xffff;
}

/* Returns the same number, but unknown to the verifier, as is its origin. SPIN_COPIED only. */
SPIN_INLINE uint64_t spin_verifier_forget_(const struct spin_view *view, uint64_t v)
{
	*view->scratch = v;
	return *view->scratch;
}

/* Values stored before it are reloaded after it. */
SPIN_INLINE void spin_compiler_barrier_(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Returns 1 if a pointer made with a bounded offset is not beyond the frame's end. */
SPIN_INLINE _Bool spin_inside_(const struct spin_view *view, const void *at)
{
	return view->access == SPIN_COPIED || spin_within_(at, view->end);
}

/* The most bytes that loops over a packet process, which also determine the mask of an offset into it. */
SPIN_INLINE uint32_t spin_bytes_max_(const struct spin_view *view)
{
	return view->access == SPIN_DIRECT ? SPIN_DIRECT_BYTES_MAX : SPIN_IP_BYTES_MAX;
}

#ifndef SPIN_DIRECT_BYTES_
#define SPIN_DIRECT_BYTES_ SPIN_DIRECT_BYTES_MAX
#endif

/* The longest IP packet that handlers are given: longer ones are TOO_LONG. */
SPIN_INLINE uint32_t spin_longest_packet_(const struct spin_view *view)
{
	return view->access == SPIN_DIRECT ? SPIN_DIRECT_BYTES_ : SPIN_IP_BYTES_MAX;
}

SPIN_INLINE uint32_t spin_offset_mask_(const struct spin_view *view)
{
	return spin_bytes_max_(view) < 4096 ? 4095 : SPIN_COPY_BYTES - 1;
}

#endif
