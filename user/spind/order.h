/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_ORDER_H
#define USER_SPIND_ORDER_H

/* The messages between spind's front process and a holder. */
#include <stdint.h>

#include "user/libspin/broker.h"
#include "user/spind/settings.h"

/* What spind tells a holder: a client's request and who the client is. Descriptors: the client's connection, then the request's. */
struct order {
	struct broker_request request; /* op 0: only the counts are asked for */
	uint64_t netns;                /* of CREATE: the inode of the socket's */
	uint32_t uid, pid;
	uint32_t trusted; /* 1: may load the trusted class */
};

/*
 * The holder's answer: it comes as soon as the holder has the descriptors. The client's comes when spind has closed its own, and then this
 * connection: a client that has closed a socket may bind another one to the address at once.
 */
#define RECEIPT_BUSY 2
#define RECEIPT_MS   2000 /* spind waits for it so long */

struct receipt {
	uint32_t taken;    /* 1: the holder answers the client; RECEIPT_BUSY: the context is its, but not now */
	uint32_t contexts; /* that it holds or loads, of all users */
	uint32_t of_user;  /* and of order.uid */
	uint32_t silent;   /* of several: so many holders did not answer */
};

/* What a holder's thread for a client begins with; it owns the descriptors and frees it. */
struct client {
	const struct settings *settings;
	struct order order;
	int fds[BROKER_FDS]; /* the connection first */
	unsigned count;
	int front_fd; /* of the order's connection; -1: it is not waited for */
};

#endif
