/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reduces a schedule of TCP segments on which an engine differs from the reference: first to fewer segments (delta debugging), then to
 * simpler ones, until nothing gets smaller. Called by random_schedules.c and broken_rules_are_noticed.c. The result still fails.
 */
#include <stddef.h>
#include <string.h>

#include "tests/segments/schedule.h"

struct shrinker {
	struct segment_schedule *best;
	struct segment_schedule tried;
	int (*fails)(void *arg, const struct segment_schedule *s);
	void *arg;
	unsigned tries;
};

/* Accepts the attempt as the best schedule if it fails as well. Returns 1 if so. */
static int keep_if_failing(struct shrinker *k)
{
	if (!k->tries)
		return 0;
	k->tries--;
	if (!k->fails(k->arg, &k->tried))
		return 0;
	segment_schedule_copy(k->best, &k->tried);
	return 1;
}

static int drop_steps(struct shrinker *k)
{
	int smaller = 0;

	for (unsigned count = k->best->steps / 2 ? k->best->steps / 2 : 1; count; count /= 2) {
		for (unsigned end = k->best->steps; end >= count && end;) {
			segment_schedule_copy(&k->tried, k->best);
			segment_schedule_remove(&k->tried, end - count, count);
			smaller |= keep_if_failing(k);
			end -= count;
			if (end > k->best->steps)
				end = k->best->steps;
		}
	}
	return smaller;
}

/* Sets a field of a step to 0. */
static int try_zero(struct shrinker *k, unsigned step, size_t field, size_t bytes)
{
	static const uint8_t zeroes[sizeof(struct segment_step)];

	if (!memcmp((uint8_t *)&k->best->step[step] + field, zeroes, bytes))
		return 0;
	segment_schedule_copy(&k->tried, k->best);
	memset((uint8_t *)&k->tried.step[step] + field, 0, bytes);
	return keep_if_failing(k);
}

/* Shortens a segment; with `move` its end stays. */
static int try_bytes(struct shrinker *k, unsigned step, uint32_t bytes, int move)
{
	uint32_t cut = k->best->step[step].bytes - bytes;

	if (k->best->step[step].bytes <= bytes)
		return 0;
	segment_schedule_copy(&k->tried, k->best);
	k->tried.step[step].bytes = bytes;
	k->tried.step[step].seq += move ? cut : 0;
	return keep_if_failing(k);
}

static int simplify_step(struct shrinker *k, unsigned i)
{
	int smaller = 0;

	smaller |= try_zero(k, i, offsetof(struct segment_step, shape), sizeof(struct segframe_shape));
	smaller |= try_zero(k, i, offsetof(struct segment_step, shape.sum), 1);
	smaller |= try_zero(k, i, offsetof(struct segment_step, shape.tags), 4);
	smaller |= try_zero(k, i, offsetof(struct segment_step, header_rc), 1);
	smaller |= try_zero(k, i, offsetof(struct segment_step, payload), 1);
	smaller |= try_zero(k, i, offsetof(struct segment_step, connection), 1);
	for (unsigned bit = 0; bit < 6; bit++) {
		if (!(k->best->step[i].flags >> bit & 1))
			continue;
		segment_schedule_copy(&k->tried, k->best);
		k->tried.step[i].flags &= (uint8_t) ~(1u << bit);
		smaller |= keep_if_failing(k);
	}
	for (uint32_t bytes = 0; bytes < k->best->step[i].bytes; bytes = bytes ? bytes * 2 : 1)
		smaller |= try_bytes(k, i, bytes, 0) || try_bytes(k, i, bytes, 1);
	return smaller;
}

/* Numbers at the end of the reach depend on `next`, so they may have to stay when segments beyond a gap move. */
static const uint32_t moved[] = { 1u << 31, 1u << 28 };
#define MOVED 2

/*
 * Takes `count` bytes out of a connection's stream, before the number `end`: segments from there on move by so much, if they are less than
 * `most` after it. The attempt is in k->tried.
 */
static void take_out(struct shrinker *k, unsigned connection, uint32_t end, uint32_t count, uint32_t most)
{
	for (unsigned i = 0; i < k->tried.steps; i++) {
		struct segment_step *step = &k->tried.step[i];

		if (step->connection == connection && step->seq - end < most)
			step->seq -= count;
	}
}

