/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_MESSAGE_BEGIN_H
#define BPF_MESSAGE_BEGIN_H

/*
 * Handles a packet whose message is not open yet (steps 7 to 10 of <spin/message.h>): takes an MPQ (message processing queue, the message's
 * state), parks a packet that overtook the first one, or runs the header handler. Called by spin_begin (context.bpf.c).
 */
#include "bpf/messages/flow.h"
#include "bpf/actions/counter.h"
#include "bpf/actions/dma.h"
#include "bpf/actions/dma_atomic.h"
#include "bpf/actions/dma_buffer.h"
#include "bpf/actions/dma_payload.h"
#include "bpf/actions/me.h"
#include "bpf/number.h"
#include "bpf/messages/parking.h"
#include "bpf/messages/pressure.h"
#include "bpf/actions/put.h"

/* A packet of a message being processed. */
struct spin_message {
	struct spin_slmp_packet slmp;
	struct spin_key key;
	uint32_t sum;             /* of a first packet's datagram: identifies it to a tombstone */
	uint32_t mpq, generation; /* generation: bits 15:0 */
	uint32_t hpu, now;
	uint32_t again; /* 1: NO_MPQ, and the sender must restart the message */
	uint32_t opens; /* without SLMP, 1: the packet opened its message */
	uint16_t dst_port;
};

_Static_assert(sizeof(struct spin_message) <= (SPIN_SCRATCH_WORDS - 1) * 8, "a copied frame's lies in the scratch words");

/* Restarts the message's idle timeout. */
SPIN_INLINE void spin_message_touch(struct spin_mpq *q, uint32_t now)
{
	if (spin_read_once(&q->time) != now)
		spin_write_once(&q->time, now);
}

/* Flow control drops this packet of a message that has an MPQ. */
SPIN_INLINE enum spin_reason spin_flow_control(struct spin_mpq *q, const struct spin_message *m, enum spin_reason reason)
{
	if (!(spin_read_once(&q->flags) & SPIN_MPQ_FLOW_CONTROL))
		spin_fetch_or(&q->flags, SPIN_MPQ_FLOW_CONTROL);
	spin_fetch_add(&q->dropped_bytes, m->slmp.bytes);
	return reason;
}

/* Takes the MPQ of a message that yields to this one. Returns SPIN_MPQS_MAX if none does. */
SPIN_INLINE uint32_t spin_message_press_(const struct spin_message *m)
{
	uint32_t chosen = spin_press_mpq(m->key.src[0], m->key.id & 255, m->now), mpq = spin_evict_begin(chosen);

	/* another HPU has probably chosen the same one */
	if (mpq >= SPIN_MPQS_MAX && chosen != SPIN_MPQS_MAX)
		mpq = spin_evict_begin(spin_press_mpq(m->key.src[0], m->key.id & 255, m->now));
	return spin_end_for_mpq(mpq, m->hpu, m->now);
}

/* Opens a new message in `phase`. Returns its flow's state; 0 if there is no free MPQ or slot. */
SPIN_INLINE uint32_t spin_message_open_(const struct spin_message *m, enum spin_mpq_phase phase)
{
	uint32_t mpq = spin_mpq_alloc(), flow, state;
	struct spin_mpq *q;

	if (spin_unlikely(mpq >= SPIN_MPQS_MAX) && phase == SPIN_MPQ_HEADER)
		mpq = spin_message_press_(m);
	mpq = spin_verifier_forget32(mpq);
	q = spin_mpq_at(mpq);
	if (mpq >= SPIN_MPQS_MAX)
		return 0;
	if (!spin_event_reserve()) {
		spin_stats_at(m->hpu)->events_full++;
		spin_free_bit(spin_mpqs_used, SPIN_MPQ_WORDS, mpq);
		return 0;
	}
	flow = spin_flow_claim(&m->key, m->now, spin_config.tombstone_ticks);
	if (flow >= SPIN_FLOWS) {
		spin_event_unreserve();
		spin_free_bit(spin_mpqs_used, SPIN_MPQ_WORDS, mpq);
		return 0;
	}
	q->generation++;
	q->stride = q->total = q->done = q->flags = 0;
	q->verdict = SPIN_REASON_SUCCESS;
	q->length = SPIN_LENGTH_UNKNOWN;
	q->time = q->opened = m->now;
	q->dropped_bytes = q->deposited_bytes = 0;
	q->me = SPIN_MES_MAX;
	q->offset = q->place = q->place_bytes = 0;
	spin_park_forget_all(q, m->hpu); /* of previous messages: another HPU may have added one late */
	q->broken = 0;
	q->next = spin_flows_are_messages_() ? spin_number_first(q->generation, m->slmp.bytes, m->slmp.flags) : 0;
	q->scan_handled = 1;
	q->scan_stalls = 0;
	q->match_bits = q->hdr_data = 0;
	q->flow = flow;
	q->dst_port = m->dst_port;
	q->unexpected = 0;
	spin_window_clear(mpq, q->generation);
	spin_store32(&q->phase, phase);
	state = spin_flow_state(SPIN_FLOW_LIVE, mpq, q->generation);
	spin_store32(&spin_flows[flow & (SPIN_FLOWS - 1)].state, state);
	spin_stats_at(m->hpu)->opened++;
	return state;
}

