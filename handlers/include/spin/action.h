/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_ACTION_H
#define SPIN_ACTION_H

/*
 * What handlers do apart from returning (sPIN B.6). In these calls `v` is what the handler was
 * given: struct spin_header *, struct spin_payload *, struct spin_completion *; `p` one of the
 * first two: there a packet is at hand. They return 0, or SPIN_SEGV, and then nothing
 * was done: `return SPIN_SEGV` as it comes, or go on.
 *
 * All engines do these things in the order of the calls. An error of the handler does not
 * take back what it did before.
 */
#include <spin/put.h>
#include <spin/work.h>

/* --- DMA: between HPU memory and host memory --- */

/*
 * `at` counts from the start of the space, in bytes; what is not all inside it is SPIN_SEGV.
 * ME_MEM: the message's place, the matching entry's memory from the message's offset on, so that 0 is where
 * the default action would put its first byte. A datagram has none.
 * ENTRY_MEM: all of the matching entry's memory, from its start on, wherever in it the message begins. A datagram has none.
 * HANDLER_MEM: the handler's own host memory of the entry (sPIN B.2): all its segments, one behind the
 * other (HANDLER_IOVEC). Of a datagram's context it is that of entry 0, which begins as all of the host memory.
 */
enum spin_host_space {
	SPIN_ME_MEM,
	SPIN_HANDLER_MEM,
	SPIN_ENTRY_MEM,
};

/*
 * A transfer under way, until spin_dma_test() said 1 or spin_dma_wait() returned; then it may be used
 * again. What it reads must stay, and what it writes is not there, until then. At most four are under way for an
 * HPU: a fifth waits for a slot. Its handle may stand for all that are under way then, and that of whoever had the slot
 * for it, too.
 */
struct spin_dma {
	uint32_t id;
};

/*
 * HPU memory is state, scratchpad, or a variable of the handler's; `bytes` of it a constant and a
 * multiple of 4. The blocking calls return when the transfer is done; the others give a
 * struct spin_dma *. The host may read what it was sent once the message's event is there.
 */
#define spin_dma_to_host(v, space, at, from, bytes_)                             \
	({                                                                       \
		SPIN_WORDS_("spin_dma_to_host", bytes_);                         \
		spin_dma_to_host_((v)->packet, (space), (at), (from), (bytes_)); \
	})
#define spin_dma_from_host(v, space, at, to, bytes_)                             \
	({                                                                       \
		SPIN_WORDS_("spin_dma_from_host", bytes_);                       \
		spin_dma_from_host_((v)->packet, (space), (at), (to), (bytes_)); \
	})
#define spin_dma_to_host_nb(v, space, at, from, bytes_, dma)                               \
	({                                                                                 \
		SPIN_WORDS_("spin_dma_to_host_nb", bytes_);                                \
		spin_dma_to_host_nb_((v)->packet, (space), (at), (from), (bytes_), (dma)); \
	})
#define spin_dma_from_host_nb(v, space, at, to, bytes_, dma)                               \
	({                                                                                 \
		SPIN_WORDS_("spin_dma_from_host_nb", bytes_);                              \
		spin_dma_from_host_nb_((v)->packet, (space), (at), (to), (bytes_), (dma)); \
	})

/* The same with bytes [off, off + bytes) of the packet's payload, in payload handlers; any length. */
#define spin_payload_to_host(p, space, at, off, bytes_) spin_payload_to_host_(SPIN_PAYLOAD_(p)->packet, (space), (at), (off), (bytes_))
/* The packet's payload changes as by spin_set32(): checksums follow. `off` a multiple of 2. */
#define spin_payload_from_host(p, space, at, off, bytes_) spin_payload_from_host_(SPIN_PAYLOAD_(p)->packet, (space), (at), (off), (bytes_))

/* 1 if the transfer is done. An HPU's driver can test a task's first command alone: there another is waited for. */
#define spin_dma_test(v, dma) spin_dma_test_((v)->packet, (dma))
/* Returns when it is. */
#define spin_dma_wait(v, dma) spin_dma_wait_((v)->packet, (dma))

