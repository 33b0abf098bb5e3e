/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* "Pressure" of <spin/message.h>: which message ends in favour of a first packet that finds no MPQ or no entry. */
#include <string.h>

#include "hwmodel/nic/messages.h"
#include "hwmodel/nic/slots.h"

static int is_proven(const struct mpq *mpq)
{
	return mpq->handled >= SPIN_PROVEN;
}

/* Not one whose packets are with the HPUs. */
static int may_end(const struct mpq *mpq)
{
	return (mpq->phase == MPQ_WAITING || mpq->phase == MPQ_OPEN) && (!mpq->slot || !mpq->slot->in_flight);
}

/* Quiet, or too old. */
static int yields(const struct messages *messages, const struct mpq *mpq)
{
	uint32_t age = messages->now_ms - mpq->opened_ms;

	if (messages->now_ms - mpq->last_ms > messages->limits.idle_ms >> (is_proven(mpq) ? 2 : 4))
		return 1;
	return age > messages->limits.age_ms && (uint64_t)mpq->handled * mpq->stride < (uint64_t)age * SPIN_AGE_BYTES;
}

static int have_one_source(const struct flow_key *a, const struct flow_key *b)
{
	return a->ip_version == b->ip_version && !memcmp(a->src_addr, b->src_addr, 8);
}

/* Seen from another source; `counts`: it is looked at once more. */
static int stands_still(struct mpq *mpq, int counts)
{
	uint32_t times = mpq->handled > mpq->looked_handled ? 0 : mpq->looked_times + 1;

	if (times && times >= mpq->handled)
		return 1;
	if (counts) {
		mpq->looked_handled = mpq->handled;
		mpq->looked_times = times;
	}
	return 0;
}

int pressure__mpq(struct pspin *nic, const struct flow_key *key)
{
	struct messages *messages = nic->messages;
	struct mpq *chosen = NULL, *least = NULL, *first = NULL;
	int is_crowd = messages->limits.mpqs >= SPIN_CROWD, is_mixed = 0;
	unsigned looks = 0;

	for (unsigned i = 0; i < 2 * SPIN_LOOKS && i < messages->limits.mpqs && looks < SPIN_LOOKS && !chosen; i++) {
		struct mpq *mpq = &messages->mpqs[messages->looked_mpq];
		int is_foreign;

		messages->looked_mpq = (messages->looked_mpq + 1) % messages->limits.mpqs;
		if (!may_end(mpq))
			continue;
		is_foreign = !have_one_source(&mpq->flow->key, key);
		if (yields(messages, mpq) || (is_crowd && is_foreign && !is_proven(mpq) && stands_still(mpq, !looks))) {
			chosen = mpq;
			continue;
		}
		looks++;
		first = first ? first : mpq;
		is_mixed |= !is_foreign || !have_one_source(&mpq->flow->key, &first->flow->key);
		if (!least || mpq->handled < least->handled)
			least = mpq;
	}
	if (!chosen && is_crowd && first)
		messages->looked_mpq = (unsigned)(first - messages->mpqs + 1) % messages->limits.mpqs;
	if (!chosen && is_crowd && looks == SPIN_LOOKS && !is_mixed)
		chosen = least;
	if (!chosen)
		return 0;
	mpq__press(nic, chosen, is_proven(chosen));
	return 1;
}

int pressure__me(struct pspin *nic, const struct flow_key *key, uint64_t match_bits)
{
	struct messages *messages = nic->messages;
	unsigned from = messages->looked_me, looks = 0;

	for (unsigned i = 0; i < SPIN_MES_MAX && looks < SPIN_LOOKS; i++) {
		unsigned at = (from + i) % SPIN_MES_MAX;
		const struct spin_me *me = &messages->mes[at];
		struct mpq *mpq = &messages->mpqs[me->holder];

		if (me->state != SPIN_ME_TAKEN || !entries__fit(me, key, match_bits))
			continue;
		looks++;
		messages->looked_me = (at + 1) % SPIN_MES_MAX;
		if (mpq->me != at || !may_end(mpq) || !yields(messages, mpq))
			continue;
		mpq__press(nic, mpq, is_proven(mpq));
		return 1;
	}
	return 0;
}
