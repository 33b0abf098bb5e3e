/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An eBPF interpreter: runs a handler's XDP program on packets in this process. Called by hxdp.c (spinctl cost --compare) and tests.
 * Invariant: an address has a memory's number in its upper 32 bits and an offset in its lower 32 bits, and every access is checked against
 * that memory's bounds.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/compare/machine.h"

#define HEADROOM    256 /* XDP_PACKET_HEADROOM */
#define STACK_BYTES 512
#define FRAMES      8
#define MAY_GOTO    (BPF_JMP | 0xe0)

/* The upper half of an address. Memory n of the code is SPACE_MEMORY + n. 0 is not a memory, so NULL is not a valid address. */
enum space { SPACE_NONE, SPACE_CONTEXT, SPACE_PACKET, SPACE_STACK, SPACE_MEMORY };
#define ADDRESS(space, offset) ((uint64_t)(space) << 32 | (uint32_t)(offset))

struct run {
	struct machine *m;
	uint64_t reg[11];
	uint8_t stack[FRAMES * STACK_BYTES];
	unsigned frame;
	struct {
		unsigned return_pc;
		uint64_t saved[4]; /* r6 to r9 */
	} frames[FRAMES];
};

static int fail(struct run *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->m->reason, sizeof(r->m->reason), format, args);
	va_end(args);
	return -EFAULT;
}

/* Translates an address. Returns NULL and sets the reason if the range is not accessible. */
static uint8_t *translate(struct run *r, uint64_t address, size_t bytes, int is_write)
{
	struct machine *m = r->m;
	const uint64_t space = address >> 32, offset = (uint32_t)address;
	struct bpf_code_memory *memory;

	if (space == SPACE_PACKET && offset >= m->begin && offset + bytes <= m->end)
		return m->packet + offset;
	if (space == SPACE_STACK && offset + bytes <= sizeof(r->stack))
		return r->stack + offset;
	if (space >= SPACE_MEMORY && space - SPACE_MEMORY < m->code->memories) {
		memory = &m->memory[space - SPACE_MEMORY];
		if (memory->bytes && offset + bytes <= memory->count && !(is_write && memory->is_read_only))
			return memory->bytes + offset;
	}
	fail(r, "it accesses memory that it does not have");
	return NULL;
}

static unsigned size_of(uint8_t code)
{
	static const uint8_t sizes[] = { [BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1, [BPF_DW >> 3] = 8 };

	return sizes[BPF_SIZE(code) >> 3];
}

static uint64_t load(const uint8_t *from, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, from, bytes);
	return value;
}

/* Loads a field of struct xdp_md: data, data_end and data_meta are pointers, all other fields are 0. */
static int load_context(struct run *r, unsigned offset, uint64_t *value)
{
	switch (offset) {
	case offsetof(struct xdp_md, data):
		*value = ADDRESS(SPACE_PACKET, r->m->begin);
		return 0;
	case offsetof(struct xdp_md, data_end):
		*value = ADDRESS(SPACE_PACKET, r->m->end);
		return 0;
	case offsetof(struct xdp_md, data_meta):
		*value = ADDRESS(SPACE_PACKET, r->m->begin);
		return 0;
	}
	*value = 0;
	return offset < sizeof(struct xdp_md) ? 0 : fail(r, "it reads behind its context");
}

static int load_insn(struct run *r, const struct bpf_insn *insn)
{
	const uint64_t address = r->reg[insn->src_reg] + (uint64_t)(int64_t)insn->off;
	const unsigned bytes = size_of(insn->code);
	const uint8_t *from;

	if (address >> 32 == SPACE_CONTEXT)
		return load_context(r, (uint32_t)address, &r->reg[insn->dst_reg]);
	from = translate(r, address, bytes, 0);
	if (from)
		r->reg[insn->dst_reg] = load(from, bytes);
	return from ? 0 : -EFAULT;
}

static int atomic(struct run *r, const struct bpf_insn *insn, uint8_t *to, unsigned bytes)
{
	uint64_t old = load(to, bytes), operand = r->reg[insn->src_reg], value;

	switch (insn->imm & ~BPF_FETCH) {
	case BPF_ADD:
		value = old + operand;
		break;
	case BPF_OR:
		value = old | operand;
		break;
	case BPF_AND:
		value = old & operand;
		break;
	case BPF_XOR:
		value = old ^ operand;
		break;
	case BPF_XCHG & ~BPF_FETCH:
		value = operand;
		break;
	case BPF_CMPXCHG & ~BPF_FETCH:
		value = old == (bytes == 4 ? (uint32_t)r->reg[0] : r->reg[0]) ? operand : old;
		break;
	default:
		return fail(r, "it has an atomic operation that is not known");
	}
	memcpy(to, &value, bytes);
	if (insn->imm == BPF_CMPXCHG)
		r->reg[0] = old;
	else if (insn->imm & BPF_FETCH)
		r->reg[insn->src_reg] = old;
	return 0;
}

