/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_CONTEXT_MAPS_H
#define BPF_CONTEXT_MAPS_H

/*
 * What the data path of handlers (packet.h, messages/message.h) needs from the kernel: BPF maps and helpers. Included by context.bpf.c;
 * context_host.h is the host build's counterpart.
 */
#include <spin/context.h>
#include <spin/target/view.h>

#include "bpf/atomic.h"
#include "bpf/abi/mpq.h"

/* Not SEC(), which would keep them in objects whose handlers take no messages. */
#define SPIN_MPQ_ATTR_    __attribute__((aligned(64)))
#define SPIN_PARKED_ATTR_ __attribute__((aligned(64)))
#define SPIN_ME_ATTR_     __attribute__((aligned(64), section(".data.me")))

#include "bpf/messages/parking.h"
#include "bpf/actions/out_maps.h"

/* Events for the application: handler errors and the ends of messages. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} spin_events SEC(".maps");

/* The program for frames that are not linear; filled by the loader. While it is empty, as after bpftool, such frames go to the host. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_long SEC(".maps");

/* The programs for parked packets, for packets whose message is not open, and for packets that handlers sent: mpq.h. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, SPIN_PARKED_SLOTS);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_progs SEC(".maps");

/* Programs that spin_progress tail-calls: spin_replay and spin_send, or their copies if packets are spread. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, SPIN_SEND_SLOT + 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_swept_progs SEC(".maps");

/* State of one CPU. At XDP no program interrupts another on the same CPU. */
struct spin_cpu {
	struct spin_copy copy;    /* of the received frame */
	uint32_t buffer;          /* the current parked packet */
	uint32_t chain, left;     /* next parked packet (buffer + 1), and how many more in this run */
	uint32_t mpq, generation; /* the message that they belong to */
	uint32_t hpu;
	int32_t action;          /* for the received frame */
	uint32_t live;           /* 1: ctx is a received frame; 0: in a sweep */
	struct spin_event event; /* a work item being made (work.h) */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_cpu);
} spin_cpu_state SEC(".maps");

/* Host memory. The loader sets its size, which is spin_config.host_bytes plus the slack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, 4);
	__uint(value_size, SPIN_HOST_BYTES_BARE + SPIN_HOST_SLACK);
} spin_host SEC(".maps");

/* Words of wide windows (window.h). The loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, 4);
	__uint(value_size, 8);
} spin_wide SEC(".maps");

SPIN_INLINE uint64_t *spin_wide_word(uint32_t at)
{
	return bpf_map_lookup_elem(&spin_wide, &at);
}

/* The MPQ at which the next sweep continues. */
static uint32_t spin_sweep_at SPIN_MPQ_ATTR_;

SPIN_INLINE uint8_t *spin_host_memory(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&spin_host, &zero);
}

SPIN_INLINE uint64_t spin_ticks(void)
{
	return bpf_jiffies64();
}

/* Virtual time and random state of handlers; absent from objects whose handlers use neither (clock.h). */
static struct spin_virtual spin_virtual __attribute__((aligned(64)));

SPIN_INLINE uint64_t spin_kernel_ns(void)
{
	return bpf_ktime_get_ns();
}

SPIN_INLINE uint64_t spin_kernel_coarse_ns(void)
{
	return bpf_ktime_get_coarse_ns();
}

SPIN_INLINE uint32_t spin_kernel_random(void)
{
	return bpf_get_prandom_u32();
}

/* Bytes of the ring not yet consumed, including the kernel's header of each event. */
SPIN_INLINE uint64_t spin_event_backlog(void)
{
	return bpf_ringbuf_query(&spin_events, BPF_RB_AVAIL_DATA);
}

SPIN_INLINE struct spin_event *spin_event_open(void)
{
	return bpf_ringbuf_reserve(&spin_events, sizeof(struct spin_event), 0);
}

SPIN_INLINE void spin_event_close(struct spin_event *event)
{
	bpf_ringbuf_submit(event, 0);
}

/* Buffer for an event to be passed to spin_event_output(). NULL is unreachable. */
SPIN_INLINE struct spin_event *spin_event_scratch(void)
{
	uint32_t zero = 0;
	struct spin_cpu *cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);

	return cpu ? &cpu->event : 0;
}

/* Copies the event to the ring. Returns 0 on success. */
SPIN_INLINE int spin_event_output(struct spin_event *event)
{
	return (int)bpf_ringbuf_output(&spin_events, event, sizeof(*event), 0);
}

/* Copies the frame as it arrived to a buffer. Returns its length, 0 if it is too long. */
SPIN_INLINE uint32_t spin_frame_park(const struct spin_frame *frame, struct spin_copy *to)
{
	uint32_t bytes = bpf_xdp_get_buff_len(frame->ctx);

	if (!bytes || bytes > SPIN_COPY_BYTES || bpf_xdp_load_bytes(frame->ctx, 0, to->frame, spin_masked_length(bytes, SPIN_COPY_BYTES)))
		return 0;
	return bytes;
}

#endif
