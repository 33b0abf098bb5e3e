/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_SCRIPT_H
#define TESTS_REFERENCE_SCRIPT_H

/*
 * The handlers of tests/handlers/messages/msg_script.h in plain C, for the reference (a plain-C model of the message protocol): it runs
 * them in place of compiled ones. Called by engine_reference.c.
 */
#include "tests/reference/reference.h"

#include "tests/handlers/messages/msg_script.h"

/* Finds them by the handler's name. Returns 0, or -1 if it is unknown. */
int script_handlers(const char *handler, struct script_state *state, struct reference_handlers *out);

#endif
