/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_ATTACHED_H
#define TESTS_COMMON_ATTACHED_H

/* A context at an interface of this thread's namespace. */
#include <spin/libspin_message.h>

/*
 * A built handler by its name, with a match rule in words. NULL, or what went wrong, valid until this thread's next failure; the
 * context is the caller's.
 */
const char *attached__open(struct spin_ctx **out, const char *handler, const char *dev, const char *rule_text,
			   const struct spin_message_opts *message, enum spin_mode mode);

#endif
