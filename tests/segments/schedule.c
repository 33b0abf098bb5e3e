/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds and prints schedules (schedule.h): sequences of TCP segments, which generate.c draws at random and compare.c gives to an engine
 * and to the reference, whose results must be equal. Called by these, by shrink.c, which reduces one that fails, and by the tests of this
 * directory. A step also says what the handlers return for it: the header handler in DSCP, the payload handler in TTL, the completion
 * handler in the source port, which the handler seg_random reads from the packet. A byte of payload depends on its sequence number alone,
 * so a segment sent again has the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include <spin/return.h>
#include <spin/wire.h>

#include "tests/handlers/segments/seg_random.h"
#include "tests/segments/schedule.h"

const char *const segment_handlers[SEGMENT_HANDLERS] = { "seg_random", "seg_random_pay", "seg_random_head", "seg_random_one" };

static void ensure_room(struct segment_schedule *s, unsigned steps)
{
	if (steps <= s->room)
		return;
	s->room = 2 * steps;
	s->step = realloc(s->step, s->room * sizeof(*s->step));
	if (!s->step)
		abort();
}

void segment_schedule_insert(struct segment_schedule *s, unsigned at, const struct segment_step *step)
{
	struct segment_step copy = *step;

	ensure_room(s, s->steps + 1);
	memmove(s->step + at + 1, s->step + at, (s->steps - at) * sizeof(*s->step));
	s->step[at] = copy;
	s->steps++;
}

void segment_schedule_add(struct segment_schedule *s, const struct segment_step *step)
{
	segment_schedule_insert(s, s->steps, step);
}

void segment_schedule_remove(struct segment_schedule *s, unsigned from, unsigned count)
{
	memmove(s->step + from, s->step + from + count, (s->steps - from - count) * sizeof(*s->step));
	s->steps -= count;
}

void segment_schedule_copy(struct segment_schedule *to, const struct segment_schedule *from)
{
	struct segment_step *step;
	unsigned room;

	ensure_room(to, from->steps ? from->steps : 1);
	step = to->step;
	room = to->room;
	*to = *from;
	to->step = step;
	to->room = room;
	if (from->steps)
		memcpy(to->step, from->step, from->steps * sizeof(*step));
}

void segment_schedule_free(struct segment_schedule *s)
{
	free(s->step);
	memset(s, 0, sizeof(*s));
}

/* Each slot differs in one part of the key: ports, addresses, IP version, or the IPv6 address's first word. */
static void key_of(const struct segment_connection *c, unsigned generation, struct segref_key *key)
{
	uint8_t src = c->slot == 3 ? 3 : 2, dst = c->slot == 4 ? 9 : 1;

	memset(key, 0, sizeof(*key));
	key->ip_version = c->slot < 5 ? 4 : 6;
	key->src_port = (uint16_t)(0x4000 + 0x100 * generation + (c->slot == 1 ? 0x80 : 0) + c->ask);
	key->dst_port = c->slot == 2 ? 81 : 80;
	if (key->ip_version == 4) {
		memcpy(key->src, (const uint8_t[4]){ 10, 0, 0, src }, 4);
		memcpy(key->dst, (const uint8_t[4]){ 10, 0, 0, dst }, 4);
		return;
	}
	key->src[0] = c->slot == 6 ? 0xfc : 0xfd;
	key->src[15] = src;
	key->dst[0] = 0xfd;
	key->dst[15] = dst;
}

void segment_of_step(const struct segment_schedule *s, const struct segment_step *step, unsigned generation, struct segref_segment *out)
{
	static uint8_t payload[ENGINE_FRAME_MAX];
	uint32_t start = step->seq + (step->flags & SPIN_TCP_SYN ? 1 : 0);

	for (uint32_t i = 0; i < step->bytes; i++)
		payload[i] = (uint8_t)((start + i) * 0x9e3779b1u >> 24);
	*out = (struct segref_segment){ .seq = step->seq,
					.flags = step->flags,
					.bytes = step->bytes,
					.payload = payload,
					.ttl = (uint8_t)(0x40 | step->payload),
					.dscp = step->header_rc };
	key_of(&s->connection[step->connection], generation, &out->key);
}

static const char *ask_name(unsigned ask)
{
	static const char *const names[] = { "success", "drop", "fail", "segv", "process_data", "reply", "pending", "overrun" };

	return names[ask & 7];
}

static void print_step(const struct segment_step *t, FILE *to)
{
	static const char *const sums[] = { "", " sum partial", " sum zero", " sum ones", " sum wrong", " sum none" };
	static const char flags[] = "fsrpau";

	fprintf(to, "connection %u  seq %10u  bytes %-5u ", t->connection, t->seq, t->bytes);
	for (unsigned bit = 0; bit < 6; bit++)
		fputc(t->flags >> bit & 1 ? flags[bit] - 32 : '.', to);
	if (t->header_rc)
		fprintf(to, "  header returns %u", t->header_rc ^ SPIN_RC_PROCESS_DATA);
	if (t->payload & 7)
		fprintf(to, "  payload %s", ask_name(t->payload));
	if (t->payload & SEG_REWRITES)
		fprintf(to, "  rewrites");
	if (t->shape.tags)
		fprintf(to, "  tags %u", t->shape.tags);
	if (t->shape.ip_options || t->shape.options || t->shape.padding)
		fprintf(to, "  ip options %u, tcp options %u, padding %u", t->shape.ip_options, t->shape.options, t->shape.padding);
	fprintf(to, "%s\n", sums[t->shape.sum]);
}

void segment_schedule_print(const struct segment_schedule *s, FILE *to)
{
	fprintf(to, "# handler %s; ", segment_handlers[s->handler]);
	if (s->fresh)
		fprintf(to, "new keys\n");
	else
		fprintf(to, "each key had a connection that ended at %u\n", SEGMENT_EARLIER);
	for (unsigned i = 0; i < s->connections; i++) {
		const struct segment_connection *c = &s->connection[i];
		struct segref_key key;

		key_of(c, 0, &key);
		fprintf(to, "# connection %u: slot %u, IPv%u, completion handler: %s\n", i, c->slot, key.ip_version, ask_name(c->ask));
	}
	for (unsigned i = 0; i < s->steps; i++) {
		fprintf(to, "%3u  ", i + 1);
		print_step(&s->step[i], to);
	}
}
