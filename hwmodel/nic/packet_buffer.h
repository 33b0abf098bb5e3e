/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_PLACES_H
#define NIC_PLACES_H

/*
 * Who has which part of L2 packet memory: a ring of beats that goes on behind the last packet, and passes over those that
 * stay longer. Taking and freeing are O(log of the memory's beats), however many packets stay.
 */
#include <stdint.h>

struct place; /* of consecutive beats, free or taken */

struct places {
	struct place *rover;  /* where the search goes on */
	struct place *unused; /* ones to be used again */
	uint32_t units;       /* of the memory */
	/* A tree over the beats: beats of the free place that begins at a leaf, 0 if none does; above, the most of both below. */
	uint32_t *longest, leaves;
	struct place **begins; /* the free place that begins at a beat, where a leaf says that one does */
	uint32_t taken_units, peak_units;
};

#define PLACE_BYTES 64u

/* 0 or -ENOMEM. All of the memory is free. */
int places__open(struct places *places, uint32_t bytes);
void places__close(struct places *places);

/* NULL: no room, or (*incomplete is set) no memory on the host. */
struct place *places__take(struct places *places, uint32_t bytes, int *incomplete);
void places__free(struct places *places, struct place *place);
/* Where it is, from the memory's start. */
uint32_t place__offset(const struct place *place);
uint32_t place__bytes(const struct place *place);

#endif
