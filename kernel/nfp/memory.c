/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the NFP checker (walk.c) for loads, stores and atomic operations: what the hooks of the NFP card's driver refuse of each, and
 * the contents of the stack afterwards. Called by walk.c. The stack is known as well as the verifier knows it: saved registers and zeros.
 */
#include <errno.h>
#include <string.h>

#include "kernel/nfp/walk.h"

#define STACK_BYTES 512

enum access {
	LOAD,
	STORE,
	STORE_CONSTANT, /* the driver does not check it; its JIT refuses it */
	ATOMIC,
};

static struct nfp_meta *meta(struct nfp_walk *w, const struct nfp_state *s)
{
	return &w->meta[s->insn];
}

/* The driver tracks each 4-byte word of a map's values: it may be read or counted, but not both. */
static void mark_value_use(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *reg, int32_t insn_off, unsigned bytes,
			   enum nfp_use use)
{
	const struct nfp_map *map = &w->object->maps[reg->map];
	int64_t off = reg->off + (int64_t)reg->n.value + insn_off;

	if (reg->n.mask) {
		nfp_walk__find(w, s, NFP_RULE_VALUE_OFFSET, "the offset into a value of %s varies", map->name);
		return;
	}
	if (off < 0 || off + bytes > map->is.value_bytes)
		return; /* the kernel refuses that itself */
	for (int64_t word = off / 4; word <= (off + bytes - 1) / 4 && word < NFP_VALUE_WORDS_MAX; word++) {
		uint8_t *used = &w->use[reg->map * NFP_VALUE_WORDS_MAX + word];

		if (*used != NFP_UNUSED && *used != use)
			nfp_walk__find(w, s, NFP_RULE_WORD_READ_AND_COUNTED, "bytes %d to %d of %s's values are both read and counted",
				       (int)word * 4, (int)word * 4 + 3, map->name);
		*used = (uint8_t)use;
	}
}

/* Returns -1 if the driver has refused the offset, and 0 otherwise. */
static int check_stack_pointer(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *reg)
{
	struct nfp_meta *m = meta(w, s);
	int64_t off = reg->off + (int64_t)reg->n.value;

	if (reg->frame != s->current)
		m->is_callers_frame = 1;
	if (reg->n.mask) {
		nfp_walk__find(w, s, NFP_RULE_STACK_OFFSET, "the offset into the stack varies");
		return -1;
	}
	if (m->pointer == NFP_NOT_INIT)
		return 0;
	m->offset_varies |= m->pointer_offset != off;
	if (m->offset_varies && m->pointer_offset % 4 != off % 4)
		nfp_walk__find(w, s, NFP_RULE_STACK_ALIGNMENT, "the access is at stack offset %d on one path and at %d on another",
			       (int)m->pointer_offset, (int)off);
	return 0;
}

/* The driver's hook for pointers. Returns 1 if the path cannot continue. */
static int check_pointer(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *reg, int32_t insn_off, unsigned bytes,
			 enum access access)
{
	struct nfp_meta *m = meta(w, s);

	switch (reg->type) {
	case NFP_STACK:
		if (check_stack_pointer(w, s, reg))
			return 1;
		break;
	case NFP_VALUE:
		if (access == STORE)
			nfp_walk__find(w, s, NFP_RULE_VALUE_STORE, "it stores into a value of the map %s", w->object->maps[reg->map].name);
		else if (access != STORE_CONSTANT)
			mark_value_use(w, s, reg, insn_off, bytes, access == LOAD ? NFP_READ : NFP_COUNTED);
		break;
	case NFP_CTX:
	case NFP_PACKET:
		break;
	case NFP_VALUE_OR_NULL:
		nfp_walk__find(w, s, NFP_RULE_NULL_CHECK, "the value of %s that was looked up may be NULL here",
			       w->object->maps[reg->map].name);
		return 1;
	default:
		nfp_walk__find(w, s, NFP_RULE_POINTER_TYPE, "the access is by %s", nfp_type__name(reg->type));
		return 1;
	}
	if (access == STORE_CONSTANT)
		return 0;
	if (m->pointer != NFP_NOT_INIT && m->pointer != reg->type)
		nfp_walk__find(w, s, NFP_RULE_TWO_POINTER_TYPES, "it accesses %s on one path and %s on another", nfp_type__name(m->pointer),
			       nfp_type__name(reg->type));
	m->pointer = reg->type;
	m->pointer_offset = reg->type == NFP_PACKET ? reg->off : reg->off + (int64_t)reg->n.value;
	m->pointer_id = reg->id;
	return 0;
}

