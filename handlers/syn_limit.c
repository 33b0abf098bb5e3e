/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * syn_limit - limits the new TCP connections of each network, before the host's TCP sees them
 *
 * A network, a /24 of IPv4 or a /64 of IPv6, may begin `limit` connections (initially 100) in each period of 2^30 ns, about a second.
 * Further SYNs are dropped: they cost the host nothing, and their clients send another one later. Connections that have begun, and those
 * that are older than this handler, go on. The payload of each network is counted. Networks of the same hash share a row, and so the
 * limit.
 */
#include <spin/spin.h>

#define ROWS        4096 /* a power of two */
#define PERIOD_BITS 30   /* a period has 2^30 ns */

struct row {
	uint32_t period;  /* of the last connection, modulo 2^32 */
	uint32_t begun;   /* connections in it, also those that were refused */
	uint32_t refused; /* connections, in all */
	uint32_t bytes;   /* of payload, modulo 2^32; bytes that TCP sends again count again */
};

struct syn_limit {
	uint32_t limit; /* connections of a network in a period */
	uint32_t unused;
	struct row row[ROWS];
};

SPIN_STATE(struct syn_limit, .limit = 100);

static inline struct row *row_of(struct syn_limit *state, struct spin_process from)
{
	uint32_t network = from.addr[0] ^ from.addr[1] * SPIN_RANDOM_STEP;

	if (from.ip_version == 4)
		network = from.addr[0] & spin_hton32(0xffffff00);
	return SPIN_AT(state->row, spin_table_home(network, ROWS));
}

static enum spin_header_rc syn_limit_header(struct spin_header *h, struct syn_limit *state)
{
	uint32_t period = (uint32_t)(spin_clock_coarse_ns() >> PERIOD_BITS), last;
	struct row *row = row_of(state, spin_source(h));

	if (!row || (spin_tcp_flags(h) & (SPIN_TCP_SYN | SPIN_TCP_ACK)) != SPIN_TCP_SYN)
		return SPIN_HEADER_PROCESS_DATA;
	last = spin_load32(&row->period);
	if (last != period && spin_cas32(&row->period, last, period))
		spin_store32(&row->begun, 0); /* another HPU may have counted in between: then a few more may begin */
	if (spin_fadd32(&row->begun, 1) < state->limit)
		return SPIN_HEADER_PROCESS_DATA;
	spin_add32(&row->refused, 1);
	return SPIN_HEADER_DROP;
}

static enum spin_payload_rc syn_limit_payload(struct spin_payload *p, struct syn_limit *state)
{
	struct row *row = row_of(state, spin_source(p));

	if (row)
		spin_add32(&row->bytes, p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(syn_limit, .header = syn_limit_header, .payload = syn_limit_payload, .delivery = SPIN_DELIVER_SEGMENTS);
