/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_RECORD_H
#define HWMODEL_NIC_RECORD_H

/*
 * Reports packets, tasks, events and sends: at once to the observer (struct pspin_observer), and to the event log that becomes the result
 * of pspin__packet() or pspin__clock(). Outside of these calls the log keeps only the last entry of each list. Called by the files of nic/.
 */
#include "hwmodel/nic/nic.h"

/* Picoseconds since pspin__open(). */
uint64_t record__ps(const struct pspin *nic, uint64_t cycle);
uint64_t record__now(const struct pspin *nic);

/* Called when a task has ended. Its record is valid until the next call. */
const struct pspin_task *record__task(struct pspin *nic, const struct inflight *inflight, const struct soc_task *task);
/* Called when the packet's HER is passed to the MPQ engine. */
void record__her(struct pspin *nic, const struct inflight *inflight);
/* Called when a command was issued; and when its end is known, which an event will report. */
void record__command(struct pspin *nic, const struct hpu_command *command);
void record__command_known(struct pspin *nic, const struct hpu_command *command);
/* Does anything use the frame that leaves? */
int record__wants_frame(const struct pspin *nic, const struct pspin_packet_record *record);
/* Called when the packet is done; frame_bytes of device->frame leave. */
void record__packet(struct pspin *nic, struct inflight *inflight, size_t frame_bytes);
/* Called when the tasks of a replayed packet are done. The packet was reported when it was parked. */
void record__replayed(struct pspin *nic, const struct inflight *inflight);
void record__event(struct pspin *nic, const struct spin_event *event);
/* The same with a handler's work item. It counts as read with the packet's result, or at once if no result is collected. */
void record__work(struct pspin *nic, struct spin_event *event, const void *item, uint32_t bytes);
/* Marks all items as read: handlers may leave as many again. */
void record__work_taken(struct pspin *nic);
/* Returns a send to fill in; record__sent() then reports it. */
struct spin_request *record__send(struct pspin *nic);
void record__sent(struct pspin *nic, const struct spin_request *request);

/* Convert a task's error to a packet's reason, and to an event. */
enum spin_reason record__error_reason(uint32_t error);
enum spin_event_type record__error_event(uint32_t error);

/* Returns the verdict that <spin/reason.h> assigns to a datagram with that reason. */
enum spin_verdict record__verdict(enum spin_reason reason);

void event_log__begin(struct event_log *event_log);
void event_log__free(struct event_log *event_log);
/* Stores the log in the result, which then points into it. Returns 0, or -ENOMEM if an entry is missing. */
int event_log__end(const struct event_log *event_log, struct pspin_result *out);

#endif
