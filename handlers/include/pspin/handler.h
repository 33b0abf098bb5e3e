/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_HANDLER_H
#define PSPIN_HANDLER_H

/*
 * The handler API of PsPIN's own runtime, for `spincc --api pspin`: tasks, locks, the cluster's DMA and commands to the NIC. Written from
 * PsPIN's public interfaces; spin-pspin(7) says what each call does here. A file that includes it runs only on the model of the HPU.
 * Handlers that also run in the kernel use <spin/spin.h>.
 *
 * Addresses and lengths are 32-bit numbers of the HPU; host addresses are 64-bit. Calls return SPIN_OK unless noted.
 */
#include "pspin.h"
#include "util.h"
#include "spin_conf.h"
#include "spin_dma.h"
#include "hwsched.h"
#include "commands.h"

#define __handler__ __attribute__((used))

#define SPIN_OK   0x0
#define SPIN_FAIL 0x1

#define SPIN_DMA_LOC2EXT 0 /* directions of spin_dma(), which uses only the addresses */
#define SPIN_DMA_EXT2LOC 1

/* Address and length of the payload of a packet with IP and UDP headers. The file must include packets.h. */
#define GET_IP_UDP_PLD(packet, payload, bytes)                                          \
	{                                                                               \
		ip_hdr_t *pspin_ip_ = (ip_hdr_t *)(packet);                             \
		bytes = pspin_ip_->length - sizeof(ip_hdr_t) - sizeof(udp_hdr_t);       \
		payload = (uint8_t *)(packet) + pspin_ip_->ihl * 4 + sizeof(udp_hdr_t); \
	}

/* A task: the driver's registers, so each field is a load of one cycle and cannot be written. */
typedef struct task {
	void *handler_mem; /* 0x1c300000 in L2 */
	size_t handler_mem_size;

	void *pkt_mem;       /* the packet in this cluster's L1 */
	size_t pkt_mem_size; /* bytes of it that were copied there */

	void *scratchpad[NB_CLUSTERS]; /* in each cluster's L1, the same for all messages */
	size_t scratchpad_size[NB_CLUSTERS];

	uint32_t host_mem_high; /* host memory of this context */
	uint32_t host_mem_low;
	size_t host_mem_size;

	void *l2_pkt_mem;         /* the packet in L2 */
	uint32_t home_cluster_id; /* of the message */
	uint32_t flow_id;         /* number of the message */
} __attribute__((__packed__)) task_t;

_Static_assert(NB_CLUSTERS != 4 || sizeof(task_t) == HWSCHED_DOORBELL - HWSCHED_HANDLER_MEM_ADDR, "a task is the driver's registers");

typedef struct handler_args {
	task_t *task;
	uint32_t hpu_gid; /* global number of the HPU */
	uint32_t cluster_id;
	uint32_t hpu_id; /* within its cluster */
} handler_args_t;

typedef void (*handler_fn)(handler_args_t *);

/*
 * Defined by the handler file and called once at startup by the first HPU. Sets the header, payload and completion handlers; NULL: none. It
 * may also set *handler_mem, but PsPIN's driver gives tasks 0x1c300000 in any case.
 */
void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem);

/* --- transfers by the cluster's DMA engine --- */

typedef dma_t spin_dma_t;

/* Returns SPIN_FAIL if the size is 0. */
static inline int spin_dma(void *source, void *dest, size_t size, int direction, int options, spin_dma_t *xfer)
{
	(void)direction;
	(void)options;
	if (!size)
		return SPIN_FAIL;
	*xfer = spin__memcpy_nonblk(source, dest, (uint32_t)size);
	return SPIN_OK;
}

static inline int spin_dma_wait(spin_dma_t xfer)
{
	spin__wait_for_tf_completion(xfer);
	return SPIN_OK;
}

static inline int spin_dma_test(spin_dma_t xfer, uint32_t *completed)
{
	*completed = (uint32_t)spin__tf_completed(xfer);
	return SPIN_OK;
}

/* --- locks --- */

typedef futex_t spin_lock_t;

static inline int spin_lock_init(spin_lock_t *lock)
{
	futex_init(lock);
	return SPIN_OK;
}

/* Returns 1 if the lock was taken. */
static inline int spin_lock_try_lock(spin_lock_t *lock)
{
	return futex_try_lock(lock);
}

static inline int spin_lock_lock(spin_lock_t *lock)
{
	futex_lock_s(lock);
	return SPIN_OK;
}

static inline int spin_lock_unlock(spin_lock_t *lock)
{
	futex_unlock(lock);
	return SPIN_OK;
}

/*
 * The first reader takes the lock; the last one releases it. As in PsPIN, a second reader does not wait for a writer for which the first
 * one is still waiting.
 */
typedef struct spin_rw_lock {
	spin_lock_t glock;
	volatile int32_t num_readers;
} spin_rw_lock_t;

static inline int spin_rw_lock_r_lock(spin_rw_lock_t *rwlock)
{
	if (!amo_add(&rwlock->num_readers, 1))
		spin_lock_lock(&rwlock->glock);
	return SPIN_OK;
}

static inline int spin_rw_lock_r_unlock(spin_rw_lock_t *rwlock)
{
	if (amo_add(&rwlock->num_readers, -1) == 1)
		spin_lock_unlock(&rwlock->glock);
	return SPIN_OK;
}

static inline int spin_rw_lock_w_lock(spin_rw_lock_t *rwlock)
{
	return spin_lock_lock(&rwlock->glock);
}

static inline int spin_rw_lock_w_unlock(spin_rw_lock_t *rwlock)
{
	return spin_lock_unlock(&rwlock->glock);
}

#endif
