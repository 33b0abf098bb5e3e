/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses START+LENGTH options of host memory, and prints counters of matching entries (parts of host memory posted for messages). Called by
 * spinctl run, record, status and mpq.
 */
#include <stdlib.h>
#include <string.h>

#include "user/lib/number.h"
#include "user/spinctl/memory.h"

/* Parses "8192+64". */
static int parse_segment(char *text, struct spin_segment *out)
{
	char *plus = strchr(text, '+');
	uint64_t start, length;

	if (!plus)
		return -1;
	*plus = '\0';
	if (number__read(text, UINT32_MAX, &start) || number__read(plus + 1, UINT32_MAX, &length))
		return -1;
	*out = (struct spin_segment){ (uint32_t)start, (uint32_t)length };
	return 0;
}

int run_memory__parse(const char *option, const char *text, struct run_memory *out)
{
	char *copy = strdup(text), *rest = copy, *word;
	int status = copy ? DONE : report_error("no memory");

	out->segments = 0;
	while (!status && (word = strsep(&rest, ","))) {
		if (out->segments == SPIN_SEGMENTS_MAX)
			status = report_error("%s '%s': more than the %u segments that an entry can have", option, text, SPIN_SEGMENTS_MAX);
		else if (parse_segment(word, &out->segment[out->segments++]))
			status = report_error("%s '%s': write START+LENGTH in bytes, several with commas in between", option, text);
	}
	free(copy);
	return status;
}

/* An entry that does not exist reads as zero. */
static void read_counters(struct spin_ctx *ctx, struct spin_ct *ct)
{
	for (unsigned i = 0; i < SPIN_MES_MAX; i++)
		if (spin_ctx__me_ct(ctx, i, &ct[i]))
			ct[i] = (struct spin_ct){ 0 };
}

void run_memory__counters_text(const char *indent, const struct spin_ct *ct)
{
	for (unsigned i = 0; i < SPIN_MES_MAX; i++)
		if (ct[i].success | ct[i].failure)
			printf("%scounter of entry %u: %u successes, %u failures\n", indent, i, ct[i].success, ct[i].failure);
}

void run_memory__counters_json(struct json *j, const struct spin_ct *ct)
{
	json_array(j, "entry_counters");
	for (unsigned i = 0; i < SPIN_MES_MAX; i++) {
		if (!(ct[i].success | ct[i].failure))
			continue;
		json_object(j, NULL);
		json_uint(j, "entry", i);
		json_uint(j, "success", ct[i].success);
		json_uint(j, "failure", ct[i].failure);
		json_object_end(j);
	}
	json_array_end(j);
}

void run_memory__text(struct spin_ctx *ctx)
{
	struct spin_ct ct[SPIN_MES_MAX];

	read_counters(ctx, ct);
	run_memory__counters_text("", ct);
}

void run_memory__json(struct json *j, struct spin_ctx *ctx)
{
	struct spin_ct ct[SPIN_MES_MAX];

	read_counters(ctx, ct);
	run_memory__counters_json(j, ct);
}