static int store_insn(struct run *r, const struct bpf_insn *insn)
{
	const uint64_t address = r->reg[insn->dst_reg] + (uint64_t)(int64_t)insn->off;
	const uint64_t value = BPF_CLASS(insn->code) == BPF_ST ? (uint64_t)(int64_t)insn->imm : r->reg[insn->src_reg];
	const unsigned bytes = size_of(insn->code);
	uint8_t *to = translate(r, address, bytes, 1);

	if (!to)
		return -EFAULT;
	if (BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC)
		return atomic(r, insn, to, bytes);
	memcpy(to, &value, bytes);
	return 0;
}

static uint64_t byte_swap(uint64_t value, int bits, int is_swapped)
{
	if (bits == 16)
		return is_swapped ? __builtin_bswap16((uint16_t)value) : (uint16_t)value;
	if (bits == 32)
		return is_swapped ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;
	return is_swapped ? __builtin_bswap64(value) : value;
}

static uint64_t alu(uint8_t op, uint64_t a, uint64_t b, int is_64)
{
	const unsigned shift = (unsigned)b & (is_64 ? 63 : 31);

	if (!is_64) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_MOD:
		return b ? a % b : a;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << shift;
	case BPF_RSH:
		return a >> shift;
	case BPF_ARSH:
		return is_64 ? (uint64_t)((int64_t)a >> shift) : (uint32_t)((int32_t)(uint32_t)a >> shift);
	case BPF_NEG:
		return -a;
	default:
		return b; /* BPF_MOV */
	}
}

static void alu_insn(struct run *r, const struct bpf_insn *insn)
{
	const int is_64 = BPF_CLASS(insn->code) == BPF_ALU64;
	uint64_t operand = BPF_SRC(insn->code) == BPF_X ? r->reg[insn->src_reg] : (uint64_t)(int64_t)insn->imm;
	uint64_t value;

	if (BPF_OP(insn->code) == BPF_END)
		value = byte_swap(r->reg[insn->dst_reg], insn->imm, BPF_SRC(insn->code) == BPF_TO_BE || is_64);
	else
		value = alu(BPF_OP(insn->code), r->reg[insn->dst_reg], operand, is_64);
	r->reg[insn->dst_reg] = is_64 || BPF_OP(insn->code) == BPF_END ? value : (uint32_t)value;
}

static int is_taken(const struct run *r, const struct bpf_insn *insn)
{
	uint64_t a = r->reg[insn->dst_reg], b = BPF_SRC(insn->code) == BPF_X ? r->reg[insn->src_reg] : (uint64_t)(int64_t)insn->imm;
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	if (BPF_CLASS(insn->code) == BPF_JMP32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
		sa = (int32_t)a;
		sb = (int32_t)b;
	}
	switch (BPF_OP(insn->code)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return (a & b) != 0;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	case BPF_JSLE:
		return sa <= sb;
	}
	return 0;
}

/* bpf_map_lookup_elem(). Maps that are not arrays are empty. */
static int lookup(struct run *r)
{
	const uint64_t space = r->reg[1] >> 32, n = space - SPACE_MEMORY;
	const struct bpf_code_memory *map;
	const uint8_t *key;
	uint32_t index;

	if (space < SPACE_MEMORY || n >= r->m->code->memories || !r->m->memory[n].is_map)
		return fail(r, "it looks up something that is not a map");
	map = &r->m->memory[n];
	r->reg[0] = 0;
	if (!map->bytes || map->key_bytes != sizeof(index))
		return 0;
	key = translate(r, r->reg[2], sizeof(index), 0);
	if (!key)
		return -EFAULT;
	memcpy(&index, key, sizeof(index));
	if (index < map->entries)
		r->reg[0] = ADDRESS(space, (size_t)index * ((map->value_bytes + 7) & ~7u));
	return 0;
}

