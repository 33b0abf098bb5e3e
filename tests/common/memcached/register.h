/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_REGISTER_H
#define TESTS_COMMON_MEMCACHED_REGISTER_H

/*
 * The possible values of a key at any time: a regular register. One thread writes a key, so its states are ordered. A state is
 * issued before its command is sent, and acknowledged when the answer has come. A GET must show one of the states from the last one
 * acknowledged when it was sent to the last one issued when its answer came, and none older than the same reader has seen before.
 * Expiry and flushes are times of a state: from `misses_from` on a GET may miss; one sent from `gone_from` on must.
 */
#include <pthread.h>
#include <stdint.h>

#define MC_NEVER       UINT64_MAX
#define MC_VALUE_BYTES 1250u
#define MC_STATES      64u /* of a key that are kept */

struct mc_state {
	uint64_t misses_from, gone_from; /* ns. A value: MC_NEVER both. No value: 0 both. Nobody knows: 0, MC_NEVER */
	uint32_t flags, bytes;
	char value[MC_VALUE_BYTES];
};

struct mc_key {
	char name[32];
	int is_number; /* its values are numbers */
	pthread_mutex_t lock;
	uint64_t issued, acknowledged; /* numbers of states */
	int lost;                      /* an answer has not come: nothing is known any more */
	struct mc_state state[MC_STATES];
};

enum mc_verdict {
	MC_RIGHT,
	MC_UNCHECKED,     /* the reader was too slow, or the key is lost */
	MC_OLDER,         /* a value that another acknowledged one has replaced */
	MC_DELETED,       /* a value of a key that was acknowledged as deleted or flushed */
	MC_EXPIRED,       /* a value whose time is over */
	MC_BACKWARDS,     /* older than what this reader has seen */
	MC_NEVER_WRITTEN, /* a value or flags that no command has written to this key lately */
	MC_MISSED,        /* nothing, and there was a value all the time */
	MC_VERDICTS
};
extern const char *const mc_verdict_name[MC_VERDICTS];

/* Absent at first. */
void mc_key__init(struct mc_key *key, const char *name, int is_number);

/* The writer's: returns the number of the new state. */
uint64_t mc_key__issue(struct mc_key *key, const struct mc_state *state);
/* What has become of it. */
void mc_key__acknowledge(struct mc_key *key, uint64_t number, const struct mc_state *state);
void mc_key__last(struct mc_key *key, struct mc_state *out);
void mc_key__lose(struct mc_key *key);

/* A reader's: before a GET is sent. */
uint64_t mc_key__acknowledged(struct mc_key *key);

struct mc_read {
	uint64_t acknowledged;  /* before it was sent */
	uint64_t sent, arrived; /* ns */
	int found;
	uint32_t flags, bytes;
	const char *value;
};
/* *seen is the reader's own for this key, 0 at first. */
enum mc_verdict mc_key__check(struct mc_key *key, const struct mc_read *read, uint64_t *seen);

#endif
