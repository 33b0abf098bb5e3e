/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MOVING_H
#define TESTS_COMMON_MOVING_H

/* Handlers that count datagrams, with a state and tables of the test's choice, for spin_ctx__migrate(). What goes wrong ends the test as failed. */
#include <spin/libspin.h>

#define MOVING_PORT 9000

/*
 * Compiles handlers with these fields of the state, one of them `packets`, which counts (`count`: a statement of C that does), and these
 * declarations before it. init: initial values, as of SPIN_STATE.
 */
struct moving_source {
	const char *declarations, *fields, *init, *count;
};
struct spin_object *moving__compile(const struct moving_source *source);

/* A datagram of IPv4 to MOVING_PORT. Returns the frame's length. */
uint32_t moving__frame(uint8_t frame[64]);

/* The value of a field, by its path. */
uint64_t moving__field(struct spin_ctx *ctx, const char *path);

#endif
