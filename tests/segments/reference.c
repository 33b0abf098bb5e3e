/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reference of TCP segments (reference.h): computes in plain C what must happen to each segment of a connection that handlers see: to
 * which connection it belongs, which of its bytes are new, which handlers run, when the connection ends (steps 6 to 12 of
 * <spin/segment.h>). Tests compare the engines with it, on segments that generate.c makes. BREAKS(r, RULE) breaks one rule on purpose, and
 * the tests must then notice it, which shows that they test that rule. Called by reference_engine.c and generate.c. Accepted bytes are a
 * sorted list of ranges, and positions in a stream have 64 bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/return.h>
#include <spin/wire.h>

#include "tests/segments/reference.h"

#define BREAKS(r, rule) ((r)->breaks == SEGREF_BREAKS_##rule)

static const char *const rule_names[] = { "OBEYS",
#define RULE_NAME_(name, text) #name,
					  SEGREF_BREAKABLE(RULE_NAME_)
#undef RULE_NAME_
};

static const char *const rule_texts[] = { "none",
#define RULE_TEXT_(name, text) text,
					  SEGREF_BREAKABLE(RULE_TEXT_)
#undef RULE_TEXT_
};

const char *segref_rule_name(enum segref_rule rule, const char **text)
{
	*text = rule_texts[rule];
	return rule_names[rule];
}

void segref_start(struct segref *r, const struct segref_handlers *handlers, enum segref_rule breaks)
{
	*r = (struct segref){ .handlers = *handlers, .breaks = breaks };
}

void segref_stop(struct segref *r)
{
	while (r->all) {
		struct segref_connection *c = r->all;

		r->all = c->other;
		free(c);
	}
}

/* --- numbers --- */

/* a - b, modulo 2^32. */
static int32_t difference(const struct segref *r, uint32_t a, uint32_t b)
{
	if (BREAKS(r, UNSIGNED_ORDER))
		return a > b ? 1 : a < b ? -1 : 0;
	return (int32_t)(a - b);
}

static uint32_t start_of(const struct segref *r, const struct segref_segment *s)
{
	return s->seq + (s->flags & SPIN_TCP_SYN && !BREAKS(r, SYN_HAS_NO_NUMBER));
}

static int64_t first_of(const struct segref_connection *c)
{
	return c->range[0].from;
}

static int64_t next_of(const struct segref_connection *c)
{
	return c->range[0].to;
}

uint32_t segref_first(const struct segref_connection *c)
{
	return (uint32_t)first_of(c);
}

uint32_t segref_next(const struct segref_connection *c)
{
	return (uint32_t)next_of(c);
}

/* Returns the position of a sequence number that is near `next`. */
static int64_t position_of(const struct segref_connection *c, uint32_t number)
{
	return next_of(c) + (int32_t)(number - segref_next(c));
}

/* --- step 6: to which connection a segment belongs; and how far beyond `next` bytes are accepted (step 11) --- */

static int same_key(const struct segref *r, const struct segref_key *a, const struct segref_key *b)
{
	size_t bytes = a->ip_version == 4 ? 4 : 16;

	return a->ip_version == b->ip_version && (BREAKS(r, KEY_WITHOUT_SRC) || !memcmp(a->src, b->src, bytes)) &&
	       (BREAKS(r, KEY_WITHOUT_DST) || !memcmp(a->dst, b->dst, bytes)) &&
	       (BREAKS(r, KEY_WITHOUT_SRC_PORT) || a->src_port == b->src_port) &&
	       (BREAKS(r, KEY_WITHOUT_DST_PORT) || a->dst_port == b->dst_port);
}

struct segref_connection *segref_find(const struct segref *r, const struct segref_key *key)
{
	struct segref_connection *c = r->all;

	while (c && !same_key(r, &c->key, key))
		c = c->other;
	return c;
}

static int out_of_reach(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s)
{
	uint32_t from = BREAKS(r, REACH_FROM_FIRST) ? segref_first(c) : segref_next(c);
	int64_t distance = (int32_t)(start_of(r, s) - from), reach = SPIN_SEGMENT_REACH;

	if (BREAKS(r, NO_REACH) || (!s->bytes && BREAKS(r, REACH_OF_PAYLOAD_ONLY)))
		return 0;
	if (BREAKS(r, REACH_ONE_LESS))
		reach--;
	if (BREAKS(r, REACH_ONE_MORE))
		reach++;
	return distance > reach || distance < -reach;
}

enum belongs { TO_IT, BEGINS, TO_NONE };

