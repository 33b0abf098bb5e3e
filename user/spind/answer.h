/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_ANSWER_H
#define USER_SPIND_ANSWER_H

/* Answers of spind to its clients. Called by all threads that serve requests. */
#include "user/libspin/broker.h"
#include "user/spind/held.h"

/* An empty answer. */
void answer__begin(struct broker_answer *out);
void answer__send(int connection, const struct broker_answer *answer, const int *fds, unsigned count);

/* A refusal: the reason goes to the client, if it listens. */
void answer__refuse(int connection, int err, const char *reason);

/* An answer that describes a context, without its memories; the caller holds the list's lock, or is its thread. */
void answer__describe(const struct held *held, struct broker_answer *out);

/* The context with descriptors of its memories, and of its object if with_object. The caller holds its `use`. */
void answer__memories(int connection, const struct held *held, int with_object);

/* Tells the program whose context it is that its memories are used no more. */
void answer__moved(int connection);

/* The context, or the reason of an error, which is spin_strerror_last(). */
void answer__result(int connection, const struct held *held, int err);

#endif
