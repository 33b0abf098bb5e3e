/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_TASK_H
#define NIC_TASK_H

/* A packet's place in memory, the tasks that run on it, and their commands. */
#include "nic.h"

#define PACKET_L1 (L1_GLOBAL + L1_PACKETS)

/* Writes a packet to L2, and its first bytes_in_l1 bytes (0: all) to L1. */
void task__place(struct pspin *nic, const uint8_t *packet, uint32_t bytes, uint32_t bytes_in_l1);

/* The packet in L1 again, as it is in L2: as handlers wrote it there. */
void task__copy_again(struct pspin *nic);

/* A descriptor for the packet of that length, with home cluster 0; the rest is the caller's. */
void task__describe(uint32_t packet_bytes, struct hpu_descriptor *task);

/* What tasks have sent, and to the host, counts from here on. */
void task__forget_commands(struct pspin *nic);

/* Runs a task; its place in the journal. */
const struct pspin_task *task__run(struct pspin *nic, enum pspin_task_kind kind, uint32_t function,
				   const struct hpu_descriptor *descriptor);

/* A task's error as a packet's fate, and as an event. */
enum spin_reason task__error_reason(uint32_t error);
enum spin_event_type task__error_event(uint32_t error);

/* Of struct soc_nic, for the packet being handled (command.c). */
int nic__command(void *arg, struct soc_task *task, const struct hpu_command *command);

#endif
