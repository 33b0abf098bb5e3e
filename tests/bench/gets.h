/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_GETS_H
#define TESTS_BENCH_GETS_H

/*
 * Shared by the benchmark memcached.c and its XDP client, gets.bpf.c: memcached GETs over UDP, and counts of the answers. Texts are
 * those of tests/common/memcached/load.h: 16 bytes of request, 62 of answer.
 */
#include <stdint.h>

#define GETS_KEYS          256u /* power of two; all fit into the handlers' cache */
#define GETS_DRAWN         65536u
#define GETS_TEXT_AT       50u /* Ethernet, IPv4, UDP, frame header */
#define GETS_REQUEST_BYTES (GETS_TEXT_AT + 16)
#define GETS_ANSWER_BYTES  (GETS_TEXT_AT + 62)
#define GETS_ID_AT         42u
#define GETS_DIGITS_AT     (GETS_TEXT_AT + 8) /* of the request's key */

/* Offsets in the answer's text. */
#define GETS_KEY_DIGITS_AT   10u
#define GETS_VALUE_DIGITS_AT 27u

struct gets {
	uint64_t request[GETS_REQUEST_BYTES / 8]; /* with id 0, and zeros as the key's digits */
	uint16_t request_end;
	uint16_t sum;                      /* of the request, as added to the UDP checksum */
	uint16_t answer_check;             /* the IP checksum of an answer */
	uint8_t answer[GETS_ANSWER_BYTES]; /* from the text on, with zeros as the key's digits */
	uint32_t window;                   /* most GETs in flight; 0: no limit */
	uint32_t sent, ended;              /* GETs; those answered or given up */
	uint32_t stalled;                  /* frames not sent since the last answer */
	uint64_t good, bad;                /* answers */
	uint64_t digits[GETS_KEYS];        /* of each key, in its first six bytes */
	uint16_t drawn[GETS_DRAWN];        /* the key of GET number n is drawn[n % GETS_DRAWN] */
	uint32_t seen[GETS_DRAWN];         /* n + 1 of the last answered GET, by n % GETS_DRAWN: detects duplicates */
};

#endif
