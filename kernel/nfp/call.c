/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the NFP checker (walk.c) for calls of helpers: which helpers the NFP card's driver and firmware have, and with which
 * arguments. Called by walk.c for each call.
 */
#include <stdio.h>

#include "kernel/nfp/walk.h"

#define SHORTEST_FRAME_PAYLOAD 46 /* ETH_ZLEN - ETH_HLEN: every packet has that many bytes after its Ethernet header */

/* The helpers that the checker knows by name; moves_packet: pointers to the packet are invalid afterwards. */
static const struct {
	int32_t number;
	const char *name;
	int moves_packet;
} helpers[] = {
	{ BPF_FUNC_map_lookup_elem, "bpf_map_lookup_elem" },
	{ BPF_FUNC_map_update_elem, "bpf_map_update_elem" },
	{ BPF_FUNC_map_delete_elem, "bpf_map_delete_elem" },
	{ BPF_FUNC_ktime_get_ns, "bpf_ktime_get_ns" },
	{ BPF_FUNC_trace_printk, "bpf_trace_printk" },
	{ BPF_FUNC_get_prandom_u32, "bpf_get_prandom_u32" },
	{ BPF_FUNC_get_smp_processor_id, "bpf_get_smp_processor_id" },
	{ BPF_FUNC_tail_call, "bpf_tail_call" },
	{ BPF_FUNC_redirect, "bpf_redirect" },
	{ BPF_FUNC_perf_event_output, "bpf_perf_event_output" },
	{ BPF_FUNC_csum_diff, "bpf_csum_diff" },
	{ BPF_FUNC_xdp_adjust_head, "bpf_xdp_adjust_head", 1 },
	{ BPF_FUNC_redirect_map, "bpf_redirect_map" },
	{ BPF_FUNC_xdp_adjust_meta, "bpf_xdp_adjust_meta", 1 },
	{ BPF_FUNC_xdp_adjust_tail, "bpf_xdp_adjust_tail", 1 },
	{ BPF_FUNC_fib_lookup, "bpf_fib_lookup" },
	{ BPF_FUNC_spin_lock, "bpf_spin_lock" },
	{ BPF_FUNC_spin_unlock, "bpf_spin_unlock" },
	{ BPF_FUNC_sk_lookup_tcp, "bpf_sk_lookup_tcp" },
	{ BPF_FUNC_sk_lookup_udp, "bpf_sk_lookup_udp" },
	{ BPF_FUNC_tcp_check_syncookie, "bpf_tcp_check_syncookie" },
	{ BPF_FUNC_tcp_gen_syncookie, "bpf_tcp_gen_syncookie" },
	{ BPF_FUNC_jiffies64, "bpf_jiffies64" },
	{ BPF_FUNC_ktime_get_boot_ns, "bpf_ktime_get_boot_ns" },
	{ BPF_FUNC_ringbuf_output, "bpf_ringbuf_output" },
	{ BPF_FUNC_ringbuf_reserve, "bpf_ringbuf_reserve" },
	{ BPF_FUNC_ringbuf_submit, "bpf_ringbuf_submit" },
	{ BPF_FUNC_check_mtu, "bpf_check_mtu" },
	{ BPF_FUNC_for_each_map_elem, "bpf_for_each_map_elem" },
	{ BPF_FUNC_ktime_get_coarse_ns, "bpf_ktime_get_coarse_ns" },
	{ BPF_FUNC_snprintf, "bpf_snprintf" },
	{ BPF_FUNC_timer_init, "bpf_timer_init" },
	{ BPF_FUNC_trace_vprintk, "bpf_trace_vprintk" },
	{ BPF_FUNC_loop, "bpf_loop" },
	{ BPF_FUNC_xdp_get_buff_len, "bpf_xdp_get_buff_len" },
	{ BPF_FUNC_xdp_load_bytes, "bpf_xdp_load_bytes" },
	{ BPF_FUNC_xdp_store_bytes, "bpf_xdp_store_bytes" },
	{ BPF_FUNC_ktime_get_tai_ns, "bpf_ktime_get_tai_ns" },
};

