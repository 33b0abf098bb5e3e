/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of the last digit of a number that has a point; a whole number is a count of cycles. */
static double half_digit(const char *number, const char *end)
{
	const char *point = memchr(number, '.', (size_t)(end - number));

	return point ? 0.5 * pow(10, -(double)(end - point - 1)) + 1e-9 : 1e-9;
}

static int is_count(const struct row *row)
{
	return !strcmp(row->unit, "cluster") || !strcmp(row->unit, "message");
}

/* One number or range at `at`; returns where the next one is. */
static const char *compare_one(const struct row *row, const char *at, double model, double *error)
{
	char *end;
	double low = strtod(at, &end), high = low, off;
	double slack = fmax(half_digit(at, end), row->grain);

	if (*end == '-') {
		const char *second = end + 1;

		high = strtod(second, &end);
		slack = fmax(half_digit(second, end), row->grain);
	}
	off = model < low ? low - model : model > high ? model - high : 0;
	if (!(off <= slack)) /* NAN, too */
		*error = is_count(row) || low == 0 ? 1 : fmax(*error, off / low);
	return end + strspn(end, " ");
}

void compare(const struct row *row, const struct values *model, double *error, int *exact)
{
	const char *at = row->measured;
	unsigned i = 0;

	*error = 0;
	while (*at) {
		if (!model || i == model->count) {
			*error = 1;
			break;
		}
		at = compare_one(row, at, model->v[i++], error);
	}
	if (model && i != model->count)
		*error = 1;
	*exact = *error == 0;
}

double measured_first(const struct row *row)
{
	return strtod(row->measured, NULL);
}
