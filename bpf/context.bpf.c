/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One execution context as an XDP program: the handlers and the runtime as one
 * translation unit, compiled by spincc with SPIN_HANDLER_FILE naming the
 * handlers and SPIN_RV32_IMAGE the HPU program to carry along.
 *
 * The names below are a contract with <spin/context.h>. As the object stands it
 * is a program like any other: loaded by bpftool or iproute2 it handles every
 * UDP datagram of the interface.
 */
#include SPIN_HANDLER_FILE

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* XDP's frame, where it lies or copied. */
struct spin_frame {
	struct xdp_md *ctx;
	uint8_t *copy;  /* NULL: where it lies */
	uint32_t bytes; /* of a frame that was copied */
	volatile uint64_t *scratch;
};

/* A pointer that XDP's context shows as 32 bits, and which the compiler is not to keep as such. */
#define SPIN_CONTEXT_POINTER_(ctx, field) ({ \
	uint8_t *spin_pointer_; \
	__asm__ volatile("%0 = *(u32 *)(%1 + %2)" : "=r"(spin_pointer_) \
			 : "r"(ctx), "i"(offsetof(struct xdp_md, field))); \
	spin_pointer_; })

/* Read from XDP's context each time, so that what the verifier knows of the frame begins anew. */
SPIN_INLINE struct spin_view spin_frame_view(const struct spin_frame *frame)
{
	if (frame->copy)
		return (struct spin_view){ SPIN_COPIED, .data = frame->copy, .bytes = frame->bytes,
					   .scratch = frame->scratch };
	return (struct spin_view){ SPIN_DIRECT, .data = SPIN_CONTEXT_POINTER_(frame->ctx, data),
				   .end = SPIN_CONTEXT_POINTER_(frame->ctx, data_end) };
}

#include "packet.h"

char spin_license[] SEC("license") = "Dual BSD/GPL";

/* Written by the loader before loading; constants to the verifier. */
const volatile struct spin_config spin_config = {
	.rule = { .protocol = SPIN_IP_UDP },
	.accept_partial = 1,
};

/* Who this is, for whoever looks at the loaded program from outside. */
const volatile char spin_name[16] = "";
const volatile struct spin_rule spin_rule = { .protocol = SPIN_IP_UDP };

/* Per HPU, so that no count is shared: written without atomics. */
struct spin_counters spin_counters[SPIN_HPUS_MAX];

/* Errors of handlers, to the application. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} spin_events SEC(".maps");

/* XDP action per verdict: the one place where they meet. */
SPIN_INLINE int spin_action_(enum spin_reason reason)
{
	enum { PASS = XDP_PASS, DROP = XDP_DROP, TX = XDP_TX };

	switch (reason) {
#define SPIN_REASON_ACTION_(name, verdict, text) case SPIN_REASON_##name: return verdict;
	SPIN_REASONS(SPIN_REASON_ACTION_)
#undef SPIN_REASON_ACTION_
	default: return XDP_ABORTED;
	}
}

SPIN_INLINE int spin_end_(const struct spin_view *view, enum spin_reason reason, uint32_t hpu)
{
	uint32_t i = reason;

	if (view->access == SPIN_COPIED)
		i = spin_unknown_(view, reason);
	if (view->access == SPIN_DIRECT || i < SPIN_REASON_COUNT)
		spin_counters[hpu].packets[i]++;
	return spin_action_(reason);
}

SPIN_INLINE void spin_raise_(const struct spin_outcome *outcome, const struct spin_view *view,
			     const struct spin_datagram *d, uint32_t hpu)
{
	struct spin_event *event = bpf_ringbuf_reserve(&spin_events, sizeof(*event), 0);

	if (!event)
		return; /* the reader is behind; the packet is counted all the same */
	event->type = outcome->error;
	event->handler = outcome->error_in;
	event->hpu = hpu;
	event->ip_version = d->is_ip4 ? 4 : 6;
	for (int i = 0; i < 4; i++)
		event->src_addr[i] = 0;
	if (d->is_ip4) {
		event->src_addr[0] = ((struct spin_ip4 *)d->ip)->src;
	} else if (spin_inside_(view, (struct spin_ip6 *)d->ip + 1)) {
		/* a pointer of its own: not one with that of IPv4 and two offsets */
		const struct spin_ip6 *ip = (const void *)spin_opaque_pointer_(d->ip);

		for (int i = 0; i < 4; i++)
			event->src_addr[i] = ip->src[i];
	}
	event->src_port = spin_ntoh16(d->udp->src_port);
	event->dst_port = spin_ntoh16(d->udp->dst_port);
	event->length = d->payload_bytes;
	bpf_ringbuf_submit(event, 0);
}