static int find_helper(int32_t number)
{
	for (unsigned i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (helpers[i].number == number)
			return (int)i;
	return -1;
}

const char *nfp_helper__name(int32_t number, char *buf, size_t bytes)
{
	int row = find_helper(number);

	if (row >= 0)
		return helpers[row].name;
	snprintf(buf, bytes, "helper %d", number);
	return buf;
}

/* A key or value for the firmware must be on the stack, which is in the card's registers. Only 4-byte words have an address. */
static void check_on_stack(struct nfp_walk *w, struct nfp_state *s, unsigned reg, const char *what)
{
	const struct nfp_reg *r = nfp_state__reg(s, reg);

	if (r->type != NFP_STACK)
		nfp_walk__find(w, s, NFP_RULE_STACK_KEY, "the %s is in %s, not on the stack", what, nfp_type__name(r->type));
	else if (r->n.mask)
		nfp_walk__find(w, s, NFP_RULE_STACK_KEY, "the %s's offset on the stack varies", what);
	else if ((r->off + (int64_t)r->n.value) % 4)
		nfp_walk__find(w, s, NFP_RULE_STACK_KEY, "the %s is at stack offset %d, which is not a multiple of 4", what,
			       (int)(r->off + (int64_t)r->n.value));
}

/* Records whether the key is at the same offset on every visit, which the JIT requires. */
static void record_key_offset(struct nfp_walk *w, struct nfp_state *s)
{
	struct nfp_meta *m = &w->meta[s->insn];
	const struct nfp_reg *key = nfp_state__reg(s, 2);
	int64_t off = key->off + (int64_t)key->n.value;

	if (m->helper && m->key_offset != off)
		m->key_varies = 1;
	m->key_offset = off;
}

static int map_argument(struct nfp_walk *w, struct nfp_state *s, const struct nfp_map **map)
{
	const struct nfp_reg *r = nfp_state__reg(s, 1);

	if (r->type != NFP_MAP) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "R1 is %s, where the call expects a map", nfp_type__name(r->type));
		return 1;
	}
	*map = &w->object->maps[r->map];
	if ((*map)->is.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "the map %s is for events, and has no values", (*map)->name);
		return 1;
	}
	return 0;
}

static void result_is_number(struct nfp_walk *w, struct nfp_state *s)
{
	nfp_walk__mark_unknown(w, s, 0, 8);
}

/* Checks a call of a map helper, by the rules of the driver and of the verifier. A lookup sets R0 to a pointer that may be NULL. */
static int map_call(struct nfp_walk *w, struct nfp_state *s, int32_t number)
{
	uint32_t has = number == BPF_FUNC_map_lookup_elem   ? w->profile->map_lookup
		       : number == BPF_FUNC_map_update_elem ? w->profile->map_update
							    : w->profile->map_delete;
	const struct nfp_map *map;
	char buf[24];
	uint16_t index;
	int end = map_argument(w, s, &map);

	if (end)
		return end;
	index = nfp_state__reg(s, 1)->map;
	if (!has)
		nfp_walk__find(w, s, NFP_RULE_HELPER_FIRMWARE, "firmware %s has no %s()", w->profile->firmware,
			       nfp_helper__name(number, buf, sizeof(buf)));
	check_on_stack(w, s, 2, "key");
	record_key_offset(w, s);
	if (number == BPF_FUNC_map_update_elem) {
		check_on_stack(w, s, 3, "value");
		end = nfp_walk__helper_reads(w, s, 3, map->is.value_bytes);
	}
	if (!end)
		end = nfp_walk__helper_reads(w, s, 2, map->is.key_bytes);
	result_is_number(w, s);
	if (number == BPF_FUNC_map_lookup_elem) {
		struct nfp_reg *r0 = nfp_state__reg(s, 0);

		r0->type = NFP_VALUE_OR_NULL;
		r0->map = index;
		r0->id = ++w->next_id;
		nfp_scalar__set(&r0->n, 0);
	}
	return end;
}

