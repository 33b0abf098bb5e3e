/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reference, a plain-C model of the message protocol (reference.h): parses a packet and refuses malformed ones (step 6 of
 * <spin/message.h>); checks a packet of a message that has begun, runs its handlers, and completes the message after the last one (steps 11
 * and 12). Called by reference.c.
 */
#include <string.h>

#include "tests/reference/reference.h"

/* Reads a number in network byte order. */
static uint64_t get_be(const uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | at[i];
	return v;
}

/* Returns the sum of RFC 1071, not complemented. */
static uint32_t checksum(const uint8_t *at, uint32_t bytes)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < bytes; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

int reference_parse(const struct reference *r, struct reference_packet *p, const uint8_t *udp, uint32_t bytes)
{
	uint32_t known = SPIN_SLMP_SYN | SPIN_SLMP_EOM | (r->opts.put ? SPIN_SLMP_PUT : 0), flags;

	p->syn = p->eom = p->put = 0;
	p->put_length = SPIN_LENGTH_UNKNOWN;
	p->match_bits = p->hdr_data = p->put_offset = 0;
	p->sum = checksum(udp, bytes);
	if (bytes < 10)
		return 0;
	flags = (uint32_t)get_be(udp, 2);
	p->key.message_id = (uint32_t)get_be(udp + 2, 4);
	p->offset = (uint32_t)get_be(udp + 6, 4);
	udp += 10;
	bytes -= 10;
	if (flags & ~known)
		return 0;
	p->syn = (flags & SPIN_SLMP_SYN) != 0;
	p->eom = (flags & SPIN_SLMP_EOM) != 0;
	p->put = (flags & SPIN_SLMP_PUT) != 0;
	if (p->offset == 0 && !p->syn)
		return 0;
	if (p->put) {
		if (p->offset != 0 || bytes < 32)
			return 0;
		if (udp[0] != SPIN_SLMP_OP_PUT || udp[1] != SPIN_SLMP_VERSION || get_be(udp + 2, 2) != 0)
			return 0;
		p->put_length = (uint32_t)get_be(udp + 4, 4);
		p->match_bits = get_be(udp + 8, 8);
		p->hdr_data = get_be(udp + 16, 8);
		p->put_offset = get_be(udp + 24, 8);
		udp += 32;
		bytes -= 32;
	}
	if (bytes == 0 && !p->eom)
		return 0;
	if ((uint64_t)p->offset + bytes > 0xffffffff)
		return 0;
	if (bytes > sizeof(p->payload))
		reference_die("a payload is too long");
	p->bytes = bytes;
	memcpy(p->payload, udp, bytes);
	return 1;
}

/* Returns 1 if a packet after this one has arrived. */
static int has_later_packet(const struct reference_message *m, uint32_t packet)
{
	for (uint32_t i = packet + 1; i < REFERENCE_PACKETS_MAX; i++)
		if (m->came[i])
			return 1;
	return 0;
}

static uint32_t lowest_missing(const struct reference_message *m)
{
	uint32_t packet = 0;

	while (packet < REFERENCE_PACKETS_MAX && m->came[packet])
		packet++;
	return packet;
}

/* Returns 1 if the packet contradicts its message. */
static int contradicts(const struct reference *r, const struct reference_message *m, const struct reference_packet *p, uint32_t packet)
{
	if (!p->eom && p->bytes != m->stride && !(r->breaks == REFERENCE_BREAKS_SHORT_MIDDLE && p->bytes < m->stride))
		return 1;
	if (p->eom && p->bytes > m->stride)
		return 1;
	if (m->last_known && packet > m->last)
		return 1;
	if (p->eom && m->last_known && packet != m->last)
		return 1;
	if (p->eom && packet < REFERENCE_PACKETS_MAX && has_later_packet(m, packet))
		return 1;
	return 0;
}

