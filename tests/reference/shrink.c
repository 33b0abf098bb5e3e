/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reduces a schedule (packets, clock steps and calls) on which an engine differs from the reference model: first to fewer steps (delta
 * debugging), then to simpler ones, until nothing gets smaller. Called by tests/messages/random_schedules.c and broken_rules_are_noticed.c.
 * The result still fails.
 */
#include <string.h>

#include "tests/reference/schedule.h"

struct shrinker {
	struct schedule *best;
	struct schedule tried;
	int (*fails)(void *arg, const struct schedule *s);
	void *arg;
	unsigned tries;
};

/* Accepts the attempt as the best schedule if it fails as well. Returns 1 if so. */
static int keep_if_failing(struct shrinker *k)
{
	if (!k->tries || !k->tried.steps)
		return 0;
	k->tries--;
	if (!k->fails(k->arg, &k->tried))
		return 0;
	schedule_copy(k->best, &k->tried);
	return 1;
}

static int drop_steps(struct shrinker *k)
{
	int smaller = 0;

	for (unsigned count = k->best->steps / 2 ? k->best->steps / 2 : 1; count; count /= 2) {
		for (unsigned end = k->best->steps; end >= count && end;) {
			schedule_copy(&k->tried, k->best);
			schedule_remove(&k->tried, end - count, count);
			smaller |= keep_if_failing(k);
			end -= count;
			if (end > k->best->steps)
				end = k->best->steps;
		}
	}
	return smaller;
}

static int try_value32(struct shrinker *k, unsigned step, size_t field, uint32_t to)
{
	uint32_t value;

	memcpy(&value, (uint8_t *)&k->best->step[step] + field, sizeof(value));
	if (value <= to)
		return 0;
	schedule_copy(&k->tried, k->best);
	memcpy((uint8_t *)&k->tried.step[step] + field, &to, sizeof(to));
	return keep_if_failing(k);
}

static int try_zero(struct shrinker *k, unsigned step, size_t field, size_t bytes)
{
	static const uint8_t zeroes[sizeof(struct step)];

	if (!memcmp((uint8_t *)&k->best->step[step] + field, zeroes, bytes))
		return 0;
	schedule_copy(&k->tried, k->best);
	memset((uint8_t *)&k->tried.step[step] + field, 0, bytes);
	return keep_if_failing(k);
}

static int try_clear_flag(struct shrinker *k, unsigned step, uint16_t flag)
{
	if (!(k->best->step[step].flags & flag))
		return 0;
	schedule_copy(&k->tried, k->best);
	k->tried.step[step].flags &= (uint16_t)~flag;
	return keep_if_failing(k);
}

static int try_ask(struct shrinker *k, unsigned step, struct script_ask ask)
{
	if (!memcmp(&k->best->step[step].ask, &ask, sizeof(ask)))
		return 0;
	schedule_copy(&k->tried, k->best);
	k->tried.step[step].ask = ask;
	return keep_if_failing(k);
}

static int simplify_packet(struct shrinker *k, unsigned i)
{
	const struct script_ask plain = { 0, 4, 0, 0 };
	struct script_ask ask = k->best->step[i].ask;
	int smaller = 0;

	for (unsigned bit = 0; bit < 16; bit++)
		smaller |= try_clear_flag(k, i, (uint16_t)(1u << bit));
	smaller |= try_zero(k, i, offsetof(struct step, put.match_bits), 24);
	smaller |= try_zero(k, i, offsetof(struct step, put.match_bits), 8);
	smaller |= try_zero(k, i, offsetof(struct step, put.hdr_data), 8);
	smaller |= try_zero(k, i, offsetof(struct step, put.offset), 8);
	smaller |= try_zero(k, i, offsetof(struct step, sum), sizeof(enum frame_sum));
	smaller |= try_zero(k, i, offsetof(struct step, second), sizeof(struct script_ask));
	smaller |= try_zero(k, i, offsetof(struct step, cut), sizeof(uint32_t));
	if (!try_ask(k, i, plain)) {
		smaller |= try_ask(k, i, (struct script_ask){ 0, ask.header_rc, ask.completion_rc, ask.what });
		ask = k->best->step[i].ask;
		smaller |= try_ask(k, i, (struct script_ask){ ask.payload_rc, ask.header_rc, 0, ask.what });
		ask = k->best->step[i].ask;
		smaller |= try_ask(k, i, (struct script_ask){ ask.payload_rc, 4, ask.completion_rc, ask.what });
		ask = k->best->step[i].ask;
		smaller |= try_ask(k, i, (struct script_ask){ ask.payload_rc, ask.header_rc, ask.completion_rc, 0 });
	}
	for (uint32_t bytes = 0; bytes < k->best->step[i].bytes; bytes = bytes ? bytes * 2 : 1)
		smaller |= try_value32(k, i, offsetof(struct step, bytes), bytes);
	for (uint32_t offset = 1; offset < k->best->step[i].offset && offset < 1u << 31; offset *= 2)
		smaller |= try_value32(k, i, offsetof(struct step, offset), offset);
	return smaller;
}

