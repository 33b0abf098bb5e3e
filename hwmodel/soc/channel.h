/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_CHANNEL_H
#define SOC_CHANNEL_H

/*
 * HPUs' accesses to L2 that wait (l2_port.h). Each HPU has one at a time, so there is room for all. In a channel each cluster's wait
 * in order, and from them, the clusters in turn, a few are chosen that go on in that order.
 */
#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/soc.h"

#define CHANNEL_CHOSEN 2u /* S: registers behind the choice between clusters */

struct access {
	struct hpu *hpu;
	uint64_t from; /* when it could go, or its answer be back */
	uint64_t late;
	enum memory_region region;
	enum rv32_access kind;
};

/* In order. */
struct waiting {
	struct access *access;
	unsigned first, count, room;
};

int waiting__open(struct waiting *waiting, uint64_t room); /* 0 or -ENOMEM */
void waiting__close(struct waiting *waiting);
void waiting__add(struct waiting *waiting, struct access access);
/* The first; NULL: none is there in this cycle. */
const struct access *waiting__head(const struct waiting *waiting, uint64_t cycle);
void waiting__drop(struct waiting *waiting);

struct channel {
	struct waiting *of; /* by cluster */
	unsigned clusters, count;
	struct waiting chosen;
	struct arbiter arbiter;
};

int channel__open(struct channel *channel, const struct pspin_target *target); /* 0 or -ENOMEM */
void channel__close(struct channel *channel);
void channel__add(struct channel *channel, struct access access);
/* One of those that are there is chosen, if there is a register for it. */
void channel__choose(struct channel *channel, uint64_t cycle);
/* One could be chosen, now or later. */
int channel__waits(const struct channel *channel);

#endif
