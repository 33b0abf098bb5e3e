/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_REFERENCE_H
#define TESTS_REFERENCE_REFERENCE_H

/*
 * A plain interpreter of steps 6 to 13 of <spin/message.h>, written from that text and
 * nothing else: arrays, linear search, one packet after the other. Engines are compared
 * with it, so it shares no code with any of them. It aborts where a test gives it what it
 * cannot hold.
 */
#include <stdint.h>

#include <spin/context.h>
#include <spin/message.h>
#include <spin/return.h>
#include <spin/slmp.h>

#include "user/conformance/engine.h"

/* Rules that it can be told to get wrong: comparing must notice each of them. */
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
	X(PRESSED_FORGOTTEN,         "packets_of_an_ended_message_wait") \
	X(PRESSED_UNTOLD,            "nobody_begins_again") \
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
	uint16_t src_port;    /* host byte order, as all below */
	uint32_t message_id;
};

/* A packet as step 6 understood it. */
struct reference_packet {
	struct reference_key key;
	uint16_t dst_port;
	uint32_t frame_bytes;
	int syn, eom, put;
	uint32_t offset;
	uint32_t put_length;
	uint64_t match_bits, hdr_data, put_offset;
	uint32_t sum;   /* of the datagram's payload */
	uint32_t bytes; /* of payload */
	int again;      /* out: the answer asks its sender to begin the message again */
	uint8_t payload[REFERENCE_PAYLOAD_MAX];
};

struct reference_message {
	struct reference_key key;
	uint16_t dst_port; /* of the packet that it began with */
	int open;          /* 0: waiting */
	unsigned mpq;      /* its number */
	uint32_t opened_ms;
	uint32_t looked_handled, looked_times; /* packets that were handled when it was looked at; how often since the last one */
	uint32_t last_packet_ms;               /* that was new */
	uint32_t me;                           /* SPIN_MES_MAX: none yet */
	int took_me;
	int managed;   /* its entry gave it its place, of `room` bytes */
	int whole;     /* its entry truncates nothing, */
	uint32_t room; /* and has so many bytes for it, as one that manages its offset */
	uint32_t me_start, me_length, me_serial;
	uint64_t match_bits, hdr_data;
	uint32_t offset;       /* in the entry, saturated */
	enum spin_reason said; /* by the header handler; SUCCESS: process data */
	int completes;         /* it proceeded, and the completion handler runs */
	int pending;
	uint32_t stride, sum;
	int last_known;
	uint32_t last;   /* packet, if that is known */
	uint32_t length; /* of payload; SPIN_LENGTH_UNKNOWN */
	uint8_t came[REFERENCE_PACKETS_MAX];
	uint32_t came_count;
	uint32_t dropped_bytes, deposited_bytes;
	int flow_control, error, refused, pressed, overflow;
	struct reference_packet *parked[SPIN_PARKING_MAX]; /* in order of arrival */
	unsigned parked_count;
	uint8_t scratchpad[SPIN_SCRATCHPAD_MAX];
};

struct reference;

/* What handlers do, as the interpreter calls them; each may be NULL. They return what handlers return. */
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
	uint32_t stride, length, sum; /* of its message */
	int refused, pressed;
};

struct reference {
	enum reference_rule breaks;
	struct spin_message_opts opts; /* none is left at its default */
	struct reference_handlers handlers;
	uint8_t *host;
	uint32_t now_ms;
	struct spin_me me[SPIN_MES_MAX];
	struct spin_process me_from[SPIN_MES_MAX]; /* in place of their own fields */
	uint32_t me_serial;
	uint32_t reserved_at, reserved;     /* for the first packet at hand */
	struct reference_message **message; /* in flight, in the order they were opened */
	unsigned messages;
	unsigned next_mpq;       /* behind the one that was taken last */
	unsigned next_looked[2]; /* behind the MPQ, and the entry, that was looked at last */
	unsigned parked;
	struct reference_tombstone *tombstone;
	unsigned tombstones, tombstones_room;
	struct spin_message_stats stats;
	uint64_t reasons[SPIN_REASON_COUNT];
	struct spin_event *event; /* of this step */
	unsigned events;
	unsigned swept_messages; /* messages of which the last sweep handled parked packets */
};

struct reference_out {
	enum spin_reason reason;
	int acknowledged; /* or refused */
};

void reference_start(struct reference *r, const struct spin_message_opts *opts, const struct reference_handlers *handlers);
void reference_stop(struct reference *r);
/* As engine_ops.reset(); the handlers' state and the counts stay. */
void reference_reset(struct reference *r);

/* One datagram: its UDP payload; key.message_id and all that the payload has is filled in. */
void reference_packet(struct reference *r, struct reference_packet *p, const uint8_t *udp_payload, uint32_t bytes,
		      struct reference_out *out);
void reference_clock(struct reference *r, uint32_t now_ms);
int reference_me_append(struct reference *r, const struct spin_me_opts *opts, unsigned *me);
int reference_me_unlink(struct reference *r, unsigned me);

/* For handlers: 0, or SPIN_SEGV; `to` in the message's place. */
int reference_dma(struct reference *r, struct reference_message *m, uint32_t to, const void *from, uint32_t bytes);

/* --- between the parts of the interpreter --- */

/* Step 6. */
int reference_understand(const struct reference *r, struct reference_packet *p, const uint8_t *udp, uint32_t bytes);
/* Steps 11 and 12 of an open message. *ended: the message is no more. */
enum spin_reason reference_open_packet(struct reference *r, struct reference_message *m, const struct reference_packet *p, int *ended);
/* The header handler's part of step 8. */
void reference_begin(struct reference *r, struct reference_message *m, const struct reference_packet *p, unsigned me);
/* Is an entry of that source for the packet's message? */
int reference_fits(const struct spin_me *me, const struct spin_process *from, const struct reference_packet *p);
/* The entry that is open to a first packet; SPIN_MES_MAX: none. */
unsigned reference_find_me(const struct reference *r, const struct reference_packet *p);
/* A place in an entry, if that manages its offset; and back. */
void reference_reserve(struct reference *r, unsigned index, const struct reference_packet *p);
void reference_unreserve(struct reference *r, unsigned index);
/* Gives it to the message. */
void reference_place(struct reference *r, struct reference_message *m);
void reference_event(struct reference *r, const struct reference_message *m, enum spin_event_type type, enum spin_handler_kind kind,
		     uint32_t flags);
void reference_complete(struct reference *r, struct reference_message *m);
void reference_evict(struct reference *r, struct reference_message *m, int tell);
/* The message ends as refused. */
void reference_refuse(struct reference *r, struct reference_message *m);
/* The message ends for another one. */
void reference_press(struct reference *r, struct reference_message *m);
/* Pressure: 1 if a message has ended, so that an MPQ is free or an entry open to the packet. */
int reference_press_mpq(struct reference *r, const struct reference_packet *p);
int reference_press_me(struct reference *r, const struct reference_packet *p);
/* Frees the message with what is parked; how many that were. */
unsigned reference_forget(struct reference *r, struct reference_message *m);
void reference_die(const char *why) __attribute__((noreturn));

#endif
