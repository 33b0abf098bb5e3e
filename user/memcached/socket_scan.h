/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_SOCKET_SCAN_H
#define USER_MEMCACHED_SOCKET_SCAN_H

/*
 * Examines memcached's sockets in /proc/net of this network namespace. Called by fill.c, which copies the value of a new key into the
 * handlers' cache only when memcached has executed all commands that arrived before. Finds sockets with bytes that memcached has not read,
 * and sockets to which it may be unable to write: memcached does not execute further commands of those.
 */
#include <stddef.h>
#include <stdint.h>

#include "user/memcached/server.h"

/* Bytes to send from which a socket counts as blocked. A full buffer has at least tens of KiB. */
#define SCAN_TCP_BLOCKED 4096u
#define SCAN_UDP_BLOCKED 65536u

/* The state of the scans since socket_scan__begin(). */
struct socket_scan {
	/* sockets seen since socket_scan__begin(): a hash table with `size` slots */
	struct scanned_socket {
		uint64_t name; /* 0: free */
		int drained;   /* a scan found no unread bytes, or the socket is newer than socket_scan__begin() */
	} * table;
	size_t size, used;
	unsigned scans;
	int udp_heard; /* set by the caller from server__udp_heard() */
	/* results of the last scan */
	unsigned unread;  /* sockets that had unread bytes at every scan so far */
	unsigned blocked; /* sockets with at least SCAN_*_BLOCKED bytes to send */
	unsigned connections, own, udp_unread;
};

void socket_scan__begin(struct socket_scan *scan);
/* Returns -ENOENT if /proc/net cannot be read. */
int socket_scan__run(struct socket_scan *scan, const struct server *server);
void socket_scan__free(struct socket_scan *scan);

#endif