/* Copies bytes between the packet and other memory. is_load: from the packet. */
static int move_bytes(struct run *r, int is_load)
{
	const uint64_t length = r->reg[4], offset = r->reg[2];
	uint8_t *buffer, *packet;

	if (length > MACHINE_PACKET_BYTES || offset > MACHINE_PACKET_BYTES || offset + length > r->m->end - r->m->begin) {
		r->reg[0] = (uint64_t)-EINVAL;
		return 0;
	}
	buffer = translate(r, r->reg[3], length, is_load);
	if (!buffer)
		return -EFAULT;
	packet = r->m->packet + r->m->begin + offset;
	memmove(is_load ? buffer : packet, is_load ? packet : buffer, length);
	r->reg[0] = 0;
	return 0;
}

static int adjust_tail(struct run *r)
{
	const int64_t end = (int64_t)r->m->end + (int32_t)r->reg[2];

	r->reg[0] = (uint64_t)-EINVAL;
	if (end < (int64_t)r->m->begin + 14 || end > MACHINE_PACKET_BYTES)
		return 0;
	if (end > (int64_t)r->m->end)
		memset(r->m->packet + r->m->end, 0, (size_t)(end - r->m->end));
	r->m->end = (unsigned)end;
	r->reg[0] = 0;
	return 0;
}

/* Calls of helpers have the simplest result that a program must expect: maps are real, all else is absent or full. */
static int helper(struct run *r, int32_t id)
{
	struct machine *m = r->m;

	m->helper_calls++;
	switch (id) {
	case BPF_FUNC_map_lookup_elem:
		return lookup(r);
	case BPF_FUNC_tail_call: /* the program array is empty: the call fails and the program continues */
		m->tail_calls++;
		r->reg[0] = (uint64_t)-ENOENT;
		return 0;
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_check_mtu:
		r->reg[0] = 0;
		return 0;
	case BPF_FUNC_get_prandom_u32:
		m->random = m->random * 1664525u + 1013904223u;
		r->reg[0] = m->random;
		return 0;
	case BPF_FUNC_ktime_get_ns:
	case BPF_FUNC_ktime_get_coarse_ns:
		r->reg[0] = m->now_ns += 1000;
		return 0;
	case BPF_FUNC_jiffies64:
		r->reg[0] = (m->now_ns += 1000) / 4000000;
		return 0;
	case BPF_FUNC_xdp_get_buff_len:
		r->reg[0] = m->end - m->begin;
		return 0;
	case BPF_FUNC_xdp_load_bytes:
		return move_bytes(r, 1);
	case BPF_FUNC_xdp_store_bytes:
		return move_bytes(r, 0);
	case BPF_FUNC_xdp_adjust_tail:
		return adjust_tail(r);
	case BPF_FUNC_redirect:
	case BPF_FUNC_redirect_map:
		r->reg[0] = XDP_REDIRECT;
		return 0;
	case BPF_FUNC_ringbuf_reserve: /* ring buffers are full and routes unknown */
	case BPF_FUNC_ringbuf_query:
		r->reg[0] = 0;
		return 0;
	case BPF_FUNC_ringbuf_output:
	case BPF_FUNC_fib_lookup:
		r->reg[0] = (uint64_t)-EAGAIN;
		return 0;
	}
	return fail(r, "it calls helper function %d, which is not followed here", id);
}

/* Calls a function or a helper. Sets *pc to the next instruction to run. */
static int call(struct run *r, const struct bpf_insn *insn, unsigned *pc)
{
	if (insn->src_reg != BPF_PSEUDO_CALL) {
		++*pc;
		return insn->src_reg ? fail(r, "it calls a function of the kernel") : helper(r, insn->imm);
	}
	if (r->frame + 1 == FRAMES)
		return fail(r, "it calls more functions than there can be at a time");
	memcpy(r->frames[r->frame].saved, &r->reg[6], sizeof(r->frames[0].saved));
	r->frames[r->frame++].return_pc = *pc + 1;
	r->reg[10] += STACK_BYTES;
	*pc += 1 + (unsigned)insn->imm;
	return 0;
}

/* Returns from a function. Returns 1 if the program has ended. */
static int leave_function(struct run *r, unsigned *pc)
{
	if (!r->frame)
		return 1;
	r->frame--;
	memcpy(&r->reg[6], r->frames[r->frame].saved, sizeof(r->frames[0].saved));
	r->reg[10] -= STACK_BYTES;
	*pc = r->frames[r->frame].return_pc;
	return 0;
}

