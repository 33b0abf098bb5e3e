/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_LOOK_H
#define USER_MEMCACHED_LOOK_H

/*
 * Examines memcached's sockets in /proc/net of this network namespace: which have bytes that memcached has not read, and which it
 * may be unable to write to, so that it does not continue with what it has read.
 */
#include <stddef.h>
#include <stdint.h>

#include "user/memcached/server.h"

/* A socket that is blocked has its buffer full: at least tens of KiB. */
#define LOOK_TCP_BLOCKED 4096u
#define LOOK_UDP_BLOCKED 65536u

struct look {
	/* sockets since look__begin(): a table by hash, of `size` places */
	struct look_socket {
		uint64_t name; /* 0: free */
		int drained;
	} * table;
	size_t size, used;
	unsigned looks;
	int udp_heard; /* of the caller: server__udp_heard() */
	/* of the last one */
	unsigned unread;  /* sockets that have had unread bytes at every look so far */
	unsigned blocked; /* sockets with so much to send */
	unsigned connections, own, udp_unread;
};

void look__begin(struct look *look);
/* -ENOENT: /proc/net cannot be read. */
int look__take(struct look *look, const struct server *server);
void look__free(struct look *look);

#endif
