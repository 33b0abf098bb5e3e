/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies the values of handlers' state and tables from one struct layout to another when handlers are replaced (layout_move.h), for
 * swap/migrate.c. A plan is a list of steps. A step for all entries of an array or table is followed by the steps for one entry. Every step
 * stays inside its variable on both sides, and no two steps read the same byte. This bounds the work of a plan by the variable's size.
 */
#include <errno.h>
#include <spin/bytes.h>
#include <spin/table.h>
#include <string.h>

#include "user/libspin/error.h"
#include "user/libspin/object/layout_move.h"

#define CHUNK_BYTES 4096u /* compared at once, so that unchanged data costs little */

/* Three addresses of one location: the value last copied, the current value, and the destination. */
struct cursor {
	char *seen;
	const char *from;
	char *to;
};

static struct cursor cursor_at(const struct cursor *cursor, size_t from_bytes, size_t to_bytes)
{
	return (struct cursor){ cursor->seen + from_bytes, cursor->from + from_bytes, cursor->to + to_bytes };
}

/*
 * Returns 1 if there is something to copy, after storing it in `seen`. Handlers may be writing: the copy is made from `seen`, which is
 * compared again later.
 */
static int copy_if_changed(struct layout_move *move, const struct cursor *cursor, size_t bytes)
{
	if (!move->is_first && !memcmp(cursor->seen, cursor->from, bytes))
		return 0;
	memcpy(cursor->seen, cursor->from, bytes);
	move->changed += bytes;
	return 1;
}

static void copy_bytes(struct layout_move *move, const struct step *step, const struct cursor *all)
{
	for (size_t done = 0; done < step->bytes; done += CHUNK_BYTES) {
		const size_t bytes = step->bytes - done < CHUNK_BYTES ? step->bytes - done : CHUNK_BYTES;
		const struct cursor cursor = cursor_at(all, done, done);

		if (copy_if_changed(move, &cursor, bytes))
			memcpy(cursor.to, cursor.seen, bytes);
	}
}

static uint64_t load(const void *from, unsigned bytes)
{
	uint64_t value64;
	uint32_t value32;
	uint16_t value16;

	switch (bytes) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		memcpy(&value16, from, 2);
		return value16;
	case 4:
		memcpy(&value32, from, 4);
		return value32;
	default:
		memcpy(&value64, from, 8);
		return value64;
	}
}

static void copy_widened(struct layout_move *move, const struct step *step, const struct cursor *cursor)
{
	uint64_t value;
	uint32_t value32;
	uint16_t value16;

	if (!copy_if_changed(move, cursor, step->bytes))
		return;
	value = load(cursor->seen, step->bytes);
	value32 = (uint32_t)value;
	value16 = (uint16_t)value;
	memcpy(cursor->to,
	       step->to_bytes == 2   ? (const void *)&value16
	       : step->to_bytes == 4 ? (const void *)&value32
				     : &value,
	       step->to_bytes);
}

static int run_steps(struct layout_move *move, const struct step *step, unsigned count, const struct cursor *cursor);

static int fail_no_slot(const struct step *step, uint32_t entry)
{
	return spin_fail(-ENOSPC, "the new handlers have no place for %s[%u], which is in use: it has %u entries there, and %u here",
			 step->path, entry, step->to_count, step->count + step->beyond);
}

static int is_zero(const char *mem, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (mem[i])
			return 0;
	return 1;
}

