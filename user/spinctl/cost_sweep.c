/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The axes of a sweep from their words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/lib/number.h"
#include "user/spinctl/cost_sweep.h"

#define RATE_GBPS_MAX  1000000
#define SIZE_BYTES_MIN 28

static int refuse(char *err, size_t err_bytes, const char *text, const char *why)
{
	snprintf(err, err_bytes, "--sweep %s: %s", text, why);
	return -1;
}

/* Bounds of what can be swept, and its unit; -1: there is no such thing. */
static int find(const char *name, uint64_t *low, uint64_t *high, const char **unit)
{
	struct pspin_parameter p;

	if (!strcmp(name, "size")) {
		*low = SIZE_BYTES_MIN;
		*high = SPIN_IP_BYTES_MAX;
		*unit = "bytes";
		return 0;
	}
	if (!strcmp(name, "rate")) {
		*low = 1;
		*high = RATE_GBPS_MAX;
		*unit = "Gbit/s";
		return 0;
	}
	for (unsigned i = 0; !pspin_target__parameter(i, &p); i++) {
		if (!strcmp(name, p.name)) {
			*low = p.low;
			*high = p.high;
			*unit = p.unit;
			return 0;
		}
	}
	return -1;
}

static int add(struct cost_axis *axis, uint64_t value)
{
	if (axis->count == COST_SWEEP_VALUES)
		return -1;
	axis->values[axis->count++] = value;
	return 0;
}

/* 3, 1..8 or 64..1024:64 */
static int add_part(struct cost_axis *axis, char *part)
{
	char *range = strstr(part, ".."), *step = range ? strchr(range, ':') : NULL;
	uint64_t from, to, by = 1;

	if (step)
		*step++ = 0;
	if (range) {
		*range = 0;
		range += 2;
	}
	if (number__read(part, UINT64_MAX / 4, &from))
		return -1;
	to = from;
	if ((range && number__read(range, UINT64_MAX / 4, &to)) || (step && number__read(step, UINT64_MAX / 4, &by)) || to < from || !by)
		return -1;
	for (; from <= to; from += by)
		if (add(axis, from))
			return -1;
	return 0;
}

static int parse_axis(struct cost_axis *axis, const char *text, char *err, size_t err_bytes)
{
	const char *equals = strchr(text, '=');
	char values[1024], *rest = values;
	uint64_t low, high;

	if (!equals || (size_t)(equals - text) >= sizeof(axis->name) || strlen(equals + 1) >= sizeof(values))
		return refuse(err, err_bytes, text, "write NAME=VALUES, as in hpus=1,2,4..8 or size=64..1024:64");
	memcpy(axis->name, text, (size_t)(equals - text));
	strcpy(values, equals + 1);
	if (find(axis->name, &low, &high, &axis->unit))
		return refuse(err, err_bytes, text, "it is no parameter of a target, nor size or rate; see spinctl targets");
	axis->values = calloc(COST_SWEEP_VALUES, sizeof(*axis->values));
	if (!axis->values)
		return refuse(err, err_bytes, text, "no memory");
	while (rest) {
		char *comma = strchr(rest, ',');

		if (comma)
			*comma++ = 0;
		if (add_part(axis, rest))
			return refuse(err, err_bytes, text,
				      "values are numbers or ranges, as in 1,2,4..16:4, at most "
				      "1024 of them");
		rest = comma;
	}
	for (unsigned i = 0; i < axis->count; i++) {
		if (axis->values[i] < low || axis->values[i] > high) {
			snprintf(err, err_bytes, "--sweep %s: %s is %" PRIu64 " to %" PRIu64 " %s, not %" PRIu64, text, axis->name, low,
				 high, axis->unit, axis->values[i]);
			return -1;
		}
	}
	return 0;
}

int cost_sweep__parse(struct cost_sweep *sweep, const struct option_list *axes, char *err, size_t err_bytes)
{
	sweep->points = 1;
	for (unsigned i = 0; i < axes->count; i++) {
		struct cost_axis *axis = &sweep->axis[sweep->axes];

		if (sweep->axes == COST_SWEEP_AXES)
			return refuse(err, err_bytes, axes->items[i], "there are 8 axes at most");
		sweep->axes++;
		if (parse_axis(axis, axes->items[i], err, err_bytes))
			return -1;
		for (unsigned j = 0; j + 1 < sweep->axes; j++)
			if (!strcmp(sweep->axis[j].name, axis->name))
				return refuse(err, err_bytes, axes->items[i], "it is an axis already");
		if (sweep->points > COST_SWEEP_POINTS / axis->count)
			return refuse(err, err_bytes, axes->items[i], "that makes more than 65536 points");
		sweep->points *= axis->count;
	}
	sweep->results = calloc(sweep->points, sizeof(*sweep->results));
	return sweep->results ? 0 : refuse(err, err_bytes, "", "no memory");
}

void cost_sweep__free(struct cost_sweep *sweep)
{
	for (unsigned i = 0; i < sweep->axes; i++)
		free(sweep->axis[i].values);
	free(sweep->results);
}

uint64_t cost_sweep__value(const struct cost_sweep *sweep, unsigned point, unsigned axis)
{
	for (unsigned i = sweep->axes - 1; i > axis; i--)
		point /= sweep->axis[i].count;
	return sweep->axis[axis].values[point % sweep->axis[axis].count];
}