/* Removes a tombstone if its state is still `state`. */
SPIN_NOINLINE int spin_tombstone_end_(uint32_t place, uint32_t state)
{
	if (spin_handlers_.delivery == SPIN_DELIVER_ME && state)
		(void)spin_cmpxchg(&spin_flows[place & (SPIN_FLOWS - 1)].state, state, SPIN_FLOW_NONE);
	return 0;
}

#define SPIN_TOMBSTONE_LAST_ 0x80000000u
#define SPIN_AGAIN_          32u /* with SPIN_REASON_NO_MPQ: the sender must restart the message */

/*
 * Returns the reason for a packet whose key has a tombstone; SPIN_PARSED if the tombstone is too old or of another message, so that the
 * packet belongs to a new one. `bytes` includes SPIN_TOMBSTONE_LAST_ if the packet has EOM.
 */
SPIN_NOINLINE int spin_tombstone_says_(uint32_t place, uint32_t offset, uint32_t bytes, uint32_t sum, uint32_t now)
{
	const struct spin_flow *flow = &spin_flows[place & (SPIN_FLOWS - 1)];
	uint32_t stride, length, end, last = bytes & SPIN_TOMBSTONE_LAST_, was;

	if (spin_handlers_.delivery != SPIN_DELIVER_ME || spin_tombstone_old(flow, now, spin_config.tombstone_ticks))
		return SPIN_PARSED;
	/* without SLMP a first packet cannot be recognised: the rest of an ended message must not open a new one */
	was = spin_read_once(&flow->sum);
	if (spin_flows_are_messages_())
		return was == SPIN_FLOW_PRESSED ? SPIN_REASON_NO_MPQ : SPIN_REASON_BEYOND_ENTRY;
	if (was >= SPIN_FLOW_PRESSED)
		return offset || was == SPIN_FLOW_LOST ? SPIN_REASON_NO_MPQ | SPIN_AGAIN_ : SPIN_PARSED;
	bytes &= ~SPIN_TOMBSTONE_LAST_;
	stride = spin_read_once(&flow->stride);
	length = spin_read_once(&flow->length);
	end = offset + bytes;
	if (!offset && (bytes != stride || sum != was))
		return SPIN_PARSED;
	if (length == SPIN_LENGTH_UNKNOWN)
		return SPIN_REASON_BEYOND_ENTRY;
	if (!offset)
		return SPIN_REASON_DUPLICATE;
	if (!stride || offset % stride || (last ? bytes > stride || end != length : bytes != stride || end > length))
		return SPIN_REASON_MALFORMED;
	return SPIN_REASON_DUPLICATE;
}

/* The same for the tombstone that was found with `state`. If another message has taken its slot, it says nothing. */
SPIN_INLINE uint32_t spin_tombstone_says(uint32_t place, uint32_t state, const struct spin_message *m)
{
	uint32_t says = spin_tombstone_says_(place, m->slmp.offset, m->slmp.bytes | (m->slmp.flags & SPIN_SLMP_EOM) << 16, m->sum, m->now);

	return spin_load32(&spin_flows[place & (SPIN_FLOWS - 1)].state) == state ? says : SPIN_PARSED;
}

/*
 * Returns the state of the message's flow and opens it in `phase` if there is none, in which case *opened is 1. Returns 0 if there is no
 * MPQ. Two packets of a new message may be here at once; the lock of the key's home ensures that only one opens it.
 */
SPIN_INLINE uint32_t spin_message_enter_(const struct spin_message *m, enum spin_mpq_phase phase, uint32_t *opened)
{
	uint32_t place = 0, state, was;

	*opened = 0;
	if (!spin_flow_lock(&m->key))
		return 0;
	was = state = spin_flow_find(&m->key, &place);
	if (spin_unlikely((state & SPIN_FLOW_KIND_) == SPIN_FLOW_TOMBSTONE) && spin_tombstone_says(place, state, m) == SPIN_PARSED)
		state = 0;
	if (!state) {
		state = spin_message_open_(m, phase);
		*opened = state != 0;
		/* the new flow may be in a later slot; if it reuses this one, it is no longer a tombstone */
		spin_tombstone_end_(place, state ? was : 0);
	}
	spin_flow_unlock(&m->key);
	*opened = spin_verifier_forget32(*opened);
	return spin_verifier_forget32(state);
}