/* The default action. */
static enum spin_reason deposit(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	uint64_t at = (uint64_t)m->offset + p->offset;
	uint32_t bytes = p->bytes, length = m->managed ? m->offset + m->room : m->me_length;

	if (r->breaks == REFERENCE_BREAKS_CUT_OFF && length > 0)
		length--;
	if (at >= length)
		bytes = 0;
	else if (bytes > length - at)
		bytes = (uint32_t)(length - at);
	if (bytes)
		memcpy(r->host + m->me_start + at, p->payload, bytes);
	m->deposited_bytes += bytes;
	r->me[m->me].bytes += bytes;
	return SPIN_REASON_PROCEEDED;
}

/* Returns the reason for an error. The first error of a message also has an event. */
static enum spin_reason report_error(struct reference *r, struct reference_message *m, uint32_t rc, enum spin_handler_kind kind)
{
	enum spin_event_type type = rc == SPIN_RC_FAIL ? SPIN_EVENT_FAIL : rc == SPIN_RC_SEGV ? SPIN_EVENT_SEGV : SPIN_EVENT_BAD_RETURN;

	if (!m->error || r->breaks == REFERENCE_BREAKS_SECOND_ERROR)
		reference_event(r, m, type, kind, 0);
	m->error = 1;
	return rc == SPIN_RC_FAIL ? SPIN_REASON_FAILED : rc == SPIN_RC_SEGV ? SPIN_REASON_SEGV : SPIN_REASON_BAD_RETURN;
}

/* Reports a handler run, if the context asks for that. */
static void emit_run(struct reference *r, struct reference_message *m, enum spin_handler_kind kind)
{
	if (r->opts.report_runs)
		reference_event(r, m, SPIN_EVENT_RAN, kind, 0);
}

static enum spin_reason process(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	uint32_t skip = p->offset == 0 ? r->handlers.user_header_bytes : 0, rc;

	if (!r->handlers.payload || p->bytes <= skip)
		return deposit(r, m, p);
	rc = r->handlers.payload(r, m, p, p->payload + skip, p->bytes - skip, p->offset + skip);
	emit_run(r, m, SPIN_KIND_PAYLOAD);
	if (r->opts.report_runs)
		r->event[r->events - 1].offset = p->offset;
	switch (rc) {
	case SPIN_SUCCESS:
		return SPIN_REASON_SUCCESS;
	case SPIN_DROP:
		m->dropped_bytes += p->bytes;
		return SPIN_REASON_DROPPED;
	default:
		rc = report_error(r, m, rc, SPIN_KIND_PAYLOAD);
		m->dropped_bytes += p->bytes;
		return (enum spin_reason)rc;
	}
}

static enum spin_reason handle(struct reference *r, struct reference_message *m, const struct reference_packet *p)
{
	switch (m->verdict) {
	case SPIN_REASON_SUCCESS:
		return process(r, m, p);
	case SPIN_REASON_PROCEEDED:
		return deposit(r, m, p);
	default: /* HEADER_DROPPED or an error */
		m->dropped_bytes += p->bytes;
		return m->verdict;
	}
}

/* Returns 1 if the message's entry does not truncate and is too small for the packet, or for the length that a first packet announces. */
static int exceeds_entry(const struct reference_message *m, const struct reference_packet *p)
{
	uint64_t end = (uint64_t)p->offset + p->bytes;

	if (p->offset == 0 && p->put_length != SPIN_LENGTH_UNKNOWN && p->put_length > end)
		end = p->put_length;
	return m->whole && end > m->room;
}

