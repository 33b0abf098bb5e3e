/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One execution context (handlers, their memories and a match rule) as an XDP program: the handlers and the runtime as one translation
 * unit. spincc compiles it for each handler file, which SPIN_HANDLER_FILE names; SPIN_RV32_IMAGE names the HPU program that the object
 * carries.
 *
 * The names below are a contract with <spin/context.h>. The object also loads without libspin: loaded by bpftool or iproute2 it
 * handles every UDP datagram of the interface.
 *
 * The flags in bpf/cflags inline handlers whatever their size, and keep endless loops and accesses through pointers that were not tested:
 * the verifier must see these, and refuse them at their line.
 */
#define SPIN_RUNTIME
#include SPIN_HANDLER_FILE

/* From here on it is the runtime's code: spincc does not show its warnings, so these must be errors. */
#pragma GCC diagnostic error "-Wint-conversion"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/context.h>

#include "bpf/xdp.h"

/* An XDP frame, in place or copied. */
struct spin_frame {
	struct xdp_md *ctx;
	uint8_t *copy;  /* NULL: in place */
	uint32_t bytes; /* copied frames only */
	volatile uint64_t *scratch;
};

SPIN_INLINE void *spin_frame_ctx(const struct spin_frame *frame)
{
	return frame->ctx;
}

/* Reads data and data_end from the XDP context again, so that the verifier drops what it knew about the frame. */
SPIN_INLINE struct spin_view spin_frame_view(const struct spin_frame *frame)
{
	if (frame->copy)
		return (struct spin_view){ SPIN_COPIED, .data = frame->copy, .bytes = frame->bytes, .scratch = frame->scratch };
	return (struct spin_view){ SPIN_DIRECT, .data = SPIN_CONTEXT_POINTER_(frame->ctx, data),
				   .end = SPIN_CONTEXT_POINTER_(frame->ctx, data_end) };
}

/*
 * Changes the length of a linear frame. Returns 0 if it is not linear or there is no room. Views of the frame and pointers to it become
 * invalid.
 */
SPIN_INLINE _Bool spin_frame_resize(struct spin_frame *frame, uint32_t bytes)
{
	uint32_t now = frame->bytes;

	if (!frame->copy)
		now = SPIN_CONTEXT_POINTER_(frame->ctx, data_end) - SPIN_CONTEXT_POINTER_(frame->ctx, data);
	if (bpf_xdp_get_buff_len(frame->ctx) != now || bpf_xdp_adjust_tail(frame->ctx, (int)bytes - (int)now))
		return 0;
	frame->bytes = bytes;
	return 1;
}

/* Stores `bytes` <= `most` bytes at offset `at`, which is after headers and inside the frame, and updates the frame's copy. */
SPIN_INLINE void spin_frame_store(const struct spin_frame *frame, uint32_t at, void *from, uint32_t bytes, uint32_t most)
{
	const struct spin_view view = spin_frame_view(frame);

	if (view.access == SPIN_COPIED) /* `most` is not a power of two, so a mask cannot bound it: see spin_masked_length() */
		bytes = (uint32_t)spin_verifier_forget_(&view, bytes);
	bytes = spin_bounded_length(bytes, most);
	if (!bytes || bpf_xdp_store_bytes(frame->ctx, at, from, bytes) || !frame->copy)
		return;
	bpf_xdp_load_bytes(frame->ctx, at, frame->copy + (at & 127), bytes);
}

/* Written by the loader before loading; constants to the verifier. */
const volatile struct spin_config spin_config = {
	.rule = { .protocol = SPIN_IP_UDP },
	.accept_partial = 1,
	.mpqs = SPIN_MPQS,
	.parking = SPIN_PARKING_MAX,
	.host_bytes = SPIN_HOST_BYTES_BARE,
	.idle_ticks = SPIN_IDLE_MS,
	.tombstone_ticks = SPIN_TOMBSTONE_MS,
	.age_ticks = SPIN_AGE_MS,
	.age_bytes = SPIN_AGE_BYTES,
	.key = SPIN_HASH_KEY,
};
#ifdef SPIN_BOUNDED_LOOPS
const volatile uint32_t spin_direct_bytes = SPIN_DIRECT_BYTES_MAX;
#endif

#include "bpf/context_maps.h"
#include "bpf/packet.h"
#include "bpf/segments/kernel_socket.h"
#include "bpf/actions/out.h"
#include "bpf/messages/sweep.h"
#include "bpf/hpu.h"

char spin_license[] SEC("license") = "Dual BSD/GPL";

/* Name and rule of the context, read by other processes. */
const volatile char spin_name[16] = "";
const volatile struct spin_rule spin_rule = { .protocol = SPIN_IP_UDP };

