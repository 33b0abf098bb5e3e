/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_FLOOD_H
#define TESTS_COMMON_FLOOD_H

/* Strangers' SLMP packets of 74 bytes, under source addresses that are not theirs, from a thread of its own. */
#include <stdint.h>

enum flood_kind {
	FLOOD_FIRST,     /* each the first packet of another message */
	FLOOD_MIDDLE,    /* each of another message, of which no first packet came */
	FLOOD_DUPLICATE, /* the same first packet */
	FLOOD_TRICKLE,   /* one message that goes on and on */
};

struct flood {
	enum flood_kind kind;
	unsigned sources;    /* how many addresses they come from */
	unsigned per_second; /* packets, behind the first `burst`; 0: as many as go */
	unsigned burst;      /* packets that go at once, whatever per_second */
	const char *to;      /* IPv4 address */
	const char *device;  /* that they leave by, */
	int netns;           /* in this network namespace */
	int cpu;             /* where the thread runs; -1: anywhere */
};

/* Starts to send. `flood` must stay as long as it does. Ends the process with a message if it cannot. */
struct flood_thread *flood__start(const struct flood *flood);
/* Packets that have been sent. */
uint64_t flood__sent(const struct flood_thread *thread);
/* Ends and frees it. Returns the packets. */
uint64_t flood__stop(struct flood_thread *thread);

#endif
