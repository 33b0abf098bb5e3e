/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The table of TCP connections in the modelled NIC: to which connection a segment belongs, which bytes of it have been accepted, and which
 * connection yields if the table is full: steps 6, 7, 11 and part of 10 and 12 of <spin/segment.h>. Called by segment.c. Invariant: the
 * accepted ranges of a connection lie after its first missing byte, and its FIN, if it is known, not before it.
 */
#include <stdlib.h>
#include <string.h>

#include <spin/message.h>
#include <spin/return.h>
#include <spin/wire.h>

#include "hwmodel/nic/connection.h"

/* --- sequence numbers: modulo 2^32 --- */

static int is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static uint32_t max_seq(uint32_t a, uint32_t b)
{
	return is_before(a, b) ? b : a;
}

static uint32_t read_be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void tcp_segment__read(struct tcp_segment *segment, const uint8_t *frame, const struct inbound *in)
{
	const uint8_t *tcp = frame + in->ip_off + in->ip_bytes;
	const uint8_t flags = tcp[offsetof(struct spin_tcp, flags)];

	segment->syn = !!(flags & SPIN_TCP_SYN);
	segment->fin = !!(flags & SPIN_TCP_FIN);
	segment->rst = !!(flags & SPIN_TCP_RST);
	segment->bytes = in->payload_bytes;
	segment->seq = read_be32(tcp + offsetof(struct spin_tcp, seq));
	segment->start = segment->seq + (uint32_t)segment->syn;
	segment->end = segment->start + segment->bytes;
}

/* Adds the bytes to the ranges. Returns 0, or -1 if out of memory. */
static int ranges__add(struct byte_ranges *ranges, uint32_t from, uint32_t to)
{
	unsigned first = 0, end;

	while (first < ranges->count && is_before(ranges->at[first].to, from))
		first++;
	for (end = first; end < ranges->count && !is_before(to, ranges->at[end].from); end++) {
		from = is_before(from, ranges->at[end].from) ? from : ranges->at[end].from;
		to = max_seq(to, ranges->at[end].to);
	}
	if (ranges->count == ranges->room) {
		unsigned room = ranges->room ? 2 * ranges->room : 2 * SPIN_SEGMENT_RANGES;
		struct byte_range *at = realloc(ranges->at, room * sizeof(*at));

		if (!at)
			return -1;
		ranges->at = at;
		ranges->room = room;
	}
	memmove(ranges->at + first + 1, ranges->at + end, (ranges->count - end) * sizeof(*ranges->at));
	ranges->count = ranges->count - (end - first) + 1;
	ranges->at[first] = (struct byte_range){ from, to };
	return 0;
}

/* Step 11: such a segment is handled, but not accepted. */
static int is_out_of_reach(uint32_t next, const struct tcp_segment *s)
{
	const int32_t ahead = (int32_t)(s->start - next);

	return ahead > (int32_t)SPIN_SEGMENT_REACH || ahead < -(int32_t)SPIN_SEGMENT_REACH;
}

/* Adds those of the segment's bytes that are not before `next`. */
static int ranges__add_segment(struct byte_ranges *ranges, uint32_t next, const struct tcp_segment *s)
{
	return s->bytes && !is_out_of_reach(next, s) && is_before(next, s->end) ? ranges__add(ranges, max_seq(s->start, next), s->end) : 0;
}

/* --- keys --- */

void connection_key__read(struct connection_key *key, const uint8_t *frame, const struct inbound *in)
{
	const uint8_t *ip = frame + in->ip_off;
	const size_t bytes = in->is_ip4 ? 4 : 16;
	const uint8_t *src = ip + (in->is_ip4 ? offsetof(struct spin_ip4, src) : offsetof(struct spin_ip6, src));

	*key = (struct connection_key){ .ip_version = in->is_ip4 ? 4 : 6 };
	memcpy(key->src_addr, src, bytes);
	memcpy(key->dst_addr, src + bytes, bytes);
	memcpy(&key->ports, ip + in->ip_bytes, sizeof(key->ports));
}

static unsigned hash_of(const struct connection_key *key)
{
	const uint32_t *words = (const uint32_t *)key;
	uint32_t hash = 0;

	for (unsigned i = 0; i < sizeof(*key) / sizeof(*words); i++)
		hash = (hash ^ words[i]) * 2654435761u;
	return (hash >> 16) % CONNECTION_LISTS;
}

struct connection *connections__find(const struct connections *connections, const struct connection_key *key)
{
	struct connection *c = connections->list[hash_of(key)];

	while (c && memcmp(&c->key, key, sizeof(*key)))
		c = c->next_listed;
	return c;
}

static void remove_from_list(struct connections *connections, struct connection *c)
{
	struct connection **at = &connections->list[hash_of(&c->key)];

	while (*at != c)
		at = &(*at)->next_listed;
	*at = c->next_listed;
}

void connections__clear(struct connections *connections)
{
	for (unsigned i = 0; i < connections->used; i++)
		free(connections->all[i].accepted.at);
	free(connections->trial.at);
	*connections = (struct connections){ 0 };
}

/* --- step 6 --- */

enum segment_role connection__role(const struct connection *c, const struct tcp_segment *s)
{
	const int is_other_syn = s->syn && !s->rst && (!c || s->start != c->first);

	if (!c && !is_other_syn && !s->bytes)
		return SEGMENT_PASSES;
	if (c && c->state == CONNECTION_ENDED && !is_other_syn && !(s->bytes && is_before(c->next, s->end)))
		return SEGMENT_PASSES;
	if (c && c->state != CONNECTION_ENDED && !is_other_syn)
		return SEGMENT_BELONGS;
	return s->rst ? SEGMENT_PASSES : SEGMENT_BEGINS;
}