/* One set of counters per HPU, so they need no atomics. */
struct spin_counters spin_counters[SPIN_HPUS_MAX];

SPIN_INLINE void spin_count_(const struct spin_view *view, enum spin_reason reason, uint32_t hpu)
{
	uint32_t i = reason;

	_Static_assert(SPIN_REASON_COUNT <= 32, "the mask below");
	/* a mask and not a test: with 32 reasons the compiler turns a test into bit operations that the verifier does not understand */
	if (view->access == SPIN_COPIED) {
		i = spin_verifier_forget_(view, reason) & 31;
		hpu = spin_barrier_var_(hpu) & (SPIN_HPUS_MAX - 1); /* as spin_masked_length() */
	}
	spin_counters[hpu].packets[i]++;
}

/* Counts the packet. Returns the XDP action of its reason. */
SPIN_INLINE int spin_end_(const struct spin_view *view, enum spin_reason reason, uint32_t hpu)
{
	spin_count_(view, reason, hpu);
	return spin_action_(reason);
}

/* Emits the event of a handler's error, for a datagram or a piece of a stream. */
SPIN_INLINE void spin_emit_event_(const struct spin_handlers_result *outcome, const struct spin_view *view, const struct spin_datagram *d,
				  uint32_t hpu)
{
	struct spin_event *event = bpf_ringbuf_reserve(&spin_events, sizeof(*event), 0);

	if (!event)
		return; /* the ring is full: the event is lost, the packet is counted */
	event->type = outcome->error;
	event->handler = outcome->error_in;
	event->hpu = hpu;
	event->ip_version = d->is_ether ? 0 : d->is_ip4 ? 4 : 6;
	for (int i = 0; i < 4; i++)
		event->src_addr[i] = 0;
	if (d->is_ip4) {
		event->src_addr[0] = ((struct spin_ip4 *)d->ip)->src;
	} else if (!d->is_ether && spin_inside_(view, (struct spin_ip6 *)d->ip + 1)) {
		/* a separate pointer: otherwise the compiler merges it with IPv4's into one at a variable offset */
		const struct spin_ip6 *ip = (const void *)spin_barrier_pointer_(d->ip);

		for (int i = 0; i < 4; i++)
			event->src_addr[i] = ip->src[i];
	}
	event->src_port = d->is_icmp || d->is_ether ? 0 : spin_ntoh16(d->udp->src_port);
	event->dst_port = d->is_icmp || d->is_ether ? 0 : spin_ntoh16(d->udp->dst_port);
	event->length = d->payload_bytes;
	/* used by messages only; a reserved record is not zeroed */
	event->message_id = event->me = event->offset = 0;
	event->dropped_bytes = event->deposited_bytes = event->flags = 0;
	event->match_bits = event->hdr_data = 0;
	event->me_start = event->me_length = event->me_serial = event->unused = 0;
	bpf_ringbuf_submit(event, 0);
}

/* Called after all handlers of a packet have run: sends what they have made. Returns the XDP action for the received frame. */
SPIN_INLINE int spin_finish_(struct xdp_md *ctx, int action)
{
	const struct spin_tx_ring *ring = spin_puts_ ? spin_tx_ring() : NULL;
	uint32_t zero = 0;
	struct spin_cpu *cpu;

	if (ring && ring->count) {
		cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);
		if (cpu) {
			cpu->action = action;
			cpu->live = 1;
		}
		bpf_tail_call(ctx, &spin_progs, SPIN_SEND_SLOT);
	}
	return action == XDP_TX ? spin_leave(ctx) : action;
}

/* Step 13 of <spin/message.h>. Returns if there is nothing to replay or no program to do it. `live` is 0 in a sweep. */
SPIN_INLINE void spin_replay_(struct xdp_md *ctx, uint32_t mpq, uint32_t generation, uint32_t hpu, int action, _Bool live)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t zero = 0;
	struct spin_cpu *cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);

	if (!cpu)
		return; /* unreachable: for the verifier */
	if ((spin_read_once(&q->generation) & 0xffff) != generation)
		return; /* the message has ended */
	cpu->generation = generation;
	cpu->chain = spin_park_take(mpq);
	if (!cpu->chain)
		return;
	cpu->mpq = mpq;
	cpu->hpu = hpu;
	cpu->left = SPIN_REPLAY_MAX;
	cpu->action = action;
	cpu->live = live;
	bpf_tail_call(ctx, live ? (void *)&spin_progs : (void *)&spin_swept_progs, SPIN_REPLAY_SLOT);
	spin_message_put_back(mpq, generation, cpu->chain, hpu);
}

