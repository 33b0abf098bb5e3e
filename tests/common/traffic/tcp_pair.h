/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_TRAFFIC_TCP_PAIR_H
#define TESTS_COMMON_TRAFFIC_TCP_PAIR_H

/*
 * TCP connections within the network namespace of the calling thread, for tests of handlers on sockets. Each function ends the test on
 * failure.
 */
#include <stdint.h>

struct tcp_pair {
	int client, server;
};

/* Returns a socket that listens at an IPv4 or IPv6 address, as text. */
int tcp_pair__listen(const char *address, uint16_t port);
/* Connects to a listening socket, and accepts. Nothing has been sent. */
struct tcp_pair tcp_pair__open(int listener);
/* The server's cookie (SO_COOKIE) modulo `groups`: a stream's handlers use it to choose the connection's slots. */
uint64_t tcp_pair__group(const struct tcp_pair *pair, uint64_t groups);
/* Opens connections until one is of this group, and closes the others. */
struct tcp_pair tcp_pair__open_in(int listener, uint64_t groups, uint64_t group);
/* The client sends one text, and the server must read the other, within five seconds. */
void tcp_pair__check_read(const char *what, const struct tcp_pair *pair, const char *sends, const char *reads);
void tcp_pair__close(const struct tcp_pair *pair);

#endif
