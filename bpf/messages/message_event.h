/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MESSAGE_EVENT_H
#define BPF_MESSAGE_EVENT_H

/*
 * Events of messages for the host (complete, timed out, failed), and the results of handlers' errors. Called by message_begin.h, message.h,
 * evict.h and actions/work.h. Space in the ring is reserved for a message's last event before the message is opened.
 */
#include "bpf/messages/flow.h"
#include "bpf/actions/me.h"
#include "bpf/messages/message_state.h"
#include "bpf/run.h"

/* Argument of spin_message_event(): event type and handler. */
#define SPIN_TELL_(type, handler) ((uint32_t)(type) << 8 | (handler))

SPIN_INLINE uint32_t spin_event_flags_(const struct spin_mpq *q)
{
	uint32_t flags = spin_read_once(&q->flags), verdict = spin_mpq_verdict(q);
	uint32_t overflow = (spin_read_once(&spin_me_at(q->me)->options) & SPIN_ME_OVERFLOW) << 1 & -(uint32_t)(q->me < SPIN_MES_MAX);

	return (spin_handlers_.takes ? flags & (SPIN_MPQ_GET | SPIN_MPQ_ATOMIC) : 0) | overflow |
	       (flags & SPIN_MPQ_FLOW_CONTROL ? SPIN_EVENT_FLOW_CONTROL : 0) | (flags & SPIN_MPQ_REFUSED ? SPIN_EVENT_REFUSED : 0) |
	       (flags & SPIN_MPQ_ERROR ? SPIN_EVENT_FAILED : 0) | (verdict == SPIN_REASON_PROCEEDED ? SPIN_EVENT_PROCEEDED : 0) |
	       (verdict == SPIN_REASON_HEADER_DROPPED ? SPIN_EVENT_DROPPED : 0);
}

_Static_assert((int)SPIN_MPQ_GET == SPIN_EVENT_GET && (int)SPIN_MPQ_ATOMIC == SPIN_EVENT_ATOMIC &&
		       (int)SPIN_ME_OVERFLOW << 1 == SPIN_EVENT_OVERFLOW,
	       "a message's events say it as its MPQ does");

#define SPIN_EVENT_RECORD_BYTES (sizeof(struct spin_event) + 8) /* with the kernel's header */

SPIN_INLINE void spin_event_unreserve(void)
{
	if (spin_config.event_bytes)
		spin_fetch_add(&spin_events_reserved, (uint32_t)-1);
}

/*
 * Reserves space in the ring for one event, until spin_event_unreserve(). Returns 0 if there is none. Each writer increments the counter
 * before it checks, so at most one of two gets the last space.
 */
SPIN_INLINE _Bool spin_event_reserve(void)
{
	uint32_t promised;

	if (!spin_config.event_bytes)
		return 1;
	promised = spin_fetch_add(&spin_events_reserved, 1) + 1;
	if (spin_likely(spin_event_backlog() + (uint64_t)promised * SPIN_EVENT_RECORD_BYTES <= spin_config.event_bytes))
		return 1;
	spin_event_unreserve();
	return spin_unlikely_value(0);
}

