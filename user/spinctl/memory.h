/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_MEMORY_H
#define USER_SPINCTL_MEMORY_H

/*
 * Parses options for host memory that belongs to the handlers, and prints the counters of matching entries (parts of host memory posted for
 * messages). Called by spinctl run, record, status and mpq.
 */
#include <spin/libspin_message.h>
#include "user/spinctl/spinctl.h"

/* Segments of host memory, as parsed from an option. */
struct run_memory {
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
	unsigned segments;
};

/* Parses "0+4096,8192+64". Returns DONE, or FAILED after a message that begins with `option`. */
int run_memory__parse(const char *option, const char *text, struct run_memory *out);

/* Print the non-zero counters of a live context. The two functions below take SPIN_MES_MAX counters that were read elsewhere. */
void run_memory__text(struct spin_ctx *ctx);
void run_memory__json(struct json *j, struct spin_ctx *ctx);
void run_memory__counters_text(const char *indent, const struct spin_ct *ct);
void run_memory__counters_json(struct json *j, const struct spin_ct *ct);

#endif
