/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COLLECT_H
#define USER_COST_COLLECT_H

/*
 * Private state of collect.c: the records of packets and of tasks (runs of a handler) on the modelled NIC, and the tasks of packets that
 * have not been reported yet.
 */
#include "user/cost/run.h"

#define WAITING_TASKS 4 /* per packet: one of each kind */

/* A packet of which tasks were reported, but not yet the packet itself. */
struct cost_waiting {
	uint64_t packet;
	unsigned tasks, cold;
	uint64_t cycles, with_runtime, instructions;
	struct pspin_task_record task[WAITING_TASKS];
};

/* A collector: sums and samples of one run. */
struct cost_collector {
	const struct cost_program *program;
	struct cost_trace_writer *writer;
	struct cost_waiting *waiting; /* packets with tasks that have not been reported yet, unordered */
	unsigned waiting_count, waiting_room;
	struct cost_samples body[PSPIN_TASK_KINDS], warm[PSPIN_TASK_KINDS], packets, latency, done_ps;
	uint64_t *bytes_done; /* running sum of packet bytes; same index as done_ps */
	size_t bytes_room;
	uint64_t instructions[PSPIN_TASK_KINDS], packet_instructions;
	uint64_t causes[RV32_CAUSE_COUNT], with_runtime, warm_with_runtime, warm_packets, bytes, reported, lost;
	uint64_t stage_ps[COST_STAGES];
	uint64_t first_ps;
	uint64_t offered_ps, last_ps; /* when the first packet was offered, and the last was complete */
	int keeps_tasks;
	struct cost_samples starts, ends; /* of tasks on HPUs; only if keeps_tasks */
	int slowest_is_warm;
	struct cost_view view;
	struct cost_occupancy occupancy;
	int status;
};

#endif