static enum belongs belongs_if_alive(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s)
{
	int other_syn = s->flags & SPIN_TCP_SYN && start_of(r, s) != segref_first(c);

	/* RST begins nothing, so it belongs here, whatever else the segment has */
	if (s->flags & SPIN_TCP_RST && !BREAKS(r, RST_BEGINS))
		return BREAKS(r, RST_WITH_SYN) && other_syn ? TO_NONE : TO_IT;
	if (BREAKS(r, OTHER_SYN_BELONGS) && c->phase == SEGREF_OPEN)
		other_syn = 0;
	if (BREAKS(r, REFUSED_KEEPS_KEY) && c->phase == SEGREF_REFUSED)
		other_syn = 0;
	if (BREAKS(r, SAME_SYN_BEGINS) && s->flags & SPIN_TCP_SYN)
		other_syn = 1;
	if (BREAKS(r, REACH_BEGINS) && s->bytes && out_of_reach(r, c, s))
		return BEGINS;
	return other_syn ? BEGINS : TO_IT;
}

static enum belongs belongs_if_ended(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s)
{
	uint32_t start = start_of(r, s), end = start + s->bytes;
	int other_syn = s->flags & SPIN_TCP_SYN && start != segref_first(c);
	int payload_after = s->bytes && difference(r, segref_next(c), end) < 0;

	if (BREAKS(r, ENDED_TAKES_NO_SYN))
		other_syn = 0;
	if (BREAKS(r, ENDED_TAKES_SAME_SYN) && s->flags & SPIN_TCP_SYN)
		other_syn = 1;
	if (BREAKS(r, ENDED_TAKES_NO_PAYLOAD))
		payload_after = 0;
	if (BREAKS(r, ENDED_TAKES_OLD_PAYLOAD) && s->bytes)
		payload_after = 1;
	if (BREAKS(r, ENDED_TAKES_BY_START) && difference(r, start, segref_next(c)) < 0)
		payload_after = 0;
	return other_syn || payload_after ? BEGINS : TO_NONE;
}

static enum belongs belongs(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s)
{
	enum belongs to;

	if (c && c->phase == SEGREF_ENDED && BREAKS(r, ENDED_IS_FORGOTTEN))
		c = NULL;
	if (!c)
		to = s->flags & SPIN_TCP_SYN || (s->bytes && !BREAKS(r, PAYLOAD_BEGINS_NOTHING)) || BREAKS(r, ANYTHING_BEGINS) ? BEGINS
															       : TO_NONE;
	else
		to = c->phase == SEGREF_ENDED ? belongs_if_ended(r, c, s) : belongs_if_alive(r, c, s);
	return to == BEGINS && s->flags & SPIN_TCP_RST && !BREAKS(r, RST_BEGINS) ? TO_NONE : to;
}

/* --- handlers --- */

/* Returns the reason of an error code. An event reports the connection's first error. */
static enum spin_reason error_of(const struct segref *r, struct segref_connection *c, uint32_t rc, enum spin_handler_kind kind,
				 struct segref_result *out)
{
	uint32_t type = rc == SPIN_RC_FAIL      ? SPIN_EVENT_FAIL
			: rc == SPIN_RC_SEGV    ? SPIN_EVENT_SEGV
			: rc == SPIN_RC_OVERRUN ? SPIN_EVENT_OVERRUN
						: SPIN_EVENT_BAD_RETURN;

	if ((!c->had_error || BREAKS(r, EVERY_ERROR)) && !(BREAKS(r, COMPLETION_UNTOLD) && kind == SPIN_KIND_COMPLETION) &&
	    out->events < SEGREF_EVENTS_MAX)
		out->event[out->events++] = (struct segref_event){ type, kind };
	c->had_error = 1;
	return rc == SPIN_RC_FAIL      ? SPIN_REASON_FAILED
	       : rc == SPIN_RC_SEGV    ? SPIN_REASON_SEGV
	       : rc == SPIN_RC_OVERRUN ? SPIN_REASON_OVERRUN
				       : SPIN_REASON_BAD_RETURN;
}

static uint32_t saturated(uint64_t bytes)
{
	return bytes < SPIN_LENGTH_UNKNOWN ? (uint32_t)bytes : SPIN_LENGTH_UNKNOWN;
}

