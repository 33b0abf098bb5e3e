/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_CLIENT_H
#define USER_SPIND_CLIENT_H

/* One client of a holder, in a thread of its own: its requests, and the context that goes with its connection. */
#include "user/libspin/broker.h"
#include "user/spind/order.h"
#include "user/spind/settings.h"

struct held;

/* What a thread begins with; it owns the descriptors and frees it. */
struct client {
	const struct settings *settings;
	struct order order;
	int fds[BROKER_FDS]; /* the connection first */
	unsigned count;
};

/* Serves the client until its connection ends. */
void client__serve(struct client *client);

/* An answer that describes a context, without its memories; the caller holds the list's lock, or is its thread. */
void client__describe(const struct held *held, struct broker_answer *out);

/* A refusal: the reason goes to the client, if it listens. */
void client__refuse(int connection, int err, const char *reason);

#endif
