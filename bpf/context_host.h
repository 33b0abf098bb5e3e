/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_CONTEXT_HOST_H
#define BPF_CONTEXT_HOST_H

/*
 * The host build's counterpart of context_maps.h: ordinary variables in place of BPF maps, so that packet.h and message.h compile as
 * a shared object (context.host.c), which user/conformance/host.c loads to run handlers without a kernel. Defines the variables that
 * it exports, so only context.host.c includes it.
 */
#include <spin/context.h>
#include <spin/target/view.h>

#include "bpf/atomic.h"
#include "bpf/abi/mpq.h"

#define SPIN_MPQ_ATTR_    __attribute__((aligned(64), unused))
#define SPIN_PARKED_ATTR_ __attribute__((aligned(64), unused))
#define SPIN_ME_ATTR_     __attribute__((aligned(64), unused))

#include "bpf/abi/tx_ring.h"
#include "bpf/messages/parking.h"

/* The events of the last frame or of the last check for idle messages. The reader sets spin_host_event_count to 0. */
#define SPIN_HOST_EVENTS 4096
struct spin_event spin_host_events[SPIN_HOST_EVENTS];
uint32_t spin_host_event_count;

/* Packets that handlers have sent. The reader sets spin_host_request_count to 0. */
#define SPIN_HOST_REQUESTS 1024
struct spin_request spin_host_requests[SPIN_HOST_REQUESTS];
uint32_t spin_host_request_count;

static struct spin_tx_ring spin_host_tx_ring;
static struct spin_tx_desc spin_host_tx_descs[SPIN_TX_DESCS];

SPIN_INLINE struct spin_tx_ring *spin_tx_ring(void)
{
	return &spin_host_tx_ring;
}

SPIN_INLINE struct spin_tx_desc *spin_tx_ring_next(const struct spin_tx_ring *ring)
{
	return &spin_host_tx_descs[(ring->first + ring->count) & (SPIN_TX_DESCS - 1)];
}

/* Empties the tx ring into spin_host_requests. */
SPIN_INLINE void spin_host_send(void)
{
	struct spin_tx_ring *ring = &spin_host_tx_ring;

	for (; ring->count; ring->count--, ring->first++)
		spin_host_requests[spin_host_request_count++ & (SPIN_HOST_REQUESTS - 1)] =
			spin_host_tx_descs[ring->first & (SPIN_TX_DESCS - 1)].request;
}

/* Host memory, followed by SPIN_HOST_SLACK bytes. Allocated and set by user/conformance/host.c. */
uint8_t *spin_host_memory_at;

SPIN_INLINE uint8_t *spin_host_memory(void)
{
	return spin_host_memory_at;
}

/* Bitmap words of windows larger than SPIN_WINDOW packets (window.h). Allocated and set by user/conformance/host.c. */
uint64_t *spin_host_wide_words;

SPIN_INLINE uint64_t *spin_wide_word(uint32_t at)
{
	return &spin_host_wide_words[at];
}

/* Stands in for the kernel's clock. Never used: time and random numbers of the host build are always virtual (clock.h). */
SPIN_INLINE uint64_t spin_ticks(void)
{
	return 0;
}

struct spin_virtual spin_virtual;

SPIN_INLINE uint32_t spin_connections_missed_(const struct spin_packet *packet)
{
	(void)packet;
	return 0;
}

SPIN_INLINE uint64_t spin_kernel_ns(void)
{
	return 0;
}

SPIN_INLINE uint64_t spin_kernel_coarse_ns(void)
{
	return 0;
}

SPIN_INLINE uint32_t spin_kernel_random(void)
{
	return 0;
}

SPIN_INLINE uint64_t spin_event_backlog(void)
{
	return 0;
}

SPIN_INLINE struct spin_event *spin_event_open(void)
{
	struct spin_event *event = &spin_host_events[spin_host_event_count++ & (SPIN_HOST_EVENTS - 1)];

	memset(event, 0, sizeof(*event));
	return event;
}

SPIN_INLINE void spin_event_close(struct spin_event *event)
{
	(void)event;
}

SPIN_INLINE struct spin_event *spin_event_scratch(void)
{
	static struct spin_event event;

	return &event;
}

SPIN_INLINE int spin_event_output(const struct spin_event *event)
{
	*spin_event_open() = *event;
	return 0;
}

SPIN_INLINE uint32_t spin_frame_park(const struct spin_frame *frame, struct spin_copy *to)
{
	uint32_t bytes = (uint32_t)(frame->end - frame->data);

	if (bytes > SPIN_COPY_BYTES)
		return 0;
	memcpy(to->frame, frame->data, bytes);
	return bytes;
}

#endif
