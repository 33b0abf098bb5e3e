/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_NET_LINES_H
#define TESTS_COMMON_NET_LINES_H

/*
 * The handlers of tests/handlers/streams/lines.c, which capitalize the first letter of each line of a TCP stream, for tests in
 * tests/sockets and tests/unit: their state, and a reference implementation of what they do to a stream. Failures end the test.
 */
#include <stddef.h>
#include <stdint.h>

#define LINES_CONNECTIONS 1024 /* SPIN_CONNECTIONS_MAX */

/* Same layout as in the handler. */
struct lines_connection {
	uint32_t begun, ended, bytes, hash, inside_line, drops, dropped_bytes, length, port, end_port;
};

struct lines {
	uint32_t verdict, datagrams, begun, ended, missed;
	struct lines_connection connection[LINES_CONNECTIONS];
};

struct spin_ctx;

/* Maps a context's state. */
struct lines *lines__state(struct spin_ctx *ctx);
/* Returns the only connection that handlers saw; ends the test if they saw none or several. */
const struct lines_connection *lines__only_one(const struct lines *lines);

uint32_t lines__load(const uint32_t *at);
/* Waits for a field to reach a value, because completion handlers run asynchronously. */
void lines__wait_for(const char *what, const uint32_t *at, uint32_t value);

/* Fills `bytes` with random lines. */
void lines__fill(uint64_t *seed, uint8_t *bytes, size_t count);
/* Turns a stream in place into what the application reads; returns the hash of what was sent. */
uint32_t lines__transform(uint8_t *bytes, size_t count);

#endif
