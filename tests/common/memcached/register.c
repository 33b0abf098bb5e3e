/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The values that a key of memcached may have at any time, and the rule that tells whether the answer to a GET was possible (register.h).
 * Called by the threads of checker.c and writer.c. They hold the key's lock for a copy or a comparison, but never while they wait.
 */
#include <stdio.h>
#include <string.h>

#include "tests/common/memcached/register.h"

const char *const mc_verdict_name[MC_VERDICTS] = {
	[MC_RIGHT] = "right",
	[MC_UNCHECKED] = "unchecked",
	[MC_OLDER] = "older",
	[MC_DELETED] = "deleted",
	[MC_EXPIRED] = "expired",
	[MC_BACKWARDS] = "backwards",
	[MC_NEVER_WRITTEN] = "never written",
	[MC_MISSED] = "missed",
};

void mc_key__init(struct mc_key *key, const char *name, int is_number)
{
	memset(key, 0, sizeof(*key));
	snprintf(key->name, sizeof(key->name), "%s", name);
	key->is_number = is_number;
	pthread_mutex_init(&key->lock, NULL);
}

uint64_t mc_key__issue(struct mc_key *key, const struct mc_state *state)
{
	uint64_t number;

	pthread_mutex_lock(&key->lock);
	number = key->issued + 1;
	key->state[number % MC_STATES] = *state;
	key->issued = number;
	pthread_mutex_unlock(&key->lock);
	return number;
}

void mc_key__acknowledge(struct mc_key *key, uint64_t number, const struct mc_state *state)
{
	pthread_mutex_lock(&key->lock);
	key->state[number % MC_STATES] = *state;
	key->acknowledged = number;
	pthread_mutex_unlock(&key->lock);
}

void mc_key__last(struct mc_key *key, struct mc_state *out)
{
	pthread_mutex_lock(&key->lock);
	*out = key->state[key->issued % MC_STATES];
	pthread_mutex_unlock(&key->lock);
}

void mc_key__mark_unknown(struct mc_key *key)
{
	pthread_mutex_lock(&key->lock);
	key->lost = 1;
	pthread_mutex_unlock(&key->lock);
}

uint64_t mc_key__acknowledged(struct mc_key *key)
{
	uint64_t number;

	pthread_mutex_lock(&key->lock);
	number = key->acknowledged;
	pthread_mutex_unlock(&key->lock);
	return number;
}

static int is_value_of(const struct mc_state *state, const struct mc_read *read)
{
	return state->gone_from && state->bytes == read->bytes && state->flags == read->flags &&
	       !memcmp(state->value, read->value, read->bytes);
}

static int is_allowed(const struct mc_state *state, const struct mc_read *read)
{
	return read->found ? is_value_of(state, read) && read->sent < state->gone_from : read->arrived >= state->misses_from;
}

/* Returns what is wrong. The caller holds the key's lock. */
static enum mc_verdict classify_violation(const struct mc_key *key, const struct mc_read *read, uint64_t seen)
{
	uint64_t first = key->issued + 1 < MC_STATES ? 0 : key->issued + 1 - MC_STATES;

	if (!read->found)
		return MC_MISSED;
	for (uint64_t i = key->issued + 1; i-- > first;) {
		const struct mc_state *state = &key->state[i % MC_STATES];

		if (!is_value_of(state, read))
			continue;
		if (i >= read->acknowledged)
			return i < seen ? MC_BACKWARDS : MC_EXPIRED;
		return key->state[read->acknowledged % MC_STATES].gone_from ? MC_OLDER : MC_DELETED;
	}
	return MC_NEVER_WRITTEN;
}

enum mc_verdict mc_key__check(struct mc_key *key, const struct mc_read *read, uint64_t *seen)
{
	uint64_t first = read->acknowledged > *seen ? read->acknowledged : *seen;
	enum mc_verdict verdict = MC_UNCHECKED;

	pthread_mutex_lock(&key->lock);
	if (key->lost || key->issued - first >= MC_STATES - 1)
		goto unlock;
	for (uint64_t i = first; i <= key->issued; i++) {
		if (is_allowed(&key->state[i % MC_STATES], read)) {
			*seen = i;
			verdict = MC_RIGHT;
			goto unlock;
		}
	}
	verdict = classify_violation(key, read, *seen);
unlock:
	pthread_mutex_unlock(&key->lock);
	return verdict;
}
