/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_PROGRAM_H
#define USER_COST_COMPARE_PROGRAM_H

/*
 * An eBPF program of an object as data: its instructions with relocations resolved, and the memory and maps that they reference. Used by
 * hxdp.c, nfp.c and machine.c (spinctl cost --compare). Nothing is loaded into the kernel. The object is not trusted: offsets outside the
 * file are refused.
 */
#include <stddef.h>
#include <stdint.h>

#include <linux/bpf.h>

#define BPF_CODE_MEMORIES 64

/* A data section, or the values of an array map. bytes is NULL for maps of other types. */
struct bpf_code_memory {
	char name[64]; /* ".bss", "spin_host" */
	uint8_t *bytes;
	size_t count;
	int is_map, is_read_only;
	uint32_t key_bytes, value_bytes, entries; /* of a map */
};

/*
 * A 64-bit load that references memory has src_reg BPF_PSEUDO_MAP_VALUE or BPF_PSEUDO_MAP_FD, the memory's number in imm and the offset in
 * the next instruction's imm. All functions are in one array; imm of a function call is the distance in instructions.
 */
struct bpf_code {
	struct bpf_insn *insns;
	unsigned count;
	struct bpf_code_memory memory[BPF_CODE_MEMORIES];
	unsigned memories;
};

/*
 * Reads the named program, or the first one of section "xdp" if name is NULL, followed by the functions that it calls. Returns 0, or
 * -errno with a reason.
 */
int bpf_code__read(struct bpf_code *code, const void *elf, size_t bytes, const char *name, char *reason, size_t reason_bytes);
void bpf_code__free(struct bpf_code *code);
/* Returns the memory of that name, or NULL. */
struct bpf_code_memory *bpf_code__memory(struct bpf_code *code, const char *name);

#endif