/* Checks a call of bpf_perf_event_output(). Returns 1 if the path ends here. */
static int event_call(struct nfp_walk *w, struct nfp_state *s)
{
	const struct nfp_reg *flags = nfp_state__reg(s, 3), *data = nfp_state__reg(s, 4), *bytes = nfp_state__reg(s, 5);
	struct nfp_meta *m = &w->meta[s->insn];

	if (!w->profile->perf_event_output)
		nfp_walk__find(w, s, NFP_RULE_HELPER_FIRMWARE, "firmware %s has no bpf_perf_event_output()", w->profile->firmware);
	if ((uint32_t)flags->n.mask || (uint32_t)flags->n.value != (uint32_t)BPF_F_CURRENT_CPU)
		nfp_walk__find(w, s, NFP_RULE_EVENT_CPU, "the event is not for the current CPU only");
	if (data->type != NFP_SCALAR && data->type != NFP_STACK && data->type != NFP_VALUE && data->type != NFP_PACKET)
		nfp_walk__find(w, s, NFP_RULE_EVENT_DATA, "the data is in %s", nfp_type__name(data->type));
	else if (data->type == NFP_STACK)
		check_on_stack(w, s, 4, "event's data");
	if (m->helper && m->data != data->type)
		nfp_walk__find(w, s, NFP_RULE_EVENT_DATA, "the data is in %s on one path and in %s on another", nfp_type__name(m->data),
			       nfp_type__name(data->type));
	m->data = data->type;
	if (nfp_state__reg(s, 2)->type != NFP_MAP || nfp_state__reg(s, 1)->type != NFP_CTX || bytes->type != NFP_SCALAR) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "the arguments of bpf_perf_event_output() are of other types");
		return 1;
	}
	if (w->object->maps[nfp_state__reg(s, 2)->map].is.type != BPF_MAP_TYPE_PERF_EVENT_ARRAY) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "the map of bpf_perf_event_output() is not a perf event array");
		return 1;
	}
	if (bytes->n.smin < 0 || bytes->n.umax >= 1u << 29) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "the length of the event's data has no bound");
		return 1;
	}
	if (data->type == NFP_PACKET) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "the kernel lets bpf_perf_event_output() read no packet by a pointer");
		return 1;
	}
	if (data->type != NFP_SCALAR && bytes->n.umax && nfp_walk__helper_reads(w, s, 4, (uint32_t)bytes->n.umax))
		return 1;
	result_is_number(w, s);
	return 0;
}

/* The JIT has a short form of bpf_xdp_adjust_head() if there is only one call, by a constant that the firmware guarantees. */
static void record_adjust_head(struct nfp_walk *w, struct nfp_state *s)
{
	const struct nfp_reg *by = nfp_state__reg(s, 2);
	int32_t constant = (int32_t)by->n.value;
	int is_short = by->type == NFP_SCALAR && nfp_scalar__is_constant(&by->n) && constant <= SHORTEST_FRAME_PAYLOAD &&
		       constant <= (int32_t)w->profile->head_guaranteed_add && constant >= -(int32_t)w->profile->head_guaranteed_sub;

	if (w->adjust_head_at != -1 && (w->adjust_head_at != s->insn || w->adjust_head_by != constant))
		is_short = 0;
	w->adjust_head_at = is_short ? s->insn : -2;
	w->adjust_head_by = constant;
}

static void invalidate_packet(void *arg, struct nfp_reg *reg)
{
	(void)arg;
	if (reg->type == NFP_PACKET || reg->type == NFP_PACKET_END || reg->type == NFP_PACKET_META) {
		*reg = (struct nfp_reg){ .type = NFP_SCALAR };
		nfp_scalar__mark_unknown(&reg->n);
	}
}

