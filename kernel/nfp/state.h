/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_STATE_H
#define KERNEL_NFP_STATE_H

/*
 * A state of the NFP checker's walk through a BPF program: the registers and stack frames at one point of a path. walk.c owns the states;
 * its parts (alu.c, call.c, memory.c) read and modify the current one.
 */
#include "kernel/nfp/scalar.h"

#define NFP_FRAMES_MAX 8

/* What a register holds, as in the kernel's enum bpf_reg_type. */
enum nfp_type {
	NFP_NOT_INIT, /* not written yet */
	NFP_SCALAR,
	NFP_CTX,
	NFP_STACK,
	NFP_PACKET,
	NFP_PACKET_END,
	NFP_PACKET_META,
	NFP_VALUE,
	NFP_VALUE_OR_NULL,
	NFP_MAP,
	NFP_OTHER, /* a kind that the driver does not handle */
};

/* What is known of a register, or of a register that was saved on the stack. */
struct nfp_reg {
	enum nfp_type type;
	uint8_t frame; /* of NFP_STACK */
	uint16_t map;
	uint32_t id;         /* shared by registers that are known to be equal; 0: none */
	int32_t off;         /* constant part of a pointer's offset */
	int32_t range;       /* of NFP_PACKET: bytes after its variable base that are inside the packet */
	uint32_t half_def;   /* instruction + 1 that wrote only the low half; 0: all was written */
	struct nfp_scalar n; /* the number, or a pointer's variable part */
};

/* What is known of a byte of the stack. */
enum nfp_byte {
	NFP_BYTE_NOTHING,
	NFP_BYTE_ANY,
	NFP_BYTE_ZERO,
	NFP_BYTE_SPILLED,
};

/* Eight bytes of the stack. */
struct nfp_slot {
	struct nfp_reg reg; /* valid if all bytes, or the low 4, are NFP_BYTE_SPILLED */
	uint8_t bytes[8];   /* enum nfp_byte, by increasing address */
};

/* The registers and the stack of one call. */
struct nfp_frame {
	struct nfp_reg regs[11];
	int return_to; /* instruction after the call */
	unsigned function;
	unsigned slots; /* slots in use; slot i is at -8 * (i + 1) */
	struct nfp_slot slot[];
};

struct nfp_visit;

/* Everything that is known at one point of a path. */
struct nfp_state {
	struct nfp_frame *frames[NFP_FRAMES_MAX];
	unsigned current; /* index of the innermost frame */
	int insn;
	struct nfp_visit *parent; /* the last stored state that the path came through */
};

static inline struct nfp_reg *nfp_state__reg(struct nfp_state *s, unsigned reg)
{
	return &s->frames[s->current]->regs[reg];
}

/* Return 0 or -ENOMEM. */
int nfp_state__init(struct nfp_state *s);
int nfp_state__copy(struct nfp_state *to, const struct nfp_state *from);
int nfp_state__push(struct nfp_state *s, int return_to, unsigned function);
void nfp_state__pop(struct nfp_state *s);
void nfp_state__free(struct nfp_state *s);
/* Makes the frame at least `slots` deep. */
int nfp_state__grow(struct nfp_state *s, unsigned frame, unsigned slots);

/* Calls f for every register and spilled register of all frames. */
void nfp_state__for_each_reg(struct nfp_state *s, void (*f)(void *arg, struct nfp_reg *reg), void *arg);

/*
 * Returns 1 if `outer` allows everything that `inner` allows. In the innermost frame only the registers in `live` (bits) count.
 * nfp_state__equal() returns 1 only if both allow the same.
 */
int nfp_state__contains(const struct nfp_state *outer, const struct nfp_state *inner, unsigned live);
int nfp_state__equal(const struct nfp_state *a, const struct nfp_state *b, unsigned live);

const char *nfp_type__name(enum nfp_type type);

#endif
