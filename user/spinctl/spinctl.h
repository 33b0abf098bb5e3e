/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_H
#define SPINCTL_H

#include <stdint.h>

#include "user/lib/json.h"
#include "user/lib/options.h"
#include "user/tool/error.h"
#include <spin/libspin.h>

/* A subcommand: its table of options and what runs it. */
struct subcommand {
	const char *name;
	const struct command_row *row;
	int (*run)(const char **operands, unsigned count);
	void *fields; /* where its options go */
};

extern const struct subcommand run_command, status_command, cost_command, test_command, new_command, record_command, replay_command,
	mpq_command, recv_command, send_command, doctor_command, dump_command, limits_command, targets_command;

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