/* Sets the memory that the message's bytes go to by default. */
SPIN_INLINE void spin_message_place_(struct spin_mpq *q, uint32_t me, const struct spin_message *m, uint32_t options)
{
	const struct spin_me *entry = spin_me_at(me);
	uint32_t length, start = spin_me_memory_at(entry, &length);

	if (spin_unlikely(options & SPIN_ME_MANAGE_LOCAL)) {
		q->offset = spin_me_place_at(m->slmp.place);
		q->place = start + spin_me_place_at(m->slmp.place);
		q->place_bytes = spin_me_place_bytes(m->slmp.place);
		return;
	}
	q->offset = m->slmp.place > 0xffffffff ? 0xffffffff : (uint32_t)m->slmp.place;
	if (m->slmp.place > length) {
		q->place = start + length;
		q->place_bytes = 0;
	} else {
		q->place = start + (uint32_t)m->slmp.place;
		q->place_bytes = length - (uint32_t)m->slmp.place;
	}
}

/* Runs the header handler. Returns the MPQ's verdict. */
SPIN_INLINE uint32_t spin_message_run_header_(const struct spin_message *m, struct spin_packet *packet, struct spin_mpq *q)
{
	struct spin_header header = { .length = m->slmp.length,
				      .offset = q->offset,
				      .match_bits = m->slmp.match_bits,
				      .hdr_data = m->slmp.hdr_data,
				      .type = spin_handlers_.takes ? m->slmp.type : SPIN_TYPE_PUT,
				      .packet = packet };
	uint32_t rc;

	packet->bytes = spin_user_header_(m->slmp.bytes);
	spin_run_begins(packet);
	rc = spin_run_ends(packet, spin_handlers_.header(&header, &spin_state));
	spin_report_run(m->mpq, m->hpu, SPIN_KIND_HEADER, 0);
	switch (rc & ~(uint32_t)SPIN_RC_PENDING) {
	case SPIN_RC_PROCESS_DATA:
	case SPIN_RC_PROCEED:
	case SPIN_RC_PROCEED | SPIN_RC_COMPLETE:
	case SPIN_RC_DROP:
		if (rc & SPIN_RC_PENDING)
			spin_fetch_or(&q->flags, SPIN_MPQ_PENDING);
		if (rc & SPIN_RC_COMPLETE)
			return SPIN_REASON_PROCEEDED | SPIN_MPQ_COMPLETES;
		rc &= ~(uint32_t)SPIN_RC_PENDING;
		return rc == SPIN_RC_PROCEED ? SPIN_REASON_PROCEEDED
		       : rc == SPIN_RC_DROP  ? SPIN_REASON_HEADER_DROPPED
					     : SPIN_REASON_SUCCESS;
	default:
		return spin_message_error(m->mpq, m->hpu, rc, SPIN_KIND_HEADER);
	}
}

/* Returns the end of the packet in its message, or of the message if its first packet tells. */
SPIN_INLINE uint32_t spin_message_end(const struct spin_message *m)
{
	uint32_t end = m->slmp.offset + m->slmp.bytes;

	if (spin_handlers_.takes && m->slmp.type == SPIN_TYPE_GET)
		return m->slmp.length; /* bytes read; the request's own payload is stored nowhere */
	return !m->slmp.offset && m->slmp.length != SPIN_LENGTH_UNKNOWN && m->slmp.length > end ? m->slmp.length : end;
}

/*
 * Returns the bytes that a first packet needs in a managed entry; more than any entry has if the message's length is unknown. It works on
 * copies: otherwise the verifier would keep states apart by what it learns of the message's fields.
 */
SPIN_INLINE uint32_t spin_message_asks_(const struct spin_message *m)
{
	uint32_t length = spin_verifier_forget32(m->slmp.length), bytes = spin_verifier_forget32(m->slmp.bytes);

	if (spin_handlers_.takes && m->slmp.type == SPIN_TYPE_GET)
		return length; /* bytes read */
	return spin_verifier_forget32(length > bytes ? length : bytes);
}

_Static_assert(SPIN_LENGTH_UNKNOWN == 0xffffffff, "the greatest of all lengths");

