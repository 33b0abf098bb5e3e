/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_FILL_H
#define USER_TOOL_FILL_H

/*
 * The options --set, --insert and --insert-from of spinctl run, record, exec and cost: set fields of the handlers' state and insert entries
 * into their tables. The target is handlers in the kernel, or on the model of a NIC.
 */
#include "user/lib/options.h"

/*
 * The target of the options: live contexts or the model. The functions return 0, or -errno with a reason in
 * spin_strerror_last(), or FILL_REPORTED if they have printed the reason.
 */
#define FILL_REPORTED 1
/* Handlers whose memory is filled: in the kernel, or on the model. */
struct fill_target {
	void *arg;
	int (*set)(void *arg, const char *assignment);
	int (*insert)(void *arg, const char *table, const char *fields);
};

/* --set, --insert and --insert-from, the same for all commands. */
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

/* Returns DONE, or FAILED after a message. */
int fill__apply(const struct fill_options *fill, const struct fill_target *target);

#endif
