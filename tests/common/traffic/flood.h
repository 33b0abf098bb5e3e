/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_FLOOD_H
#define TESTS_COMMON_FLOOD_H

/*
 * An attack on receivers of messages: sends SLMP packets (SLMP: a message protocol over UDP) of 74 bytes with forged source addresses, from
 * a thread of its own. Used by tests/live/floods_leave_room_for_others.c and tests/bench/flood.c.
 */
#include <stdint.h>

enum flood_kind {
	FLOOD_FIRST,     /* each is the first packet of a new message */
	FLOOD_MIDDLE,    /* each is a later packet of a new message, whose first packet was never sent */
	FLOOD_DUPLICATE, /* the same first packet every time */
	FLOOD_TRICKLE,   /* one message that never ends */
};

struct flood {
	enum flood_kind kind;
	unsigned sources;    /* number of source addresses */
	unsigned per_second; /* packets per second after the first `burst`; 0: no limit */
	unsigned burst;      /* packets sent at once, regardless of per_second */
	const char *to;      /* IPv4 address */
	const char *device;  /* the sending device */
	int netns;           /* its network namespace */
	int cpu;             /* CPU of the thread; -1: any */
};

/* Starts sending. `flood` must stay valid until flood__stop(). Ends the process with a message on failure. */
struct flood_thread *flood__start(const struct flood *flood);
/* Returns the number of packets sent so far. */
uint64_t flood__sent(const struct flood_thread *thread);
/* Ends the thread and frees it. Returns the number of packets sent. */
uint64_t flood__stop(struct flood_thread *thread);

#endif