void reference_run_header(struct reference *r, struct reference_message *m, const struct reference_packet *p, unsigned me)
{
	uint32_t view_bytes = p->bytes, length = p->put_length, rc;

	m->me = me;
	m->me_start = r->me[me].start;
	m->me_length = r->me[me].length;
	m->me_serial = r->me[me].serial;
	m->whole = (r->me[me].options & SPIN_ME_NO_TRUNCATE) && r->breaks != REFERENCE_BREAKS_REFUSAL;
	m->room = p->put_offset < m->me_length ? m->me_length - (uint32_t)p->put_offset : 0;
	m->holds_me = (r->me[me].options & SPIN_ME_USE_ONCE) != 0;
	m->overflow = (r->me[me].options & SPIN_ME_OVERFLOW) != 0;
	m->offset = p->put_offset > 0xffffffff ? 0xffffffff : (uint32_t)p->put_offset;
	if (r->me[me].options & SPIN_ME_MANAGE_LOCAL)
		reference_assign_space(r, m);
	if (m->holds_me)
		r->me[me].state = SPIN_ME_TAKEN;
	m->match_bits = p->match_bits;
	m->hdr_data = p->hdr_data;
	m->stride = p->bytes;
	m->sum = p->sum;
	m->open = 1;
	m->verdict = SPIN_REASON_SUCCESS;
	m->completes = 0;
	if (p->eom)
		m->length = p->bytes;
	if (!r->handlers.header || exceeds_entry(m, p))
		return;
	if (length == SPIN_LENGTH_UNKNOWN && p->eom)
		length = p->bytes;
	if (r->handlers.user_header_bytes && view_bytes > r->handlers.user_header_bytes)
		view_bytes = r->handlers.user_header_bytes;
	rc = r->handlers.header(r, m, p, length, view_bytes);
	emit_run(r, m, SPIN_KIND_HEADER);
	switch (rc) {
	case SPIN_HEADER_PROCESS_DATA:
	case SPIN_HEADER_PROCESS_DATA_PENDING:
		break;
	case SPIN_HEADER_PROCEED_COMPLETE:
	case SPIN_HEADER_PROCEED_COMPLETE_PENDING:
		m->completes = 1;
		m->verdict = SPIN_REASON_PROCEEDED;
		break;
	case SPIN_HEADER_PROCEED:
	case SPIN_HEADER_PROCEED_PENDING:
		m->verdict = SPIN_REASON_PROCEEDED;
		break;
	case SPIN_HEADER_DROP:
	case SPIN_HEADER_DROP_PENDING:
		m->verdict = SPIN_REASON_HEADER_DROPPED;
		break;
	default:
		m->verdict = report_error(r, m, rc, SPIN_KIND_HEADER);
		return;
	}
	m->pending = (rc & SPIN_RC_PENDING) != 0;
}

static void run_completion(struct reference *r, struct reference_message *m)
{
	uint32_t rc;

	if (!r->handlers.completion)
		return;
	if (m->verdict != SPIN_REASON_SUCCESS && m->verdict != SPIN_REASON_HEADER_DROPPED && !m->completes &&
	    !(r->breaks == REFERENCE_BREAKS_COMPLETION_AFTER_PROCEED && m->verdict == SPIN_REASON_PROCEEDED))
		return;
	rc = r->handlers.completion(r, m);
	emit_run(r, m, SPIN_KIND_COMPLETION);
	if (rc == SPIN_COMPLETION_SUCCESS_PENDING)
		m->pending = 1;
	else if (rc != SPIN_COMPLETION_SUCCESS)
		report_error(r, m, rc, SPIN_KIND_COMPLETION);
}

enum spin_reason reference_open_packet(struct reference *r, struct reference_message *m, const struct reference_packet *p, int *ended)
{
	uint32_t packet = m->stride ? p->offset / m->stride : 0, beyond = lowest_missing(m) + r->opts.window;
	enum spin_reason reason;

	if (r->breaks == REFERENCE_BREAKS_WINDOW)
		beyond++;
	if (m->stride ? p->offset % m->stride != 0 : p->offset != 0)
		return SPIN_REASON_MALFORMED;
	if (contradicts(r, m, p, packet))
		return SPIN_REASON_MALFORMED;
	if (exceeds_entry(m, p)) {
		reference_refuse(r, m);
		*ended = 1;
		return SPIN_REASON_BEYOND_ENTRY;
	}
	if (packet < REFERENCE_PACKETS_MAX && m->came[packet])
		return SPIN_REASON_DUPLICATE;
	if (packet > beyond)
		return SPIN_REASON_BEYOND_WINDOW;
	if (packet >= REFERENCE_PACKETS_MAX)
		reference_die("a message has too many packets");
	m->came[packet] = 1;
	m->came_count++;
	if (p->eom) {
		m->last_known = 1;
		m->last = packet;
		m->length = p->offset + p->bytes;
	}
	reason = handle(r, m, p);
	if (m->last_known && m->came_count == m->last + 1) {
		run_completion(r, m);
		reference_complete(r, m);
		*ended = 1;
	}
	return reason;
}
