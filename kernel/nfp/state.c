/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * States of the NFP checker's walk through a BPF program: copies, compares and grows them. A state has the registers and stack frames at
 * one point of a path. Called by walk.c, which owns them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/state.h"

/* Maps the ids of one state to those of another. */
struct id_map {
	struct {
		uint32_t outer, inner;
	} pair[128];
	unsigned count;
	uint32_t next_unique; /* gives inner registers without an id a unique one */
};

static size_t frame_bytes(unsigned slots)
{
	return sizeof(struct nfp_frame) + slots * sizeof(struct nfp_slot);
}

static struct nfp_frame *new_frame(int return_to, unsigned function)
{
	struct nfp_frame *frame = calloc(1, frame_bytes(0));

	if (!frame)
		return NULL;
	for (unsigned i = 0; i < 11; i++)
		nfp_scalar__mark_unknown(&frame->regs[i].n);
	frame->return_to = return_to;
	frame->function = function;
	return frame;
}

int nfp_state__push(struct nfp_state *s, int return_to, unsigned function)
{
	unsigned next = s->frames[0] ? s->current + 1 : 0;
	struct nfp_frame *frame = new_frame(return_to, function);

	if (!frame)
		return -ENOMEM;
	frame->regs[10].type = NFP_STACK;
	frame->regs[10].frame = (uint8_t)next;
	nfp_scalar__set(&frame->regs[10].n, 0);
	s->frames[next] = frame;
	s->current = next;
	return 0;
}

int nfp_state__init(struct nfp_state *s)
{
	*s = (struct nfp_state){ 0 };
	if (nfp_state__push(s, -1, 0))
		return -ENOMEM;
	s->frames[0]->regs[1].type = NFP_CTX;
	nfp_scalar__set(&s->frames[0]->regs[1].n, 0);
	return 0;
}

int nfp_state__copy(struct nfp_state *to, const struct nfp_state *from)
{
	*to = (struct nfp_state){ .current = from->current, .insn = from->insn, .parent = from->parent };
	for (unsigned i = 0; i <= from->current; i++) {
		to->frames[i] = malloc(frame_bytes(from->frames[i]->slots));
		if (!to->frames[i]) {
			nfp_state__free(to);
			return -ENOMEM;
		}
		memcpy(to->frames[i], from->frames[i], frame_bytes(from->frames[i]->slots));
	}
	return 0;
}

void nfp_state__pop(struct nfp_state *s)
{
	free(s->frames[s->current]);
	s->frames[s->current] = NULL;
	s->current--;
}

void nfp_state__free(struct nfp_state *s)
{
	for (unsigned i = 0; i < NFP_FRAMES_MAX; i++) {
		free(s->frames[i]);
		s->frames[i] = NULL;
	}
}

int nfp_state__grow(struct nfp_state *s, unsigned frame, unsigned slots)
{
	struct nfp_frame *old = s->frames[frame], *more;

	if (old->slots >= slots)
		return 0;
	more = realloc(old, frame_bytes(slots));
	if (!more)
		return -ENOMEM;
	memset(&more->slot[more->slots], 0, (slots - more->slots) * sizeof(more->slot[0]));
	more->slots = slots;
	s->frames[frame] = more;
	return 0;
}

void nfp_state__for_each_reg(struct nfp_state *s, void (*f)(void *arg, struct nfp_reg *reg), void *arg)
{
	for (unsigned i = 0; i <= s->current; i++) {
		for (unsigned r = 0; r < 10; r++)
			f(arg, &s->frames[i]->regs[r]);
		for (unsigned n = 0; n < s->frames[i]->slots; n++)
			if (s->frames[i]->slot[n].bytes[0] == NFP_BYTE_SPILLED)
				f(arg, &s->frames[i]->slot[n].reg);
	}
}

