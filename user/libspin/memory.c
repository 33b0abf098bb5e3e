/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Public functions that read and set a context's state and tables by name, and that run its handlers on single packets offline. Called by
 * applications.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/card/card.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/root.h"

/* Finds a state or table by name. Sets *addr to where it is mapped here. */
static int locate(struct spin_ctx *ctx, const char *name, struct layout_variable *var, void **addr)
{
	const struct spin_memory *mem;
	int err = layout__find(ctx->btf, name, var);

	if (err)
		return err;
	mem = !strcmp(var->section, ".data") ? &ctx->data : !strcmp(var->section, ".bss") ? &ctx->bss : NULL;
	if (!mem || !mem->addr || var->offset > mem->bytes || var->bytes * var->copies > mem->bytes - var->offset)
		return spin_fail(-ENOENT, "'%s' is not a state or table of %s", name, ctx->name);
	*addr = mem->addr + var->offset;
	return 0;
}

int spin_ctx__symbol(struct spin_ctx *ctx, const char *name, void **addr, size_t *bytes)
{
	struct layout_variable var = { 0 };
	int err = ctx->card ? card__cannot(ctx, "mapped memory: read values and fields, insert and delete entries")
			    : locate(ctx, name, &var, addr);

	if (!err)
		*bytes = var.bytes * var.copies;
	return err;
}

int spin_ctx__value(struct spin_ctx *ctx, const char *name, void *to, size_t bytes)
{
	struct layout_variable var;
	void *addr = NULL, *image = NULL;
	int err = ctx->card ? card__image(ctx->card, name, &var, &image) : locate(ctx, name, &var, &addr);

	if (!err && bytes != var.bytes)
		err = spin_fail(-EINVAL, "'%s' has %zu bytes, not %zu", name, var.bytes, bytes);
	if (!err)
		layout__merge(&var, image ? image : addr, to);
	free(image);
	return err;
}

int spin_ctx__set(struct spin_ctx *ctx, const char *assignment)
{
	struct layout_variable var;
	const char *path;
	char name[64];
	void *addr;
	int err;

	if (ctx->card)
		return card__set(ctx->card, assignment);
	err = layout__split(assignment, name, sizeof(name), &path);

	if (!err)
		err = locate(ctx, name, &var, &addr);
	return err ? err : layout__set(ctx->btf, &var, addr, path);
}

int spin_ctx__table_insert(struct spin_ctx *ctx, const char *table, const char *fields)
{
	struct layout_variable var;
	void *addr;
	int err;

	if (ctx->card)
		return card__insert(ctx->card, table, fields);
	err = locate(ctx, table, &var, &addr);
	return err ? err : layout__insert(ctx->btf, &var, addr, fields);
}

int spin_ctx__table_delete(struct spin_ctx *ctx, const char *table, const char *key)
{
	struct layout_variable var;
	void *addr;
	int err;

	if (ctx->card)
		return card__delete(ctx->card, table, key);
	err = locate(ctx, table, &var, &addr);
	return err ? err : layout__delete(ctx->btf, &var, addr, key);
}

int spin_ctx__fields(struct spin_ctx *ctx, const char *name, int zero_too, int (*fn)(void *arg, const struct spin_field *field), void *arg)
{
	struct layout_variable var;
	void *addr = NULL, *image = NULL;
	int err = ctx->card ? card__image(ctx->card, name, &var, &image) : locate(ctx, name, &var, &addr);

	if (!err)
		err = layout__walk(ctx->btf, &var, image ? image : addr, zero_too, fn, arg);
	free(image);
	return err;
}

const char *spin_ctx__symbol_name(struct spin_ctx *ctx, unsigned i)
{
	static __thread struct layout_variable var;

	return layout__nth(ctx->btf, i, &var) ? NULL : var.name;
}

/* Runs a program on a frame `repeat` times (BPF_PROG_TEST_RUN). Returns 0, or -errno with a reason; -ETIME: the work limit ended it. */
static int run_frame(int prog_fd, const char *who, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out,
		     size_t out_bytes, struct spin_run_result *result)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = (uint32_t)frame_bytes, .data_out = frame_out,
		    .data_size_out = (uint32_t)out_bytes, .repeat = (int)repeat);
	int err = bpf_prog_test_run_opts(prog_fd, &opts);

	/* -ENOSPC: the program ran, but the resulting frame does not fit */
	if (err)
		return spin_fail(err,
				 err == -ENOSPC ? "%s: the frame that comes out needs %u bytes"
						: "%s: the kernel does not run this frame (%u bytes): too short or too long",
				 who, err == -ENOSPC ? opts.data_size_out : (uint32_t)frame_bytes);
	*result = (struct spin_run_result){ .frame_bytes = opts.data_size_out, .ns_per_packet = opts.duration };
	switch (opts.retval) {
	case XDP_PASS:
		result->verdict = SPIN_VERDICT_PASS;
		return 0;
	case XDP_DROP:
		result->verdict = SPIN_VERDICT_DROP;
		return 0;
	case XDP_TX:
		result->verdict = SPIN_VERDICT_TX;
		return 0;
	case XDP_ABORTED:
		return spin_fail(-ETIME,
				 "%s: the packet was given up: its handlers took more work than the isolated class allows "
				 "one (work_limit.h)",
				 who);
	default:
		return spin_fail(-EPROTO, "%s: the program returned action %u, which is none of ours", who, opts.retval);
	}
}

int spin_ctx__run(struct spin_ctx *ctx, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result)
{
	if (ctx->nic)
		return spin_fail(-EINVAL,
				 "%s was made for %s, whose program matches its packets: run them through that, "
				 "spin_nic__run()",
				 ctx->name, ctx->nic->name);
	return run_frame(ctx->prog_fd, ctx->name, frame, frame_bytes, repeat, frame_out, out_bytes, result);
}

int spin_nic__run(struct spin_nic *nic, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result)
{
	int prog_fd = spin_nic__program_fd(nic);

	if (prog_fd < 0)
		return spin_fail(-EINVAL, "no context was ever attached to %s", nic->name);
	return run_frame(prog_fd, nic->name, frame, frame_bytes, repeat, frame_out, out_bytes, result);
}