static void run_completion(const struct segref *r, struct segref_connection *c, const struct segref_segment *s, struct segref_result *out)
{
	int64_t end = BREAKS(r, LENGTH_OF_HANDLED) && c->highest > next_of(c) ? c->highest : next_of(c);
	uint64_t length = (uint64_t)(end - first_of(c)) + (BREAKS(r, FIN_IS_A_BYTE) && c->has_fin && c->fin == next_of(c));
	int flow_control = c->flow_control;
	uint32_t rc;

	if (BREAKS(r, FLOW_CONTROL_UNTOLD))
		flow_control = 0;
	if (BREAKS(r, FLOW_CONTROL_BY_DROP) && c->dropped_bytes)
		flow_control = 1;
	if (!r->handlers.completion)
		return;
	rc = r->handlers.completion(r->handlers.arg, s, saturated(length), saturated(c->dropped_bytes), flow_control);
	if ((rc != SPIN_RC_SUCCESS && rc != (SPIN_RC_SUCCESS | SPIN_RC_PENDING)) || (rc && BREAKS(r, PENDING_IS_BAD)))
		error_of(r, c, rc, SPIN_KIND_COMPLETION, out);
}

/* --- step 7: which segments begin a connection --- */

static struct segref_connection *begin(struct segref *r, struct segref_connection *before, const struct segref_segment *s,
				       struct segref_result *out)
{
	struct segref_connection *c = before ? before : calloc(1, sizeof(*c)), *other;
	const int64_t start = ((int64_t)1 << 40) + start_of(r, s);

	if (!c)
		abort();
	if (before && BREAKS(r, REPLACED_COMPLETES) && before->phase == SEGREF_OPEN)
		run_completion(r, before, s, out);
	other = before ? before->other : r->all;
	*c = (struct segref_connection){ .other = other, .key = s->key, .range = { { start, start } }, .ranges = 1, .highest = start };
	if (!before)
		r->all = c;
	return c;
}

static void run_header(const struct segref *r, struct segref_connection *c, const struct segref_segment *s, struct segref_result *out)
{
	uint32_t rc = r->handlers.header ? r->handlers.header(r->handlers.arg, s) : SPIN_RC_PROCESS_DATA;

	c->phase = SEGREF_OPEN;
	switch (rc & SPIN_RC_PENDING && !BREAKS(r, PENDING_IS_BAD) ? rc & ~(uint32_t)SPIN_RC_PENDING : rc) {
	case SPIN_RC_PROCESS_DATA:
		c->payload_runs = c->completion_runs = 1;
		return;
	case SPIN_RC_PROCEED:
		c->payload_runs = BREAKS(r, PROCEED_RUNS);
		c->completion_runs = BREAKS(r, COMPLETION_AFTER_PROCEED);
		return;
	case SPIN_RC_PROCEED | SPIN_RC_COMPLETE:
		c->completion_runs = !BREAKS(r, NO_COMPLETION_AFTER_COMPLETE);
		return;
	case SPIN_RC_DROP:
		c->phase = BREAKS(r, DROP_ENDS) ? SEGREF_ENDED : SEGREF_REFUSED;
		c->refusal = SPIN_REASON_HEADER_DROPPED;
		c->dropped_bytes += BREAKS(r, DROP_COUNTS_NOTHING) ? 0 : s->bytes;
		if (!BREAKS(r, DROP_WITHOUT_COMPLETION))
			run_completion(r, c, s, out);
		return;
	default:
		c->phase = BREAKS(r, ERROR_ENDS) ? SEGREF_ENDED : SEGREF_REFUSED;
		c->refusal = error_of(r, c, rc, SPIN_KIND_HEADER, out);
		c->dropped_bytes += s->bytes;
		if (BREAKS(r, ERROR_COMPLETES))
			run_completion(r, c, s, out);
	}
}

/* --- steps 10 and 11: which bytes are new, and what handlers get of them --- */

/* Adds a range to a sorted list and returns the number of ranges; those that overlap or touch become one. */
static unsigned add_range(const struct segref *r, const struct segref_range *list, unsigned count, struct segref_range add,
			  struct segref_range *out)
{
	int touching = !BREAKS(r, RANGES_NEVER_MERGE);
	unsigned used = 0;

	for (unsigned i = 0; i < count; i++) {
		int apart = i == 0 || touching ? list[i].to < add.from || add.to < list[i].from
					       : list[i].to <= add.from || add.to <= list[i].from;

		if (apart)
			continue;
		add.from = list[i].from < add.from ? list[i].from : add.from;
		add.to = list[i].to > add.to ? list[i].to : add.to;
	}
	for (unsigned i = 0; i < count; i++)
		if (list[i].to < add.from || (list[i].to == add.from && !touching))
			out[used++] = list[i];
	out[used++] = add;
	for (unsigned i = 0; i < count; i++)
		if (list[i].from > add.to || (list[i].from == add.to && !touching))
			out[used++] = list[i];
	return used;
}

