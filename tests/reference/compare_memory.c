/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the matching entries (host memory posted for messages), counters, the handlers' state and host memory of two engines (executions
 * of the same handlers), of which the first is the reference model. Called by compare.c after every step.
 */
#include <stddef.h>
#include <string.h>

#include "tests/reference/compare.h"

#define HOST_MAX 16384u

int pair_compare_entries(struct pair *p, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct spin_me me[2];

		for (int j = 0; j < 2; j++) {
			int err = p->engine[j]->ops->me_get(p->engine[j], i, &me[j]);

			if (err)
				return err;
			me[j].serial = me[j].holder = 0;
			spin_me_from(&me[j], &(struct spin_process){ 0 }); /* the reference stores it in me_from */
		}
		if (me[0].state != me[1].state)
			return pair_differ(p, "entry %u is in state %u, %s has %u", i, me[0].state, pair_name(p), me[1].state);
		if (me[0].state != SPIN_ME_FREE && memcmp(&me[0], &me[1], sizeof(me[0])))
			return pair_differ(p, "entry %u has %llu messages and %llu bytes, %s has %llu and %llu", i,
					   (unsigned long long)me[0].messages, (unsigned long long)me[0].bytes, pair_name(p),
					   (unsigned long long)me[1].messages, (unsigned long long)me[1].bytes);
	}
	return 0;
}

int pair_compare_stats(struct pair *p)
{
	static const char *const names[] = { "opened", "completed", "evicted", "replayed", "replay_lost", "events_lost" };
	struct spin_message_stats now[2];

	for (int i = 0; i < 2; i++) {
		int err = p->engine[i]->ops->stats(p->engine[i], &now[i]);

		if (err)
			return err;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t a = ((uint64_t *)&now[0])[i] - ((uint64_t *)&p->before[0])[i];
		uint64_t b = ((uint64_t *)&now[1])[i] - ((uint64_t *)&p->before[1])[i];

		if (a != b)
			return pair_differ(p, "%s is %llu, %s has %llu", names[i], (unsigned long long)a, pair_name(p),
					   (unsigned long long)b);
	}
	return 0;
}

int pair_compare_memory(struct pair *p, size_t host_bytes)
{
	static uint8_t host[2][HOST_MAX];
	struct script_state state[2];

	for (int i = 0; i < 2; i++) {
		int err = p->engine[i]->ops->read(p->engine[i], "spin_state", 0, &state[i], sizeof(state[i]));

		if (!err)
			err = p->engine[i]->ops->host_read(p->engine[i], 0, host[i], host_bytes);
		if (err)
			return err;
	}
	for (size_t i = 0; memcmp(&state[0], &state[1], sizeof(state[0])) && i < sizeof(state[0]) / 4; i++) {
		uint32_t a = ((uint32_t *)&state[0])[i], b = ((uint32_t *)&state[1])[i];
		size_t first = offsetof(struct script_state, run) / 4;

		if (a != b && i != offsetof(struct script_state, hash) / 4)
			return pair_differ(p, "state word %zu (run %zd, word %zu) is %#x, %s has %#x", i,
					   i < first ? -1 : (ssize_t)((i - first) / 5), i < first ? i : (i - first) % 5, a, pair_name(p),
					   b);
	}
	if (state[0].hash != state[1].hash)
		return pair_differ(p, "the runs' hash is %#x, %s has %#x", state[0].hash, pair_name(p), state[1].hash);
	if (!memcmp(host[0], host[1], host_bytes))
		return 0;
	for (size_t i = 0; i < host_bytes; i++)
		if (host[0][i] != host[1][i])
			return pair_differ(p, "byte %zu of host memory is %02x, %s has %02x", i, host[0][i], pair_name(p), host[1][i]);
	return 0;
}
