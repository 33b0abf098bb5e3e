/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_CELLS_H
#define SOC_CELLS_H

/* The cells in which HERs wait: each message has some of its own, and all share others (hwmodel/README.md, "MPQ engine"). */
#include "hwmodel/soc/soc.h"

struct cells;

struct cells *cells__new(const struct pspin_target *target, uint32_t messages); /* NULL: no memory */
void cells__free(struct cells *cells);

/* If not, cells__pop() will tell. */
int cells__has_room(struct cells *cells, uint32_t message);
/* A HER that will arrive; copied. 0, -ENOSPC or -ENOMEM. */
int cells__add(struct cells *cells, const struct soc_her *her);
/* The message's next one of them arrives. */
const struct soc_her *cells__arrived(struct cells *cells, uint32_t message, uint64_t cycle);

/* The message's first one, and when it arrived. */
const struct soc_her *cells__first(const struct cells *cells, uint32_t message, uint64_t *cycle);
/* It goes. 1: somebody had been told that there was no room. */
int cells__pop(struct cells *cells, uint32_t message);

#endif
