/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The table of the parameters of a target, a NIC to be modelled (parameters.def): finds, reads and sets them by number and by name. Called
 * by target_file.c and by the tools. A value that is set is always within its row's limits.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/target/parameters.h"

static const struct pspin_parameter rows[TARGET_PARAMETERS] = {
#define PARAMETER(name, unit, value, low, high, text) { #name, unit, text, low, high },
#include "hwmodel/target/parameters.def"
#undef PARAMETER
};

static const char *const schedulers[] = { "round_robin", "fair_hpu_time", NULL };
_Static_assert(TARGET_ROUND_ROBIN == 0 && TARGET_FAIR_HPU_TIME == 1, "the names stand in the order of the values");

static const size_t places[TARGET_PARAMETERS] = {
#define PARAMETER(name, unit, value, low, high, text) offsetof(struct pspin_target, name),
#include "hwmodel/target/parameters.def"
#undef PARAMETER
};

int pspin_target__parameter(unsigned i, struct pspin_parameter *out)
{
	if (i >= TARGET_PARAMETERS)
		return -ENOENT;
	*out = rows[i];
	if (i == TARGET_scheduler)
		out->names = schedulers;
	return 0;
}

int target__find_parameter(const char *name)
{
	for (int i = 0; i < TARGET_PARAMETERS; i++)
		if (!strcmp(name, rows[i].name))
			return i;
	return -ENOENT;
}

uint64_t *target__value(struct pspin_target *target, int parameter)
{
	return (uint64_t *)((char *)target + places[parameter]);
}

int target__set(struct pspin_target *target, int parameter, uint64_t value, const char *source, char *err, size_t err_bytes)
{
	const struct pspin_parameter *row = &rows[parameter];

	if (value < row->low || value > row->high) {
		snprintf(err, err_bytes, "%s is %" PRIu64 " to %" PRIu64 " %s, not %" PRIu64, row->name, row->low, row->high, row->unit,
			 value);
		return -ERANGE;
	}
	*target__value(target, parameter) = value;
	target->sources[parameter] = source;
	return 0;
}

int pspin_target__value(const char *parameter, const char *text, uint64_t *value)
{
	int i = target__find_parameter(parameter);
	struct pspin_parameter row;
	char *end;

	if (i < 0)
		return i;
	if (pspin_target__parameter((unsigned)i, &row))
		return -ENOENT;
	for (unsigned n = 0; row.names && row.names[n]; n++) {
		if (!strcmp(text, row.names[n])) {
			*value = n;
			return 0;
		}
	}
	if (row.names || !isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return *end || errno ? -EINVAL : 0;
}

int pspin_target__set(struct pspin_target *target, const char *parameter, uint64_t value, char *err, size_t err_bytes)
{
	int i = target__find_parameter(parameter);

	if (i < 0) {
		snprintf(err, err_bytes, "a target has no parameter '%s'; the nearest is %s", parameter, target__nearest(parameter));
		return i;
	}
	return target__set(target, i, value, "set", err, err_bytes);
}

int pspin_target__get(const struct pspin_target *target, const char *parameter, uint64_t *value)
{
	int i = target__find_parameter(parameter);

	if (i < 0)
		return i;
	memcpy(value, (const char *)target + places[i], sizeof(*value));
	return 0;
}

const char *pspin_target__source(const struct pspin_target *target, const char *parameter)
{
	int i = target__find_parameter(parameter);

	if (i < 0)
		return NULL;
	return target->sources[i] ? target->sources[i] : rows[i].text;
}

/* Returns the edit distance of two names below NAME_MAX_: letters to add, drop or change. */
enum { NAME_MAX_ = 64 };
static unsigned distance(const char *a, const char *b)
{
	unsigned row[NAME_MAX_ + 1], length = 0;

	while (length < NAME_MAX_ && b[length])
		length++;
	for (unsigned j = 0; j <= length; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned diagonal = row[0];

		row[0] = i + 1;
		for (unsigned j = 1; j <= length; j++) {
			unsigned change = diagonal + (a[i] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < change)
				change = row[j] + 1;
			if (row[j - 1] + 1 < change)
				change = row[j - 1] + 1;
			row[j] = change;
		}
	}
	return row[length];
}

const char *target__nearest(const char *name)
{
	unsigned best = 0;

	for (unsigned i = 1; i < TARGET_PARAMETERS; i++)
		if (distance(rows[i].name, name) < distance(rows[best].name, name))
			best = i;
	return rows[best].name;
}
