/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Examines memcached's sockets for bytes that it has not read yet (socket_scan.h). Called by fill.c, which copies the value of a new key
 * into the handlers' cache only when memcached has read all commands that arrived before socket_scan__begin(). A socket is drained when a
 * scan has found it without unread bytes. Two scans are needed because the kernel's list may omit a socket that moves within it. A socket
 * that first appears after the second scan was opened after socket_scan__begin(), so it counts as drained.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/memcached/socket_scan.h"

#define STATE_LISTEN    0x0a
#define STATE_TIME_WAIT 0x06

void socket_scan__begin(struct socket_scan *scan)
{
	if (scan->table)
		memset(scan->table, 0, scan->size * sizeof(*scan->table));
	scan->used = 0;
	scan->scans = 0;
}

void socket_scan__free(struct socket_scan *scan)
{
	free(scan->table);
	*scan = (struct socket_scan){ 0 };
}

static struct scanned_socket *find_slot(const struct socket_scan *scan, uint64_t name)
{
	size_t at = name & (scan->size - 1);

	while (scan->table[at].name && scan->table[at].name != name)
		at = (at + 1) & (scan->size - 1);
	return &scan->table[at];
}

static int grow(struct socket_scan *scan)
{
	struct socket_scan grown = { .size = scan->size ? 2 * scan->size : 1024 };

	grown.table = calloc(grown.size, sizeof(*grown.table));
	if (!grown.table)
		return -ENOMEM;
	for (size_t i = 0; i < scan->size; i++)
		if (scan->table[i].name)
			*find_slot(&grown, scan->table[i].name) = scan->table[i];
	free(scan->table);
	scan->table = grown.table;
	scan->size = grown.size;
	return 0;
}

/* FNV-1a. Never 0, which marks a free slot. */
static uint64_t hash_socket(const char *list, const char *local, const char *remote)
{
	const char *const parts[] = { list, local, remote };
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (const char *at = parts[i]; *at; at++)
			hash = (hash ^ (uint8_t)*at) * 0x100000001b3;
	return hash ? hash : 1;
}

/* A socket counts as unread until one scan finds it empty. One that only the second scan or a later one sees is new. */
static int record_socket(struct socket_scan *scan, uint64_t name, int unread)
{
	struct scanned_socket *socket;

	if (2 * scan->used >= scan->size) {
		const int err = grow(scan);

		if (err)
			return err;
	}
	socket = find_slot(scan, name);
	if (!socket->name) {
		socket->name = name;
		socket->drained = scan->scans >= 2;
		scan->used++;
	}
	if (!unread)
		socket->drained = 1;
	scan->unread += !socket->drained;
	return 0;
}

static int scan_list(struct socket_scan *scan, const char *list, int is_tcp, const struct server *server)
{
	const int is_answered = !is_tcp && scan->udp_heard && !strcmp(list, server->address.any.sa_family == AF_INET6 ? "udp6" : "udp");
	const unsigned unread_before = scan->unread;
	char path[32], line[256];
	int err = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/net/%s", list);
	file = fopen(path, "re");
	if (!file)
		return strchr(list, '6') ? 0 : -ENOENT; /* a kernel without IPv6 */
	while (!err && fgets(line, sizeof(line), file)) {
		char local[40], remote[40];
		unsigned local_port, remote_port, state, to_send, unread;
		unsigned long inode = 0; /* for TCP, 0 until the connection is accepted */

		if (sscanf(line, " %*[^:]: %39[0-9A-F]:%x %39[0-9A-F]:%x %x %x:%x %*x:%*x %*x %*u %*u %lu", local, &local_port, remote,
			   &remote_port, &state, &to_send, &unread, &inode) < 7 ||
		    local_port != server__port(server) || (is_tcp && (state == STATE_LISTEN || state == STATE_TIME_WAIT)))
			continue;
		scan->connections += is_tcp;
		scan->own += is_tcp && server__is_own(server, remote_port);
		scan->blocked += to_send >= (is_tcp ? SCAN_TCP_BLOCKED : SCAN_UDP_BLOCKED);
		snprintf(line, sizeof(line), "%s:%x %lu", remote, remote_port, is_tcp ? 0 : inode);
		err = record_socket(scan, hash_socket(list, local, line), unread != 0 && !is_answered);
	}
	fclose(file);
	scan->udp_unread += is_tcp ? 0 : scan->unread - unread_before;
	return err;
}

int socket_scan__run(struct socket_scan *scan, const struct server *server)
{
	int err;

	scan->unread = scan->blocked = scan->connections = scan->own = scan->udp_unread = 0;
	err = scan_list(scan, "tcp", 1, server);
	if (!err)
		err = scan_list(scan, "tcp6", 1, server);
	if (!err)
		err = scan_list(scan, "udp", 0, server);
	if (!err)
		err = scan_list(scan, "udp6", 0, server);
	scan->scans++;
	return err;
}