/* Acknowledges or drops a packet of a message. */
SPIN_INLINE int spin_consumed_(struct xdp_md *ctx, const struct spin_view *view, const struct spin_packet_result *out, uint32_t hpu)
{
	int action = out->acknowledged ? XDP_TX : XDP_DROP;

	spin_count_(view, out->reason, hpu);
	if (out->replay)
		spin_replay_(ctx, out->replay - 1, out->generation, hpu, action, 1);
	return spin_finish_(ctx, action);
}

/* Handles the frame in place. */
SPIN_INLINE int spin_direct_(struct xdp_md *ctx, enum spin_part part, enum spin_takes takes)
{
	struct spin_frame frame = { ctx };
	uint32_t hpu = spin_hpu(ctx);
	struct spin_datagram d;
	struct spin_view view;
	struct spin_packet_result out;

	out.reason = spin_find(&frame, &spin_config, takes, &view, &d);
	/* no length field in the frame tells that more of it is in fragments */
	if (takes == SPIN_TAKES_ETHER && out.reason == SPIN_PARSED && bpf_xdp_get_buff_len(ctx) > d.payload_at + d.payload_bytes)
		out.reason = SPIN_REASON_TOO_LONG;
	if (out.reason != SPIN_PARSED) {
		if (spin_maybe_long(out.reason))
			bpf_tail_call(ctx, &spin_long, 0);
		return spin_end_(&view, out.reason, hpu);
	}
	spin_handle(&frame, &view, &d, spin_config.accept_partial, hpu, part, &out);
	if (part != SPIN_PART_WHOLE && out.reason == SPIN_PARSED) {
		if (part == SPIN_PART_OPEN)
			bpf_tail_call(ctx, &spin_progs, SPIN_BEGIN_SLOT);
		if (part == SPIN_PART_BEGIN)
			bpf_tail_call(ctx, &spin_progs, SPIN_OPENED_SLOT);
		/* no program in this slot, or the message has ended since it was opened: the sender retransmits */
		spin_count_(&view, SPIN_REASON_NO_MPQ, hpu);
		return XDP_DROP;
	}
	if (out.outcome.error) {
		view = spin_frame_view(&frame);
		spin_emit_event_(&out.outcome, &view, &d, hpu);
	}
	if (out.reason == SPIN_REASON_REPLIED || out.acknowledged || out.resized) {
		view = spin_frame_view(&frame);
		/*
		 * Shrinking cannot fail. The test avoids a helper call for every reply; a reply as long as the linear part of a
		 * multi-buffer frame keeps the padding in its fragments.
		 */
		if (out.frame_bytes != (uint32_t)(view.end - view.data))
			bpf_xdp_adjust_tail(ctx, (int)out.frame_bytes - (int)bpf_xdp_get_buff_len(ctx));
	}
	if (out.consumed)
		return spin_consumed_(ctx, &view, &out, hpu);
	return spin_finish_(ctx, spin_end_(&view, out.reason, hpu));
}

/* Returns which part of a packet's processing spin_xdp does: of messages it only handles packets of open ones. */
SPIN_INLINE enum spin_part spin_first_part_(void)
{
	return spin_handlers_.delivery == SPIN_DELIVER_ME ? SPIN_PART_OPEN : SPIN_PART_WHOLE;
}

/* Messages and packets that handlers send require UDP, segments TCP. The programs for other rules are then empty. */
SPIN_INLINE _Bool spin_needs_udp_(void)
{
	return spin_handlers_.delivery != SPIN_DELIVER_STACK || spin_puts_;
}

SEC("xdp")
int spin_xdp(struct xdp_md *ctx)
{
	return spin_leave_hpu(spin_direct_(ctx, spin_first_part_(), spin_takes_udp()));
}

/*
 * The same for rules on ICMP and on EtherTypes other than IP. They are separate programs: with more code in spin_xdp, clang lays out the
 * UDP path differently, and the verifier needs more than 1,000,000 steps for it (loops_parse, clang 14).
 */
SEC("?xdp")
int spin_icmp(struct xdp_md *ctx)
{
	return spin_needs_udp_() ? XDP_ABORTED : spin_leave_hpu(spin_direct_(ctx, SPIN_PART_WHOLE, SPIN_TAKES_ICMP));
}

SEC("?xdp")
int spin_ether(struct xdp_md *ctx)
{
	return spin_needs_udp_() ? XDP_ABORTED : spin_leave_hpu(spin_direct_(ctx, SPIN_PART_WHOLE, SPIN_TAKES_ETHER));
}