/* --- the kernel's own bounds --- */

static int check_packet_bounds(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *reg, int32_t insn_off, uint32_t bytes)
{
	int64_t off = (int64_t)reg->off + insn_off, end = off + bytes;

	if (reg->n.smin < 0 || off < 0 || end > reg->range) {
		nfp_walk__find(w, s, NFP_RULE_PACKET_BOUNDS, "bytes up to %lld of the packet are accessed, and %d are known to be there",
			       (long long)end, reg->range);
		return 1;
	}
	end += (int64_t)reg->n.umax;
	if (end > w->packet_bytes && end <= UINT16_MAX)
		w->packet_bytes = (uint32_t)end;
	return 0;
}

static int check_value_bounds(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *reg, int32_t insn_off, uint32_t bytes)
{
	const struct nfp_map *map = &w->object->maps[reg->map];
	int64_t off = (int64_t)reg->off + insn_off;

	if (reg->n.smin + off < 0 || reg->n.umax >= 1u << 29 || (int64_t)reg->n.umax + off + bytes > map->is.value_bytes) {
		nfp_walk__find(w, s, NFP_RULE_VALUE_BOUNDS, "the access may be outside of %s's values of %u bytes", map->name,
			       map->is.value_bytes);
		return 1;
	}
	return 0;
}

/* Checks the stack's bounds, and notes how deep the frame is. */
static int check_stack_bounds(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *reg, int32_t insn_off, uint32_t bytes)
{
	int64_t off = reg->off + (int64_t)reg->n.value + insn_off;
	struct nfp_function *function;

	if (off < -STACK_BYTES || off + bytes > 0) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "stack offset %lld is outside of the frame", (long long)off);
		return 1;
	}
	function = &w->functions[s->frames[reg->frame]->function];
	if (-off > function->depth_bytes)
		function->depth_bytes = (uint32_t)-off;
	return 0;
}

/* --- the stack's contents --- */

static unsigned slot_of(int64_t off)
{
	return (unsigned)((-off - 1) / 8);
}

static unsigned byte_of(int64_t off)
{
	return 7 - (unsigned)((-off - 1) % 8);
}

static void save_reg(struct nfp_walk *w, struct nfp_slot *slot, const struct nfp_reg *reg, unsigned bytes)
{
	if (slot->bytes[0] == NFP_BYTE_SPILLED)
		for (unsigned i = 0; i < 8; i++)
			if (slot->bytes[i] == NFP_BYTE_SPILLED)
				slot->bytes[i] = NFP_BYTE_ANY;
	slot->reg = *reg;
	if (bytes < 8) {
		slot->reg.id = 0;
		nfp_scalar__truncate(w->kernel, &slot->reg.n, bytes);
	}
	memset(slot->bytes, NFP_BYTE_SPILLED, bytes);
}

