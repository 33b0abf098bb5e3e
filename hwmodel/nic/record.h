/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_RECORD_H
#define NIC_RECORD_H

/* What is told of packets, tasks, events and sends: to whom observes, and to whom gave one packet. */
#include "hwmodel/nic/nic.h"

/* Picoseconds since pspin__open(). */
uint64_t record__ps(const struct pspin *nic, uint64_t cycle);
uint64_t record__now(const struct pspin *nic);

/* A task that ended. What is returned stays until the next one. */
const struct pspin_task *record__task(struct pspin *nic, const struct inflight *inflight, const struct soc_task *task);
/* Its HER goes to the machine now. */
void record__her(struct pspin *nic, const struct inflight *inflight);
/* A command was issued; it is known when it will be done, and that will be told, too. */
void record__command(struct pspin *nic, const struct hpu_command *command);
void record__command_known(struct pspin *nic, const struct hpu_command *command);
/* Whether anyone wants to know what leaves of it. */
int record__is_looked_at(const struct pspin *nic, const struct pspin_packet_record *record);
/* The packet has come to its end, with so many bytes of nic->frame. */
void record__packet(struct pspin *nic, struct inflight *inflight, size_t frame_bytes);
/* The same of one that was told of when it was parked: its tasks are done. */
void record__replayed(struct pspin *nic, const struct inflight *inflight);
void record__event(struct pspin *nic, const struct spin_event *event);
/* The same with a handler's item. Who is given one packet at a time reads it with that packet's result, others at once. */
void record__work(struct pspin *nic, struct spin_event *event, const void *item, uint32_t bytes);
/* The items are read: the handlers may leave as many others. */
void record__work_taken(struct pspin *nic);
/* One to be filled in, and then told of. */
struct spin_request *record__send(struct pspin *nic);
void record__sent(struct pspin *nic, const struct spin_request *request);

/* A task's error as a packet's reason, and as an event. */
enum spin_reason record__error_reason(uint32_t error);
enum spin_event_type record__error_event(uint32_t error);

/* The verdict that <spin/reason.h> gives a datagram of that reason. */
enum spin_verdict record__verdict(enum spin_reason reason);

void event_log__begin(struct event_log *event_log);
void event_log__free(struct event_log *event_log);
/* To the result. 0, or -ENOMEM if something is missing. */
int event_log__end(const struct event_log *event_log, struct pspin_result *out);

#endif