/* The same for packets whose message is not open yet. */
SEC("?xdp")
int spin_begin(struct xdp_md *ctx)
{
#ifdef SPIN_BOUNDED_LOOPS
	const enum spin_part part = SPIN_PART_BEGIN;
#else
	const enum spin_part part = SPIN_PART_REST;
#endif

	return spin_leave_hpu(spin_handlers_.delivery == SPIN_DELIVER_ME ? spin_direct_(ctx, part, SPIN_TAKES_UDP) : XDP_ABORTED);
}

#ifdef SPIN_BOUNDED_MESSAGES
/* Continues with the packet that opened its message. */
SEC("?xdp")
int spin_opened(struct xdp_md *ctx)
{
	return spin_leave_hpu(spin_direct_(ctx, SPIN_PART_OPENED, SPIN_TAKES_UDP));
}
#endif

/* Ends a replay of parked packets. */
SPIN_INLINE int spin_replayed_(struct xdp_md *ctx, const struct spin_cpu *cpu, _Bool live)
{
	const struct spin_tx_ring *ring = spin_puts_ ? spin_tx_ring() : NULL;

	if (ring && ring->count)
		bpf_tail_call(ctx, live ? (void *)&spin_progs : (void *)&spin_swept_progs, SPIN_SEND_SLOT);
	return cpu->action == XDP_TX && cpu->live ? spin_leave(ctx) : cpu->action;
}

/* Handles one parked packet and continues with the next. ctx's frame is a different packet and is not touched. */
SPIN_INLINE int spin_replay_one_(struct xdp_md *ctx, _Bool live)
{
	uint32_t hpu, zero = 0, buffer;
	struct spin_cpu *cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);
	struct spin_frame frame = { ctx };
	const struct spin_park *park;
	struct spin_datagram d;
	struct spin_view view;
	struct spin_copy *copy;
	enum spin_reason reason = SPIN_REASON_MALFORMED;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME || !cpu)
		return XDP_ABORTED; /* unreachable: for the verifier */
	if (!cpu->chain)
		return spin_replayed_(ctx, cpu, live);
	hpu = cpu->hpu & (SPIN_HPUS_MAX - 1);
	buffer = (cpu->chain - 1) & (SPIN_PARKING_MAX - 1);
	park = spin_park_at(buffer);
	copy = &spin_park_buffers[buffer];
	cpu->buffer = buffer;
	cpu->chain = park->next;
	cpu->left--;
	frame.copy = copy->frame;
	frame.bytes = park->frame_bytes;
	frame.scratch = copy->scratch;
	if ((park->owner & 0xffff) == cpu->mpq && park->owner >> 16 == cpu->generation &&
	    spin_find(&frame, &spin_config, SPIN_TAKES_UDP, &view, &d) == SPIN_PARSED)
		reason = spin_message_replay(&view, &d, cpu->mpq, cpu->generation, hpu);
	spin_park_free(buffer);
	spin_message_count_replay(reason, hpu);
	if (spin_puts_)
		spin_out_make_room(ctx, bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1));
	if (cpu->chain && cpu->left)
		bpf_tail_call(ctx, live ? (void *)&spin_progs : (void *)&spin_swept_progs, SPIN_REPLAY_SLOT);
	if (cpu->chain)
		spin_message_put_back(cpu->mpq, cpu->generation, cpu->chain, hpu);
	return spin_replayed_(ctx, cpu, live);
}

SPIN_INLINE int spin_send_(struct xdp_md *ctx)
{
	uint32_t zero = 0;
	const struct spin_cpu *cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);
	struct spin_tx_ring *ring = spin_puts_ ? spin_tx_ring() : NULL;

	if (!cpu || !ring)
		return XDP_ABORTED; /* unreachable: for the verifier */
	return spin_out_all(ctx, ring, cpu->action, cpu->live, bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1));
}

/* Sends the packets of the handlers that the previous program ran. */
SEC("?xdp")
int spin_send(struct xdp_md *ctx)
{
	return spin_leave_hpu(spin_send_(ctx));
}

/* The same after spin_replay_swept. */
SEC("?xdp")
int spin_send_swept(struct xdp_md *ctx)
{
	return spin_send_(ctx);
}

/* Emits an event for libspin. Returns XDP_PASS, or XDP_DROP if the ring is full. */
SEC("?xdp")
int spin_emit_event(struct xdp_md *ctx)
{
	struct spin_event *event;

	if (!spin_puts_ || spin_handlers_.delivery != SPIN_DELIVER_ME)
		return XDP_ABORTED; /* unreachable: for the verifier */
	if (!spin_event_reserve())
		return XDP_DROP;
	event = spin_event_open();
	if (event && bpf_xdp_load_bytes(ctx, 0, event, sizeof(*event))) {
		bpf_ringbuf_discard(event, 0);
		spin_event_unreserve();
		return XDP_ABORTED; /* unreachable: libspin passes a whole event */
	}
	if (event)
		spin_event_close(event);
	spin_event_unreserve();
	return event ? XDP_PASS : XDP_DROP;
}

