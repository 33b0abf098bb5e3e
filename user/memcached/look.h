/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_LOOK_H
#define USER_MEMCACHED_LOOK_H

/*
 * Examines memcached's sockets in /proc/net of this network namespace. Finds sockets with bytes that memcached has not read, and sockets to
 * which it may be unable to write: memcached does not execute further commands of those.
 */
#include <stddef.h>
#include <stdint.h>

#include "user/memcached/server.h"

/* Bytes to send from which a socket counts as blocked. A full buffer has at least tens of KiB. */
#define LOOK_TCP_BLOCKED 4096u
#define LOOK_UDP_BLOCKED 65536u

struct look {
	/* sockets seen since look__begin(): a hash table with `size` slots */
	struct look_socket {
		uint64_t name; /* 0: free */
		int drained;
	} * table;
	size_t size, used;
	unsigned looks;
	int udp_heard; /* set by the caller from server__udp_heard() */
	/* results of the last look */
	unsigned unread;  /* sockets that had unread bytes at every look so far */
	unsigned blocked; /* sockets with at least LOOK_*_BLOCKED bytes to send */
	unsigned connections, own, udp_unread;
};

void look__begin(struct look *look);
/* Returns -ENOENT if /proc/net cannot be read. */
int look__take(struct look *look, const struct server *server);
void look__free(struct look *look);

#endif
