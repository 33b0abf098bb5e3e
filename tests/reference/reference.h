/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_REFERENCE_H
#define TESTS_REFERENCE_REFERENCE_H

/*
 * The reference model of messages: what must become of each packet, from parsing to the completion handler (steps 6 to 13 of
 * <spin/message.h>), written in plain C from that text only: arrays, linear search, one packet at a time. Tests in tests/messages and
 * tests/live compare engines (executions of handlers) with it, so it shares no code with them. It aborts if a test exceeds its capacity.
 */
#include <stdint.h>

#include <spin/context.h>
#include <spin/message.h>
#include <spin/return.h>
#include <spin/slmp.h>

#include "user/conformance/engine.h"

/* Rules that it can break on request. Comparing must detect each of them. */
/* clang-format off */
#define REFERENCE_RULES(X) \
	X(FLOW_CONTROL_ACKNOWLEDGED, "flow_control_acknowledged") \
	X(DUPLICATE_UNACKNOWLEDGED,  "duplicate_unacknowledged") \
	X(WINDOW,                    "window_one_more") \
	X(TOMBSTONE,                 "tombstone_ends_early") \
	X(OTHER_FIRST,               "other_first_packet_is_a_duplicate") \
	X(OTHER_PACKET,              "other_packet_is_a_duplicate") \
	X(IDLE,                      "idle_ends_early") \
	X(DUPLICATE_RENEWS,          "duplicate_renews") \
	X(REPLAY_BACKWARDS,          "replay_backwards") \
	X(REPLAY_MAX,                "replay_one_more") \
	X(PENDING_UNLINKS,           "pending_unlinks") \
	X(SECOND_ERROR,              "second_error_has_event") \
	X(FLOW_CONTROL_FORGOTTEN,    "flow_control_forgotten") \
	X(LAST_ENTRY_FIRST,          "last_entry_first") \
	X(SOURCE,                    "entries_are_for_all_sources") \
	X(MIN_FREE,                  "managed_entry_is_never_full") \
	X(OVERFLOW,                  "overflow_list_is_no_list_of_its_own") \
	X(PLACE_KEPT,                "place_is_not_given_back") \
	X(COMPLETION_AFTER_PROCEED,  "completion_after_proceed") \
	X(EVICTION_KEEPS_ENTRY,      "eviction_keeps_entry") \
	X(SHORT_MIDDLE,              "short_middle_packet_taken") \
	X(CUT_OFF,                   "one_byte_behind_entry") \
	X(REFUSAL,                   "refuses_nothing") \
	X(REFUSAL_FORGOTTEN,         "refusal_forgotten") \
	X(EVICTED_FORGOTTEN,         "packets_of_an_ended_message_wait") \
	X(WAITING_FORGOTTEN,         "first_packet_begins_what_has_lost_others") \
	X(EVICTED_UNTOLD,            "nobody_begins_again") \
	X(PRESSURE,                  "nobody_yields") \
	X(QUIET,                     "yields_early") \
	X(AGE,                       "no_age_is_too_old")
/* clang-format on */

enum reference_rule {
	REFERENCE_OBEYS,
#define REFERENCE_RULE_(name, text) REFERENCE_BREAKS_##name,
	REFERENCE_RULES(REFERENCE_RULE_)
#undef REFERENCE_RULE_
		REFERENCE_RULES_END
};

const char *reference_rule_name(enum reference_rule rule);

#ifndef SPIN_LENGTH_UNKNOWN
#define SPIN_LENGTH_UNKNOWN 0xffffffffu
#endif

#define REFERENCE_PAYLOAD_MAX 9216u
#define REFERENCE_EVENTS_MAX  8192u
#define REFERENCE_PACKETS_MAX 8192u /* of one message */

struct reference_key {
	uint32_t ip_version;
	uint32_t src_addr[4]; /* network byte order */
	uint16_t src_port;    /* host byte order, like all fields below */
	uint32_t message_id;
};

/* A packet as parsed by step 6. */
struct reference_packet {
	struct reference_key key;
	uint16_t dst_port;
	uint32_t frame_bytes;
	int syn, eom, put;
	uint32_t offset;
	uint32_t put_length;
	uint64_t match_bits, hdr_data, put_offset;
	uint32_t sum;   /* checksum of the UDP payload */
	uint32_t bytes; /* of payload */
	int again;      /* result: the answer asks the sender to restart the message */
	uint8_t payload[REFERENCE_PAYLOAD_MAX];
};

struct reference_message {
	struct reference_key key;
	uint16_t dst_port; /* of its first packet */
	int open;          /* 0: waiting */
	unsigned mpq;      /* number of its MPQ */
	uint32_t opened_ms;
	uint32_t scan_handled, scan_stalls; /* packets handled at the last look; looks since the last handled packet */
	uint32_t last_packet_ms;            /* time of the last new packet */
	uint32_t me;                        /* SPIN_MES_MAX: none yet */
	int holds_me;
	int managed;   /* 1: its entry assigned it `room` bytes */
	int whole;     /* 1: its entry does not truncate messages */
	uint32_t room; /* bytes that the entry has for it, if it is managed or whole */
	uint32_t me_start, me_length, me_serial;
	uint64_t match_bits, hdr_data;
	uint32_t offset;          /* in the entry, saturated */
	enum spin_reason verdict; /* result of the header handler; SUCCESS: process data */
	int completes;            /* 1: it proceeded, and the completion handler runs */
	int pending;
	uint32_t stride, sum;
	int last_known;
	uint32_t last;   /* number of the last packet, if last_known */
	uint32_t length; /* of payload; or SPIN_LENGTH_UNKNOWN */
	uint8_t came[REFERENCE_PACKETS_MAX];
	uint32_t came_count;
	uint32_t dropped_bytes, deposited_bytes;
	int flow_control, error, refused, evicted, overflow;
	struct reference_packet *parked[SPIN_PARKING_MAX]; /* in order of arrival */
	unsigned parked_count;
	uint8_t scratchpad[SPIN_SCRATCHPAD_MAX];
};

