/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_COMMANDS_H
#define TESTS_COMMON_MEMCACHED_COMMANDS_H

/*
 * Every command of memcached that changes a key, in its text, meta and binary form, and how to read its answer. Used by writer.c, to find
 * stale answers (checker.h).
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/common/memcached/client.h"
#include "tests/common/memcached/register.h"

enum mc_op {
	MC_SET,
	MC_ADD,
	MC_REPLACE,
	MC_APPEND,
	MC_PREPEND,
	MC_CAS,     /* with the current unique number */
	MC_CAS_OLD, /* with another one */
	MC_INCR,
	MC_DECR,
	MC_DELETE,
	MC_TOUCH,
	MC_GAT,
	MC_GATS,
	MC_META_SET,
	MC_META_ADD,
	MC_META_REPLACE,
	MC_META_APPEND,
	MC_META_PREPEND,
	MC_META_DELETE,
	MC_META_INCR,
	MC_META_DECR,
	MC_META_INCR_OR_NEW, /* ma N J */
	MC_META_TOUCH,       /* mg T */
	MC_META_GET_OR_NEW,  /* mg N */
	MC_OPS
};
extern const char *const mc_op_name[MC_OPS];

struct mc_command {
	enum mc_op op;
	const char *key;
	const char *bytes; /* to store, append, prepend; for a number that does not exist, its initial value */
	uint32_t count;    /* length of `bytes` */
	uint32_t flags, delta;
	uint32_t seconds; /* expiry; 0: none */
	uint64_t unique;  /* of cas */
	int quiet;        /* no answer: noreply, q, or a quiet binary command */
	uint32_t opaque;  /* binary */
};

/* Both append the command to `out`, which must be large enough, and return its length. Only some commands have a binary form. */
size_t mc_command__text(const struct mc_command *command, char *out);
size_t mc_command__binary(const struct mc_command *command, char *out);
/* Returns 1 if there is a binary form. */
int mc_command__is_binary(enum mc_op op);

/* Writes a flush_all, in either form. */
size_t mc_command__flush(unsigned seconds, int binary, int quiet, char *out);
/* Writes a command that changes nothing and has an answer: "mn", or the binary no-op. */
size_t mc_command__noop(int binary, uint32_t opaque, char *out);

/* The result of a command, from its answer. */
enum mc_result {
	MC_DONE,
	MC_UNCHANGED, /* there is a value, and it is unchanged */
	MC_ABSENT,
	MC_NO_ANSWER, /* a datagram got no answer */
	MC_WRONG,     /* could not be parsed */
};
/* *data is the key's value if the answer has it, else NULL. */
enum mc_result mc_command__text_answer(const struct mc_command *command, struct mc_answer *from, const char **data, uint32_t *bytes);
enum mc_result mc_command__binary_answer(struct mc_answer *from, uint32_t *opaque);

#endif
