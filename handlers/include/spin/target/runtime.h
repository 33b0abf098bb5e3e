/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RUNTIME_H
#define SPIN_TARGET_RUNTIME_H

/*
 * Declares the actions that the runtime in bpf/actions/ implements, on BPF and in the host build. Handlers call them through
 * <spin/action.h>. Included by <spin/target/frame.h>.
 */
/* run.h */
SPIN_INLINE uint32_t spin_num_hpus_(const struct spin_packet *packet);

/* stream.h, context_host.h */
SPIN_INLINE uint32_t spin_connections_missed_(const struct spin_packet *packet);

/* clock.h */
SPIN_INLINE uint64_t spin_clock_ns_(void);
SPIN_INLINE uint64_t spin_clock_coarse_ns_(void);
SPIN_INLINE uint32_t spin_random32_(const struct spin_packet *packet);

SPIN_INLINE void spin_yield_(const struct spin_packet *packet)
{
	(void)packet;
}

/* dma.h, dma_payload.h */
SPIN_INLINE int spin_dma_to_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, const void *from,
				  uint32_t bytes);
SPIN_INLINE int spin_dma_from_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *to, uint32_t bytes);
SPIN_INLINE int spin_payload_to_host_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t off,
				      uint32_t bytes);
SPIN_INLINE int spin_payload_from_host_(struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t off, uint32_t bytes);

#define spin_dma_to_host_nb_(packet, space, at, from, bytes, dma) \
	(*(dma) = (struct spin_dma){ 0 }, spin_dma_to_host_((packet), (space), (at), (from), (bytes)))
#define spin_dma_from_host_nb_(packet, space, at, to, bytes, dma) \
	(*(dma) = (struct spin_dma){ 0 }, spin_dma_from_host_((packet), (space), (at), (to), (bytes)))
#define spin_host_write_ spin_dma_to_host_

/* dma_buffer.h; `size` is the buffer's size, a constant */
SPIN_INLINE int spin_buffer_move_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *buffer, uint32_t size,
				  uint32_t off, uint32_t bytes, _Bool to_host);
SPIN_INLINE int spin_buffer_move_nb_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, void *buffer, uint32_t size,
				     uint32_t off, uint32_t bytes, _Bool to_host, struct spin_dma *dma);
/* dma_atomic.h */
SPIN_INLINE int spin_dma_cas64_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t *compare,
				uint64_t swap);
SPIN_INLINE int spin_dma_fadd32_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint32_t n, uint32_t *before);
SPIN_INLINE int spin_dma_fadd64_(const struct spin_packet *packet, enum spin_host_space space, uint32_t at, uint64_t n, uint64_t *before);

#define spin_dma_cas64_nb_(packet, space, at, compare, swap, dma) \
	(*(dma) = (struct spin_dma){ 0 }, spin_dma_cas64_((packet), (space), (at), (compare), (swap)))
#define spin_dma_fadd32_nb_(packet, space, at, n, before, dma) \
	(*(dma) = (struct spin_dma){ 0 }, spin_dma_fadd32_((packet), (space), (at), (n), (before)))
#define spin_dma_fadd64_nb_(packet, space, at, n, before, dma) \
	(*(dma) = (struct spin_dma){ 0 }, spin_dma_fadd64_((packet), (space), (at), (n), (before)))

/* counter.h */
SPIN_INLINE void spin_ct_inc_(const struct spin_packet *packet, uint32_t success, uint32_t failure);
SPIN_INLINE struct spin_ct spin_ct_get_(const struct spin_packet *packet);
SPIN_INLINE void spin_ct_set_(const struct spin_packet *packet, struct spin_ct ct);

/* work.h */
SPIN_INLINE int spin_work_push_(const struct spin_packet *packet, uint32_t kind, const void *from, uint32_t bytes);

/* put.h */
SPIN_INLINE int spin_forward_(struct spin_packet *packet, const struct spin_process *to);
SPIN_INLINE int spin_put_payload_(struct spin_packet *packet, uint32_t off, uint32_t bytes, const struct spin_put *put);
SPIN_INLINE int spin_put_from_device_(struct spin_packet *packet, const void *from, uint32_t bytes, const struct spin_put *put);
SPIN_INLINE int spin_put_from_host_(struct spin_packet *packet, uint32_t at, uint32_t bytes, const struct spin_put *put);

SPIN_INLINE int spin_put_payload_acked_(struct spin_packet *packet, uint32_t off, uint32_t bytes, const struct spin_put_acked *put);
SPIN_INLINE int spin_put_from_device_acked_(struct spin_packet *packet, const void *from, uint32_t bytes, const struct spin_put_acked *put);
SPIN_INLINE int spin_put_from_host_acked_(struct spin_packet *packet, uint32_t at, uint32_t bytes, const struct spin_put_acked *put);
SPIN_INLINE int spin_get_(struct spin_packet *packet, uint32_t bytes, const struct spin_get *get);
SPIN_INLINE int spin_atomic_(struct spin_packet *packet, enum spin_atomic op, const void *from, uint32_t bytes, const struct spin_put *put);
SPIN_INLINE int spin_fetch_atomic_(struct spin_packet *packet, enum spin_atomic op, const void *from, uint32_t bytes,
				   const struct spin_get *get);
SPIN_INLINE int spin_put_from_buffer_(struct spin_packet *packet, const void *buffer, uint32_t size, uint32_t off, uint32_t bytes,
				      const struct spin_put *put);

#endif
