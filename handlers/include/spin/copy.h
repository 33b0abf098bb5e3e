/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_COPY_H
#define SPIN_COPY_H

/*
 * Copies within HPU memory, the memory of the processors (HPUs) that run handlers. Called by handlers. PsPIN uses cluster DMA ("HPUs are
 * also interfaced to the cluster DMA engine", 3.2.2): a load from L2 takes 20 cycles, a DMA about 30 for up to 256 bytes. BPF copies word
 * by word. HPU memory is state, tables, scratchpad, memory of clusters (SPIN_LOCAL), and variables of the handler. `bytes` must be a
 * constant and a multiple of 4; `to` and `from` must be 4-aligned and must not overlap. A copy is not atomic: each word is read once, in
 * any order.
 */

/* Returns when the copy is complete. */
#define spin_copy(v, to, from, bytes_)                           \
	({                                                       \
		SPIN_WORDS_("spin_copy", bytes_);                \
		spin_copy_((v)->packet, (to), (from), (bytes_)); \
	})

/*
 * The non-blocking form, in flight until spin_copy_test() returns 1 or spin_copy_wait() returns. Until then `from` must not change and `to`
 * must not be read. An HPU's copies complete in the order of the calls.
 */
struct spin_transfer {
	uint32_t id;
};

#define spin_copy_nb(v, to, from, bytes_, copy)                             \
	({                                                                  \
		SPIN_WORDS_("spin_copy_nb", bytes_);                        \
		spin_copy_nb_((v)->packet, (to), (from), (bytes_), (copy)); \
	})
#define spin_copy_test(v, copy) spin_copy_test_((v)->packet, (copy))
#define spin_copy_wait(v, copy) spin_copy_wait_((v)->packet, (copy))

/*
 * const TYPE *SPIN_FETCH(v, from, buffer): *from, a TYPE in state, a table or the scratchpad, in memory that is fast to read: on PsPIN a
 * copy in *buffer, a local variable; on BPF `from` itself. So a word that others write in the meantime may have its value of the call, or
 * of any time until it is read. A handler must detect such writes itself, for example by a version, as handlers/kvstore.c does. Do not use
 * it for memory of clusters (SPIN_LOCAL), which is fast already: use spin_copy(), because on the NIC a fetch of it ends the task with a
 * fault.
 */
#define SPIN_FETCH(v, from, buffer)                                                                           \
	({                                                                                                    \
		_Static_assert(__builtin_types_compatible_p(__typeof__(*(from)), __typeof__(*(buffer))),      \
			       "SPIN_FETCH: the buffer must be of the type that is fetched");                 \
		SPIN_WORDS_("SPIN_FETCH's type", sizeof(*(buffer)));                                          \
		(const __typeof__(*(buffer)) *)spin_fetch_((v)->packet, (from), (buffer), sizeof(*(buffer))); \
	})

/* The address in SPIN_FETCH's result that corresponds to `at` in *from. On BPF it is `at` itself, by one pointer for the verifier. */
#define SPIN_FETCHED(at, from, near) SPIN_FETCHED_(at, from, near)

#endif