/* Fills in the whole event of a message. */
SPIN_INLINE void spin_event_of_message_(struct spin_event *e, uint32_t mpq, uint32_t hpu, uint32_t tell, uint32_t offset, uint32_t flags)
{
	const struct spin_mpq *q = spin_mpq_at(mpq);
	const struct spin_flow *flow = &spin_flows[q->flow & (SPIN_FLOWS - 1)];
	const struct spin_me *me = spin_me_at(q->me);
	_Bool has_me = q->me < SPIN_MES_MAX;
	_Bool ends = tell >> 8 == SPIN_EVENT_MESSAGE || tell >> 8 == SPIN_EVENT_TIMEOUT;

	e->type = tell >> 8;
	e->handler = tell & 255;
	e->hpu = hpu;
	e->ip_version = flow->id & 255;
	e->src_addr[0] = (uint32_t)flow->src[0];
	e->src_addr[1] = flow->src[0] >> 32;
	e->src_addr[2] = (uint32_t)flow->src[1];
	e->src_addr[3] = flow->src[1] >> 32;
	e->src_port = spin_ntoh16((spin_be16)(flow->id >> 16));
	e->dst_port = q->dst_port;
	e->length = q->length;
	e->message_id = flow->id >> 32;
	e->me = q->me;
	e->offset = offset;
	e->dropped_bytes = ends ? spin_read_once(&q->dropped_bytes) : 0;
	e->deposited_bytes = ends ? spin_read_once(&q->deposited_bytes) : 0;
	e->flags = ends ? spin_event_flags_(q) | flags : 0;
	e->match_bits = q->match_bits;
	e->hdr_data = q->hdr_data;
	e->me_start = has_me ? spin_read_once(&me->start) : 0;
	e->me_length = has_me ? spin_read_once(&me->length) : 0;
	e->me_serial = has_me ? spin_read_once(&me->serial) : 0;
	e->unused = 0;
}

/* Emits an event. Returns 0 if it is lost, because the reader is behind. */
SPIN_INLINE int spin_message_event_(uint32_t mpq, uint32_t hpu, uint32_t tell, uint32_t offset, uint32_t flags)
{
	_Bool ends = tell >> 8 == SPIN_EVENT_MESSAGE || tell >> 8 == SPIN_EVENT_TIMEOUT;
	struct spin_event *e;

	/* space for a message's last event was reserved when it was opened */
	if (!ends && !spin_event_reserve()) {
		spin_stats_at(hpu)->events_lost++;
		return 0;
	}
	e = spin_event_open();
	if (!e) {
		spin_stats_at(hpu)->events_lost++;
		spin_event_unreserve();
		return 0;
	}
	spin_event_of_message_(e, mpq, hpu, tell, offset, flags);
	spin_event_close(e);
	spin_event_unreserve();
	return 1;
}

/* The same as a separate function, because events are rare and there are many callers. */
static __attribute__((noinline)) int spin_message_event(uint32_t mpq, uint32_t hpu, uint32_t tell, uint32_t offset, uint32_t flags)
{
	return spin_message_event_(mpq, hpu, tell, offset, flags);
}

/* Completes an unexpected message for the host, or frees it if `tell` is 0. Rare, so a separate function. */
SPIN_NOINLINE int spin_unexpected_end(uint32_t mpq, uint32_t hpu, uint32_t tell, uint32_t flags)
{
	uint32_t place;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME || !spin_config.unexpected)
		return 0;
	place = spin_mpq_at(mpq)->unexpected;
	if (!place)
		return 0;
	if (!tell) {
		spin_unexpected_free(place - 1);
		return 0;
	}
	spin_event_of_message_(&spin_unexpected_at(place - 1)->event, mpq, hpu, tell, spin_mpq_at(mpq)->offset, flags);
	spin_store32(&spin_unexpected_at(place - 1)->state, SPIN_UNEXPECTED_COMPLETE);
	return 0;
}

SPIN_INLINE void spin_report_run(uint32_t mpq, uint32_t hpu, enum spin_handler_kind kind, uint32_t offset)
{
	if (spin_config.report_runs)
		spin_message_event(mpq, hpu, SPIN_TELL_(SPIN_EVENT_RAN, kind), offset, 0);
}

/* Returns the reason for a handler's error and emits its event if it is the message's first (sPIN B.3). */
SPIN_INLINE enum spin_reason spin_message_error(uint32_t mpq, uint32_t hpu, uint32_t rc, enum spin_handler_kind kind)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	enum spin_event_type type;
	enum spin_reason reason = spin_error_of(rc, &type);

	if (!(spin_fetch_or(&q->flags, SPIN_MPQ_ERROR) & SPIN_MPQ_ERROR))
		spin_message_event(mpq, hpu, SPIN_TELL_(type, kind), q->offset, 0);
	return reason;
}

#endif
