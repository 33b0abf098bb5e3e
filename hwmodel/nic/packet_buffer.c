/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The packet-buffer allocator: next fit from a rover, neighbours that are free are one place. The ingress link takes, the end
 * of a message frees. Two places that are next to each other are never both free; the tree holds each free place once.
 */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/nic/packet_buffer.h"

struct place {
	struct place *before, *after; /* by address; the last one's after is the first */
	uint32_t at, units;
	int taken;
};

/* `units` of a free place begin at the beat; 0: none does. */
static void set_leaf(struct places *places, uint32_t at, uint32_t units)
{
	uint32_t *longest = places->longest;
	uint32_t node = places->leaves + at;

	longest[node] = units;
	while (node >>= 1) {
		uint32_t left = longest[2 * node], right = longest[2 * node + 1], most = left > right ? left : right;

		if (longest[node] == most)
			break;
		longest[node] = most;
	}
}

static void list_free(struct places *places, struct place *place)
{
	places->begins[place->at] = place;
	set_leaf(places, place->at, place->units);
}

static void unlist_free(struct places *places, const struct place *place)
{
	set_leaf(places, place->at, 0);
}

/* The first free place of so many units or more that begins at `from` or behind it; NULL: none does. */
static struct place *first_fit(const struct places *places, uint32_t from, uint32_t units)
{
	const uint32_t *longest = places->longest;
	uint32_t node = places->leaves + from;

	/* up, until something at or behind the node has room: the node itself, or its right neighbour */
	while (longest[node] < units) {
		while (node & 1)
			node >>= 1;
		if (!node)
			return NULL;
		node++;
	}
	while (node < places->leaves)
		node = longest[2 * node] >= units ? 2 * node : 2 * node + 1;
	return places->begins[node - places->leaves];
}

int places__open(struct places *places, uint32_t bytes)
{
	struct place *all = calloc(1, sizeof(*all));

	*places = (struct places){ .rover = all, .units = bytes / PLACE_BYTES, .leaves = 1 };
	while (places->leaves < places->units)
		places->leaves *= 2;
	places->longest = calloc(2 * (size_t)places->leaves, sizeof(*places->longest));
	places->begins = calloc(places->leaves, sizeof(struct place *));
	if (all) {
		all->before = all->after = all;
		all->units = places->units;
	}
	if (!all || !places->longest || !places->begins) {
		places__close(places);
		return -ENOMEM;
	}
	list_free(places, all);
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
	free(places->longest);
	free(places->begins);
	*places = (struct places){ 0 };
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

/* `place` takes in the one behind it. Neither is in the tree. */
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

/* Keeps its first units; the rest is a free place. 0 if the host has no memory for what is left. */
static int cut(struct places *places, struct place *place, uint32_t units)
{
	struct place *rest = one(places);

	if (!rest)
		return 0;
	*rest = (struct place){ .before = place, .after = place->after, .at = place->at + units, .units = place->units - units };
	place->after->before = rest;
	place->after = rest;
	place->units = units;
	list_free(places, rest);
	return 1;
}

struct place *places__take(struct places *places, uint32_t bytes, int *incomplete)
{
	uint32_t units = (bytes + PLACE_BYTES - 1) / PLACE_BYTES;
	struct place *place;

	if (units > places->units - places->taken_units)
		return NULL;
	place = first_fit(places, places->rover->at, units);
	if (!place)
		place = first_fit(places, 0, units);
	if (!place)
		return NULL;
	if (place->units > units && !cut(places, place, units)) {
		*incomplete = 1;
		return NULL;
	}
	unlist_free(places, place);
	place->taken = 1;
	places->rover = place->after;
	places->taken_units += units;
	if (places->peak_units < places->taken_units)
		places->peak_units = places->taken_units;
	return place;
}

void places__free(struct places *places, struct place *place)
{
	struct place *before = place->before, *after = place->after;

	place->taken = 0;
	places->taken_units -= place->units;
	if (!after->taken && after->at > place->at) {
		unlist_free(places, after);
		join(places, place);
	}
	if (!before->taken && before->at < place->at) {
		unlist_free(places, before);
		join(places, before);
		place = before;
	}
	list_free(places, place);
}

uint32_t place__offset(const struct place *place)
{
	return place->at * PLACE_BYTES;
}

uint32_t place__bytes(const struct place *place)
{
	return place->units * PLACE_BYTES;
}
