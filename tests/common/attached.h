/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_ATTACHED_H
#define TESTS_COMMON_ATTACHED_H

/*
 * Attaches a handler with its match rule (a context) to an interface of this thread's network namespace, in one call. Used by tests in
 * tests/live, tests/ring, tests/segments and tests/transfer, and by tests/bench/ring.c.
 */
#include <spin/libspin_message.h>

/*
 * Attaches a built handler by name, with a match rule as text. Returns NULL and the context, which the caller must destroy; or
 * a reason that is valid until this thread's next failure.
 */
const char *attached__open(struct spin_ctx **out, const char *handler, const char *dev, const char *rule_text,
			   const struct spin_message_opts *message, enum spin_mode mode);

/* Same, on an interface that is already open. opts may be NULL. */
const char *attached__context(struct spin_ctx **out, struct spin_nic *nic, const char *handler, const char *rule_text,
			      const struct spin_ctx_opts *opts);

#endif