/* Shortens a segment, or leaves it out, and moves what follows in the stream. */
static int close_gap(struct shrinker *k, unsigned i)
{
	struct segment_step step = k->best->step[i];
	uint32_t cut = step.bytes / 2, end = step.seq + step.bytes;

	for (unsigned j = 0; j < MOVED; j++) {
		segment_schedule_copy(&k->tried, k->best);
		segment_schedule_remove(&k->tried, i, 1);
		take_out(k, step.connection, end, step.bytes, moved[j]);
		if (keep_if_failing(k))
			return 1;
	}
	for (unsigned j = 0; j < MOVED && cut; j++) {
		segment_schedule_copy(&k->tried, k->best);
		k->tried.step[i].bytes -= cut;
		take_out(k, step.connection, end, cut, moved[j]);
		if (keep_if_failing(k))
			return 1;
	}
	return 0;
}

/* Takes out the numbers that no segment has, before this one. One may stay, so that there is still a gap. */
static int narrow_gap(struct shrinker *k, unsigned i)
{
	const struct segment_step step = k->best->step[i];
	uint32_t gap = UINT32_MAX;

	for (unsigned j = 0; j < k->best->steps; j++) {
		const struct segment_step *other = &k->best->step[j];
		uint32_t end = other->seq + other->bytes;

		if (j != i && other->connection == step.connection && step.seq - end < gap)
			gap = step.seq - end;
	}
	for (uint32_t j = 0; j < 2 * MOVED && gap != UINT32_MAX && gap > j / MOVED; j++) {
		segment_schedule_copy(&k->tried, k->best);
		take_out(k, step.connection, step.seq, gap - j / MOVED, moved[j % MOVED]);
		if (keep_if_failing(k))
			return 1;
	}
	return 0;
}

static int close_gaps(struct shrinker *k)
{
	int smaller = 0;

	for (unsigned i = k->best->steps; i-- > 0;)
		if (i < k->best->steps)
			smaller |= close_gap(k, i);
	for (unsigned i = 0; i < k->best->steps; i++)
		smaller |= narrow_gap(k, i);
	return smaller;
}

/* Moves all segments of a connection, so that it begins at a plain number. */
static int move_connection(struct shrinker *k, unsigned connection)
{
	uint32_t by = 0;
	int any = 0;

	segment_schedule_copy(&k->tried, k->best);
	for (unsigned i = 0; i < k->tried.steps; i++) {
		struct segment_step *step = &k->tried.step[i];

		if (step->connection != connection)
			continue;
		if (!any)
			by = 1000 - step->seq;
		any = 1;
		step->seq += by;
	}
	return by && keep_if_failing(k);
}

static int simplify_connections(struct shrinker *k)
{
	int smaller = 0;

	if (k->best->fresh) {
		segment_schedule_copy(&k->tried, k->best);
		k->tried.fresh = 0;
		smaller |= keep_if_failing(k);
	}
	for (unsigned i = 0; i < k->best->connections; i++) {
		smaller |= move_connection(k, i);
		if (k->best->connection[i].ask) {
			segment_schedule_copy(&k->tried, k->best);
			k->tried.connection[i].ask = 0;
			smaller |= keep_if_failing(k);
		}
		if (k->best->connection[i].slot) {
			segment_schedule_copy(&k->tried, k->best);
			k->tried.connection[i].slot = 0;
			smaller |= keep_if_failing(k);
		}
	}
	return smaller;
}

/* Leaves out the last connections if no step uses them. */
static void drop_connections(struct segment_schedule *s)
{
	unsigned used = 1;

	for (unsigned i = 0; i < s->steps; i++)
		if (s->step[i].connection >= used)
			used = s->step[i].connection + 1u;
	s->connections = used;
}

void segment_schedule_shrink(struct segment_schedule *s, int (*fails)(void *arg, const struct segment_schedule *s), void *arg,
			     unsigned tries)
{
	struct shrinker k = { .best = s, .fails = fails, .arg = arg, .tries = tries };
	int smaller = 1;

	while (smaller && k.tries) {
		smaller = drop_steps(&k);
		smaller |= close_gaps(&k);
		smaller |= simplify_connections(&k);
		for (unsigned i = 0; i < s->steps; i++)
			smaller |= simplify_step(&k, i);
	}
	segment_schedule_copy(&k.tried, s);
	drop_connections(&k.tried);
	keep_if_failing(&k);
	segment_schedule_free(&k.tried);
}
