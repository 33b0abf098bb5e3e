/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_INTERFACE_OWNERS_H
#define TESTS_COMMON_INTERFACE_OWNERS_H

/*
 * Processes that own an interface, with one context for datagrams and one for messages. They are killed one after the other while packets
 * arrive. Used by tests/stress/stress.c: a killed owner must leave nothing in the kernel.
 */
#include <pthread.h>

#include "tests/common/net/leak_check.h"
#include "tests/common/net/message_packet.h"

#define OWNERS_DEV "own0"

struct owners_counts;

struct owners {
	int ns;
	pthread_t sending;
	int socket;
	volatile int stop;
	struct message_packet packet;
	struct owners_counts *counts; /* of the current process */
	/* of all processes */
	uint64_t kills;
	uint64_t datagrams, message_packets; /* packets that their handlers ran for */
};

/* Creates the interface in the thread's namespace, and starts to send. Returns a reason or NULL. */
const char *owners__open(struct owners *o, int ns);
/* Runs one process for a while, notes what it holds, and kills it. Its program must then disappear. */
const char *owners__kill_one(struct owners *o, struct leak_check *left);
void owners__close(struct owners *o);

#endif
