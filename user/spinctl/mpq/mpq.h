/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_MPQ_MPQ_H
#define USER_SPINCTL_MPQ_MPQ_H

/*
 * spinctl mpq: lists the messages in flight (MPQ: message processing queue, the state of one such message) of contexts in any process.
 * find.c reads them, print.c prints them; mpq.c and spinctl status call both.
 */
#include <spin/libspin_message.h>
#include "user/spinctl/memory.h"
#include "user/spinctl/spinctl.h"

/* A context that takes messages, of any process. */
struct mpq_context {
	uint32_t program_id;
	char name[16], rule[256], device[32];
	int owner_pid; /* 0: not visible */
	uint32_t mpqs; /* the limit of messages in flight */
	struct spin_message_stats stats;
	struct spin_ct ct[SPIN_MES_MAX]; /* counters of its entries; zero if its handlers use none */
	struct spin_message_info *message;
	unsigned messages;
};

/* Finds all contexts of this machine, or those on one device, each once. Returns 0 or -errno. Free with mpq_find__free(). */
int mpq_find__contexts(const char *device, struct mpq_context **out, unsigned *count);
/*
 * Reads one context by its program. Returns 0 or -errno: -ENOENT if it takes datagrams; out->ct is filled in either case. The caller frees
 * out->message.
 */
int mpq_find__context(uint32_t program_id, struct mpq_context *out);
void mpq_find__free(struct mpq_context *context, unsigned count);

/* Prints one JSON document; pretty: on several lines. */
void mpq_print__json(const struct mpq_context *context, unsigned count, int pretty);
void mpq_print__text(const struct mpq_context *context, unsigned count);

#endif
