/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_SPINCTL_H
#define USER_SPINCTL_SPINCTL_H

/* The interface between main.c and the subcommands. Each subcommand is implemented by one file or directory. */
#include <stdint.h>

#include "user/lib/json.h"
#include "user/lib/options.h"
#include "user/tool/counters.h"
#include "user/tool/error.h"
#include <spin/libspin.h>

/* A subcommand: its option table and its function. */
struct subcommand {
	const char *name;
	const struct command_row *row;
	int (*run)(const char **operands, unsigned count);
	void *fields; /* the structure that receives the options */
};

extern const struct subcommand run_command, status_command, cost_command, test_command, new_command, record_command, replay_command,
	mpq_command, recv_command, send_command, doctor_command, dump_command, limits_command, targets_command, exec_command, list_command,
	stop_command, swap_command, state_command, table_command, top_command, add_command, rule_command, check_command;

#endif