/* Handles the first packet on the HPU that runs the header handler, and then opens the message. */
SPIN_INLINE void spin_message_start_(const struct spin_message *m, struct spin_packet *packet, uint32_t me, uint32_t options)
{
	struct spin_mpq *q = spin_mpq_at(m->mpq);
	uint32_t refused;

	packet->mpq = m->mpq;
	q->stride = m->slmp.bytes;
	q->sum = m->sum;
	q->me = me;
	q->match_bits = m->slmp.match_bits;
	q->hdr_data = m->slmp.hdr_data;
	if (m->slmp.flags & SPIN_SLMP_EOM)
		q->length = m->slmp.bytes;
	if (spin_config.unexpected)
		q->unexpected = options >> SPIN_ME_PLACE_;
	if (options & SPIN_ME_USE_ONCE) {
		spin_write_once(&spin_me_at(me)->holder, m->mpq);
		spin_fetch_or(&q->flags, SPIN_MPQ_TOOK_ME);
	}
	if (spin_handlers_.takes && m->slmp.type != SPIN_TYPE_PUT)
		spin_fetch_or(&q->flags, m->slmp.type == SPIN_TYPE_GET ? SPIN_MPQ_GET : SPIN_MPQ_ATOMIC);
	spin_message_place_(q, me, m, options);
	if (spin_scratch_size_) {
		uint64_t *scratch = spin_scratch_at_(m->mpq);

		for (uint32_t i = 0; i < spin_scratch_size_ / 8; i++)
			spin_write_once(&scratch[i], 0);
	}
	refused = spin_verifier_forget32(options & SPIN_ME_NO_TRUNCATE &&
					 spin_message_end(m) > q->place_bytes); /* refused when the packet is handled */
	if (spin_handlers_.header && spin_likely(!refused) && spin_likely(!(options & SPIN_ME_NO_HEADER)))
		q->verdict = spin_message_run_header_(m, packet, q);
	if (spin_handlers_.payload && spin_unlikely(options & SPIN_ME_NO_PAYLOAD) && q->verdict == SPIN_REASON_SUCCESS)
		q->verdict = SPIN_REASON_PROCEEDED | SPIN_MPQ_COMPLETES;
	q->verdict |= options / SPIN_ME_NO_TRUNCATE % 2 * SPIN_MPQ_NO_TRUNCATE;
	spin_store32(&q->phase, SPIN_MPQ_OPEN);
}

/* Copies the packet to a parking buffer before its message is known. Returns SPIN_PARKING_MAX if none is free or the packet is too long. */
SPIN_INLINE uint32_t spin_message_copy_(const struct spin_message *m, const struct spin_frame *frame)
{
	uint32_t buffer = spin_park_alloc();
	struct spin_park *park = spin_park_at(buffer);

	if (buffer >= SPIN_PARKING_MAX)
		return SPIN_PARKING_MAX;
	park->offset = m->slmp.offset;
	park->frame_bytes = spin_frame_park(frame, &spin_park_buffers[spin_barrier_var_(buffer) & (SPIN_PARKING_MAX - 1)]);
	if (park->frame_bytes)
		return buffer;
	spin_park_free(buffer);
	return SPIN_PARKING_MAX;
}

/* Step 9, with a buffer or SPIN_PARKING_MAX. Unless it returns PARKED, the buffer still belongs to the caller. */
SPIN_INLINE enum spin_reason spin_message_park_(const struct spin_message *m, struct spin_mpq *q, uint32_t buffer)
{
	uint32_t owner = m->generation << 16 | (m->mpq & (SPIN_MPQS_MAX - 1));

	if (spin_park_has(m->mpq, owner, m->slmp.offset))
		return SPIN_REASON_DUPLICATE;
	if (buffer >= SPIN_PARKING_MAX)
		return spin_flow_control(q, m, SPIN_REASON_NO_PARKING);
	spin_message_touch(q, m->now);
	spin_park_at(buffer)->owner = owner;
	spin_park_push(m->mpq, buffer);
	return SPIN_REASON_PARKED;
}