struct reference;

/* The handlers that the interpreter calls. Each may be NULL. Return values are those of handlers. */
struct reference_handlers {
	uint32_t user_header_bytes, idle_ms;
	uint32_t (*header)(struct reference *r, struct reference_message *m, const struct reference_packet *p, uint32_t length,
			   uint32_t view_bytes);
	uint32_t (*payload)(struct reference *r, struct reference_message *m, const struct reference_packet *p, const uint8_t *at,
			    uint32_t bytes, uint32_t offset);
	uint32_t (*completion)(struct reference *r, struct reference_message *m);
	void *state;
	uint32_t state_bytes;
};

struct reference_tombstone {
	struct reference_key key;
	uint32_t left_ms;
	uint32_t stride, length, sum;  /* of its message */
	int refused, evicted, is_lost; /* is_lost: it was waiting */
};

struct reference {
	enum reference_rule breaks;
	struct spin_message_opts opts; /* with all defaults resolved */
	struct reference_handlers handlers;
	uint8_t *host;
	uint32_t now_ms;
	struct spin_me me[SPIN_MES_MAX];
	struct spin_process me_from[SPIN_MES_MAX]; /* used instead of the entries' own fields */
	uint32_t me_serial;
	uint32_t reserved_at, reserved;     /* for the current first packet */
	struct reference_message **message; /* in flight, in the order in which they were opened */
	unsigned messages;
	unsigned next_mpq;     /* after the last one taken */
	unsigned next_scan[2]; /* after the last MPQ and the last entry that pressure looked at */
	unsigned parked;
	struct reference_tombstone *tombstone;
	unsigned tombstones, tombstones_room;
	struct spin_message_stats stats;
	uint64_t reasons[SPIN_REASON_COUNT];
	struct spin_event *event; /* events of this step */
	unsigned events;
	unsigned replayed_messages; /* messages whose parked packets the last sweep handled */
};

struct reference_out {
	enum spin_reason reason;
	int acknowledged; /* 1: acknowledged or refused */
};

void reference_start(struct reference *r, const struct spin_message_opts *opts, const struct reference_handlers *handlers);
void reference_stop(struct reference *r);
/* Same as engine_ops.reset(). The handlers' state and the counters are kept. */
void reference_reset(struct reference *r);

/* Processes one datagram by its UDP payload. Fills in key.message_id and all fields of the payload. */
void reference_packet(struct reference *r, struct reference_packet *p, const uint8_t *udp_payload, uint32_t bytes,
		      struct reference_out *out);
void reference_clock(struct reference *r, uint32_t now_ms);
int reference_me_append(struct reference *r, const struct spin_me_opts *opts, unsigned *me);
int reference_me_unlink(struct reference *r, unsigned me);

/* For handlers. `to` is relative to the message's start in its entry. Returns 0 or SPIN_SEGV. */
int reference_dma(struct reference *r, struct reference_message *m, uint32_t to, const void *from, uint32_t bytes);

/* --- internals of the interpreter --- */

/* Step 6. */
int reference_parse(const struct reference *r, struct reference_packet *p, const uint8_t *udp, uint32_t bytes);
/* Steps 11 and 12 for an open message. *ended: the message no longer exists. */
enum spin_reason reference_open_packet(struct reference *r, struct reference_message *m, const struct reference_packet *p, int *ended);
/* The header handler part of step 8. */
void reference_run_header(struct reference *r, struct reference_message *m, const struct reference_packet *p, unsigned me);
/* Returns 1 if an entry for that source matches the packet's message. */
int reference_matches(const struct spin_me *me, const struct spin_process *from, const struct reference_packet *p);
/* Returns the entry that is open to a first packet, or SPIN_MES_MAX. */
unsigned reference_find_me(const struct reference *r, const struct reference_packet *p);
/* Reserves space in an entry that manages its offset, and releases it. */
void reference_reserve(struct reference *r, unsigned index, const struct reference_packet *p);
void reference_unreserve(struct reference *r, unsigned index);
/* Assigns the reserved space to the message. */
void reference_assign_space(struct reference *r, struct reference_message *m);
void reference_event(struct reference *r, const struct reference_message *m, enum spin_event_type type, enum spin_handler_kind kind,
		     uint32_t flags);
void reference_complete(struct reference *r, struct reference_message *m);
/* Ends a message before it is complete, because its packets no longer arrive or for another one. report 0: without an event. */
void reference_evict(struct reference *r, struct reference_message *m, int report);
/* Ends the message as refused. */
void reference_refuse(struct reference *r, struct reference_message *m);
/* Ends the message in favour of another one. */
void reference_preempt(struct reference *r, struct reference_message *m);
/* Pressure. Return 1 if a message has ended, so that an MPQ is free or an entry is open to the packet. */
int reference_reclaim_mpq(struct reference *r, const struct reference_packet *p);
int reference_reclaim_me(struct reference *r, const struct reference_packet *p);
/* Frees the message with its parked packets, and returns their number. */
unsigned reference_forget(struct reference *r, struct reference_message *m);
void reference_die(const char *reason) __attribute__((noreturn));

#endif