/* Writes to the stack; `reg` is NULL for an unknown number. */
static int write_stack(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *to, int32_t insn_off, unsigned bytes,
		       const struct nfp_reg *reg)
{
	int64_t off = to->off + (int64_t)to->n.value + insn_off;
	int is_zero = reg && reg->type == NFP_SCALAR && nfp_scalar__is_constant(&reg->n) && !reg->n.value;
	struct nfp_frame *frame;

	if (check_stack_bounds(w, s, to, insn_off, bytes))
		return 1;
	if (off % (int)bytes) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "stack offset %d is not a multiple of %u", (int)off, bytes);
		return 1;
	}
	if (reg && reg->type != NFP_SCALAR && bytes != 8) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "a part of a pointer is stored");
		return 1;
	}
	if (reg && reg->type == NFP_STACK && to->frame != s->current) { /* it would outlive the frame that it points into */
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "a pointer to the stack is stored in a caller's frame");
		return 1;
	}
	if (nfp_state__grow(s, to->frame, slot_of(off) + 1))
		return -ENOMEM;
	frame = s->frames[to->frame];
	if (reg && (bytes == 8 || (bytes == 4 && byte_of(off) == 0 && !is_zero))) {
		save_reg(w, &frame->slot[slot_of(off)], reg, bytes);
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++) {
		struct nfp_slot *slot = &frame->slot[slot_of(off + i)];

		if (slot->bytes[0] == NFP_BYTE_SPILLED)
			for (unsigned b = 0; b < 8; b++)
				if (slot->bytes[b] == NFP_BYTE_SPILLED)
					slot->bytes[b] = NFP_BYTE_ANY;
		slot->bytes[byte_of(off + i)] = is_zero ? NFP_BYTE_ZERO : NFP_BYTE_ANY;
	}
	return 0;
}

static enum nfp_byte stack_byte(const struct nfp_frame *frame, int64_t off)
{
	return slot_of(off) < frame->slots ? frame->slot[slot_of(off)].bytes[byte_of(off)] : NFP_BYTE_NOTHING;
}

/* Root may read what was never written, on 6.1 only within the frame's depth so far. Returns 1 if it may not. */
static int check_initialized(struct nfp_walk *w, struct nfp_state *s, const struct nfp_frame *frame, int64_t off)
{
	if (w->kernel >= NFP_KERNEL_6_12 || slot_of(off) < frame->slots)
		return 0;
	nfp_walk__find(w, s, NFP_RULE_UNINITIALIZED, "nothing was ever written to the stack at %d or below", (int)off);
	return 1;
}

/* A load of a register that was saved whole restores what is known of it. Any other load is unknown, or 0 if only zeros were stored. */
static int read_stack(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *from, const struct bpf_insn *insn, unsigned bytes)
{
	int64_t off = from->off + (int64_t)from->n.value + insn->off;
	const struct nfp_frame *frame = s->frames[from->frame];
	const struct nfp_slot *slot;
	unsigned zeros = 0, saved = 0;

	if (check_stack_bounds(w, s, from, insn->off, bytes))
		return 1;
	if (off % (int)bytes) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "stack offset %d is not a multiple of %u", (int)off, bytes);
		return 1;
	}
	if (check_initialized(w, s, frame, off))
		return 1;
	for (unsigned i = 0; i < bytes; i++) {
		zeros += stack_byte(frame, off + i) == NFP_BYTE_ZERO;
		saved += stack_byte(frame, off + i) == NFP_BYTE_SPILLED;
	}
	slot = slot_of(off) < frame->slots ? &frame->slot[slot_of(off)] : NULL;
	if (saved == bytes && slot && byte_of(off) == 0 && (slot->reg.type == NFP_SCALAR || bytes == 8)) {
		unsigned spilled_bytes = slot->bytes[7] == NFP_BYTE_SPILLED ? 8 : 4;
		struct nfp_reg *to = nfp_state__reg(s, insn->dst_reg);

		if (bytes == spilled_bytes || w->kernel >= NFP_KERNEL_6_12) {
			*to = slot->reg;
			to->half_def = bytes < 8 ? (uint32_t)s->insn + 1 : 0;
			if (bytes < spilled_bytes)
				to->id = 0;
			nfp_scalar__truncate(w->kernel, &to->n, bytes);
			return 0;
		}
	}
	nfp_walk__mark_unknown(w, s, insn->dst_reg, bytes);
	if (zeros == bytes)
		nfp_scalar__set(&nfp_state__reg(s, insn->dst_reg)->n, 0);
	return 0;
}