/* For a packet whose message is not open: returns its reason, or SPIN_PARSED if the message is open now and the packet must be handled. */
SPIN_INLINE enum spin_reason spin_message_begin(struct spin_message *m, uint32_t state, uint32_t place, struct spin_packet *packet,
						const struct spin_frame *frame)
{
	uint32_t kind = state & SPIN_FLOW_KIND_, first = !m->slmp.offset, me = SPIN_MES_MAX, options = 0, phase, opened = 0;
	const _Bool flows = spin_flows_are_messages_();
	uint32_t buffer = SPIN_PARKING_MAX;
	enum spin_reason reason;
	struct spin_mpq *q;

	m->mpq = SPIN_MPQS_MAX; /* no MPQ */
	if (kind == SPIN_FLOW_TOMBSTONE) {
		reason = spin_tombstone_says(place, state, m);
		if (reason != SPIN_PARSED) {
			m->again = reason / SPIN_AGAIN_ & 1;
			if (flows && m->slmp.flags & SPIN_SLMP_EOM) /* this was the message's last packet */
				(void)spin_cmpxchg(&spin_flows[place & (SPIN_FLOWS - 1)].state, state, SPIN_FLOW_NONE);
			return reason & 31;
		}
		kind = SPIN_FLOW_NONE;
	}
	/* without SLMP: another HPU is running the header handler or has just run it, or the message is ending */
	if (flows && kind == SPIN_FLOW_LIVE) {
		q = spin_mpq_at(SPIN_FLOW_MPQ_(state));
		if ((spin_read_once(&q->generation) & 0xffff) != state >> 16)
			return SPIN_REASON_NO_MPQ;
		return spin_flow_control(q, m, SPIN_REASON_NO_PARKING);
	}
	if (first) {
		me = spin_verifier_forget32(spin_me_take(&m->key, m->slmp.match_bits, spin_message_asks_(m), &m->slmp.place, &options));
		if (spin_unlikely(me == SPIN_MES_MAX)) {
			me = spin_verifier_forget32(
				spin_end_for_me(spin_evict_begin(SPIN_PRESS_ME(&m->key, m->slmp.match_bits, m->now)), m->hpu, m->now));
			options = spin_verifier_forget32(
				spin_read_once(&spin_me_at(me)->options)); /* stable: the entry is use-once and taken */
		}
		me = spin_verifier_forget32(me);
		options = spin_verifier_forget32(options);
		m->slmp.place = spin_verifier_forget64_(m->slmp.place);
	}
	/* before the message is entered, because then other HPUs see it and it cannot be undone */
	if (!first)
		buffer = spin_verifier_forget32(spin_message_copy_(m, frame));
	if (kind != SPIN_FLOW_LIVE) {
		if (first && me == SPIN_MES_MAX)
			return SPIN_REASON_NO_ME;
		if (!first && buffer >= SPIN_PARKING_MAX)
			return spin_mpq_is_free() ? SPIN_REASON_NO_PARKING : SPIN_REASON_NO_MPQ;
		state = spin_message_enter_(m, first ? SPIN_MPQ_HEADER : SPIN_MPQ_WAITING, &opened);
		kind = state & SPIN_FLOW_KIND_;
	}
	q = spin_mpq_at(SPIN_FLOW_MPQ_(state));
	if (kind == SPIN_FLOW_LIVE)
		m->mpq = SPIN_FLOW_MPQ_(state);
	m->generation = state >> 16;
	phase = spin_load32(&q->phase);
	if (kind != SPIN_FLOW_LIVE) {
		reason = SPIN_REASON_NO_MPQ; /* no MPQ, or the message has just ended: the sender retransmits */
	} else if ((spin_read_once(&q->generation) & 0xffff) != m->generation || phase == SPIN_MPQ_ENDING || phase == SPIN_MPQ_FREE) {
		reason = SPIN_REASON_NO_MPQ; /* the message has just ended: the sender retransmits */
	} else if (flows && !opened) {
		reason = spin_flow_control(q, m, SPIN_REASON_NO_PARKING); /* another HPU has opened it in the meantime */
	} else if (phase == SPIN_MPQ_OPEN) {
		reason = SPIN_PARSED;
	} else if (!first) {
		reason = spin_message_park_(m, q, buffer);
	} else if (me == SPIN_MES_MAX) {
		/* its parked packets were acknowledged, so they must not be lost while the message waits for an entry */
		spin_message_touch(q, m->now);
		return spin_flow_control(q, m, SPIN_REASON_NO_ME);
	} else if (opened || spin_cmpxchg(&q->phase, SPIN_MPQ_WAITING, SPIN_MPQ_HEADER) == SPIN_MPQ_WAITING) {
		if ((spin_read_once(&q->generation) & 0xffff) == m->generation) {
			spin_message_start_(m, packet, me, options);
			m->opens = 1;
			return SPIN_PARSED;
		}
		spin_store32(&q->phase, SPIN_MPQ_WAITING); /* the MPQ now has another message, which has not begun either */
		reason = SPIN_REASON_NO_MPQ;
	} else {
		reason = SPIN_REASON_DUPLICATE;
	}
	if (buffer < SPIN_PARKING_MAX && reason != SPIN_REASON_PARKED)
		spin_park_free(buffer);
	if (me < SPIN_MES_MAX)
		spin_me_untake(me, options, m->slmp.place);
	return reason;
}

#endif