/* --- step 7 --- */

static int is_over(const struct connection *c)
{
	return c->state == CONNECTION_REFUSED || c->state == CONNECTION_ENDED;
}

static int rests(const struct connection *c)
{
	return !c->running_count && !c->waiting.first;
}

static int yields(const struct connection *c)
{
	return rests(c) && (is_over(c) || c->accepted_segments < SPIN_PROVEN_PACKETS);
}

/* Are they of one source: an IPv4 address, or the first 64 bits of an IPv6 address? */
static int same_source(const struct connection_key *a, const struct connection_key *b)
{
	return a->ip_version == b->ip_version && !memcmp(a->src_addr, b->src_addr, 2 * sizeof(a->src_addr[0]));
}

/* Returns the connection that yields to a key of another source, if all connections are of one. The table is full. */
static struct connection *place_of_other_source(struct connections *connections, const struct connection_key *key)
{
	const struct connection_key *first = &connections->all[0].key;
	struct connection *least = NULL;

	if (same_source(first, key))
		return NULL;
	for (unsigned i = 0; i < SPIN_CONNECTIONS_MAX; i++) {
		struct connection *c = &connections->all[i];

		if (!same_source(first, &c->key))
			return NULL;
		if (rests(c) && (!least || c->accepted_segments < least->accepted_segments))
			least = c;
	}
	return least;
}

/* Does `a` yield before `b`? Those that are over come first, in the order in which they ended; then those with the fewest segments. */
static int yields_before(const struct connection *a, const struct connection *b)
{
	if (is_over(a) != is_over(b))
		return is_over(a);
	return is_over(a) ? a->over < b->over : a->accepted_segments < b->accepted_segments;
}

struct connection *connections__place(struct connections *connections, const struct connection_key *key, struct connection *old)
{
	struct connection *best = NULL;

	if (old)
		return old;
	if (connections->used < SPIN_CONNECTIONS_MAX)
		return &connections->all[connections->used];
	for (unsigned i = 0; i < SPIN_CONNECTIONS_MAX; i++) {
		struct connection *c = &connections->all[i];

		if (yields(c) && (!best || yields_before(c, best)))
			best = c;
	}
	return best ? best : place_of_other_source(connections, key);
}

void connection__begin(struct connections *connections, struct connection *place, const struct connection_key *key,
		       const struct tcp_segment *s, enum connection_state state)
{
	const unsigned number = (unsigned)(place - connections->all);
	const struct byte_ranges empty = { .at = place->accepted.at, .room = place->accepted.room };
	struct connection **list = &connections->list[hash_of(key)];

	if (number == connections->used)
		connections->used++;
	else
		remove_from_list(connections, place);
	*place = (struct connection){
		.next_listed = *list,
		.key = *key,
		.number = number,
		.state = state,
		.header_rc = SPIN_RC_PROCESS_DATA,
		.first = s->start,
		.next = s->start,
		.accepted = empty,
		.waiting = place->waiting,
		.next_resumed = place->next_resumed,
		.is_resumed = place->is_resumed,
	};
	*list = place;
}

/* --- steps 10 to 12 --- */

/* Returns how many of the ranges lie beyond a gap. */
static unsigned beyond_gap(const struct byte_ranges *ranges, uint32_t next)
{
	return ranges->count - (ranges->count && ranges->at[0].from == next);
}

int connection__has_room(struct connections *connections, const struct connection *c, const struct tcp_segment *s)
{
	struct byte_ranges *trial = &connections->trial;
	unsigned before;
	int failed = 0;

	if (!s->bytes || !is_before(c->next, s->start) || is_out_of_reach(c->next, s))
		return 1;
	trial->count = 0;
	for (unsigned i = 0; i < c->accepted.count; i++)
		failed |= ranges__add(trial, c->accepted.at[i].from, c->accepted.at[i].to);
	for (const struct inflight *running = c->running; running; running = running->next_running)
		failed |= ranges__add_segment(trial, c->next, &running->arrival.segment);
	before = beyond_gap(trial, c->next);
	failed |= ranges__add_segment(trial, c->next, s);
	if (failed)
		return -1;
	return beyond_gap(trial, c->next) <= (before > SPIN_SEGMENT_RANGES ? before : SPIN_SEGMENT_RANGES);
}

int connection__accept(struct connection *c, const struct tcp_segment *s)
{
	struct byte_ranges *accepted = &c->accepted;

	if (is_out_of_reach(c->next, s))
		return 0;
	if (ranges__add_segment(accepted, c->next, s))
		return -1;
	if (accepted->count && accepted->at[0].from == c->next) {
		c->length_bytes += accepted->at[0].to - c->next;
		c->next = accepted->at[0].to;
		accepted->count--;
		memmove(accepted->at, accepted->at + 1, accepted->count * sizeof(*accepted->at));
	}
	c->accepted_segments++;
	if (c->has_fin && is_before(c->fin, c->next))
		c->has_fin = 0;
	if (s->fin && !is_before(s->end, c->next)) {
		c->has_fin = 1;
		c->fin = s->end;
	}
	return 0;
}

int connection__would_end(const struct connection *c, const struct tcp_segment *s)
{
	uint32_t next = c->next, fin = c->fin;
	int has_fin = c->has_fin;

	if (is_out_of_reach(next, s))
		return 0;
	if (s->bytes && !is_before(next, s->start))
		next = max_seq(next, s->end);
	for (unsigned i = 0; i < c->accepted.count && !is_before(next, c->accepted.at[i].from); i++)
		next = max_seq(next, c->accepted.at[i].to);
	if (s->fin && !is_before(s->end, next)) {
		has_fin = 1;
		fin = s->end;
	}
	return has_fin && fin == next;
}
