/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_COPIED_H
#define BPF_COPIED_H

/*
 * Programs that copy a packet before its handlers run: for frames that are not linear, and for the isolated class (handlers loaded without
 * CAP_PERFMON). Included by context.bpf.c only.
 */

/* Handles a copy of the frame and writes changes back to it. */
SPIN_INLINE int spin_copied_(struct xdp_md *ctx, enum spin_takes takes)
{
	uint32_t hpu = spin_hpu(ctx), zero = 0, bytes, held;
	struct spin_cpu *cpu = bpf_map_lookup_elem(&spin_cpu_state, &zero);
	struct spin_frame frame = { ctx };
	struct spin_copy *copy;
	struct spin_datagram d;
	struct spin_view view;
	struct spin_packet_result out;

	if (!cpu)
		return XDP_ABORTED; /* unreachable: for the verifier */
	copy = &cpu->copy;
	bytes = bpf_xdp_get_buff_len(ctx);
	/*
	 * the mask below suffices for the kernel, but with it alone clang 14 moves a pointer to act_put_d's stack by a variable, which the
	 * work limit refuses
	 */
	held = spin_bounded_length(bytes < SPIN_COPY_BYTES ? bytes : SPIN_COPY_BYTES, SPIN_COPY_BYTES);
	if (!held || bpf_xdp_load_bytes(ctx, 0, copy->frame, spin_masked_length(held, SPIN_COPY_BYTES)))
		return XDP_ABORTED; /* unreachable: for the verifier */
	frame.copy = copy->frame;
	frame.bytes = bytes;
	frame.scratch = copy->scratch;
	out.reason = spin_find(&frame, &spin_config, takes, &view, &d);
	if (out.reason != SPIN_PARSED)
		return spin_end_(&view, out.reason, hpu);
	/* the verifier would keep what each place of the headers told it of the frame's length: 14 states for all that follows */
	frame.bytes = view.bytes = (uint32_t)spin_verifier_forget_(&view, frame.bytes);
	spin_handle(&frame, &view, &d, spin_config.accept_partial, hpu, SPIN_PART_WHOLE, &out);
	if (out.outcome.error)
		spin_emit_event_(&out.outcome, &view, &d, hpu);
	held = (uint32_t)spin_verifier_forget_(&view, out.changed_bytes);
	if (held)
		bpf_xdp_store_bytes(ctx, 0, copy->frame, spin_masked_length(held, SPIN_COPY_BYTES));
	if ((out.reason == SPIN_REASON_REPLIED || out.acknowledged || out.resized) && out.frame_bytes != frame.bytes)
		bpf_xdp_adjust_tail(ctx, (int)out.frame_bytes - (int)frame.bytes);
	if (out.consumed)
		return spin_consumed_(ctx, &view, &out, hpu);
	return spin_finish_(ctx, spin_end_(&view, out.reason, hpu));
}

/* "?": loaded only on request, so that an object is one program to bpftool and iproute2. */
SEC("?xdp")
int spin_copied(struct xdp_md *ctx)
{
	return spin_leave_hpu(spin_copied_(ctx, spin_takes_udp()));
}

SEC("?xdp")
int spin_icmp_copy(struct xdp_md *ctx)
{
	return spin_needs_udp_() ? XDP_ABORTED : spin_leave_hpu(spin_copied_(ctx, SPIN_TAKES_ICMP));
}

SEC("?xdp")
int spin_ether_copy(struct xdp_md *ctx)
{
	return spin_needs_udp_() ? XDP_ABORTED : spin_leave_hpu(spin_copied_(ctx, SPIN_TAKES_ETHER));
}

#endif
