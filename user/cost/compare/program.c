/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads one eBPF program of an object, linked by kernel/nfp/object.h, and creates the memories that it references. Called by hxdp.c and
 * nfp.c, which estimate its rate on two other NICs (spinctl cost --compare), and by tests. Invariant: imm of every 64-bit load that
 * references a map is the number of one of the code's memories.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/object.h"
#include "user/cost/compare/program.h"

#define LOAD_64    (BPF_LD | BPF_IMM | BPF_DW)
#define MEMORY_MAX (256u << 20) /* of one map; a larger map gets no memory */

static int refuse(char *reason, size_t reason_bytes, const char *what)
{
	snprintf(reason, reason_bytes, "%s", what);
	return -EINVAL;
}

/* Finds a program by name; name NULL: the first one of section "xdp". Returns NULL if there is none. */
static struct nfp_code *find_program(const struct nfp_object *object, const char *name)
{
	for (unsigned i = 0; i < object->program_count; i++) {
		struct nfp_code *program = &object->programs[i];

		if (name ? !strcmp(program->name, name) : !strcmp(program->section, "xdp"))
			return program;
	}
	return NULL;
}

static size_t memory_bytes(const struct nfp_map *map)
{
	size_t bytes = 0;

	if (map->is_data)
		bytes = map->is.value_bytes;
	else if (map->is.type == BPF_MAP_TYPE_ARRAY || map->is.type == BPF_MAP_TYPE_PERCPU_ARRAY)
		bytes = (size_t)((map->is.value_bytes + 7) & ~7u) * map->is.entries;
	return bytes > MEMORY_MAX ? 0 : bytes;
}

/* Returns the number of a map's memory, which is created at the first reference, or -1 if there is no room. */
static int add_memory(struct bpf_code *code, const struct nfp_object *object, const struct nfp_map *map)
{
	struct bpf_code_memory *m = &code->memory[code->memories];
	const void *initial = NULL;
	size_t bytes = 0;

	for (unsigned i = 0; i < code->memories; i++)
		if (code->memory[i].is_map != map->is_data && !strcmp(code->memory[i].name, map->name))
			return (int)i;
	if (code->memories == BPF_CODE_MEMORIES)
		return -1;
	*m = (struct bpf_code_memory){ .is_map = !map->is_data,
				       .is_read_only = map->is_data && !strncmp(map->name, ".rodata", 7),
				       .key_bytes = map->is.key_bytes,
				       .value_bytes = map->is.value_bytes,
				       .entries = map->is.entries,
				       .count = memory_bytes(map) };
	snprintf(m->name, sizeof(m->name), "%s", map->name);
	m->bytes = m->count ? calloc(1, m->count) : NULL;
	if (m->count && !m->bytes)
		return -1;
	if (map->is_data)
		initial = nfp_elf__bytes(&object->elf, nfp_elf__find(&object->elf, map->name), &bytes);
	if (initial && m->bytes)
		memcpy(m->bytes, initial, bytes < m->count ? bytes : m->count);
	return (int)code->memories++;
}

/* Creates the referenced memories, and writes their numbers into imm of the instructions. Returns -1 for an unknown map or without room. */
static int resolve_maps(struct bpf_code *code, const struct nfp_object *object)
{
	for (unsigned i = 0; i < code->count; i++) {
		struct bpf_insn *insn = &code->insns[i];
		int memory;

		if (insn->code != LOAD_64)
			continue;
		i++;
		if (insn->src_reg != BPF_PSEUDO_MAP_FD && insn->src_reg != BPF_PSEUDO_MAP_VALUE)
			continue;
		if ((uint32_t)insn->imm >= object->map_count)
			return -1;
		memory = add_memory(code, object, &object->maps[insn->imm]);
		if (memory < 0)
			return -1;
		insn->imm = memory;
		if (code->memory[memory].is_map)
			insn[1].imm = 0;
	}
	return 0;
}

int bpf_code__read(struct bpf_code *code, const void *elf, size_t bytes, const char *name, char *reason, size_t reason_bytes)
{
	struct nfp_object object;
	struct nfp_code *program;
	int err;

	*code = (struct bpf_code){ 0 };
	err = nfp_object__open(&object, elf, bytes, reason, reason_bytes);
	if (err)
		return err;
	program = find_program(&object, name);
	if (!program) {
		err = refuse(reason, reason_bytes, "it does not have the program");
	} else if (program->cannot_link) {
		err = refuse(reason, reason_bytes, program->cannot_link);
	} else {
		code->insns = program->insns; /* takes ownership */
		code->count = program->count;
		program->insns = NULL;
		if (resolve_maps(code, &object))
			err = refuse(reason, reason_bytes, "it names a map that is not its own, or more memory than there is");
	}
	nfp_object__close(&object);
	if (err)
		bpf_code__free(code);
	return err;
}

void bpf_code__free(struct bpf_code *code)
{
	for (unsigned i = 0; i < code->memories; i++)
		free(code->memory[i].bytes);
	free(code->insns);
	*code = (struct bpf_code){ 0 };
}

struct bpf_code_memory *bpf_code__memory(struct bpf_code *code, const char *name)
{
	for (unsigned i = 0; i < code->memories; i++)
		if (!strcmp(code->memory[i].name, name))
			return &code->memory[i];
	return NULL;
}
