/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MIGRATION_HANDLER_H
#define TESTS_COMMON_MIGRATION_HANDLER_H

/*
 * Handlers that count datagrams, with a state and tables that the test chooses, for tests in tests/unit, tests/sockets and tests/segments
 * of spin_ctx__migrate(), which exchanges handlers and moves their memory to another layout. Failures end the test.
 */
#include <spin/libspin.h>

#define MIGRATION_PORT 9000

/*
 * Source of handlers with these fields of the state. One field is `packets`, and `count` is a C statement that increments it. The
 * declarations precede the state; init: initial values, as for SPIN_STATE.
 */
struct moving_source {
	const char *declarations, *fields, *init, *count;
};
struct spin_object *migration_handler__compile(const struct moving_source *source);

/* Builds an IPv4 datagram to MIGRATION_PORT. Returns the frame's length. */
uint32_t migration_handler__frame(uint8_t frame[64]);

/* Returns the value of a field, by its path. */
uint64_t migration_handler__field(struct spin_ctx *ctx, const char *path);

#endif