/*
 * Atomic operations on host memory, naturally aligned there (else SPIN_SEGV). Atomic against all handlers; on a card whose
 * host bus has none, as PsPIN's, not against the host's own stores (sPIN B.6: "might require locking").
 * CAS: *compare is replaced by what was there if that was another value; else `swap` is there now. FADD:
 * what was there before goes to *before.
 */
#define spin_dma_cas64(v, space, at, compare, swap) spin_dma_cas64_((v)->packet, (space), (at), (compare), (swap))
#define spin_dma_fadd32(v, space, at, n, before)    spin_dma_fadd32_((v)->packet, (space), (at), (n), (before))
#define spin_dma_fadd64(v, space, at, n, before)    spin_dma_fadd64_((v)->packet, (space), (at), (n), (before))
/*
 * The same without waiting, with a struct spin_dma * at the end. Until that is done *compare or *before must stay where it is, and
 * its value is undefined; the word in host memory is not to be written but by atomic operations. One is under way for a
 * handler: starting another one completes it, so they are done in the order of the calls. One that is not waited
 * for is done when the handler has ended; what it tells is there then, unless that was to go to a variable of the handler's.
 */
#define spin_dma_cas64_nb(v, space, at, compare, swap, dma) spin_dma_cas64_nb_((v)->packet, (space), (at), (compare), (swap), (dma))
#define spin_dma_fadd32_nb(v, space, at, n, before, dma)    spin_dma_fadd32_nb_((v)->packet, (space), (at), (n), (before), (dma))
#define spin_dma_fadd64_nb(v, space, at, n, before, dma)    spin_dma_fadd64_nb_((v)->packet, (space), (at), (n), (before), (dma))

/*
 * Host-direct (PsPIN 3.2.1): up to 32 bytes, a constant and a multiple of 4, that go along with the command:
 * they may change at once, and nothing is waited for.
 */
#define SPIN_HOST_WRITE_MAX 32
#define spin_host_write(v, space, at, from, bytes_)                                                   \
	({                                                                                            \
		SPIN_WORDS_("spin_host_write", bytes_);                                               \
		_Static_assert((bytes_) <= SPIN_HOST_WRITE_MAX, "spin_host_write: at most 32 bytes"); \
		spin_host_write_((v)->packet, (space), (at), (from), (bytes_));                       \
	})

/* --- the matching entry's counter (Portals' counting event): the host reads it without a system call --- */

struct spin_ct {
	uint32_t success, failure;
};

/* Each word atomically; together they are as the calls of different handlers happened to leave them. */
#define spin_ct_inc(v, success_, failure_) spin_ct_inc_((v)->packet, (success_), (failure_))
#define spin_ct_get(v)                     spin_ct_get_((v)->packet) /* struct spin_ct */
#define spin_ct_set(v, ct)                 spin_ct_set_((v)->packet, (ct))

/* --- HPU memory: 32-bit words of state, scratchpad or tables (more in <spin/spin.h>) --- */

/* What was there before n was added. */
#define spin_fadd32(at, n) spin_fadd32_((at), (n))

/*
 * A hint that others may use the HPU: in loops that wait. An HPU of several threads (hpu_threads of a target) lets another handler
 * go on that is ready; every other engine goes on at once.
 */
#define spin_yield(v) spin_yield_((v)->packet)

#define SPIN_PAYLOAD_(p) _Generic((p), struct spin_payload * : (p), const struct spin_payload * : (p))
/* What is not a constant becomes a 1 here, so that one error covers both. */
#define SPIN_WORDS_(call, bytes_)                                                              \
	_Static_assert(__builtin_choose_expr(SPIN_IS_CONSTANT_(bytes_), (bytes_), 1) % 4 == 0, \
		       "the length of " call " must be a constant and a multiple of 4")
/* An integer constant expression times 0 is a null pointer, which takes the other side's type; all else stays void *. */
#define SPIN_IS_CONSTANT_(n) (sizeof(*(1 ? (void *)((uintptr_t)(n)*0) : (int *)1)) == sizeof(int))

#endif
