/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_PROGRAM_H
#define USER_COST_COMPARE_PROGRAM_H

/*
 * An eBPF program of an object as data: its instructions with relocations resolved, and the memory and maps that they name. Nothing of
 * it is loaded into a kernel. The object may be anybody's: whatever does not lie inside its file is refused.
 */
#include <stddef.h>
#include <stdint.h>

#include <linux/bpf.h>

#define BPF_CODE_MEMORIES 64

/* A data section, or the values of a map of type array; maps of other types have no bytes. */
struct bpf_code_memory {
	char name[64]; /* ".bss", "spin_host" */
	uint8_t *bytes;
	size_t count;
	int is_map, is_read_only;
	uint32_t key_bytes, value_bytes, entries; /* of a map */
};

/*
 * A load of 64 bits that names memory has BPF_PSEUDO_MAP_VALUE or BPF_PSEUDO_MAP_FD as its source, the memory's number in imm and the
 * offset in the next instruction's imm. A call of a function has its distance in imm, all functions being in one array.
 */
struct bpf_code {
	struct bpf_insn *insns;
	unsigned count;
	struct bpf_code_memory memory[BPF_CODE_MEMORIES];
	unsigned memories;
};

/*
 * Reads the program of that name, or the first one of section "xdp" if name is NULL, with the functions that it calls behind it. 0, or
 * -errno with a reason.
 */
int bpf_code__read(struct bpf_code *code, const void *elf, size_t bytes, const char *name, char *reason, size_t reason_bytes);
void bpf_code__free(struct bpf_code *code);
/* The memory of that name, or NULL. */
struct bpf_code_memory *bpf_code__memory(struct bpf_code *code, const char *name);

#endif
