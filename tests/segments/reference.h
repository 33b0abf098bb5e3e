/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_SEGMENTS_REFERENCE_H
#define TESTS_SEGMENTS_REFERENCE_H

/*
 * The reference of TCP segments: to which connection one belongs, which handlers run, which bytes are new, when the connection ends (steps
 * 6 to 12 of <spin/segment.h>). In plain C, written from that text alone: no limit on connections, no other HPU, nothing is evicted. Used
 * by tests/segments, which compare the engines (kernel, host build, model) with it.
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/context.h>
#include <spin/segment.h>

/* Rules that the reference can break, one at a time, so that a test can tell whether they are tested. */
/* clang-format off */
#define SEGREF_BREAKABLE(X) \
	/* 6: to which connection it belongs */ \
	X(OTHER_SYN_BELONGS, "a SYN with another start belongs to the open connection") \
	X(SAME_SYN_BEGINS, "a SYN that is sent again begins another connection") \
	X(REFUSED_KEEPS_KEY, "a SYN with another start belongs to the refused connection") \
	X(ENDED_TAKES_NO_SYN, "a SYN begins nothing if the key's connection has ended") \
	X(ENDED_TAKES_SAME_SYN, "a SYN that is sent again begins another connection after the end") \
	X(ENDED_TAKES_NO_PAYLOAD, "new payload begins nothing if the key's connection has ended") \
	X(ENDED_TAKES_OLD_PAYLOAD, "old payload begins another connection after the end") \
	X(ENDED_TAKES_BY_START, "payload after the end begins another connection only if its start is not before `next`") \
	X(ENDED_IS_FORGOTTEN, "an ended connection is as if it had not been") \
	X(PAYLOAD_BEGINS_NOTHING, "only a SYN begins a connection") \
	X(ANYTHING_BEGINS, "a segment without SYN and payload begins a connection") \
	X(RST_BEGINS, "a segment with RST begins a connection") \
	X(KEY_WITHOUT_SRC_PORT, "the key has no source port") \
	X(KEY_WITHOUT_DST_PORT, "the key has no destination port") \
	X(KEY_WITHOUT_SRC, "the key has no source address") \
	X(KEY_WITHOUT_DST, "the key has no destination address") \
	/* 7: how one begins */ \
	X(SYN_HAS_NO_NUMBER, "start is the sequence number of a SYN") \
	X(REPLACED_COMPLETES, "the completion handler runs for a connection that another one replaces") \
	X(DROP_WITHOUT_COMPLETION, "after DROP of the header handler the completion handler does not run") \
	X(ERROR_COMPLETES, "after an error of the header handler the completion handler runs") \
	X(DROP_ENDS, "after DROP of the header handler the connection has ended") \
	X(ERROR_ENDS, "after an error of the header handler the connection has ended") \
	X(DROP_COUNTS_NOTHING, "bytes dropped by the header handler are not in dropped_bytes") \
	X(PENDING_IS_BAD, "the PENDING forms are invalid") \
	/* 8 and 9: refused, RST */ \
	X(REFUSED_GIVES_REASON, "segments of a refused connection are dropped for the reason of the first one") \
	X(REFUSED_ENDS_BY_RST, "RST ends a refused connection") \
	X(RST_IS_DEAF, "RST ends nothing") \
	X(RST_NEEDS_NO_NUMBER, "RST ends the connection whatever its sequence number") \
	X(RST_IN_REACH, "RST ends the connection if its sequence number is at or after `next`") \
	X(RST_WITH_SYN, "a RST with SYN and another start belongs to no connection") \
	X(RST_BY_START, "RST ends the connection if its start is `next`") \
	X(RST_IS_HANDLED, "payload of RST is handled") \
	X(RST_COMPLETES_NOTHING, "the completion handler does not run after RST") \
	/* 10: payload */ \
	X(OFFSET_FROM_SYN, "offsets begin with 1") \
	X(OLD_PAYLOAD_SKIPPED, "payload before `next` is not handled again") \
	X(OUT_OF_ORDER_SKIPPED, "payload that was accepted beyond `next` is not handled again") \
	X(RANGES_ONE_LESS, "one range less") \
	X(RANGES_ONE_MORE, "one range more") \
	X(RANGES_NEVER_MERGE, "ranges that touch do not become one") \
	X(RANGES_BEFORE_MERGING, "a segment beyond a gap needs a range of its own, even if it touches others") \
	X(RANGES_ONLY_WITH_HANDLER, "ranges are not limited if no payload handler runs") \
	X(REPLY_IS_DROPPED, "a reply is DROPPED") \
	X(PROCEED_RUNS, "payload handlers run after PROCEED") \
	/* 11: what is accepted */ \
	X(DROPPED_IS_ACCEPTED, "a segment that the payload handler dropped is accepted") \
	X(DROPPED_FIN_COUNTS, "the FIN of a segment that was dropped is accepted") \
	X(PROCEEDED_IS_NOT, "a segment without a payload handler's run is not accepted") \
	X(NO_REACH, "a segment out of reach is accepted") \
	X(REACH_ONE_LESS, "a segment at the end of the reach is not accepted") \
	X(REACH_ONE_MORE, "a segment just out of reach is accepted") \
	X(REACH_FROM_FIRST, "reach is counted from `first`") \
	X(REACH_OF_PAYLOAD_ONLY, "a FIN without payload is accepted out of reach") \
	X(REACH_BEGINS, "payload out of reach begins another connection") \
	X(REACH_SKIPS, "payload out of reach is not handled") \
	X(REACH_NEEDS_RANGE, "payload out of reach is BEYOND_WINDOW if the ranges are used") \
	X(FIN_WITHOUT_PAYLOAD, "a FIN without payload is not accepted") \
	X(FIN_BEFORE_NEXT, "a FIN before `next` takes the place of the one known") \
	X(FIN_BEFORE_OLD_NEXT, "a FIN is compared with `next` as it was before its segment") \
	X(FIN_BEFORE_RANGES, "a FIN before accepted bytes beyond a gap does not become `fin`") \
	X(FIRST_FIN_STAYS, "a FIN does not take the place of the one known") \
	X(FIN_PROVEN_BY_RANGES, "a FIN is forgotten when bytes beyond it are accepted, even beyond a gap") \
	X(FIN_PROVEN_BY_REACHING, "a FIN is forgotten when `next` reaches it") \
	X(FIN_IS_A_BYTE, "a FIN that is reached counts as a byte") \
	/* 12 */ \
	X(COMPLETION_AFTER_PROCEED, "the completion handler runs after PROCEED") \
	X(NO_COMPLETION_AFTER_COMPLETE, "the completion handler does not run after PROCEED_COMPLETE") \
	X(FIN_ENDS_AT_ONCE, "a FIN ends the connection, whatever is missing") \
	X(NEVER_ENDS, "a connection goes on after its completion handler") \
	/* arguments and events */ \
	X(LENGTH_OF_HANDLED, "length is the end of the highest segment that was accepted") \
	X(DROPS_UNCOUNTED, "bytes that the payload handler dropped are not in dropped_bytes") \
	X(ERRORS_UNCOUNTED, "bytes that an error dropped are not in dropped_bytes") \
	X(DROPS_COUNT_ONCE, "bytes that are dropped again count once") \
	X(BEYOND_UNCOUNTED, "bytes BEYOND_WINDOW are not in dropped_bytes") \
	X(FLOW_CONTROL_UNTOLD, "flow_control_triggered is always 0") \
	X(FLOW_CONTROL_BY_DROP, "flow_control_triggered is 1 if a handler dropped a segment") \
	X(EVERY_ERROR, "events for all errors") \
	X(COMPLETION_UNTOLD, "no event for the completion handler's error") \
	/* numbers */ \
	X(UNSIGNED_ORDER, "sequence numbers are compared as they are")
