/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>

#include "places.h"

struct place {
	struct place *before, *after; /* by address; the last one's after is the first */
	uint32_t at, units;
	int taken;
};

int places__open(struct places *places, uint32_t bytes)
{
	struct place *all = calloc(1, sizeof(*all));

	*places = (struct places){.rover = all, .units = bytes / PLACE_BYTES};
	if (!all)
		return -ENOMEM;
	all->before = all->after = all;
	all->units = places->units;
	return 0;
}

void places__close(struct places *places)
{
	struct place *place = places->rover, *next;

	if (place)
		place->before->after = NULL;
	for (; place; place = next) {
		next = place->after;
		free(place);
	}
	for (place = places->unused; place; place = next) {
		next = place->after;
		free(place);
	}
	*places = (struct places){0};
}

static struct place *one(struct places *places)
{
	struct place *place = places->unused;

	if (place)
		places->unused = place->after;
	else
		place = malloc(sizeof(*place));
	return place;
}

/* `place` takes in the one behind it. */
static void join(struct places *places, struct place *place)
{
	struct place *gone = place->after;

	place->units += gone->units;
	place->after = gone->after;
	place->after->before = place;
	if (places->rover == gone)
		places->rover = place;
	gone->after = places->unused;
	places->unused = gone;
}

/* Keeps its first units; 0 if the host has no memory for what is left. */
static int cut(struct places *places, struct place *place, uint32_t units)
{
	struct place *rest = one(places);

	if (!rest)
		return 0;
	*rest = (struct place){.before = place, .after = place->after, .at = place->at + units, .units = place->units - units};
	place->after->before = rest;
	place->after = rest;
	place->units = units;
	return 1;
}

struct place *places__take(struct places *places, uint32_t bytes, int *incomplete)
{
	uint32_t units = (bytes + PLACE_BYTES - 1) / PLACE_BYTES;
	struct place *place = places->rover;

	if (units > places->units - places->taken_units)
		return NULL;
	while (place->taken || place->units < units) {
		place = place->after;
		if (place == places->rover)
			return NULL;
	}
	if (place->units > units && !cut(places, place, units)) {
		*incomplete = 1;
		return NULL;
	}
	place->taken = 1;
	places->rover = place->after;
	places->taken_units += units;
	if (places->peak_units < places->taken_units)
		places->peak_units = places->taken_units;
	return place;
}

void places__free(struct places *places, struct place *place)
{
	place->taken = 0;
	places->taken_units -= place->units;
	if (!place->after->taken && place->after->at > place->at)
		join(places, place);
	if (!place->before->taken && place->before->at < place->at)
		join(places, place->before);
}

uint32_t place__offset(const struct place *place)
{
	return place->at * PLACE_BYTES;
}

uint32_t place__bytes(const struct place *place)
{
	return place->units * PLACE_BYTES;
}
