/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_WORK_H
#define SPIN_WORK_H

/*
 * Work items: work that a handler leaves to the program on the host (sPIN 5.4: an insertion that would walk too far through host
 * memory). Each one reaches the program as an event, SPIN_EVENT_WORK, with the item and the fields that an error event has for
 * the packet and message.
 *
 *	struct insert { uint32_t bucket, at; };
 *
 *	SPIN_WORK(64);
 *
 *	if (spin_work(p, &(struct insert){ bucket, p->offset }, sizeof(struct insert)) == SPIN_WORK_FULL)
 *		return SPIN_DROP; // the program is behind
 *
 * SPIN_WORK(n), before the first handler: at most n items may be unread, n from 1 to SPIN_WORK_ITEMS_MAX. Without it the call does
 * not exist.
 */
#define SPIN_WORK_ITEMS_MAX 256u
#define SPIN_WORK_BYTES_MAX 32u

/* Result of spin_work(). It is not an error of the handler. */
#define SPIN_WORK_FULL 1

/*
 * Posts an item: `bytes` bytes of HPU memory, a constant and a multiple of 4, from 4 to 32. They may change when the call returns. The
 * program sees everything that the handler wrote to host memory before.
 *
 * Returns 0, or SPIN_WORK_FULL if n items are unread or the event ring has no space. Then the item is lost and counted
 * (spin_ctx__work_lost()).
 */
#define spin_work(v, from, bytes_)                                                                                 \
	({                                                                                                         \
		SPIN_WORDS_("spin_work", bytes_);                                                                  \
		_Static_assert((bytes_) >= 4 && (bytes_) <= SPIN_WORK_BYTES_MAX, "spin_work: from 4 to 32 bytes"); \
		spin_work_push_((v)->packet, SPIN_WORK_KIND_(v), (from), (bytes_));                                \
	})

#define SPIN_WORK(n)                                                        \
	_Static_assert((n) >= 1 && (n) <= 256, "SPIN_WORK: from 1 to 256"); \
	const uint32_t spin_work_registered_ __attribute__((used)) = (n);   \
	static const uint32_t spin_work_items_ = (n)

/* The kind of handler: enum spin_handler_kind of <spin/context.h>. */
/* clang-format off */
#define SPIN_WORK_KIND_(v) \
	_Generic((v), struct spin_header *: 0u, const struct spin_header *: 0u, \
		      struct spin_payload *: 1u, const struct spin_payload *: 1u, \
		      struct spin_completion *: 2u, const struct spin_completion *: 2u)
/* clang-format on */

/*
 * Handlers count items posted, or about to be, and items lost; the host counts items that its program has read. In the BPF object as
 * spin_work_counts, mapped.
 */
struct spin_work_counts_ {
	uint32_t pushed, taken; /* modulo 2^32 */
	uint64_t lost;
};

#endif
