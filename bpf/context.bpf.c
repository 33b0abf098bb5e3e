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

/* XDP's frame: read from its context each time, so that what the verifier knows of it begins anew. */
struct spin_frame {
	struct xdp_md *ctx;
};

SPIN_INLINE uint8_t *spin_frame_data(const struct spin_frame *frame)
{
	return (uint8_t *)(long)*(volatile uint32_t *)&frame->ctx->data;
}

SPIN_INLINE uint8_t *spin_frame_end(const struct spin_frame *frame)
{
	return (uint8_t *)(long)*(volatile uint32_t *)&frame->ctx->data_end;
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

SPIN_INLINE void spin_raise_(const struct spin_way_out *out, const uint8_t *end, uint32_t hpu)
{
	const struct spin_datagram *d = &out->datagram;
	struct spin_event *event = bpf_ringbuf_reserve(&spin_events, sizeof(*event), 0);

	if (!event)
		return; /* the reader is behind; the packet is counted all the same */
	event->type = out->outcome.error;
	event->handler = out->outcome.error_in;
	event->hpu = hpu;
	event->ip_version = d->is_ip4 ? 4 : 6;
	for (int i = 0; i < 4; i++)
		event->src_addr[i] = 0;
	if (d->is_ip4) {
		event->src_addr[0] = ((struct spin_ip4 *)d->ip)->src;
	} else if (spin_within_((struct spin_ip6 *)d->ip + 1, end)) {
		for (int i = 0; i < 4; i++)
			event->src_addr[i] = ((struct spin_ip6 *)d->ip)->src[i];
	}
	event->src_port = spin_ntoh16(d->udp->src_port);
	event->dst_port = spin_ntoh16(d->udp->dst_port);
	event->length = d->payload_bytes;
	bpf_ringbuf_submit(event, 0);
}

SEC("xdp")
int spin_xdp(struct xdp_md *ctx)
{
	const struct spin_frame frame = { ctx };
	uint32_t hpu = bpf_get_smp_processor_id() & (SPIN_HPUS_MAX - 1);
	struct spin_way_out out;

	spin_process(&frame, &spin_config, &out);
	if (out.outcome.error)
		spin_raise_(&out, spin_frame_end(&frame), hpu);
	if (out.reason == SPIN_REASON_REPLIED) {
		int excess = (int)out.frame_bytes - (int)(spin_frame_end(&frame) - spin_frame_data(&frame));

		if (excess)
			bpf_xdp_adjust_tail(ctx, excess); /* shrinks: cannot fail */
	}
	spin_counters[hpu].packets[out.reason]++;
	return spin_action_(out.reason);
}

#ifdef SPIN_RV32_IMAGE
__asm__(".pushsection " SPIN_RV32_SECTION ",\"\",@progbits\n"
	".incbin \"" SPIN_RV32_IMAGE "\"\n"
	".popsection\n");
#endif