/* --- instructions --- */

/* Checks a load of a field of xdp_md. Those of the packet's pointers make the register one. */
static int load_ctx(struct nfp_walk *w, struct nfp_state *s, const struct nfp_reg *from, const struct bpf_insn *insn, unsigned bytes)
{
	static const char *const fields[] = { "data", "data_end", "data_meta", "ingress_ifindex", "rx_queue_index", "egress_ifindex" };
	int off = from->off + insn->off;
	struct nfp_reg *to = nfp_state__reg(s, insn->dst_reg);

	if (from->off || from->n.mask || off < 0 || off >= 24 || off % 4 || bytes != 4) {
		nfp_walk__find(w, s, NFP_RULE_CTX_FIELD, "it reads %u bytes at offset %d of xdp_md", bytes, off);
		return 1;
	}
	if (off > 4)
		nfp_walk__find(w, s, NFP_RULE_CTX_FIELD, "it reads xdp_md's %s", fields[off / 4]);
	nfp_walk__mark_unknown(w, s, insn->dst_reg, 4);
	if (off > 8)
		return 0;
	to->type = off == 0 ? NFP_PACKET : off == 4 ? NFP_PACKET_END : NFP_PACKET_META;
	to->half_def = 0;
	nfp_scalar__set(&to->n, 0);
	return 0;
}

int nfp_walk__load(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	unsigned bytes = nfp_insn__bytes(insn);
	struct nfp_reg from;
	int end = nfp_walk__read(w, s, insn->src_reg, 1);

	if (end)
		return end;
	from = *nfp_state__reg(s, insn->src_reg);
	if (check_pointer(w, s, &from, insn->off, bytes, LOAD))
		return 1;
	switch (from.type) {
	case NFP_CTX:
		return load_ctx(w, s, &from, insn, bytes);
	case NFP_STACK:
		return read_stack(w, s, &from, insn, bytes);
	case NFP_PACKET:
		end = check_packet_bounds(w, s, &from, insn->off, bytes);
		break;
	default:
		end = check_value_bounds(w, s, &from, insn->off, bytes);
	}
	nfp_walk__mark_unknown(w, s, insn->dst_reg, bytes);
	return end;
}

/* Checks a store. Returns 1 if the path ends here. */
static int store(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn, const struct nfp_reg *value, enum access access)
{
	unsigned bytes = nfp_insn__bytes(insn);
	struct nfp_reg to;
	int end = nfp_walk__read(w, s, insn->dst_reg, 1);

	if (end)
		return end;
	to = *nfp_state__reg(s, insn->dst_reg);
	if (to.type == NFP_CTX && (insn->off != 16 || bytes != 4 || to.off)) {
		nfp_walk__find(w, s, NFP_RULE_CTX_STORE, "it stores %u bytes at offset %d of xdp_md", bytes, to.off + insn->off);
		return 1;
	}
	if (to.type == NFP_CTX && !w->profile->queue_select) {
		nfp_walk__find(w, s, NFP_RULE_CTX_STORE, "this firmware lets no program choose the queue");
		return 1;
	}
	if (to.type == NFP_CTX && value->n.umin > 255)
		nfp_walk__find(w, s, NFP_RULE_QUEUE_RANGE, "queue %llu is chosen", (unsigned long long)value->n.umin);
	if (check_pointer(w, s, &to, insn->off, bytes, access))
		return 1;
	if (to.type != NFP_STACK && to.type != NFP_CTX && value->type != NFP_SCALAR) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "a pointer is stored into %s", nfp_type__name(to.type));
		return 1;
	}
	switch (to.type) {
	case NFP_STACK:
		return write_stack(w, s, &to, insn->off, bytes, value);
	case NFP_PACKET:
		return check_packet_bounds(w, s, &to, insn->off, bytes);
	case NFP_VALUE:
		return check_value_bounds(w, s, &to, insn->off, bytes);
	default:
		return 0;
	}
}

