/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_H
#define SPINCTL_H

#include <stdint.h>

#include "user/lib/json.h"
#include "user/lib/options.h"
#include <spin/libspin.h>

/* Exit statuses. */
enum { DONE = 0, FAILED = 1, USAGE = 2 };

/* A subcommand: its table of options and what runs it. */
struct subcommand {
	const char *name;
	const struct command_row *row;
	int (*run)(const char **operands, unsigned count);
	void *fields; /* where its options go */
};

extern const struct subcommand run_command, status_command, cost_command, test_command, new_command, record_command, replay_command,
	mpq_command, recv_command, send_command, doctor_command, dump_command, limits_command, targets_command;

/* One line on stderr, as "spinctl: ..."; returns FAILED. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* FAILED, after the reason why stdout cannot be written. */
int output_failed(void);
/* This thread's messages from now on go there, the first one stays (text is "" before); NULL: to stderr, as at first. */
void complain_into(char *text, size_t bytes);

/*
 * Where state and tables are filled from the command line: live contexts or the
 * model. The functions return 0, or a negative errno with a reason in
 * spin_strerror_last(), or FILL_COMPLAINED when they have printed it themselves.
 */
#define FILL_COMPLAINED 1
struct fill_target {
	void *arg;
	int (*set)(void *arg, const char *assignment);
	int (*insert)(void *arg, const char *table, const char *fields);
};

/* --set, --insert, --insert-from: the same for all commands. */
struct fill_options {
	struct option_list sets, inserts, files;
};
#define FILL_OPTIONS(TYPE, member)                                                                                                     \
	{ "set", 0, OPTION_LIST, "PATH=VALUE", offsetof(TYPE, member.sets), "set a field: spin_state.rate=100, routes[5].port=7000" }, \
		{ "insert",                                                                                                            \
		  0,                                                                                                                   \
		  OPTION_LIST,                                                                                                         \
		  "TABLE:FIELDS",                                                                                                      \
		  offsetof(TYPE, member.inserts),                                                                                      \
		  "insert an entry: 'routes:src=10.0.0.1 port=7000'" },                                                                \
	{                                                                                                                              \
		"insert-from", 0, OPTION_LIST, "TABLE=FILE", offsetof(TYPE, member.files),                                             \
			"insert entries from a file, one per line; # starts a comment"                                                 \
	}

/* DONE or FAILED after a message. */
int fill__apply(const struct fill_options *fill, const struct fill_target *target);

/*
 * Counters as text rows and as JSON rows; reasons that never occurred are left out. `messages` 1: of a context that
 * takes messages, which consumes its packets and acknowledges them.
 */
void counters__text(const uint64_t *packets, int messages);
void counters__json(struct json *j, const uint64_t *packets, int messages);
/* What becomes of a packet for that reason: "pass", or of messages "ack". */
const char *counters__verdict(enum spin_reason reason, int messages);
/* 1: packets of a context that takes messages are acknowledged for this reason, if they ask for it. */
int counters__acknowledged(enum spin_reason reason);
uint64_t counters__sum(const uint64_t *packets);

#endif
