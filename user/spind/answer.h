/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_ANSWER_H
#define USER_SPIND_ANSWER_H

/*
 * Answers of the daemon spind to the programs that ask it to attach handlers. Called by all threads that serve requests: those of front.c
 * (which accepts clients), and those of the holder (process for one network namespace).
 */
#include "user/libspin/broker.h"
#include "user/spind/held.h"

/* Initializes an empty answer. */
void answer__begin(struct broker_answer *out);
void answer__send(int connection, const struct broker_answer *answer, const int *fds, unsigned count);

struct handoff;

/* Sends an error with its reason, and logs it. `from` is the request, and who sends it. */
void answer__refuse(int connection, const struct handoff *from, int err, const char *reason);

/* Counts the context's packets. The caller holds held->use: replacing handlers may replace the memory that is read. */
void answer__count(const struct held *held, struct held_counts *out);

/* Describes a context with these counts, without its memories. The caller holds the list's lock or is the context's thread. */
void answer__identify(const struct held *held, const struct held_counts *counts, struct broker_answer *out);

/* Both. The caller holds held->use. */
void answer__describe(const struct held *held, struct broker_answer *out);

/* Sends the context with descriptors of its memories, and of its object if with_object. The caller holds held->use. */
void answer__memories(int connection, const struct held *held, int with_object);

/* Tells the context's program that the memories it has mapped are no longer used. */
void answer__moved(int connection);

/* Sends the context if err is 0, otherwise err with spin_strerror_last(). op: the request, for the log. */
void answer__result(int connection, const struct held *held, uint32_t op, int err);

#endif
