/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_SERVER_H
#define USER_MEMCACHED_SERVER_H

/*
 * Connections to memcached, at least one to each of its worker threads, for barrier rounds, and the commands sent to it. Called by
 * fill.c. Functions return 0 or a negative errno, and wait for at most a second: -ETIMEDOUT.
 */
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define SERVER_CONNECTIONS_MAX 256
#define SERVER_ANSWER_MS       1000

union server_address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

struct server {
	union server_address address;
	socklen_t address_bytes;
	unsigned threads, requests; /* of memcached: its workers; commands of a connection before the next one's turn */
	unsigned wanted_threads;    /* 0: those that memcached tells */
	unsigned count;             /* connections; 0: not open */
	int udp;                    /* 0: none */
	struct {
		int fd;
		uint16_t port;   /* this end's */
		uint8_t pending; /* its answer to the round is to come */
	} connection[SERVER_CONNECTIONS_MAX];
};

/* "127.0.0.1:11211", "[::1]:11211". -EINVAL. */
int server__set_address(struct server *server, const char *text);
unsigned server__port(const struct server *server);

/* -EAGAIN: others connect so often that it is not known whether each thread has a connection; try again. */
int server__open(struct server *server);
void server__close(struct server *server);
int server__is_own(const struct server *server, unsigned port);

/*
 * One command to each connection that does nothing, and all answers. After -ETIMEDOUT the connections stay, and the next call waits for what has not come
 * yet; all other failures, and all of the other functions, need server__close().
 */
int server__round(struct server *server);

/*
 * The socket of UDP of memcached's address: its datagrams are read in order, so once one has been answered all that had come before it are read.
 * udp_ask() sends one, which may be lost; udp_heard(): one that was sent since udp_begin() has been answered.
 */
void server__udp_begin(struct server *server);
void server__udp_ask(struct server *server);
int server__udp_heard(const struct server *server);

struct server_value {
	uint32_t flags;
	int64_t ttl;   /* seconds; -1: for ever */
	size_t bytes;  /* of the value */
	uint8_t *data; /* room for the value and its end of line: the caller's */
	size_t room;
};

/* 1: the value; 0: there is none; -EMSGSIZE: it has no room. */
int server__get(struct server *server, const void *key, size_t key_bytes, struct server_value *value);

struct server_stats {
	uint64_t executed; /* commands so far that may have changed something */
	uint64_t connections, all_connections;
};
int server__stats(struct server *server, struct server_stats *stats);

#endif