/* Stores the ranges that the connection would have with this segment, and returns their number. Bytes before `first` are not in them. */
static unsigned ranges_with(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s,
			    struct segref_range *out)
{
	int64_t from = position_of(c, start_of(r, s)), to = from + s->bytes;

	if (from < first_of(c))
		from = first_of(c);
	if (!s->bytes || to <= from) {
		memcpy(out, c->range, c->ranges * sizeof(*out));
		return c->ranges;
	}
	return add_range(r, c->range, c->ranges, (struct segref_range){ from, to }, out);
}

static int beyond_window(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s)
{
	struct segref_range with[SEGREF_RANGES_MAX + 1];
	unsigned most = SPIN_SEGMENT_RANGES, needed = ranges_with(r, c, s, with) - 1;

	if (!s->bytes || position_of(c, start_of(r, s)) <= next_of(c))
		return 0;
	if (out_of_reach(r, c, s) && !BREAKS(r, REACH_NEEDS_RANGE))
		return 0;
	if (BREAKS(r, RANGES_ONE_LESS))
		most--;
	if (BREAKS(r, RANGES_ONE_MORE))
		most++;
	if (BREAKS(r, RANGES_BEFORE_MERGING))
		needed = c->ranges;
	if (BREAKS(r, RANGES_ONLY_WITH_HANDLER) && !(c->payload_runs && r->handlers.payload))
		return needed > SPIN_SEGMENT_RANGES + 2;
	return needed > most;
}

static int seen_before(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s)
{
	int64_t from = position_of(c, start_of(r, s)), to = from + s->bytes;

	if (BREAKS(r, REACH_SKIPS) && out_of_reach(r, c, s))
		return 1;
	if (BREAKS(r, OLD_PAYLOAD_SKIPPED) && to <= next_of(c))
		return 1;
	for (unsigned i = 1; i < c->ranges && BREAKS(r, OUT_OF_ORDER_SKIPPED); i++)
		if (c->range[i].from <= from && to <= c->range[i].to)
			return 1;
	return 0;
}

static void count_dropped(const struct segref *r, struct segref_connection *c, const struct segref_segment *s, enum spin_reason reason)
{
	int64_t to = position_of(c, start_of(r, s)) + s->bytes;

	if (reason == SPIN_REASON_DROPPED         ? BREAKS(r, DROPS_UNCOUNTED)
	    : reason == SPIN_REASON_BEYOND_WINDOW ? BREAKS(r, BEYOND_UNCOUNTED)
						  : BREAKS(r, ERRORS_UNCOUNTED))
		return;
	if (BREAKS(r, DROPS_COUNT_ONCE) && c->highest_dropped >= to)
		return;
	c->highest_dropped = to;
	c->dropped_bytes += s->bytes;
}

/* Step 10. */
static enum spin_reason handle_payload(const struct segref *r, struct segref_connection *c, const struct segref_segment *s,
				       struct segref_result *out)
{
	enum spin_reason reason = SPIN_REASON_PROCEEDED;
	uint32_t rc;

	if (beyond_window(r, c, s)) {
		c->flow_control = 1;
		count_dropped(r, c, s, SPIN_REASON_BEYOND_WINDOW);
		return SPIN_REASON_BEYOND_WINDOW;
	}
	if (!s->bytes || !c->payload_runs || !r->handlers.payload || seen_before(r, c, s))
		return SPIN_REASON_PROCEEDED;
	rc = r->handlers.payload(r->handlers.arg, s, start_of(r, s) - segref_first(c) + BREAKS(r, OFFSET_FROM_SYN));
	if (rc == SPIN_RC_SUCCESS)
		return SPIN_REASON_SUCCESS;
	if (rc == SPIN_RC_DROP || (rc == SPIN_RC_REPLIED && BREAKS(r, REPLY_IS_DROPPED)))
		reason = SPIN_REASON_DROPPED;
	else
		reason = error_of(r, c, rc, SPIN_KIND_PAYLOAD, out);
	count_dropped(r, c, s, reason);
	return reason;
}

/* The segment's bytes have been accepted. */
static void accept_fin(const struct segref *r, struct segref_connection *c, int64_t fin, int64_t not_before, int has_payload)
{
	if (BREAKS(r, FIN_BEFORE_RANGES) && fin < c->range[c->ranges - 1].to)
		return;
	if (fin < not_before && !BREAKS(r, FIN_BEFORE_NEXT))
		return;
	if ((!has_payload && BREAKS(r, FIN_WITHOUT_PAYLOAD)) || (c->has_fin && BREAKS(r, FIRST_FIN_STAYS)))
		return;
	c->has_fin = 1;
	c->fin = fin;
}

