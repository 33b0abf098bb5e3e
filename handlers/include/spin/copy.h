/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_COPY_H
#define SPIN_COPY_H

/*
 * Copies within HPU memory: by cluster DMA on PsPIN ("HPUs are also interfaced to the cluster DMA engine", 3.2.2), where a
 * load from L2 takes 20 cycles and a DMA some 30 for up to 256 bytes; on BPF word by word. HPU memory is state, tables,
 * scratchpad, memory of clusters (SPIN_LOCAL), and variables of the handler's. `bytes` is a constant and a multiple of 4;
 * `to` and `from` are 4-aligned and do not overlap. A copy is not atomic: each of its words is read once, in no order.
 */

/* Returns when the copy is there. */
#define spin_copy(v, to, from, bytes_)                           \
	({                                                       \
		SPIN_WORDS_("spin_copy", bytes_);                \
		spin_copy_((v)->packet, (to), (from), (bytes_)); \
	})

/*
 * The same, under way until spin_copy_test() said 1 or spin_copy_wait() returned: until then `from` must stay and `to` is
 * not to be read. An HPU's copies end in the order of their calls.
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
 * const TYPE *SPIN_FETCH(v, from, buffer): *from, a TYPE in state, a table or the scratchpad, where the HPU reads it at once:
 * on PsPIN a copy in *buffer, a local variable; on BPF `from` itself. So a word that others write in the meantime is what it was at
 * the call or at any time up to its use; who needs to know which compares something before and after, as handlers/kvstore.c
 * does. Memory of clusters (SPIN_LOCAL) is near already and not for this call: spin_copy() takes it, and on the card a fetch of it
 * ends the task with a fault.
 */
#define SPIN_FETCH(v, from, buffer)                                                                           \
	({                                                                                                    \
		_Static_assert(__builtin_types_compatible_p(__typeof__(*(from)), __typeof__(*(buffer))),      \
			       "SPIN_FETCH: the buffer must be of the type that is fetched");                 \
		SPIN_WORDS_("SPIN_FETCH's type", sizeof(*(buffer)));                                          \
		(const __typeof__(*(buffer)) *)spin_fetch_((v)->packet, (from), (buffer), sizeof(*(buffer))); \
	})

/* Where `at`, a place in *from, is in what SPIN_FETCH gave. On BPF the same place, by one pointer for the verifier. */
#define SPIN_FETCHED(at, from, near) SPIN_FETCHED_(at, from, near)

#endif
