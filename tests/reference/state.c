/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads and writes the handlers' state of a reference (a plain-C model of the message protocol or of segments) as the symbol `spin_state`,
 * as other engines do for theirs (state.h). Called through the engine_ops of engine_reference.c and of tests/segments/reference_engine.c.
 * Any other symbol is -ENOENT.
 */
#include <errno.h>
#include <string.h>

#include "tests/reference/state.h"

static int find_range(struct engine *e, const char *symbol, size_t offset, size_t bytes, uint8_t **out)
{
	const struct reference_state *state = e->impl;

	if (strcmp(symbol, "spin_state") || offset > state->bytes || bytes > state->bytes - offset)
		return engine_fail(-ENOENT, "the reference has the handlers' state only");
	*out = (uint8_t *)state->at + offset;
	return 0;
}

int reference_state_read(struct engine *e, const char *symbol, size_t offset, void *to, size_t bytes)
{
	uint8_t *from = NULL;
	int err = find_range(e, symbol, offset, bytes, &from);

	if (!err)
		memcpy(to, from, bytes);
	return err;
}

int reference_state_write(struct engine *e, const char *symbol, size_t offset, const void *from, size_t bytes)
{
	uint8_t *to = NULL;
	int err = find_range(e, symbol, offset, bytes, &to);

	if (!err)
		memcpy(to, from, bytes);
	return err;
}
