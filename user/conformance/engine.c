/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens an engine (one of the ways to execute a handler: host build, kernel, model of the NIC, program for a card) by its kind, and keeps
 * the reason of the last failure for engine_error(). Called by spinctl test and replay, and by tests. Each kind's own file implements
 * struct engine_ops.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/engine.h"

/* clang-format off */
static const struct engine_ops *const engines[ENGINE_KINDS] = {
	[ENGINE_HOST] = &engine_host,
	[ENGINE_BPF] = &engine_bpf,
	[ENGINE_ISOLATED] = &engine_isolated,
	[ENGINE_MODEL] = &engine_model,
	[ENGINE_NFP] = &engine_nfp,
};
/* clang-format on */

static char reason[1024];

const char *engine_error(void)
{
	return reason;
}

int(engine_fail)(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return err;
}

const char *engine_name(enum engine_kind kind)
{
	return engines[kind]->name;
}

enum engine_kind engine_find(const char *name)
{
	int kind = 0;

	while (kind < ENGINE_KINDS && strcmp(name, engines[kind]->name))
		kind++;
	return (enum engine_kind)kind;
}

int engine_cannot(int err)
{
	return err == -EPERM || err == -ENODATA || err == -ENOSYS || err == -EOPNOTSUPP;
}

int engine_open(enum engine_kind kind, const struct engine_handler *handler, const struct engine_context *context, struct engine **out)
{
	struct engine *e = calloc(1, sizeof(*e));
	int err;

	*out = NULL;
	if (!e)
		return engine_fail(-ENOMEM, "no memory");
	e->ops = engines[kind];
	err = e->ops->open(e, handler, context);
	if (err) {
		engine_close(e);
		return err;
	}
	*out = e;
	return 0;
}

void engine_close(struct engine *e)
{
	if (!e)
		return;
	e->ops->close(e);
	free(e);
}
