/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HANDOFF_H
#define USER_SPIND_HANDOFF_H

/*
 * The messages by which spind's front process (it accepts clients) hands a request to a holder (the process for one network namespace,
 * which loads the handlers). Used by front.c, holders.c, holder.c and client.c.
 */
#include <stdint.h>

#include "user/libspin/broker.h"
#include "user/spind/settings.h"

#define HANDOFF_USERS_MAX 1024 /* users that a holder serves at a time */

/*
 * What the front process sends to a holder: a client's request and who the client is. Descriptors: the client's connection, then the
 * request's.
 */
struct handoff {
	struct broker_request request; /* op 0: only asks for the counts; or HANDOFF_END_IDLE */
	uint64_t netns;                /* for CREATE and ADD: inode of the network namespace */
	uint32_t uid, pid;
	uint32_t trusted; /* 1: may load the trusted class */
};

/* Instead of a broker_op: asks for the counts, but a holder without a client ends and sends no reply. No descriptors. */
#define HANDOFF_END_IDLE UINT32_MAX

/*
 * The holder's answer, sent as soon as the holder has the descriptors. The holder answers the client only after the front process has
 * closed its own descriptors and then this connection. So a client that then closes its socket can bind another one to the address at once.
 */
#define HANDOFF_BUSY 2
#define HANDOFF_MS   2000 /* how long the front process waits for it */

struct handoff_reply {
	uint32_t taken;    /* 1: the holder answers the client; HANDOFF_BUSY: it has the context but cannot serve the request now */
	uint32_t contexts; /* held or being loaded, of all users */
	uint32_t of_user;  /* the same of handoff.uid */
	uint32_t silent;   /* in a sum: number of holders that did not answer */
};

/* Argument of a holder's thread for a client. client__serve() closes the descriptors and frees it. */
struct client {
	const struct settings *settings;
	struct handoff handoff;
	int fds[BROKER_FDS]; /* the client's connection first */
	unsigned count;
	int front_fd; /* copy of the handoff's connection, to wait for its end; -1: do not wait */
};

#endif
