/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_MPQ_MPQ_H
#define USER_SPINCTL_MPQ_MPQ_H

/* spinctl mpq: a context that takes messages, as found in another process (find.c) and printed (print.c). */
#include <spin/libspin_message.h>
#include "user/spinctl/memory.h"
#include "user/spinctl/spinctl.h"

/* A context that takes messages, whichever process attached it. */
struct mpq_context {
	uint32_t program_id;
	char name[16], rule[256], device[32];
	int owner_pid; /* 0: not visible */
	uint32_t mpqs; /* messages in flight at most */
	struct spin_message_stats stats;
	struct spin_ct ct[SPIN_MES_MAX]; /* of its entries; zero if its handlers use none */
	struct spin_message_info *message;
	unsigned messages;
};

/* All of this machine, or those on one device; a context on several is found once. 0 or -errno. Free with mpq_find__free(). */
int mpq_find__contexts(const char *device, struct mpq_context **out, unsigned *count);
/* Of a context's program: 0, -ENOENT if it takes datagrams (which have counters, too), or -errno. Free out->message. */
int mpq_find__context(uint32_t program_id, struct mpq_context *out);
void mpq_find__free(struct mpq_context *context, unsigned count);

/* JSON: one document; pretty: several lines. */
void mpq_print__json(const struct mpq_context *context, unsigned count, int pretty);
void mpq_print__text(const struct mpq_context *context, unsigned count);

#endif
