/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rate_limit - a token bucket for each source address
 *
 * A source may send one packet per interval_ns (initially 1 ms), and `burst` (10) of them at once. Packets beyond that are
 * dropped; the others are passed to the host. An IPv6 source is a /64 network. The application may change both numbers at any
 * time.
 *
 * A bucket is one number, the time at which it will be full again (the generic cell rate algorithm of ITU-T I.371). A packet
 * advances this time by one interval, and is dropped if it would then be more than a whole bucket from now. So a full bucket
 * stores nothing, and a source without a bucket takes it over. If none of its buckets is full, its packets are dropped.
 */
#include <spin/spin.h>

#define BUCKETS 4096 /* a power of two */
#define PROBES  4    /* candidate buckets of a source */
#define TRIES   4    /* attempts to update a bucket: other HPUs may have packets of the same source */

struct bucket {
	uint32_t source; /* its inverted address, IPv6: hash of the /64 network; 0, the initial value: none */
	uint32_t full;   /* time at which it is full, in ticks of 1,024 ns */
};

struct rate_limit {
	uint32_t interval_ns; /* per token: 10^9 / (packets per second); below 1,024 all packets pass */
	uint32_t burst;       /* tokens of a full bucket; an empty one must fill in less than half an hour */
	uint32_t over, none;  /* packets dropped: over the rate, or without a bucket */
	struct bucket bucket[BUCKETS];
};

SPIN_STATE(struct rate_limit, .interval_ns = 1000000, .burst = 10);

/*
 * Returns the ticks until the bucket is full; an empty one takes `all` ticks. Ticks wrap after 73 minutes: a time further ahead
 * than `all` is long past. Clocks of other HPUs may be a little ahead.
 */
static inline uint32_t lacks(uint32_t full, uint32_t now, uint32_t all)
{
	return full - now <= all + 64 ? full - now : 0;
}

/* Returns the source's bucket, or a full one that it takes over; NULL if there is none. */
static inline struct bucket *find(struct rate_limit *state, uint32_t source, uint32_t now, uint32_t all)
{
	uint32_t home = spin_table_home(source, BUCKETS), spare = BUCKETS, was = 0;
	struct bucket *bucket;

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t at = (home + i) & (BUCKETS - 1);

		bucket = SPIN_AT(state->bucket, at);
		if (bucket && bucket->source == source)
			return bucket;
		if (bucket && spare == BUCKETS && (!bucket->source || !lacks(bucket->full, now, all))) {
			spare = at;
			was = bucket->source;
		}
	}
	bucket = SPIN_AT(state->bucket, spare);
	if (!bucket || !spin_cas32(&bucket->source, was, source))
		return 0;
	spin_store32(&bucket->full, now);
	return bucket;
}

/* A bucket is one number: the time at which it is full again. A packet takes `interval` of it; a full bucket holds `burst` packets. */
static enum spin_header_rc rate_limit_header(struct spin_header *h, struct rate_limit *state)
{
	uint32_t now = spin_clock_ns() >> 10, interval = state->interval_ns >> 10, all = interval * state->burst;
	struct spin_process from = spin_source(h);
	struct bucket *bucket;

	if (!interval)
		return SPIN_HEADER_PROCEED;
	bucket = find(state, ~(from.addr[0] ^ from.addr[1] * SPIN_RANDOM_STEP), now, all);
	if (!bucket) {
		spin_add32(&state->none, 1);
		return SPIN_HEADER_DROP;
	}
	for (uint32_t i = 0; i < TRIES; i++) {
		uint32_t full = spin_load32(&bucket->full), lack = lacks(full, now, all) + interval;

		if (lack > all)
			break;
		if (spin_cas32(&bucket->full, full, now + lack))
			return SPIN_HEADER_PROCEED;
	}
	spin_add32(&state->over, 1);
	return SPIN_HEADER_DROP;
}

/* A header handler, because packets without payload count as well. It reads only headers. */
SPIN_HANDLERS(rate_limit,
	      .header = rate_limit_header,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .checksum = SPIN_CHECKSUM_HOST);