static int adjust_call(struct nfp_walk *w, struct nfp_state *s, int32_t number)
{
	const struct nfp_reg *by = nfp_state__reg(s, 2);

	if (nfp_state__reg(s, 1)->type != NFP_CTX || by->type != NFP_SCALAR) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "the arguments are not xdp_md and a number");
		return 1;
	}
	if (number == BPF_FUNC_xdp_adjust_head && !w->profile->adjust_head)
		nfp_walk__find(w, s, NFP_RULE_HELPER_FIRMWARE, "firmware %s has no bpf_xdp_adjust_head()", w->profile->firmware);
	if (number == BPF_FUNC_xdp_adjust_tail && !w->profile->adjust_tail)
		nfp_walk__find(w, s, NFP_RULE_HELPER_FIRMWARE, "firmware %s has no bpf_xdp_adjust_tail()", w->profile->firmware);
	if (number == BPF_FUNC_xdp_adjust_tail && nfp_scalar__is_constant32(&by->n) && (int32_t)by->n.value >= 0)
		nfp_walk__find(w, s, NFP_RULE_ADJUST_TAIL, "bpf_xdp_adjust_tail() by %d fails on the card", (int32_t)by->n.value);
	if (number == BPF_FUNC_xdp_adjust_head)
		record_adjust_head(w, s);
	result_is_number(w, s);
	return 0;
}

static int other_call(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	enum nfp_rule rule = insn->src_reg == BPF_PSEUDO_KFUNC_CALL    ? NFP_RULE_HELPER
			     : insn->imm == BPF_FUNC_tail_call         ? NFP_RULE_TAIL_CALL
			     : insn->imm == BPF_FUNC_loop              ? NFP_RULE_CALLBACK
			     : insn->imm == BPF_FUNC_for_each_map_elem ? NFP_RULE_CALLBACK
								       : NFP_RULE_HELPER;
	char buf[24];

	if (insn->src_reg == BPF_PSEUDO_KFUNC_CALL)
		nfp_walk__find(w, s, rule, "it calls a function of the kernel");
	else
		nfp_walk__find(w, s, rule, "it calls %s()", nfp_helper__name(insn->imm, buf, sizeof(buf)));
	result_is_number(w, s);
	return 0;
}

int nfp_walk__helper(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	static const uint8_t arguments[] = {
		[BPF_FUNC_map_lookup_elem] = 2,   [BPF_FUNC_map_update_elem] = 4, [BPF_FUNC_map_delete_elem] = 2,
		[BPF_FUNC_perf_event_output] = 5, [BPF_FUNC_xdp_adjust_head] = 2, [BPF_FUNC_xdp_adjust_tail] = 2,
	};
	unsigned count = insn->imm >= 0 && (size_t)insn->imm < sizeof(arguments) ? arguments[insn->imm] : 0;
	int row = find_helper(insn->imm), end = 0;

	for (unsigned i = 1; i <= count && !end; i++)
		end = nfp_walk__read(w, s, i, 1);
	if (end)
		return end;
	if (insn->src_reg)
		return other_call(w, s, insn);
	switch (insn->imm) {
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_update_elem:
	case BPF_FUNC_map_delete_elem:
		end = map_call(w, s, insn->imm);
		break;
	case BPF_FUNC_get_prandom_u32:
		if (!w->profile->random)
			nfp_walk__find(w, s, NFP_RULE_HELPER_FIRMWARE, "firmware %s has no bpf_get_prandom_u32()", w->profile->firmware);
		result_is_number(w, s);
		break;
	case BPF_FUNC_perf_event_output:
		end = event_call(w, s);
		break;
	case BPF_FUNC_xdp_adjust_head:
	case BPF_FUNC_xdp_adjust_tail:
		end = adjust_call(w, s, insn->imm);
		break;
	default:
		end = other_call(w, s, insn);
	}
	w->meta[s->insn].helper = (uint32_t)insn->imm;
	if (row >= 0 && helpers[row].moves_packet)
		nfp_state__for_each_reg(s, invalidate_packet, NULL);
	for (unsigned i = 1; i <= 5; i++) {
		*nfp_state__reg(s, i) = (struct nfp_reg){ .type = NFP_NOT_INIT };
		nfp_scalar__mark_unknown(&nfp_state__reg(s, i)->n);
	}
	return end;
}
