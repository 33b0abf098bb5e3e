/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BUFFER_H
#define SPIN_BUFFER_H

/*
 * Buffers private to an HPU (the processor that runs handlers: a CPU or a core of the NIC) while a handler runs, large enough for a packet.
 * The listings of sPIN C.3.2 and C.3.5 get them from malloc(). Lengths and offsets of transfers may be computed at run time and have any
 * alignment (sPIN B.6, `len`).
 *
 *	SPIN_BUFFER(uint32_t, old, 512);
 *
 *	if (spin_buffer_from_host(p, SPIN_ME_MEM, p->offset, old, 0, p->length))
 *		return SPIN_SEGV;
 *	SPIN_FOR_EACH_WITH(p, uint32_t, w, SPIN_BUFFER_OF(p, old), 0, o)
 *		*o ^= *w;
 *	if (spin_buffer_to_host(p, SPIN_ME_MEM, p->offset, old, 0, p->length))
 *		return SPIN_SEGV;
 *
 * Kernels before 6.9, whose verifier follows each iteration of a transfer, reject handlers that use a buffer.
 *
 * On PsPIN a buffer is in the L1 of the HPU's cluster; on BPF it is memory of the CPU or the queue. Its contents when a
 * handler begins are undefined: a handler must read only what it or its transfers have written. The host does not see it.
 *
 * SPIN_BUFFER(TYPE, name, entries), before the first handler function: `entries` must be a power of two, and the buffer 64 to
 * SPIN_BUFFER_BYTES_MAX bytes. TYPE is as for the state: fixed width, no pointers. Several buffers are possible; on BPF they count
 * against max_handler_mem with SPIN_HPUS_MAX copies.
 */
#define SPIN_BUFFER_BYTES_MAX 8192u

#define SPIN_BUFFER(TYPE, name, entries)                                                                                            \
	_Static_assert((entries) > 0 && ((entries) & ((entries)-1)) == 0, "SPIN_BUFFER " #name ": entries must be a power of two"); \
	_Static_assert(sizeof(TYPE) % 4 == 0, "SPIN_BUFFER " #name ": pad the entry to a multiple of 4 bytes");                     \
	_Static_assert(sizeof(TYPE) * (entries) >= 64 && sizeof(TYPE) * (entries) <= SPIN_BUFFER_BYTES_MAX,                         \
		       "SPIN_BUFFER " #name ": from 64 to 8192 bytes");                                                             \
	SPIN_BUFFER_(TYPE, name, entries)

/* This HPU's buffer, an array TYPE[entries], for SPIN_AT() and SPIN_FOR_EACH_WITH(). `v` as in <spin/action.h>. */
#define SPIN_BUFFER_OF(v, name) SPIN_BUFFER_OF_(v, name)

/*
 * Transfers between bytes [off, off + bytes) of the buffer and the space's bytes from `at` on. They return when the transfer is done: 0, or
 * SPIN_SEGV without any effect if part of it is outside the buffer or the space.
 */
#define spin_buffer_to_host(v, space, at, name, off, bytes) \
	spin_buffer_move_((v)->packet, (space), (at), SPIN_BUFFER_ARGS_(v, name), (off), (bytes), 1)
#define spin_buffer_from_host(v, space, at, name, off, bytes) \
	spin_buffer_move_((v)->packet, (space), (at), SPIN_BUFFER_ARGS_(v, name), (off), (bytes), 0)

/* The non-blocking forms, in flight until spin_dma_test() or spin_dma_wait() of <spin/action.h> report completion. */
#define spin_buffer_to_host_nb(v, space, at, name, off, bytes, dma) \
	spin_buffer_move_nb_((v)->packet, (space), (at), SPIN_BUFFER_ARGS_(v, name), (off), (bytes), 1, (dma))
#define spin_buffer_from_host_nb(v, space, at, name, off, bytes, dma) \
	spin_buffer_move_nb_((v)->packet, (space), (at), SPIN_BUFFER_ARGS_(v, name), (off), (bytes), 0, (dma))

/* Sends bytes [off, off + bytes) of the buffer (<spin/put.h>). They may change when the call returns. */
#define spin_put_from_buffer(v, name, off, bytes, ...) \
	spin_put_from_buffer_((v)->packet, SPIN_BUFFER_ARGS_(v, name), (off), (bytes), (__VA_ARGS__))

#define SPIN_BUFFER_ARGS_(v, name) SPIN_BUFFER_OF(v, name), sizeof(SPIN_BUFFER_OF(v, name))

#endif
