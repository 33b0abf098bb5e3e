/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Accesses that wait for a bank of L1. Who is served in a cycle is chosen when all that ask in it are known: by an event of
 * the next cycle. The HPU goes on in the cycle that serves it, so before all others.
 */
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/soc.h"

#define BANK_BITS 32

static void arbitrate(void *arg, uint64_t cycle, uint64_t what)
{
	struct soc *soc = arg;
	unsigned cluster = (unsigned)(what >> BANK_BITS);
	struct hpu *hpus = &soc->hpus[cluster * target__threads(soc->target)];
	uint64_t again;
	int who = l1__grant(soc->l1[cluster], cycle - 1, (uint32_t)what, &again);

	if (again)
		events__add(&soc->events, again, arbitrate, soc, what);
	if (who == (int)target__threads(soc->target)) {
		remote__granted(soc, cluster, cycle - 1);
	} else if (who >= 0) {
		hpu__granted(&hpus[who], cycle - 1 - hpus[who].late, cycle - 1);
	}
}

uint64_t banks__ask(struct soc *soc, uint64_t cycle, unsigned cluster, unsigned who, uint32_t offset, enum rv32_access kind,
		    uint64_t alone_before)
{
	struct l1 *l1 = soc->l1[cluster];
	uint64_t again, at = l1__access(l1, cycle, offset, kind, who, alone_before, &again);

	if (at == L1_WAITS && again)
		events__add(&soc->events, again, arbitrate, soc, (uint64_t)cluster << BANK_BITS | l1__bank(l1, offset));
	return at;
}
