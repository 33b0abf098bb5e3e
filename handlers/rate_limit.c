/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rate_limit - a token bucket for each source address
 *
 * A source may send one packet each interval_ns, and `burst` of them at once; what is beyond that is dropped, the rest is the
 * host's. Of IPv6 a source is a /64 network. The application sets both numbers, at any time.
 *
 * A bucket is one number, the time at which it will be full again (the generic cell rate algorithm of ITU-T I.371). A packet
 * moves that on by one interval, and is dropped if it would then be more than a whole bucket from now. So a bucket that is full
 * is as good as none, and a source without one takes it over. If there is none for it, its packets are dropped, too.
 */
#include <spin/spin.h>

#define BUCKETS 4096 /* a power of two */
#define PROBES  4    /* buckets that a source can have */
#define TRIES   4    /* other HPUs may have packets of the same source */

struct bucket {
	uint32_t source; /* all bits of its address inverted: 0, as at first, is nobody's */
	uint32_t full;   /* when it is, in ticks of 1,024 ns */
};

struct rate_limit {
	uint32_t interval_ns; /* of one token: a billion by the packets a second; below 1,024 all pass */
	uint32_t burst;       /* tokens of a full bucket; all together come in less than half an hour */
	uint32_t over, none;  /* packets dropped: over the rate, or without a bucket */
	struct bucket bucket[BUCKETS];
};

SPIN_STATE(struct rate_limit, .interval_ns = 1000000, .burst = 10);

/*
 * Ticks that a bucket lacks, if `all` is a whole one. Ticks wrap after 73 minutes: what is further ahead than all is long over.
 * Clocks of other HPUs may be a little ahead.
 */
static inline uint32_t lacks(uint32_t full, uint32_t now, uint32_t all)
{
	return full - now <= all + 64 ? full - now : 0;
}

/* The source's bucket, or a full one that is its own from now on; NULL: there is none. */
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

static enum spin_header_rc rate_limit_header(struct spin_header *h, struct rate_limit *state)
{
	uint32_t now = spin_clock_ns() >> 10, interval = state->interval_ns >> 10, all = interval * state->burst;
	struct spin_process from = spin_source(h);
	struct bucket *bucket = find(state, ~(from.addr[0] ^ from.addr[1] * SPIN_RANDOM_STEP), now, all);

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

/* The header handler, for packets without payload count, too. Headers are all it looks at. */
SPIN_HANDLERS(rate_limit,
	      .header = rate_limit_header,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .checksum = SPIN_CHECKSUM_HOST);
