/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_ASKS_H
#define TESTS_COMMON_ASKS_H

/*
 * Datagrams that ask the handler of tests/handlers/datagrams/rewrite.c for something, between two hosts of the test: `s0` with 10.9.0.1
 * and fd09::1 in the server's namespace, `c0` with 10.9.0.2 and fd09::2 in the client's. Failures end the test.
 */
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

union asks_address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

/* As the handler reads it. The word that it is to store goes to body[0]. */
enum asks_what { ASK_NOTHING = 0, ASK_STORE = 2, ASK_PORT = 4, ASK_DROP = 5 };
struct asks_ask {
	uint8_t what, reply; /* 1: a reply of 16 bytes */
	uint16_t bytes, at, port;
	uint32_t value;
	uint32_t body[4];
};

#define ASKS_PORT   7000 /* of receivers */
#define ASKS_SENDER 7001
#define ASKS_OTHER  7002 /* ASK_PORT steers there */
#define ASKS_VALUE  0xfeedf00d

struct asks_hosts {
	int server_ns, client_ns;
};

/* Makes both hosts, and enters the server's. */
void asks__hosts(struct asks_hosts *out);

socklen_t asks__address(const char *text, uint16_t port, union asks_address *out);

/* A socket in a namespace; the calling thread is in the server's afterwards. Waits a third of a second for datagrams. */
int asks__socket(const struct asks_hosts *hosts, int ns, int family);
void asks__bind(int fd, const char *text, uint16_t port);

/* Sends one to `text`, port `port`; *ask becomes what was sent. */
void asks__send(int fd, const char *text, uint16_t port, enum asks_what what, int reply, struct asks_ask *ask);

/* Reads from one of the sockets what was sent as `ask`; others are skipped. Returns its bytes, 0: nothing came. */
ssize_t asks__read(const int *fds, unsigned count, const struct asks_ask *ask, struct asks_ask *got);

/* Sends ASK_STORE until one is read. 1: it is read rewritten; 0: as it was sent. */
int asks__is_rewritten(int sender, const char *text, uint16_t port, const int *fds, unsigned count);

#endif