/* Copies an array entry by entry. Groups of entries that have not changed since the last pass are skipped. */
static int copy_entries(struct layout_move *move, const struct step *step, const struct cursor *all)
{
	uint32_t group;
	int err = 0;

	if (!step->bytes)
		return 0;
	group = step->bytes < CHUNK_BYTES ? CHUNK_BYTES / (uint32_t)step->bytes : 1;

	for (uint32_t first = 0; first < step->count && !err; first += group) {
		const uint32_t entries = step->count - first < group ? step->count - first : group;
		const size_t at_bytes = (size_t)first * step->bytes;

		/* the steps of a long entry compare it in parts */
		if (!move->is_first && step->bytes < CHUNK_BYTES &&
		    !memcmp(all->seen + at_bytes, all->from + at_bytes, (size_t)entries * step->bytes))
			continue;
		for (uint32_t i = first; i < first + entries && !err; i++) {
			const struct cursor cursor = cursor_at(all, (size_t)i * step->bytes, (size_t)i * step->to_bytes);

			err = run_steps(move, step + 1, step->steps, &cursor);
		}
	}
	for (uint32_t i = step->count; i < step->count + step->beyond && !err; i++)
		if (!is_zero(all->from + (size_t)i * step->bytes, step->bytes))
			err = fail_no_slot(step, i);
	return err;
}

static char *find_slot(const struct step *step, char *to, uint32_t key)
{
	const uint32_t home = spin_table_home(key, step->to_count);

	for (uint32_t probe = 0; probe < SPIN_PROBES; probe++) {
		char *entry = to + (size_t)((home + probe) & (step->to_count - 1)) * step->to_bytes;
		const uint32_t have = (uint32_t)load(entry, 4);

		if (!have || have == key)
			return entry;
	}
	return NULL;
}

static int are_keys_unchanged(const struct step *step, const struct cursor *all)
{
	for (uint32_t i = 0; i < step->count; i++)
		if (memcmp(all->seen + (size_t)i * step->bytes, all->from + (size_t)i * step->bytes, 4))
			return 0;
	return 1;
}

/* Copies an entry of a table to the place where its key belongs in the new one. */
static int copy_keyed_entry(struct layout_move *move, const struct step *step, const struct cursor *all, uint32_t i)
{
	struct cursor cursor = cursor_at(all, (size_t)i * step->bytes, 0);
	const uint32_t key = (uint32_t)load(cursor.from, 4);
	int err;

	memcpy(cursor.seen, &key, sizeof(key));
	if (!key)
		return 0;
	cursor.to = find_slot(step, all->to, key);
	if (!cursor.to)
		return fail_no_slot(step, i);
	err = run_steps(move, step + 1, step->steps, &cursor);
	memcpy(cursor.to, &key, sizeof(key));
	return err;
}

/* In a table of another size, entries have other slots. If keys were added or removed, the table is filled again from the start. */
static int copy_table(struct layout_move *move, const struct step *step, const struct cursor *all)
{
	const int was_first = move->is_first, is_new = was_first || !are_keys_unchanged(step, all);
	int err = 0;

	if (is_new)
		memset(all->to, 0, (size_t)step->to_count * step->to_bytes);
	move->is_first = is_new;
	for (uint32_t i = 0; i < step->count && !err; i++) {
		const size_t at_bytes = (size_t)i * step->bytes;

		if (is_new || memcmp(all->seen + at_bytes, all->from + at_bytes, step->bytes))
			err = copy_keyed_entry(move, step, all, i);
	}
	move->is_first = was_first;
	return err;
}

/* Executes steps in order. A step with sub-steps (`steps`) is followed by them and executes them itself. */
static int run_steps(struct layout_move *move, const struct step *step, unsigned count, const struct cursor *cursor)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i += 1 + step[i].steps) {
		const struct cursor here = cursor_at(cursor, step[i].from_at, step[i].to_at);

		switch (step[i].kind) {
		case STEP_BYTES:
			copy_bytes(move, &step[i], &here);
			break;
		case STEP_WIDER:
			copy_widened(move, &step[i], &here);
			break;
		case STEP_ENTRIES:
			err = copy_entries(move, &step[i], &here);
			break;
		case STEP_TABLE:
			err = copy_table(move, &step[i], &here);
			break;
		}
	}
	return err;
}

int layout_move__update(struct layout_move *move, const void *from, void *to, uint64_t *changed)
{
	const struct cursor cursor = { move->seen, from, to };
	int err;

	move->changed = 0;
	err = run_steps(move, move->step, move->count, &cursor);
	move->is_first = 0;
	*changed += move->changed;
	return err;
}