static int load_64(struct run *r, const struct bpf_insn *insn, unsigned *pc)
{
	if (*pc + 1 >= r->m->code->count)
		return fail(r, "it ends in the midst of an instruction");
	if (insn->src_reg == BPF_PSEUDO_MAP_VALUE || insn->src_reg == BPF_PSEUDO_MAP_FD)
		r->reg[insn->dst_reg] = ADDRESS(SPACE_MEMORY + (unsigned)insn->imm, insn[1].imm);
	else
		r->reg[insn->dst_reg] = (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32;
	*pc += 2;
	return 0;
}

/*
 * Returns 1 for instructions newer than clang's -mcpu=v3: signed loads, moves and divisions, long jumps. Ignoring the bits that
 * distinguish them would run another instruction.
 */
static int is_unknown(const struct bpf_insn *insn)
{
	const uint8_t mode = BPF_MODE(insn->code), op = BPF_OP(insn->code);
	const int has_no_operands = op == BPF_JA || op == BPF_CALL || op == BPF_EXIT;

	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		return insn->code != (BPF_LD | BPF_IMM | BPF_DW);
	case BPF_LDX:
	case BPF_ST:
		return mode != BPF_MEM;
	case BPF_STX:
		return mode != BPF_MEM && (mode != BPF_ATOMIC || size_of(insn->code) < 4);
	case BPF_ALU:
	case BPF_ALU64:
		return insn->off || op > BPF_END;
	case BPF_JMP32:
		return op > BPF_JSLE || has_no_operands;
	default:
		return (op > BPF_JSLE && insn->code != MAY_GOTO) || (has_no_operands && BPF_SRC(insn->code) == BPF_X);
	}
}

/* Runs one instruction. Returns 1 if the program has ended, or -errno with a reason. */
static int step(struct run *r, const struct bpf_insn *insn, unsigned *pc)
{
	int err = 0;

	if (insn->dst_reg > 10 || insn->src_reg > 10)
		return fail(r, "it has an instruction with a register that there is not");
	if (is_unknown(insn))
		return fail(r, "it has an instruction (code %#x) that is not followed here", insn->code);
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		return load_64(r, insn, pc);
	case BPF_LDX:
		err = load_insn(r, insn);
		break;
	case BPF_ST:
	case BPF_STX:
		err = store_insn(r, insn);
		break;
	case BPF_ALU:
	case BPF_ALU64:
		alu_insn(r, insn);
		break;
	default:
		if (insn->code == (BPF_JMP | BPF_CALL))
			return call(r, insn, pc);
		if (insn->code == (BPF_JMP | BPF_EXIT))
			return leave_function(r, pc);
		if (insn->code == (BPF_JMP | BPF_JA) || (insn->code != MAY_GOTO && is_taken(r, insn)))
			*pc += (unsigned)insn->off;
		break;
	}
	++*pc;
	return err;
}

int machine__open(struct machine *m, struct bpf_code *code)
{
	*m = (struct machine){ .code = code, .memory = code->memory, .random = 1 };
	m->runs = calloc(code->count ? code->count : 1, sizeof(*m->runs));
	return m->runs ? 0 : -ENOMEM;
}

void machine__close(struct machine *m)
{
	free(m->runs);
	m->runs = NULL;
}

int machine__run(struct machine *m, const uint8_t *frame, unsigned bytes)
{
	struct run r = { .m = m };
	unsigned pc = 0, steps = 0;
	int err = 0;

	if (bytes > MACHINE_PACKET_BYTES - 2 * HEADROOM)
		return fail(&r, "a frame of %u bytes is more than the %u that are followed", bytes, MACHINE_PACKET_BYTES - 2 * HEADROOM);
	m->begin = HEADROOM;
	m->end = HEADROOM + bytes;
	memcpy(m->packet + m->begin, frame, bytes);
	r.reg[1] = ADDRESS(SPACE_CONTEXT, 0);
	r.reg[10] = ADDRESS(SPACE_STACK, STACK_BYTES);
	while (!err) {
		if (pc >= m->code->count)
			return fail(&r, "it jumps out of itself");
		if (++steps > MACHINE_STEPS_MAX)
			return fail(&r, "it takes more than %u instructions for a packet", MACHINE_STEPS_MAX);
		m->runs[pc]++;
		err = step(&r, &m->code->insns[pc], &pc);
	}
	m->steps += steps;
	if (err < 0)
		return err;
	m->packets++;
	m->action = (uint32_t)r.reg[0];
	return 0;
}