int nfp_walk__store(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	struct nfp_reg value;
	int end = nfp_walk__read(w, s, insn->src_reg, nfp_insn__bytes(insn) == 8);

	if (end)
		return end;
	value = *nfp_state__reg(s, insn->src_reg);
	return store(w, s, insn, &value, STORE);
}

int nfp_walk__store_constant(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	struct nfp_reg value = { .type = NFP_SCALAR };

	nfp_walk__find(w, s, NFP_RULE_ST_IMMEDIATE, "the constant %d is stored without a register", insn->imm);
	nfp_scalar__set(&value.n, (uint64_t)(int64_t)insn->imm);
	return store(w, s, insn, &value, STORE_CONSTANT);
}

int nfp_walk__atomic(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	unsigned bytes = nfp_insn__bytes(insn);
	struct nfp_reg to, value;
	int end = nfp_walk__read(w, s, insn->src_reg, bytes == 8);

	if (!end)
		end = nfp_walk__read(w, s, insn->dst_reg, 1);
	if (end)
		return end;
	to = *nfp_state__reg(s, insn->dst_reg);
	value = *nfp_state__reg(s, insn->src_reg);
	if (insn->imm != BPF_ADD) {
		nfp_walk__find(w, s, NFP_RULE_ATOMIC_OP, "the atomic operation 0x%x is not a plain addition", (unsigned)insn->imm);
		if (insn->imm & BPF_FETCH && insn->src_reg < 10)
			nfp_walk__mark_unknown(w, s, insn->imm == BPF_CMPXCHG ? 0 : insn->src_reg, bytes);
		return to.type == NFP_STACK ? write_stack(w, s, &to, insn->off, bytes, NULL) : 0;
	}
	if (to.type != NFP_VALUE) {
		nfp_walk__find(w, s, to.type == NFP_VALUE_OR_NULL ? NFP_RULE_NULL_CHECK : NFP_RULE_ATOMIC_TARGET, "it adds to %s",
			       nfp_type__name(to.type));
		return to.type == NFP_STACK ? write_stack(w, s, &to, insn->off, bytes, NULL) : 1;
	}
	if (value.type != NFP_SCALAR) {
		nfp_walk__find(w, s, NFP_RULE_ATOMIC_OP, "a pointer is added");
		return 1;
	}
	meta(w, s)->adds_over_16_bits |= value.n.value > 0xffff || value.n.mask > 0xffff;
	meta(w, s)->adds_at_most_16_bits |= (value.n.value & ~value.n.mask) <= 0xffff;
	if (check_pointer(w, s, &to, insn->off, bytes, ATOMIC))
		return 1;
	if (!to.n.mask && (to.off + (int64_t)to.n.value + insn->off) % bytes) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "an atomic operation of %u bytes is not aligned", bytes);
		return 1;
	}
	return check_value_bounds(w, s, &to, insn->off, bytes);
}

int nfp_walk__helper_reads(struct nfp_walk *w, struct nfp_state *s, unsigned reg, uint32_t bytes)
{
	const struct nfp_reg *from = nfp_state__reg(s, reg);

	switch (from->type) {
	case NFP_STACK:
		if (from->n.mask)
			return 0; /* the driver refuses that itself */
		if (check_stack_bounds(w, s, from, 0, bytes))
			return 1;
		return check_initialized(w, s, s->frames[from->frame], from->off + (int64_t)from->n.value);
	case NFP_PACKET:
		return check_packet_bounds(w, s, from, 0, bytes);
	case NFP_VALUE:
		return check_value_bounds(w, s, from, 0, bytes);
	case NFP_VALUE_OR_NULL:
		nfp_walk__find(w, s, NFP_RULE_NULL_CHECK, "R%u may be NULL here", reg);
		return 1;
	default:
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "R%u is %s, where the call expects memory", reg, nfp_type__name(from->type));
		return 1;
	}
}
