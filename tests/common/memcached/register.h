/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_REGISTER_H
#define TESTS_COMMON_MEMCACHED_REGISTER_H

/*
 * The possible values of a key at any time, as a regular register. One thread writes a key, so its states are ordered. A state is issued
 * before its command is sent, and acknowledged when the answer has arrived. A GET must return a state between the last one acknowledged
 * when it was sent and the last one issued when its answer arrived, and none older than the same reader has seen before. Expiry and flushes
 * are times of a state: a GET that is answered after `misses_from` may miss; one sent after `gone_from` must. Used by checker.c and
 * writer.c.
 */
#include <pthread.h>
#include <stdint.h>

#define MC_NEVER       UINT64_MAX
#define MC_VALUE_BYTES 1250u
#define MC_STATES      64u /* states kept per key */

struct mc_state {
	uint64_t misses_from, gone_from; /* ns. A value: both MC_NEVER. No value: both 0. Unknown: 0 and MC_NEVER */
	uint32_t flags, bytes;
	char value[MC_VALUE_BYTES];
};

struct mc_key {
	char name[32];
	int is_number; /* 1: its values are numbers */
	pthread_mutex_t lock;
	uint64_t issued, acknowledged; /* numbers of states */
	int lost;                      /* an answer did not arrive: the state is unknown from then on */
	struct mc_state state[MC_STATES];
};

enum mc_verdict {
	MC_RIGHT,
	MC_UNCHECKED,     /* the reader was too slow, or the key is lost */
	MC_OLDER,         /* a value that a newer acknowledged one has replaced */
	MC_DELETED,       /* a value of a key whose deletion or flush was acknowledged */
	MC_EXPIRED,       /* a value that has expired */
	MC_BACKWARDS,     /* older than what this reader has seen before */
	MC_NEVER_WRITTEN, /* a value or flags that no recent command has written to this key */
	MC_MISSED,        /* a miss, although there was a value all the time */
	MC_VERDICTS
};
extern const char *const mc_verdict_name[MC_VERDICTS];

/* The key is absent at first. */
void mc_key__init(struct mc_key *key, const char *name, int is_number);

/* For the writer. Returns the number of the new state. */
uint64_t mc_key__issue(struct mc_key *key, const struct mc_state *state);
/* Sets the final content of a state. */
void mc_key__acknowledge(struct mc_key *key, uint64_t number, const struct mc_state *state);
void mc_key__last(struct mc_key *key, struct mc_state *out);
void mc_key__mark_unknown(struct mc_key *key);

/* For a reader, before it sends a GET. */
uint64_t mc_key__acknowledged(struct mc_key *key);

struct mc_read {
	uint64_t acknowledged;  /* state that was acknowledged before the GET was sent */
	uint64_t sent, arrived; /* ns */
	int found;
	uint32_t flags, bytes;
	const char *value;
};
/* *seen belongs to the reader and this key, and is 0 at first. */
enum mc_verdict mc_key__check(struct mc_key *key, const struct mc_read *read, uint64_t *seen);

#endif
