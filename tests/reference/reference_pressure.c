/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reference, a plain-C model of the message protocol (reference.h): selects the message that is ended in favour of a new one for which
 * there is no MPQ (state of a message in flight) or matching entry (host memory posted for messages). See "Pressure" in <spin/message.h>.
 * Called by reference.c when a message's first packet arrives.
 */
#include <string.h>

#include "tests/reference/reference.h"

static int is_unproven(const struct reference_message *m)
{
	return m->came_count < SPIN_PROVEN_PACKETS;
}

/* Returns 1 if the message is quiet, or too slow for its age. */
static int may_evict(const struct reference *r, const struct reference_message *m)
{
	uint32_t age = r->now_ms - m->opened_ms, quiet = r->opts.idle_ms / (is_unproven(m) ? 16 : 4);

	if (r->breaks == REFERENCE_BREAKS_PRESSURE)
		return 0;
	if (r->now_ms - m->last_packet_ms + (r->breaks == REFERENCE_BREAKS_QUIET) > quiet)
		return 1;
	return r->breaks != REFERENCE_BREAKS_AGE && age > r->opts.age_ms &&
	       (uint64_t)m->came_count * m->stride < (uint64_t)age * SPIN_AGE_BYTES;
}

static int same_source(const struct reference_key *a, const struct reference_key *b)
{
	return a->ip_version == b->ip_version && !memcmp(a->src_addr, b->src_addr, 8);
}

static struct reference_message *find_by_mpq(const struct reference *r, unsigned mpq)
{
	for (unsigned i = 0; i < r->messages; i++)
		if (r->message[i]->mpq == mpq)
			return r->message[i];
	return NULL;
}

/* Returns 1 if the message makes no progress. Called for packets of other sources. `counts`: this call counts as a scan. */
static int is_stalled(struct reference_message *m, int counts)
{
	unsigned times = m->came_count > m->scan_handled ? 0 : m->scan_stalls + 1;

	if (times > 0 && times >= m->came_count)
		return 1;
	if (counts) {
		m->scan_handled = m->came_count;
		m->scan_stalls = times;
	}
	return 0;
}

int reference_reclaim_mpq(struct reference *r, const struct reference_packet *p)
{
	struct reference_message *first = NULL, *least = NULL, *chosen = NULL;
	int is_crowded = r->opts.messages >= SPIN_PRESSURE_MPQS_MIN, one_source = 1;
	unsigned begin = r->next_scan[0], looks;

	for (looks = 0; looks < SPIN_SCAN_MAX && looks < r->opts.messages && !chosen; looks++) {
		struct reference_message *m = find_by_mpq(r, r->next_scan[0]);

		r->next_scan[0] = (r->next_scan[0] + 1) % r->opts.messages;
		if (may_evict(r, m) || (is_crowded && !same_source(&m->key, &p->key) && is_unproven(m) && is_stalled(m, looks == 0))) {
			chosen = m;
			continue;
		}
		if (!first)
			first = m;
		if (same_source(&m->key, &p->key) || !same_source(&m->key, &first->key))
			one_source = 0;
		if (!least || m->came_count < least->came_count)
			least = m;
	}
	if (!chosen && is_crowded)
		r->next_scan[0] = (begin + 1) % r->opts.messages;
	if (!chosen && is_crowded && one_source)
		chosen = least;
	if (!chosen)
		return 0;
	reference_preempt(r, chosen);
	return 1;
}

int reference_reclaim_me(struct reference *r, const struct reference_packet *p)
{
	unsigned from = r->next_scan[1], looks = 0;

	for (unsigned i = 0; i < SPIN_MES_MAX && looks < SPIN_SCAN_MAX; i++) {
		const unsigned index = (from + i) % SPIN_MES_MAX;
		const struct spin_me *me = &r->me[index];
		struct reference_message *m = NULL;

		if (me->state != SPIN_ME_TAKEN || !reference_matches(me, &r->me_from[index], p))
			continue;
		looks++;
		r->next_scan[1] = (index + 1) % SPIN_MES_MAX;
		for (unsigned j = 0; j < r->messages; j++)
			if (r->message[j]->me == index)
				m = r->message[j];
		if (!m || !may_evict(r, m))
			continue;
		reference_preempt(r, m);
		return 1;
	}
	return 0;
}