/* Step 11. */
static void accept(const struct segref *r, struct segref_connection *c, const struct segref_segment *s)
{
	struct segref_range with[SEGREF_RANGES_MAX + 1];
	int64_t end = position_of(c, start_of(r, s)) + s->bytes, next_before = next_of(c);

	if (out_of_reach(r, c, s))
		return;
	if (BREAKS(r, FIN_PROVEN_BY_RANGES) && s->bytes && end > c->fin)
		c->has_fin = 0;
	c->ranges = ranges_with(r, c, s, with);
	memcpy(c->range, with, c->ranges * sizeof(*with));
	if (s->bytes && end > c->highest)
		c->highest = end;
	if (s->flags & SPIN_TCP_FIN)
		accept_fin(r, c, end, BREAKS(r, FIN_BEFORE_OLD_NEXT) ? next_before : next_of(c), s->bytes != 0);
	if (c->has_fin && (BREAKS(r, FIN_PROVEN_BY_REACHING) && !(s->flags & SPIN_TCP_FIN) ? c->fin <= next_of(c) : c->fin < next_of(c)))
		c->has_fin = 0;
}

/* --- step 12: the end of a connection --- */

static void end(const struct segref *r, struct segref_connection *c, const struct segref_segment *s, struct segref_result *out)
{
	if (c->completion_runs && !(s->flags & SPIN_TCP_RST && BREAKS(r, RST_COMPLETES_NOTHING)))
		run_completion(r, c, s, out);
	if (!BREAKS(r, NEVER_ENDS))
		c->phase = SEGREF_ENDED;
}

static int rst_is_right(const struct segref *r, const struct segref_connection *c, const struct segref_segment *s)
{
	if (BREAKS(r, RST_IS_DEAF))
		return 0;
	if (BREAKS(r, RST_IN_REACH))
		return difference(r, s->seq, segref_next(c)) >= 0;
	if (BREAKS(r, RST_BY_START))
		return start_of(r, s) == segref_next(c);
	return s->seq == segref_next(c) || BREAKS(r, RST_NEEDS_NO_NUMBER);
}

static int is_complete(const struct segref *r, const struct segref_connection *c)
{
	return c->has_fin && (c->fin == next_of(c) || BREAKS(r, FIN_ENDS_AT_ONCE));
}

static int accepts(const struct segref *r, const struct segref_segment *s, enum spin_reason reason)
{
	if (reason == SPIN_REASON_DROPPED && BREAKS(r, DROPPED_IS_ACCEPTED))
		return 1;
	if (reason == SPIN_REASON_PROCEEDED && s->bytes && BREAKS(r, PROCEEDED_IS_NOT))
		return 0;
	return reason == SPIN_REASON_SUCCESS || reason == SPIN_REASON_PROCEEDED;
}

void segref_handle(struct segref *r, const struct segref_segment *s, struct segref_result *out)
{
	struct segref_connection *c = segref_find(r, &s->key);
	enum belongs to = belongs(r, c, s);

	*out = (struct segref_result){ .reason = SPIN_REASON_PROCEEDED };
	if (to == TO_NONE)
		return;
	if (to == BEGINS) {
		c = begin(r, c, s, out);
		run_header(r, c, s, out);
		out->reason = c->refusal;
		if (c->phase != SEGREF_OPEN)
			return;
	}
	out->reason = SPIN_REASON_PROCEEDED;
	if (c->phase == SEGREF_REFUSED && !(s->flags & SPIN_TCP_RST && BREAKS(r, REFUSED_ENDS_BY_RST))) {
		out->reason = BREAKS(r, REFUSED_GIVES_REASON) ? c->refusal : SPIN_REASON_HEADER_DROPPED;
		return;
	}
	if (s->flags & SPIN_TCP_RST && (!s->bytes || !BREAKS(r, RST_IS_HANDLED))) {
		if (rst_is_right(r, c, s))
			end(r, c, s, out);
		return;
	}
	out->reason = handle_payload(r, c, s, out);
	if (accepts(r, s, out->reason))
		accept(r, c, s);
	else if (s->flags & SPIN_TCP_FIN && BREAKS(r, DROPPED_FIN_COUNTS))
		accept_fin(r, c, position_of(c, start_of(r, s)) + s->bytes, next_of(c), 1);
	if (is_complete(r, c))
		end(r, c, s, out);
}
