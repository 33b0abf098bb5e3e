/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_NET_SEGMENTS_H
#define TESTS_COMMON_NET_SEGMENTS_H

/*
 * TCP connections between two hosts of a test (udp_hosts.h), and the state of the handlers of tests/handlers/segments/seg_socket.c. Used by
 * tests/sockets/segments_on_sockets.c and segments_of_others.c. Failures end the test.
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/common/net/udp_hosts.h"

#define SEGMENTS_PORT 7119

/* Same layout as in the handler. */
struct seg_socket {
	uint32_t refused, port, foreign;
	uint32_t begun, syns, bytes, ended, length, dropped_bytes, begun_port, ended_port;
};

struct spin_ctx;

struct seg_socket *segments__state(struct spin_ctx *ctx);
void segments__wait_for(const char *what, const uint32_t *at, uint32_t value);

/*
 * Opens 64 sockets of each IP version in the client's namespace, which later calls take. Must be called before the process drops its
 * privileges, because it cannot enter the namespace after that.
 */
void segments__make_sockets(const struct udp_hosts *hosts);

int segments__listen(const struct udp_hosts *hosts, int ns, const char *address);
int segments__accept(int listener);
/* Connects from own_port (0: any). segments__try_connect() waits up to half a second, and returns -1 if there is no connection. */
int segments__connect(const struct udp_hosts *hosts, int ns, const char *address, uint16_t port, uint16_t own_port);
int segments__try_connect(const struct udp_hosts *hosts, int ns, const char *address, uint16_t port, uint16_t own_port);
/* Same with TCP Fast Open: the text is sent with the SYN. */
int segments__connect_with(const struct udp_hosts *hosts, int ns, const char *address, uint16_t port, const char *text);
uint16_t segments__port(int fd);

/* Returns the number of bytes that arrive. */
size_t segments__read(int fd, char *to, size_t bytes);
int segments__is_readable(int fd, int wait_ms);
/* Sends the text `sends` on `from`; `to` must then read the text `reads`. */
void segments__check(const char *what, int from, int to, const char *sends, const char *reads);

/* Sends `syns` SYNs from many addresses and ports that do not answer. Needs root. */
void segments__flood(const struct udp_hosts *hosts, unsigned syns);

/*
 * Writes the letter `what` to the process that has kept its privileges, which changes the setting that the letter stands for. Then waits
 * 300 ms for it.
 */
void segments__write_setting(int fd, char what);

#endif
