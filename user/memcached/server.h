/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_SERVER_H
#define USER_MEMCACHED_SERVER_H

/*
 * Connections to memcached, two to each of its worker threads. Called by fill.c, which puts memcached's values of hot keys into the table
 * from which handlers/memcached.c answers at XDP. It asks for values, and makes barrier rounds (a command to each thread, whose answer
 * shows that earlier commands were executed), so that no value older than a change gets there. Functions return 0 or a negative errno, and
 * wait for at most a second (-ETIMEDOUT).
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

/* Connections to one memcached. */
struct server {
	union server_address address;
	socklen_t address_bytes;
	unsigned threads,
		requests; /* memcached's worker threads, and its reqs_per_event: commands of one connection before the next one's turn */
	unsigned wanted_threads; /* 0: ask memcached */
	unsigned count;          /* open connections; 0: not open */
	int udp;                 /* 0: none */
	struct {
		int fd;
		uint16_t port;   /* local port */
		uint8_t pending; /* the answer to a round is outstanding */
	} connection[SERVER_CONNECTIONS_MAX];
};

/* Takes "127.0.0.1:11211" or "[::1]:11211". Returns 0 or -EINVAL. */
int server__set_address(struct server *server, const char *text);
unsigned server__port(const struct server *server);

/*
 * Returns 0 or -errno. -EAGAIN: other clients connect so often that it is unknown whether each thread has a connection; try again. -E2BIG:
 * the number of threads is unknown or too large. -EPROTO: memcached takes one of its protocols only (-B).
 */
int server__open(struct server *server);
void server__close(struct server *server);
int server__is_own(const struct server *server, unsigned port);

/*
 * A barrier round: sends "mn", which does nothing, on each connection and waits for all answers. After -ETIMEDOUT the connections stay
 * open, and the next call waits for the outstanding answers. After any other failure, of this or another function, the caller must call
 * server__close().
 */
int server__round(struct server *server);

/*
 * A client socket for memcached's UDP port. memcached reads its datagrams in order, so when one has been answered, all that arrived before
 * it have been read. udp_ask() sends one, which may be lost. udp_heard() returns 1 if one that was sent since udp_begin() has been
 * answered.
 */
void server__udp_begin(struct server *server);
void server__udp_ask(struct server *server);
int server__udp_heard(const struct server *server);

/* An answer to a request for a value. */
struct server_value {
	uint32_t flags;
	int64_t ttl;   /* seconds; -1: no expiry */
	size_t bytes;  /* of the value */
	uint8_t *data; /* buffer for the value and its end of line, owned by the caller */
	size_t room;
};

/* Returns 1: the value was read; 0: memcached has none; -EMSGSIZE: it does not fit in `room`. */
int server__get(struct server *server, const void *key, size_t key_bytes, struct server_value *value);

/* Counts that memcached reports. */
struct server_stats {
	uint64_t executed; /* commands so far that may have changed something */
	uint64_t connections, all_connections;
};
int server__stats(struct server *server, struct server_stats *stats);

#endif