SEC("?xdp")
int spin_replay(struct xdp_md *ctx)
{
	return spin_leave_hpu(spin_replay_one_(ctx, 1));
}

/*
 * The same for spin_progress if packets are spread: the other programs are then for the cpumap, and this one gets no packet given to a CPU.
 */
SEC("?xdp")
int spin_replay_swept(struct xdp_md *ctx)
{
	return spin_replay_one_(ctx, 0);
}

/* Replaces spin_xdp, which then runs on the CPUs of the cpumap: gives the packet to one of them. */
SEC("?xdp")
int spin_spread(struct xdp_md *ctx)
{
	int action = spin_spread_give(ctx, spin_handlers_.delivery == SPIN_DELIVER_ME, spin_takes(&spin_config.rule));

	if (action >= 0)
		return action;
	spin_counters[bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1)].packets[SPIN_REASON_NO_HPU]++;
	return XDP_DROP;
}

/*
 * Searches for one message that is idle or has parked packets left, and evicts it or handles its packets. Returns XDP_TX if there may be
 * more, so that it must be run again; XDP_PASS after all MPQs were checked.
 */
#define SPIN_PROGRESS_ROUNDS 64 /* iterations per run, before Linux 6.9 */

SEC("?xdp")
int spin_progress(struct xdp_md *ctx)
{
	uint32_t hpu = spin_hpu_of_sweep(), zero = 0, chosen = SPIN_MPQS_MAX, now, mpq, due = 0;
	struct spin_cpu *cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);
	uint64_t round = 0;
	struct spin_mpq *q;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME || !cpu)
		return XDP_ABORTED; /* unreachable: for the verifier */
	now = spin_now();
	if (!spin_config.virtual_clock)
		spin_write_once(&spin_clock, now);
	for (;;) {
		mpq = *(volatile uint32_t *)&spin_sweep_at;
		if (mpq >= spin_config.mpqs)
			break;
		if (!spin_can_loop_(&round, SPIN_PROGRESS_ROUNDS))
			return XDP_TX;
		*(volatile uint32_t *)&spin_sweep_at = mpq + 1;
		q = spin_mpq_at(mpq);
		chosen = spin_chosen(mpq);
		if (spin_sweep_is_idle(q, now))
			due = 1;
		else if (spin_load32(&q->phase) == SPIN_MPQ_OPEN && (spin_read_once(&q->parked) | spin_read_once(&q->replay)))
			due = 2;
		if (due)
			break;
	}
	if (due == 1)
		spin_evict(chosen, hpu, now);
	if (due == 2)
		spin_replay_(ctx, mpq, spin_read_once(&spin_mpq_at(mpq)->generation) & 0xffff, hpu, XDP_TX, 0);
	if (due)
		return XDP_TX;
	spin_sweep_at = 0;
	return XDP_PASS;
}

/* The programs that copy packets and those of streams need may_goto, so the variant with bounded loops lacks them. */
#ifndef SPIN_BOUNDED_LOOPS
#include "bpf/copied.h"
#include "bpf/stream.h"
#else
static uint32_t spin_connections_unseen;

/*
 * spin_connections_missed() of the handler API: a number that changes whenever bytes may have passed without handlers. Objects without
 * streams see no bytes of connections, so it changes with each call.
 */
SPIN_INLINE uint32_t spin_connections_missed_(const struct spin_packet *packet)
{
	return spin_field_(packet, spin_fadd32(&spin_connections_unseen, 1));
}
#endif

/* Files embedded in the object, each in its own section. */
#define SPIN_CARRY_(section, path)                          \
	__asm__(".pushsection " section ",\"\",@progbits\n" \
		".incbin \"" path "\"\n"                    \
		".popsection\n")
#ifdef SPIN_RV32_IMAGE
SPIN_CARRY_(SPIN_RV32_SECTION, SPIN_RV32_IMAGE);
#endif
#ifdef SPIN_NFP_OBJECT
SPIN_CARRY_(SPIN_NFP_SECTION, SPIN_NFP_OBJECT);
#endif
#ifdef SPIN_BOUNDED_OBJECT
SPIN_CARRY_(SPIN_BOUNDED_SECTION, SPIN_BOUNDED_OBJECT);
#endif
