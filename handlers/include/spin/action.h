/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_ACTION_H
#define SPIN_ACTION_H

/*
 * Actions that handlers call (sPIN B.6): transfers to and from host memory, atomic operations, a counter, packets to send, work items.
 * Included by <spin/spin.h>. In these calls `v` is the handler's argument: struct spin_header *, struct spin_payload * or struct
 * spin_completion *; `p` is one of the first two, which have a packet. The calls return 0, or SPIN_SEGV if nothing was done. A handler may
 * `return SPIN_SEGV` in turn, or continue.
 *
 * All engines perform these actions in the order of the calls. An error of the handler does not undo what it did before.
 */
#include <spin/put.h>
#include <spin/work.h>

/* --- DMA: between HPU memory and host memory --- */

/*
 * `at` is an offset in bytes from the start of the space. A range that is not completely inside it returns SPIN_SEGV.
 *
 * ME_MEM: the message's range, which is the matching entry's memory from the message's offset on, so 0 is where the default action would
 * put the message's first byte. Datagrams have none.
 *
 * ENTRY_MEM: the whole memory of the matching entry, wherever the message begins in it. Datagrams have none.
 *
 * HANDLER_MEM: the handlers' own host memory of the entry (sPIN B.2): all its segments, concatenated (HANDLER_IOVEC). For a context of
 * datagrams it is that of entry 0, which initially is the whole host memory.
 */
enum spin_host_space {
	SPIN_ME_MEM,
	SPIN_HANDLER_MEM,
	SPIN_ENTRY_MEM,
};

/*
 * A transfer in flight, until spin_dma_test() returns 1 or spin_dma_wait() returns; then the struct may be reused. Until then the
 * transfer's source must not change and its destination is undefined. At most four transfers of an HPU are in flight; a fifth waits for a
 * slot. Its handle may then stand for all that are in flight, as may the handle of the transfer that had the slot before.
 */
struct spin_dma {
	uint32_t id;
};

/*
 * HPU memory is state, scratchpad, or a variable of the handler; `bytes` must be a constant and a multiple of 4. The blocking calls return
 * when the transfer is done; the others take a struct spin_dma *. The host may read what was sent to it after the message's event.
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

/* The same with bytes [off, off + bytes) of the packet's payload, of any length. Payload handlers only. */
#define spin_payload_to_host(p, space, at, off, bytes_) spin_payload_to_host_(SPIN_PAYLOAD_(p)->packet, (space), (at), (off), (bytes_))
/* Changes the payload as spin_set32() does: the checksums are updated. `off` must be a multiple of 2. */
#define spin_payload_from_host(p, space, at, off, bytes_) spin_payload_from_host_(SPIN_PAYLOAD_(p)->packet, (space), (at), (off), (bytes_))

/* Returns 1 if the transfer is done. An HPU's driver can test only a task's first command; for others the call waits. */
#define spin_dma_test(v, dma) spin_dma_test_((v)->packet, (dma))
/* Returns when the transfer is done. */
#define spin_dma_wait(v, dma) spin_dma_wait_((v)->packet, (dma))

/*
 * Atomic operations on host memory, which must be naturally aligned (else SPIN_SEGV). They are atomic with respect to all handlers. On a
 * NIC whose host bus has no atomics, as PsPIN's, they are not atomic with respect to the host's own stores (sPIN B.6: "might require
 * locking"). CAS: if the value was not *compare, *compare is replaced by it; otherwise `swap` is stored. FADD: the old value is stored to
 * *before.
 */
#define spin_dma_cas64(v, space, at, compare, swap) spin_dma_cas64_((v)->packet, (space), (at), (compare), (swap))
#define spin_dma_fadd32(v, space, at, n, before)    spin_dma_fadd32_((v)->packet, (space), (at), (n), (before))
#define spin_dma_fadd64(v, space, at, n, before)    spin_dma_fadd64_((v)->packet, (space), (at), (n), (before))
/*
 * The non-blocking forms, with a struct spin_dma * as the last argument. Until the operation is done, *compare or *before must stay valid
 * and its value is undefined, and the word in host memory may be written only by atomic operations. A handler has one such operation in
 * flight: starting another one completes it, so they are done in the order of the calls. One that is not waited for is done when the
 * handler has ended; its result is stored then, unless it was to go to a local variable of the handler.
 */
#define spin_dma_cas64_nb(v, space, at, compare, swap, dma) spin_dma_cas64_nb_((v)->packet, (space), (at), (compare), (swap), (dma))
#define spin_dma_fadd32_nb(v, space, at, n, before, dma)    spin_dma_fadd32_nb_((v)->packet, (space), (at), (n), (before), (dma))
#define spin_dma_fadd64_nb(v, space, at, n, before, dma)    spin_dma_fadd64_nb_((v)->packet, (space), (at), (n), (before), (dma))

/*
 * Host-direct write (PsPIN 3.2.1): up to 32 bytes, a constant and a multiple of 4, that are part of the command. They may change as soon as
 * the call returns, and nothing needs to be waited for.
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

/* Each word is accessed atomically; the pair is not. */
#define spin_ct_inc(v, success_, failure_) spin_ct_inc_((v)->packet, (success_), (failure_))
#define spin_ct_get(v)                     spin_ct_get_((v)->packet) /* struct spin_ct */
#define spin_ct_set(v, ct)                 spin_ct_set_((v)->packet, (ct))

/* --- HPU memory: 32-bit words of state, scratchpad or tables (more in <spin/spin.h>) --- */

/* Returns the value before n was added. */
#define spin_fadd32(at, n) spin_fadd32_((at), (n))

/*
 * A hint, for loops that wait, that others may use the HPU. An HPU with several threads (hpu_threads of a target) runs another ready
 * handler; every other engine continues at once.
 */
#define spin_yield(v) spin_yield_((v)->packet)

#define SPIN_PAYLOAD_(p) _Generic((p), struct spin_payload * : (p), const struct spin_payload * : (p))
/* A value that is not a constant becomes 1 here, so that one error covers both cases. */
#define SPIN_WORDS_(call, bytes_)                                                              \
	_Static_assert(__builtin_choose_expr(SPIN_IS_CONSTANT_(bytes_), (bytes_), 1) % 4 == 0, \
		       "the length of " call " must be a constant and a multiple of 4")
/*
 * An integer constant expression times 0 is a null pointer constant, which takes the type of the other operand; everything else stays void
 * *.
 */
#define SPIN_IS_CONSTANT_(n) (sizeof(*(1 ? (void *)((uintptr_t)(n)*0) : (int *)1)) == sizeof(int))

#endif
