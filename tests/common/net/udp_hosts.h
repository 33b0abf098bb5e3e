/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_UDP_HOSTS_H
#define TESTS_COMMON_UDP_HOSTS_H

/*
 * Datagrams with requests to the handler of tests/handlers/datagrams/rewrite.c, between two hosts of the test: `s0` with 10.9.0.1 and
 * fd09::1 in the server's namespace, `c0` with 10.9.0.2 and fd09::2 in the client's. Failures end the test. Used by tests and benchmarks of
 * handlers on sockets.
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

/* Same layout as in the handler. The word to store goes to body[0]. */
enum asks_what { ASK_NOTHING = 0, ASK_STORE = 2, ASK_PORT = 4, ASK_DROP = 5 };
struct asks_ask {
	uint8_t what, reply; /* reply 1: send a reply of 16 bytes */
	uint16_t bytes, at, port;
	uint32_t value;
	uint32_t body[4];
};

#define UDP_HOSTS_PORT   7000 /* of receivers */
#define UDP_HOSTS_SENDER 7001
#define UDP_HOSTS_OTHER  7002 /* destination of ASK_PORT */
#define UDP_HOSTS_VALUE  0xfeedf00d

struct udp_hosts {
	int server_ns, client_ns;
};

/* Creates both hosts, and enters the server's namespace. */
void udp_hosts__hosts(struct udp_hosts *out);

socklen_t udp_hosts__address(const char *text, uint16_t port, union asks_address *out);

/* Opens a socket in a namespace; afterwards the calling thread is in the server's namespace. The receive timeout is a third of a second. */
int udp_hosts__socket(const struct udp_hosts *hosts, int ns, int family);
void udp_hosts__bind(int fd, const char *text, uint16_t port);

/* Sends one datagram to `text`, port `port`; *ask receives its content. */
void udp_hosts__send(int fd, const char *text, uint16_t port, enum asks_what what, int reply, struct asks_ask *ask);

/* Waits on the sockets for the datagram that was sent as *ask, and skips others. Returns its length, or 0 if it does not arrive. */
ssize_t udp_hosts__read(const int *fds, unsigned count, const struct asks_ask *ask, struct asks_ask *got);

/* Sends ASK_STORE until one arrives. Returns 1 if it arrives rewritten, 0 if unchanged. */
int udp_hosts__is_rewritten(int sender, const char *text, uint16_t port, const int *fds, unsigned count);

#endif
