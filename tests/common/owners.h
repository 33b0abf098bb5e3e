/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_OWNERS_H
#define TESTS_COMMON_OWNERS_H

/*
 * Processes that have an interface, with a context of datagrams and one of messages, and are killed one after the other
 * while packets come to it.
 */
#include <pthread.h>

#include "tests/common/net/leftover.h"
#include "tests/common/net/message_packet.h"

#define OWNERS_DEV "own0"

struct owners_counts;

struct owners {
	int ns;
	pthread_t sending;
	int socket;
	volatile int stop;
	struct message_packet packet;
	struct owners_counts *counts; /* of the one that lives */
	/* of all of them */
	uint64_t kills;
	uint64_t datagrams, message_packets; /* that their handlers ran for */
};

/* Makes the interface in the thread's namespace, and begins to send. A reason, or NULL. */
const char *owners__open(struct owners *o, int ns);
/* Lets one live for a while, notes what it holds, and kills it; its program has to go then. */
const char *owners__kill_one(struct owners *o, struct leftover *left);
void owners__close(struct owners *o);

#endif