static int same_message(const struct step *a, const struct step *b)
{
	return a->kind == STEP_PACKET && b->kind == STEP_PACKET && a->source == b->source && a->message_id == b->message_id;
}

/* Removes a packet, and moves later packets of its message to lower offsets. */
static int close_gap(struct shrinker *k, unsigned i)
{
	struct step removed = k->best->step[i];

	if (removed.kind != STEP_PACKET)
		return 0;
	schedule_copy(&k->tried, k->best);
	schedule_remove(&k->tried, i, 1);
	for (unsigned j = 0; j < k->tried.steps; j++)
		if (same_message(&k->tried.step[j], &removed) && k->tried.step[j].offset > removed.offset &&
		    k->tried.step[j].offset - removed.offset >= removed.bytes)
			k->tried.step[j].offset -= removed.bytes;
	return keep_if_failing(k);
}

/* Makes this packet the last one of its message. */
static int make_last(struct shrinker *k, unsigned i)
{
	struct step last = k->best->step[i];

	if (last.kind != STEP_PACKET || last.flags & SPIN_SLMP_EOM)
		return 0;
	schedule_copy(&k->tried, k->best);
	k->tried.step[i].flags |= SPIN_SLMP_EOM;
	for (unsigned j = k->tried.steps; j-- > 0;)
		if (same_message(&k->tried.step[j], &last) && k->tried.step[j].offset > last.offset)
			schedule_remove(&k->tried, j, 1);
	return k->tried.steps < k->best->steps && keep_if_failing(k);
}

static int shorten_messages(struct shrinker *k)
{
	int smaller = 0;

	for (unsigned i = k->best->steps; i-- > 0;)
		if (i < k->best->steps)
			smaller |= close_gap(k, i);
	for (unsigned i = 0; i < k->best->steps; i++)
		smaller |= make_last(k, i);
	return smaller;
}

/* Simplifies numbers that must agree with each other, like sources and lengths, in all steps at once. */
static int simplify_all(struct shrinker *k)
{
	int smaller = 0;

	schedule_copy(&k->tried, k->best);
	for (unsigned i = 0; i < k->tried.steps; i++)
		k->tried.step[i].source = 0;
	if (memcmp(k->tried.step, k->best->step, k->best->steps * sizeof(struct step)))
		smaller |= keep_if_failing(k);
	for (uint32_t by = 64; by > 1; by /= 2) {
		int any = 0;

		schedule_copy(&k->tried, k->best);
		for (unsigned i = 0; i < k->tried.steps; i++) {
			if (k->tried.step[i].kind != STEP_PACKET)
				continue;
			any |= k->tried.step[i].bytes > 4;
			k->tried.step[i].bytes = (k->tried.step[i].bytes + by - 1) / by;
			k->tried.step[i].offset /= by;
		}
		if (any)
			smaller |= keep_if_failing(k);
	}
	return smaller;
}

static int simplify_steps(struct shrinker *k)
{
	int smaller = 0;

	for (unsigned i = 0; i < k->best->steps; i++) {
		switch (k->best->step[i].kind) {
		case STEP_PACKET:
			smaller |= simplify_packet(k, i);
			break;
		case STEP_CLOCK:
			smaller |= try_value32(k, i, offsetof(struct step, advance_ms), 1);
			break;
		case STEP_POST:
			smaller |= try_zero(k, i, offsetof(struct step, me.start), sizeof(uint32_t));
			smaller |= try_zero(k, i, offsetof(struct step, me.options), sizeof(uint32_t));
			smaller |= try_zero(k, i, offsetof(struct step, me.match_bits), sizeof(uint64_t));
			smaller |= try_zero(k, i, offsetof(struct step, me.min_free), sizeof(uint32_t));
			smaller |= try_zero(k, i, offsetof(struct step, me.source), sizeof(struct spin_process));
			break;
		default:
			break;
		}
	}
	return smaller;
}

void schedule_shrink(struct schedule *s, int (*fails)(void *arg, const struct schedule *s), void *arg, unsigned tries)
{
	struct shrinker k = { .best = s, .fails = fails, .arg = arg, .tries = tries };
	int smaller = 1;

	while (smaller && k.tries) {
		smaller = drop_steps(&k);
		smaller |= shorten_messages(&k);
		smaller |= simplify_all(&k);
		smaller |= simplify_steps(&k);
	}
	schedule_free(&k.tried);
}
