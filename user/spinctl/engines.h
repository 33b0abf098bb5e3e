/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_ENGINES_H
#define USER_SPINCTL_ENGINES_H

/*
 * The options --engine and --trust of spinctl test and replay: which engines run (ways to execute a handler: host build, kernel, model of
 * the NIC, program for a card), and why the others do not.
 */
#include "user/lib/options.h"
#include "user/conformance/comparison.h"
#include "user/tool/handler.h"

#define ENGINE_OPTION(TYPE, member, WORDS)                                                           \
	{                                                                                            \
		"engine", 0, OPTION_LIST, WORDS, offsetof(TYPE, member),                             \
			"one that is to run; may be given several times (default: all that can run)" \
	}

/* clang-format off */
#define TRUST_OPTION(TYPE, member) \
	{ "trust", 0, OPTION_FLAG, NULL, offsetof(TYPE, member), \
	  "run programs of an object or recording in the kernel, too, and the source beside an object on this CPU: only if " \
	  "you trust whoever made them" }
/* clang-format on */

/* Parses --engine; the option table has already checked its words. Returns DONE, or FAILED after a message. */
int engines__select(struct comparison_engines *engines, const struct option_list *names);
/* Adds the engine for a card if the object has a program for it and no engine was named. Must be called after the handler is opened. */
void engines__add_card(struct comparison_engines *engines, const struct handler *h);
/*
 * Removes the host engine if the handler has no host build. Must be called after the handler is opened. Returns DONE, or FAILED after
 * a message.
 */
int engines__drop_host(struct comparison_engines *engines, const struct handler *h);
/* Removes the kernel engines for a foreign object (handler.h) that is not trusted: it is never loaded into the kernel. */
int engines__drop_untrusted(struct comparison_engines *engines, const struct handler *h, int trust);
/* Returns 1 if one of the engines is the kernel. */
int engines__want_kernel(const struct comparison_engines *engines);
/* Prints to stderr which engines were skipped, and why. */
void engines__report_skipped(const struct comparison_engines *engines);

#endif
