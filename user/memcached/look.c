/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Examines memcached's sockets (look.h). Called by fill.c. Two looks are needed because the kernel's list may omit a socket that moves
 * within it. A socket that first appears after the second look was opened after look__begin(), so it counts as drained.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/memcached/look.h"

#define STATE_LISTEN    0x0a
#define STATE_TIME_WAIT 0x06

void look__begin(struct look *look)
{
	if (look->table)
		memset(look->table, 0, look->size * sizeof(*look->table));
	look->used = 0;
	look->looks = 0;
}

void look__free(struct look *look)
{
	free(look->table);
	*look = (struct look){ 0 };
}

static struct look_socket *find_slot(const struct look *look, uint64_t name)
{
	size_t at = name & (look->size - 1);

	while (look->table[at].name && look->table[at].name != name)
		at = (at + 1) & (look->size - 1);
	return &look->table[at];
}

static int grow(struct look *look)
{
	struct look grown = { .size = look->size ? 2 * look->size : 1024 };

	grown.table = calloc(grown.size, sizeof(*grown.table));
	if (!grown.table)
		return -ENOMEM;
	for (size_t i = 0; i < look->size; i++)
		if (look->table[i].name)
			*find_slot(&grown, look->table[i].name) = look->table[i];
	free(look->table);
	look->table = grown.table;
	look->size = grown.size;
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

static int record_socket(struct look *look, uint64_t name, int unread)
{
	struct look_socket *socket;

	if (2 * look->used >= look->size) {
		const int err = grow(look);

		if (err)
			return err;
	}
	socket = find_slot(look, name);
	if (!socket->name) {
		socket->name = name;
		socket->drained = look->looks >= 2;
		look->used++;
	}
	if (!unread)
		socket->drained = 1;
	look->unread += !socket->drained;
	return 0;
}

static int scan_list(struct look *look, const char *list, int is_tcp, const struct server *server)
{
	const int is_answered = !is_tcp && look->udp_heard && !strcmp(list, server->address.any.sa_family == AF_INET6 ? "udp6" : "udp");
	const unsigned unread_before = look->unread;
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
		look->connections += is_tcp;
		look->own += is_tcp && server__is_own(server, remote_port);
		look->blocked += to_send >= (is_tcp ? LOOK_TCP_BLOCKED : LOOK_UDP_BLOCKED);
		snprintf(line, sizeof(line), "%s:%x %lu", remote, remote_port, is_tcp ? 0 : inode);
		err = record_socket(look, hash_socket(list, local, line), unread != 0 && !is_answered);
	}
	fclose(file);
	look->udp_unread += is_tcp ? 0 : look->unread - unread_before;
	return err;
}

int look__take(struct look *look, const struct server *server)
{
	int err;

	look->unread = look->blocked = look->connections = look->own = look->udp_unread = 0;
	err = scan_list(look, "tcp", 1, server);
	if (!err)
		err = scan_list(look, "tcp6", 1, server);
	if (!err)
		err = scan_list(look, "udp", 0, server);
	if (!err)
		err = scan_list(look, "udp6", 0, server);
	look->looks++;
	return err;
}
