/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_MESSAGE_H
#define USER_SPINCTL_RUN_MESSAGE_H

/*
 * Options of handlers that take messages of many packets (--messages, --entry and others), and their counters and events. Used by spinctl
 * run, record and status.
 */
#include <spin/libspin_message.h>
#include "user/spinctl/memory.h"
#include "user/spinctl/spinctl.h"

/* Options for handlers that take messages. */
struct message_options {
	unsigned host_kib, messages, window;
	const char *handler_mem; /* handler memory of the first entry; NULL: not given */
	double idle_s, age_s, tombstone_s;
	int put, no_entry; /* no_entry: start without an entry, also if `entries` is empty */
	struct option_list entries;
};

#define MESSAGE_OPTIONS(TYPE, member)                                                                                                            \
	{ "host-kib", 0, OPTION_UINT, "N", offsetof(TYPE, member.host_kib), "host memory in KiB (default: 1024, at most 262144)" },              \
		{ "handler-mem",                                                                                                                 \
		  0,                                                                                                                             \
		  OPTION_STRING,                                                                                                                 \
		  "START+LENGTH[,...]",                                                                                                          \
		  offsetof(TYPE, member.handler_mem),                                                                                            \
		  "bytes of the host memory that are the handlers' own (default: of datagrams all, of messages none)" },                         \
		{ "messages",                                                                                                                    \
		  0,                                                                                                                             \
		  OPTION_UINT,                                                                                                                   \
		  "N",                                                                                                                           \
		  offsetof(TYPE, member.messages),                                                                                               \
		  "of messages: in flight at a time (default: 512, at most 4096)" },                                                             \
		{ "window",                                                                                                                      \
		  0,                                                                                                                             \
		  OPTION_UINT,                                                                                                                   \
		  "N",                                                                                                                           \
		  offsetof(TYPE, member.window),                                                                                                 \
		  "of messages: packets taken beyond the lowest missing one (default: 1024, at most 262080)" },                                  \
		{ "idle",                                                                                                                        \
		  0,                                                                                                                             \
		  OPTION_SECONDS,                                                                                                                \
		  "SEC",                                                                                                                         \
		  offsetof(TYPE, member.idle_s),                                                                                                 \
		  "of messages: one without new packets for so long is evicted (default: the handler's, or 2)" },                                \
		{ "age",                                                                                                                         \
		  0,                                                                                                                             \
		  OPTION_SECONDS,                                                                                                                \
		  "SEC",                                                                                                                         \
		  offsetof(TYPE, member.age_s),                                                                                                  \
		  "of messages: an older one that hardly comes on yields to others when these find no room (default: 30)" },                     \
		{ "tombstone",                                                                                                                   \
		  0,                                                                                                                             \
		  OPTION_SECONDS,                                                                                                                \
		  "SEC",                                                                                                                         \
		  offsetof(TYPE, member.tombstone_s),                                                                                            \
		  "of messages: packets of a completed one are known for so long (default: 2)" },                                                \
		{ "put", 0, OPTION_FLAG, NULL, offsetof(TYPE, member.put), "of messages: senders may tell match bits, length and offset" },      \
	{                                                                                                                                        \
		"entry", 0, OPTION_LIST, "WORDS", offsetof(TYPE, member.entries),                                                                \
			"of messages: post a matching entry: 'match=0x10 ignore=0xf start=0 length=4096 mem=4096+64 once'; spin-handler(7) has " \
			"all words (default: one that stays, open to all, over the whole host memory)"                                           \
	}

/* Returns 1 if an option was given that only contexts of messages have. */
int run_message__has_options(const struct message_options *o);
/*
 * Converts the options to libspin's. `messages` 0: only those that contexts of datagrams also have. out->handler_mem points into
 * *memory. Returns DONE, or FAILED after a message.
 */
int run_message__convert(const struct message_options *o, int messages, struct run_memory *memory, struct spin_message_opts *out);
/* Posts the entries. Returns DONE, or FAILED after a message. */
int run_message__post(const struct message_options *o, struct spin_ctx *ctx);

/* Print the counters of messages as one line of text and as JSON. Print nothing for contexts of datagrams. */
void run_message__text(struct spin_ctx *ctx);
void run_message__json(struct json *j, struct spin_ctx *ctx);

/* Same for counters that were read from another process. */
void run_message__stats_text(const struct spin_message_stats *stats, unsigned in_flight);
void run_message__stats_json(struct json *j, const struct spin_message_stats *stats, unsigned in_flight);

/* Print an event of a context of messages, as text after "event: NAME: ", and as members of a JSON object. */
void run_message__event_text(const struct spin_event *event, const char *source);
void run_message__event_json(struct json *j, const struct spin_event *event);

#endif