/*
 * The program for frames that do not lie in one piece; filled by the loader. Empty, as
 * after bpftool, such frames go on to the host.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_long SEC(".maps");

SEC("xdp")
int spin_xdp(struct xdp_md *ctx)
{
	const struct spin_frame frame = { ctx };
	uint32_t hpu = bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1);
	struct spin_datagram d;
	struct spin_view view;
	struct spin_way_out out;

	out.reason = spin_find(&frame, &spin_config, &view, &d);
	if (out.reason != SPIN_PARSED) {
		if (spin_maybe_long(out.reason))
			bpf_tail_call(ctx, &spin_long, 0);
		return spin_end_(&view, out.reason, hpu);
	}
	spin_handle(&view, &d, spin_config.accept_partial, &out);
	if (out.outcome.error) {
		view = spin_frame_view(&frame);
		spin_raise_(&out.outcome, &view, &d, hpu);
	}
	if (out.reason == SPIN_REASON_REPLIED) {
		view = spin_frame_view(&frame);
		/*
		 * Shrinks: cannot fail. Asking every frame whether it goes on elsewhere would cost each reply a
		 * helper call: one just as long as what lies here keeps the padding there.
		 */
		if (out.frame_bytes != (uint32_t)(view.end - view.data))
			bpf_xdp_adjust_tail(ctx, (int)out.frame_bytes - (int)bpf_xdp_get_buff_len(ctx));
	}
	return spin_end_(&view, out.reason, hpu);
}

/* What a frame is copied to; one per CPU, and nothing interrupts a program for another at XDP. */
struct spin_copy {
	uint8_t frame[SPIN_COPY_BYTES + SPIN_COPY_SLACK];
	uint64_t scratch;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_copy);
} spin_copies SEC(".maps");

/* Not loaded unless the loader asks for it: an object is one program to bpftool and iproute2. */
SEC("?xdp")
int spin_copied(struct xdp_md *ctx)
{
	uint32_t hpu = bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1), zero = 0, bytes, held;
	struct spin_copy *copy = bpf_map_lookup_elem(&spin_copies, &zero);
	struct spin_frame frame = { ctx };
	struct spin_datagram d;
	struct spin_view view;
	struct spin_way_out out;

	if (!copy)
		return XDP_ABORTED; /* cannot be */
	bytes = bpf_xdp_get_buff_len(ctx);
	held = spin_opaque_(bytes < SPIN_COPY_BYTES ? bytes : SPIN_COPY_BYTES);
	if (held - 1 >= SPIN_COPY_BYTES || bpf_xdp_load_bytes(ctx, 0, copy->frame, held))
		return XDP_ABORTED; /* cannot be */
	frame.copy = copy->frame;
	frame.bytes = bytes;
	frame.scratch = &copy->scratch;
	out.reason = spin_find(&frame, &spin_config, &view, &d);
	if (out.reason != SPIN_PARSED)
		return spin_end_(&view, out.reason, hpu);
	spin_handle(&view, &d, spin_config.accept_partial, &out);
	if (out.outcome.error)
		spin_raise_(&out.outcome, &view, &d, hpu);
	held = spin_opaque_(out.changed_bytes);
	if (held - 1 < SPIN_COPY_BYTES)
		bpf_xdp_store_bytes(ctx, 0, copy->frame, held);
	if (out.reason == SPIN_REASON_REPLIED && out.frame_bytes != bytes)
		bpf_xdp_adjust_tail(ctx, (int)out.frame_bytes - (int)bytes);
	return spin_end_(&view, out.reason, hpu);
}

#ifdef SPIN_RV32_IMAGE
__asm__(".pushsection " SPIN_RV32_SECTION ",\"\",@progbits\n"
	".incbin \"" SPIN_RV32_IMAGE "\"\n"
	".popsection\n");
#endif
