/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "user/libspin/internal.h"
#include "user/libspin/layout.h"

static int locate(struct spin_ctx *ctx, const char *name, struct layout_variable *var, void **addr)
{
	const struct spin_memory *mem;
	int err = layout__find(ctx->btf, name, var);

	if (err)
		return err;
	mem = !strcmp(var->section, ".data") ? &ctx->data : !strcmp(var->section, ".bss") ? &ctx->bss : NULL;
	if (!mem || !mem->addr || var->offset > mem->bytes || var->bytes * var->copies > mem->bytes - var->offset)
		return spin_fail(-ENOENT, "'%s' is no state or table of %s", name, ctx->name);
	*addr = mem->addr + var->offset;
	return 0;
}

int spin_ctx__symbol(struct spin_ctx *ctx, const char *name, void **addr, size_t *bytes)
{
	struct layout_variable var;
	int err = locate(ctx, name, &var, addr);

	if (!err)
		*bytes = var.bytes * var.copies;
	return err;
}

int spin_ctx__value(struct spin_ctx *ctx, const char *name, void *to, size_t bytes)
{
	struct layout_variable var;
	void *addr;
	int err = locate(ctx, name, &var, &addr);

	if (!err && bytes != var.bytes)
		err = spin_fail(-EINVAL, "'%s' has %zu bytes, not %zu", name, var.bytes, bytes);
	if (!err)
		layout__merge(&var, addr, to);
	return err;
}

int spin_ctx__set(struct spin_ctx *ctx, const char *assignment)
{
	struct layout_variable var;
	const char *path;
	char name[64];
	void *addr;
	int err = layout__split(assignment, name, sizeof(name), &path);

	if (!err)
		err = locate(ctx, name, &var, &addr);
	return err ? err : layout__set(ctx->btf, &var, addr, path);
}

int spin_ctx__table_insert(struct spin_ctx *ctx, const char *table, const char *fields)
{
	struct layout_variable var;
	void *addr;
	int err = locate(ctx, table, &var, &addr);

	return err ? err : layout__insert(ctx->btf, &var, addr, fields);
}

int spin_ctx__fields(struct spin_ctx *ctx, const char *name, int zero_too, int (*fn)(void *arg, const struct spin_field *field), void *arg)
{
	struct layout_variable var;
	void *addr;
	int err = locate(ctx, name, &var, &addr);

	return err ? err : layout__walk(ctx->btf, &var, addr, zero_too, fn, arg);
}

const char *spin_ctx__symbol_name(struct spin_ctx *ctx, unsigned i)
{
	static __thread struct layout_variable var;

	return layout__nth(ctx->btf, i, &var) ? NULL : var.name;
}
