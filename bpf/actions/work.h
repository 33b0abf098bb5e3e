/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_WORK_H
#define BPF_WORK_H

/*
 * Work items (<spin/work.h>): events by which handlers leave work to the application. Called by handlers through spin_work(). An item is
 * lost, and the handler learns it, if the ring of events is full.
 */
#include "bpf/messages/message_event.h"

static struct spin_work_counts_ spin_work_counts SPIN_MPQ_ATTR_;

SPIN_INLINE int spin_work_lost_(void)
{
	spin_fetch_add(&spin_work_counts.pushed, (uint32_t)-1);
	spin_fetch_add(&spin_work_counts.lost, 1);
	return SPIN_WORK_FULL;
}

/* Fills in the fields that an error event has for a datagram. */
SPIN_INLINE void spin_work_of_datagram_(const struct spin_packet *packet, struct spin_event *e)
{
	const struct spin_process source = spin_source_(packet);

	e->hpu = packet->hpu;
	e->ip_version = source.ip_version;
	for (uint32_t i = 0; i < 4; i++)
		e->src_addr[i] = source.addr[i];
	e->src_port = spin_ntoh16(source.port);
	e->dst_port = spin_ntoh16(spin_dst_port_(packet));
	e->length = packet->start_bytes;
	e->message_id = e->me = e->offset = 0;
	e->dropped_bytes = e->deposited_bytes = 0;
}

/*
 * The item is built in per-CPU memory and then copied to the ring: a program must not end between reserving a record and submitting it, and
 * the isolated class may be ended at any backward jump when its work limit is reached (user/libspin/object/work_limit.c).
 */
SPIN_INLINE int spin_work_push_(const struct spin_packet *packet, uint32_t kind, const void *from, uint32_t bytes)
{
	const _Bool messages = spin_handlers_.delivery == SPIN_DELIVER_ME;
	struct spin_event *e = packet->is_stream ? packet->event : spin_event_scratch();
	int err;

	if (!e)
		return SPIN_WORK_FULL; /* unreachable */
	if (messages)
		spin_event_of_message_(e, packet->mpq, packet->hpu, 0, spin_mpq_at(packet->mpq)->offset, 0);
	else
		spin_work_of_datagram_(packet, e);
	e->type = SPIN_EVENT_WORK;
	e->handler = kind;
	e->item_bytes = bytes;
	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_WORK_BYTES_MAX / 4; i++)
		e->item[i] = i < bytes / 4 ? ((const uint32_t *)from)[i] : 0;
	if (spin_fetch_add(&spin_work_counts.pushed, 1) - spin_read_once(&spin_work_counts.taken) >= spin_work_items_)
		return spin_work_lost_();
	if (messages && !spin_event_reserve())
		return spin_work_lost_();
	err = spin_event_output(e);
	if (messages)
		spin_event_unreserve();
	return err ? spin_work_lost_() : 0;
}

#endif
