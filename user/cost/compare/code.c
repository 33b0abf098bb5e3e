/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The eBPF program of a handler as libspin would load it, for spinctl cost --compare: configures a copy of it and fills its tables as
 * libspin does. The copy is never loaded into the kernel. Called by hxdp.c, which interprets the copy to estimate the rate of the NIC hXDP,
 * and by tests.
 *
 * Invariant: variables are written only where they lie inside the program's memory.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <spin/context.h>

#include "user/cost/compare/code.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"

struct target {
	struct bpf_code *code;
	const struct btf *btf;
};

/* Finds a variable and the memory that contains it. *memory is NULL if the program does not reference the variable's section. */
static int find(struct target *t, const char *name, struct layout_variable *var, struct bpf_code_memory **memory)
{
	int err = layout__find(t->btf, name, var);

	*memory = err ? NULL : bpf_code__memory(t->code, var->section);
	if (*memory && (!(*memory)->bytes || var->offset + var->bytes * (size_t)var->copies > (*memory)->count))
		return spin_fail(-EINVAL, "'%s' is not in the object's program", name);
	return err;
}

static int set(void *arg, const char *assignment)
{
	struct bpf_code_memory *memory = NULL;
	struct layout_variable var;
	const char *path;
	char name[64];
	int err = layout__split(assignment, name, sizeof(name), &path);

	if (!err)
		err = find(arg, name, &var, &memory);
	return err || !memory ? err : layout__set(((struct target *)arg)->btf, &var, memory->bytes + var.offset, path);
}

static int insert(void *arg, const char *table, const char *fields)
{
	struct bpf_code_memory *memory;
	struct layout_variable var;
	int err = find(arg, table, &var, &memory);

	return err || !memory ? err : layout__insert(((struct target *)arg)->btf, &var, memory->bytes + var.offset, fields);
}

/* Writes the configuration that libspin writes into a context's constants before it loads the program. Returns 0 or -1. */
static int configure(struct target *t, const struct spin_rule *rule)
{
	struct spin_config config = { .rule = *rule, .hpus = 1 };
	struct bpf_code_memory *memory;
	struct layout_variable var;

	if (find(t, "spin_config", &var, &memory) || !memory || var.bytes != sizeof(config))
		return -1;
	memcpy(memory->bytes + var.offset, &config, sizeof(config));
	return 0;
}

int compare_code__open(struct bpf_code *code, const struct cost_program *program, char *reason, size_t reason_bytes)
{
	const struct spin_object *object = program->object;
	struct target target = { code, bpf_object__btf(object->types) };
	int err = bpf_code__read(code, object->data, object->bytes, NULL, reason, reason_bytes);

	if (err)
		return err;
	if (!configure(&target, program->rule))
		return 0;
	bpf_code__free(code);
	snprintf(reason, reason_bytes, "it has no configuration of this version; compile it again with spincc");
	return -EINVAL;
}

int compare_code__fill(struct bpf_code *code, const struct cost_program *program)
{
	struct target target = { code, bpf_object__btf(program->object->types) };
	const struct fill_target to = { .arg = &target, .set = set, .insert = insert };

	return fill__apply(program->fill, &to);
}
