/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_LOOKAHEAD_H
#define HWMODEL_SOC_LOOKAHEAD_H

/*
 * The lookahead of a conservative parallel discrete-event simulation. Cores run ahead of the machine's time on their own, up to the
 * first access to anything that another core or an event could have touched before. That cycle is soc->lookahead; it is computed when a
 * core gets its turn, and shrinks when this core adds an event or wakes another one. An access beyond it answers RV32_BUS_STOP, has
 * done nothing, and is repeated when the core is the earliest. So shared components see their accesses in order of time.
 *
 * A cluster's L1 is reached from other clusters by events, target->remote_reach cycles after they set out: for it the bound is
 * soc->lookahead_l1, which is later. While one core of a cluster is alone in its L1 it does not ask at all (rv32_core__share()).
 */
#include "hwmodel/soc/state.h"

/* The core of `hpu` gets its turn: sets the bounds, from the next events and the other cores, but not beyond `until`. */
void soc__begin_turn(struct soc *soc, const struct hpu *hpu, uint64_t until, int l1_is_quiet);

/* The HPU goes on at that cycle. Shrinks the bounds of the core that runs. */
void soc__wake(struct soc *soc, struct hpu *hpu, uint64_t cycle);
/* Events may have been added: shrinks the bounds of the core that runs to before the next one. */
void soc__limit_lookahead(struct soc *soc);
/* The core that runs must ask for its L1 from now on: beats of its own transfer take banks there. */
void soc__share_l1(struct soc *soc);

/*
 * May the core touch shared state at that cycle? If not (0), answer RV32_BUS_STOP with nothing done; the access is repeated later.
 * Else soc->now is that cycle.
 */
int lookahead__allows(struct hpu *hpu, uint64_t cycle);
/* The same for the cluster's own L1 and what else only its cluster can reach. */
int lookahead__allows_l1(struct hpu *hpu, uint64_t cycle);
/* A pending access is served, `late` cycles later than on an idle machine: the HPU goes on at this cycle, or later. */
void soc__grant(struct hpu *hpu, uint64_t late, uint64_t cycle);

#endif
