/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_HITS_H
#define TESTS_BENCH_HITS_H

/*
 * Shared by the benchmark hits.c and its XDP client, hits.bpf.c: requests to the key-value store (kvstore.h), and counts of the replies.
 * Key and value follow from a request's number, so that every reply can be checked.
 */
#include <kvstore.h>

#define HITS_PORT   9000
#define HITS_KEYS   (KV_SETS * KV_WAYS) /* fills the cache: all requests hit */
#define HITS_BYTES  90                  /* Ethernet, IPv4, UDP, struct kv_message */
#define HITS_RECENT 16384u              /* range of ids in which duplicate replies are detected */

struct hits {
	uint64_t frame[HITS_BYTES / 8]; /* the request with id 0 and key 0 */
	uint16_t frame_end;
	uint16_t checksum;          /* of that request */
	uint32_t window;            /* most requests in flight; 0: unlimited */
	uint32_t sent, ended;       /* requests; those answered or given up */
	uint32_t stalled;           /* frames not sent since the last reply */
	uint64_t good, bad;         /* replies */
	uint32_t seen[HITS_RECENT]; /* id + 1 of the last reply, by id % HITS_RECENT */
};

SPIN_INLINE uint32_t hits_key(uint32_t id)
{
	return (id * 2654435761u >> 8) % HITS_KEYS;
}

SPIN_INLINE uint32_t hits_value(uint32_t key, uint32_t word)
{
	return (key + 1) * 2246822519u + word * 3266489917u;
}

#endif
