/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "user/spinctl/cost_run.h"

int cost_series__add(struct cost_series *s, uint64_t value)
{
	if (s->count == s->room) {
		size_t room = s->room ? s->room * 2 : 1024;
		uint64_t *values = realloc(s->values, room * sizeof(*values));

		if (!values)
			return complain("no memory for the measurements");
		s->values = values;
		s->room = room;
	}
	s->values[s->count++] = value;
	return DONE;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank. */
static uint64_t percentile(const struct cost_series *s, unsigned percent)
{
	size_t rank = (s->count * percent + 99) / 100;

	return s->values[rank ? rank - 1 : 0];
}

struct cost_spread cost_series__spread(struct cost_series *s)
{
	struct cost_spread out = { 0 };
	double sum = 0;

	if (!s->count)
		return out;
	qsort(s->values, s->count, sizeof(*s->values), by_value);
	for (size_t i = 0; i < s->count; i++)
		sum += (double)s->values[i];
	out.min = s->values[0];
	out.max = s->values[s->count - 1];
	out.median = percentile(s, 50);
	out.p99 = percentile(s, 99);
	out.mean = sum / (double)s->count;
	return out;
}
