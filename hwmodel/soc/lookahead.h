/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_LOOKAHEAD_H
#define HWMODEL_SOC_LOOKAHEAD_H

/*
 * The lookahead of a conservative parallel discrete-event simulation. Each core runs ahead of the machine's time, up to its first access to
 * anything that another core or an event could have touched earlier. soc->lookahead is the last cycle at which it may touch shared state.
 * It is computed when a core gets its turn, and shrinks when this core adds an event or wakes another core. An access beyond it returns
 * RV32_BUS_STOP without effect, and is repeated when the core is the earliest. So shared components see their accesses in order of time.
 * Called by soc.c at each core's turn, and by the components that cores (HPUs) share.
 *
 * Other clusters reach a cluster's L1 by events, target->remote_reach cycles after they send the access. Its bound is
 * soc->lookahead_l1, which is later. While one core of a cluster is alone in its L1 it does not ask at all (rv32_core__share()).
 */
#include "hwmodel/soc/state.h"

/* Begins the turn of the core of `hpu`: sets the bounds from the next events and the other cores, at most `until`. */
void soc__begin_turn(struct soc *soc, const struct hpu *hpu, uint64_t until, int l1_is_quiet);

/* The HPU continues at that cycle. Shrinks the bounds of the running core. */
void soc__wake(struct soc *soc, struct hpu *hpu, uint64_t cycle);
/* Called after events may have been added: limits the bounds of the running core to before the next event. */
void soc__limit_lookahead(struct soc *soc);
/* Makes the running core ask for its L1 from now on, since beats of its own transfer take banks there. */
void soc__share_l1(struct soc *soc);

/*
 * May the core touch shared state at that cycle? If not (0), the caller must return RV32_BUS_STOP without effect; the access is
 * repeated later. Else sets soc->now to that cycle.
 */
int lookahead__allows(struct hpu *hpu, uint64_t cycle);
/* The same for the cluster's own L1 and for anything else that only its cluster can reach. */
int lookahead__allows_l1(struct hpu *hpu, uint64_t cycle);
/* A pending access is served, `late` cycles later than on an idle machine. The HPU continues at `cycle` or later. */
void soc__grant(struct hpu *hpu, uint64_t late, uint64_t cycle);

#endif
