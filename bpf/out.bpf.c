/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XDP program on a devmap that sends packets of handlers, if several leave for one that arrived. The kernel makes a copy of a small frame,
 * the clone template, for each packet of such a group; this program turns each copy into the next packet, in order. Loaded by libspin, once
 * for all contexts of a process (actions/out_maps.h). Each group counts its own copies: if the kernel could not make one, the copies after
 * it still belong to their own group.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/spin.h>

#include "bpf/actions/out_maps.h"

char spin_license[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_outs_made);
} spin_outs_made SEC(".maps");

/* Turns a copy of the template into one of the packets that a handler has sent: the first copy into the first packet, and so on. */
SEC("?xdp/devmap")
int spin_out(struct xdp_md *ctx)
{
	const struct spin_clone_template *template = (void *)(long)ctx->data;
	const uint8_t *end = (void *)(long)ctx->data_end;
	struct spin_tx_desc *head, *out;
	struct spin_outs_made *made;
	uint32_t zero = 0, bytes, i, first;

	if ((const uint8_t *)(template + 1) > end || template->type)
		return XDP_PASS;
	first = template->first;
	head = spin_out_at(first);
	if (!head)
		return XDP_DROP; /* unreachable: for the verifier */
	i = head->came++;
	if (i >= head->count)
		return XDP_DROP; /* surplus copy */
	out = spin_out_at(first + i);
	if (!out)
		return XDP_DROP; /* unreachable: for the verifier */
	bytes = spin_bounded_length(out->request.bytes, SPIN_REQUEST_FRAME_MAX);
	if (!bytes || bpf_xdp_adjust_tail(ctx, (int)bytes - (int)sizeof(*template)) ||
	    bpf_xdp_store_bytes(ctx, 0, out->request.frame, bytes))
		return XDP_DROP; /* the packet is lost and not counted */
	made = bpf_map_lookup_elem(&spin_outs_made, &zero);
	if (made)
		made->copies[head->owner & (SPIN_OUT_OWNERS - 1)]++;
	return XDP_PASS;
}