static int match_id(struct id_map *map, uint32_t outer, uint32_t inner)
{
	if (!outer)
		return 1;
	if (!inner)
		inner = 0x80000000u | ++map->next_unique;
	for (unsigned i = 0; i < map->count; i++)
		if (map->pair[i].outer == outer)
			return map->pair[i].inner == inner;
	if (map->count == sizeof(map->pair) / sizeof(map->pair[0]))
		return 0;
	map->pair[map->count].outer = outer;
	map->pair[map->count++].inner = inner;
	return 1;
}

static int reg_contains(struct id_map *ids, const struct nfp_reg *outer, const struct nfp_reg *inner)
{
	if (outer->type == NFP_NOT_INIT)
		return 1;
	if (outer->type != inner->type || !nfp_scalar__contains(&outer->n, &inner->n))
		return 0;
	if (outer->type == NFP_SCALAR)
		return match_id(ids, outer->id, inner->id);
	if (outer->type == NFP_PACKET && outer->range > inner->range)
		return 0;
	return outer->frame == inner->frame && outer->map == inner->map && outer->off == inner->off && match_id(ids, outer->id, inner->id);
}

/* A byte that was never written may have any value, but only within the depth of the frame. */
static int slot_contains(struct id_map *ids, const struct nfp_slot *outer, const struct nfp_slot *inner, int is_in_frame)
{
	for (unsigned b = 0; b < 8; b++) {
		if (outer->bytes[b] == NFP_BYTE_NOTHING || (outer->bytes[b] == NFP_BYTE_ANY && inner->bytes[b] == NFP_BYTE_ZERO))
			continue;
		if (outer->bytes[b] == NFP_BYTE_ANY && inner->bytes[b] == NFP_BYTE_NOTHING && is_in_frame)
			continue;
		if (outer->bytes[b] == NFP_BYTE_ANY && inner->bytes[b] == NFP_BYTE_SPILLED && inner->reg.type == NFP_SCALAR)
			continue;
		if (outer->bytes[b] != inner->bytes[b])
			return 0;
	}
	return outer->bytes[0] != NFP_BYTE_SPILLED || reg_contains(ids, &outer->reg, &inner->reg);
}

static int frame_contains(struct id_map *ids, const struct nfp_frame *outer, const struct nfp_frame *inner, unsigned live)
{
	static const struct nfp_slot empty;

	if (outer->return_to != inner->return_to || outer->function != inner->function)
		return 0;
	for (unsigned r = 0; r < 10; r++)
		if (live & 1u << r && !reg_contains(ids, &outer->regs[r], &inner->regs[r]))
			return 0;
	for (unsigned n = 0; n < outer->slots; n++)
		if (!slot_contains(ids, &outer->slot[n], n < inner->slots ? &inner->slot[n] : &empty, n < inner->slots))
			return 0;
	return 1;
}

int nfp_state__contains(const struct nfp_state *outer, const struct nfp_state *inner, unsigned live)
{
	struct id_map ids = { .count = 0 };

	if (outer->current != inner->current)
		return 0;
	for (unsigned i = 0; i <= outer->current; i++) {
		/* a caller gets its registers 6 to 9 back; 0 to 5 are overwritten by then */
		unsigned registers = i == outer->current ? live : 0x3c0;

		if (!frame_contains(&ids, outer->frames[i], inner->frames[i], registers))
			return 0;
	}
	return 1;
}

int nfp_state__equal(const struct nfp_state *a, const struct nfp_state *b, unsigned live)
{
	return nfp_state__contains(a, b, live) && nfp_state__contains(b, a, live);
}

const char *nfp_type__name(enum nfp_type type)
{
	static const char *const names[] = { "nothing written yet",
					     "a number",
					     "xdp_md",
					     "the stack",
					     "the packet",
					     "the packet's end",
					     "the packet's metadata",
					     "a map's value",
					     "a map's value or NULL",
					     "a map",
					     "another object" };

	return type <= NFP_OTHER ? names[type] : "?";
}