/* clang-format on */

enum segref_rule {
	SEGREF_OBEYS,
#define SEGREF_RULE_(name, text) SEGREF_BREAKS_##name,
	SEGREF_BREAKABLE(SEGREF_RULE_)
#undef SEGREF_RULE_
		SEGREF_RULES_END
};

struct segref_key {
	uint32_t ip_version;
	uint8_t src[16], dst[16]; /* IPv4 uses the first four bytes */
	uint16_t src_port, dst_port;
};

struct segref_segment {
	struct segref_key key;
	uint32_t seq;
	uint8_t flags;  /* SPIN_TCP_* */
	uint32_t bytes; /* of payload */
	/* for the handlers, not for the reference */
	const uint8_t *payload;
	uint8_t ttl, dscp;
};

/* The handlers; NULL: not registered. They return codes of <spin/return.h>, or SPIN_RC_OVERRUN for a run that overran. */
struct segref_handlers {
	uint32_t (*header)(void *arg, const struct segref_segment *s);
	uint32_t (*payload)(void *arg, const struct segref_segment *s, uint32_t offset);
	uint32_t (*completion)(void *arg, const struct segref_segment *s, uint32_t length, uint32_t dropped_bytes, int flow_control);
	void *arg;
};

/* The first error of a connection. */
struct segref_event {
	uint32_t type;    /* enum spin_event_type; 0: none */
	uint32_t handler; /* enum spin_handler_kind */
};

#define SEGREF_EVENTS_MAX 4 /* of one segment */

struct segref_result {
	enum spin_reason reason;
	unsigned events; /* at most 1 unless a rule is broken */
	struct segref_event event[SEGREF_EVENTS_MAX];
};

/*
 * Positions in the stream, in 64 bits: they have the lower 32 bits of sequence numbers, and do not wrap. `to` is the first byte that is not
 * in the range.
 */
struct segref_range {
	int64_t from, to;
};

#define SEGREF_RANGES_MAX (SPIN_SEGMENT_RANGES + 4)

enum segref_phase { SEGREF_OPEN, SEGREF_REFUSED, SEGREF_ENDED };

struct segref_connection {
	struct segref_connection *other; /* in the list of all */
	struct segref_key key;
	enum segref_phase phase;
	enum spin_reason refusal;
	int payload_runs, completion_runs; /* by the header handler's return code */
	/* the bytes accepted, in order, without overlap; range[0] is from `first` to `next`, and may be empty */
	struct segref_range range[SEGREF_RANGES_MAX];
	unsigned ranges;
	int has_fin;
	int64_t fin;
	int had_error;
	uint64_t dropped_bytes;
	int flow_control;
	int64_t highest, highest_dropped; /* only for broken rules */
	uint32_t scratch;                 /* for the handlers; 0 when the connection begins */
};

struct segref {
	struct segref_handlers handlers;
	struct segref_connection *all;
	enum segref_rule breaks;
};

void segref_start(struct segref *r, const struct segref_handlers *handlers, enum segref_rule breaks);
/* Forgets all connections. */
void segref_stop(struct segref *r);
void segref_handle(struct segref *r, const struct segref_segment *s, struct segref_result *out);

/* Returns the key's connection, or NULL. */
struct segref_connection *segref_find(const struct segref *r, const struct segref_key *key);
/* Sequence numbers of an open or ended connection. */
uint32_t segref_first(const struct segref_connection *c);
uint32_t segref_next(const struct segref_connection *c);
/* Returns "RANGES_ONE_LESS"; *text is the rule that is broken. */
const char *segref_rule_name(enum segref_rule rule, const char **text);

#endif
