/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the options of spinctl cost, and rejects those that are impossible whatever the program and the packets. Called by
 * user/spinctl/cost.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/lib/number.h"
#include "user/cost/options.h"
#include "user/tool/error.h"

static int read_gbps(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end == text || *end || !isfinite(*out) || *out < 0.001 || *out > 1e6;
}

static int add_size(struct cost_options *o, const char *text, size_t length)
{
	char *end;
	unsigned long bytes = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || end != text + length || bytes < 28 || bytes > SPIN_IP_BYTES_MAX ||
	    o->size_count == COST_SIZES_MAX)
		return -1;
	o->size[o->size_count++] = (unsigned)bytes;
	return 0;
}

/* Reads --sizes. The default has sizes only for generated packets. */
static int read_sizes(struct cost_options *o)
{
	const char *text = o->sizes ? o->sizes : o->trace ? "none" : "64,256,512,1024";

	o->size_count = 0;
	if (!strcmp(text, "none"))
		return 0;
	while (1) {
		size_t length = strcspn(text, ",");

		if (add_size(o, text, length))
			return -1;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

/* Each check_*() returns a message for the user, or NULL if the options are possible. */

static const char *check_packets(const struct cost_options *o)
{
	if (!!o->trace + !!o->made.messages + !!o->datagrams > 1)
		return "--pcap, --messages and --datagrams exclude each other";
	if (!o->trace && !o->made.messages && !o->datagrams && !o->advise)
		return "give the packets with --pcap, or let --messages or --datagrams make some";
	if (!o->made.payload_bytes || o->made.payload_bytes > COST_PAYLOAD_MAX)
		return o->image.path ? "--payload-bytes is 1 to 9158 bytes" : "--payload is 1 to 9158 bytes";
	if (!o->made.packets || o->made.packets > UINT32_MAX / o->made.payload_bytes)
		return "--packets is at least 1, and a message at most 4 GiB";
	return NULL;
}

static const char *check_program(const struct cost_options *o, unsigned operands)
{
	if (!operands && !o->image.path)
		return "missing: HANDLER, or --image";
	if (operands && o->image.path)
		return "HANDLER and --image exclude each other";
	if (o->api && o->image.path)
		return "--api is of a source, not of --image";
	if (!o->image.path && (o->image.header || o->image.completion))
		return "--header and --completion are of --image";
	if (o->image.path && !o->image.header && !o->image.payload && !o->image.completion)
		return "--image needs --header, --payload or --completion: which handlers are to run";
	if (o->image.path && (o->fill.sets.count || o->fill.inserts.count || o->fill.files.count))
		return "--image has no state that could be set by name: fill its memory with --memory ADDR=FILE";
	if (o->advise && o->image.path)
		return "--advise compiles a handler again: give it, not --image";
	if (o->advise && (o->sweep.count || o->html || o->trace_file || o->budget || o->lines || o->sizes))
		return "--advise has a table of its own: leave --sweep, --html, --trace, --budget, --lines and --sizes out";
	if (o->compare && (o->advise || o->sweep.count || o->html || o->trace_file || o->budget || o->lines || o->sizes || o->gbps))
		return "--compare has a table of its own: leave --advise, --sweep, --html, --trace, --budget, --lines, --sizes and --gbps out";
	return NULL;
}

/* Returns a message if an option does not fit the number of handlers, or NULL. */
static const char *check_contexts(const struct cost_options *o, unsigned operands)
{
	if (operands <= 1 && o->weights)
		return "--weights is of several handlers";
	if (operands <= 1 && o->match.count > 1)
		return "one handler has one --match: give one for each of several handlers";
	if (operands <= 1)
		return NULL;
	if (o->api || o->image.memory.count || o->framing)
		return "of several handlers none can be of PsPIN's API: leave --api, --memory and --framing out";
	if (o->advise || o->compare || o->sweep.count || o->trace_file || o->budget || o->sizes)
		return "several handlers have one table: leave --advise, --compare, --sweep, --trace, --budget and --sizes out";
	return NULL;
}

/* Reads one number for all handlers, or one for each. Returns 0 if a number is invalid or out of range. */
static int read_each(const char *text, unsigned count, unsigned high, unsigned to[COST_CONTEXTS_MAX])
{
	char words[256], *rest = words;
	unsigned n = 0;

	if (strlen(text) >= sizeof(words))
		return 0;
	strcpy(words, text);
	while (rest) {
		char *comma = strchr(rest, ',');
		uint64_t value;

		if (comma)
			*comma++ = 0;
		if (n == count || number__read(rest, high, &value) || !value)
			return 0;
		to[n++] = (unsigned)value;
		rest = comma;
	}
	for (; n == 1 && count > 1; count--)
		to[count - 1] = to[0];
	return n == count || n == 1;
}

static int check_each(struct cost_options *o, unsigned operands)
{
	for (unsigned i = 0; i < operands; i++) {
		o->weight[i] = 1;
		o->payload_of[i] = o->made.payload_bytes;
	}
	if (o->match.count != operands)
		fprintf(stderr,
			"spinctl cost: %u handlers and %u rules: give each handler its --match, in their order; see spinctl cost "
			"--help\n",
			operands, o->match.count);
	else if (o->weights && !read_each(o->weights, operands, PSPIN_WEIGHT_MAX, o->weight))
		fprintf(stderr, "spinctl cost: --weights is a number from 1 to %u, or one for each of the %u handlers, as in 3,1\n",
			PSPIN_WEIGHT_MAX, operands);
	else if (o->payload && !read_each(o->payload, operands, COST_PAYLOAD_MAX, o->payload_of))
		fprintf(stderr, "spinctl cost: --payload is 1 to %u bytes, or so for each of the %u handlers, as in 484,64\n",
			COST_PAYLOAD_MAX, operands);
	else
		return DONE;
	return USAGE;
}

/* Reads --payload, whose meaning depends on what runs. Stores 0 bytes if it is not a number. */
static void read_payload(struct cost_options *o, unsigned operands)
{
	const char *bytes = o->payload_bytes ? o->payload_bytes : o->image.path ? NULL : o->payload;
	uint64_t n = 0;

	if (o->image.path)
		o->image.payload = o->payload;
	if (bytes && (operands <= 1 || !strchr(bytes, ','))) /* a list is checked later */
		o->made.payload_bytes = number__read(bytes, UINT32_MAX, &n) ? 0 : (unsigned)n;
}

int cost_options__check(struct cost_options *o, unsigned operands)
{
	const char *message;

	read_payload(o, operands);
	message = check_program(o, operands);
	if (!message)
		message = check_contexts(o, operands);
	if (!message)
		message = check_packets(o);
	if (!message && o->gbps && read_gbps(o->gbps, &o->gbps_value))
		message = "--gbps is a number of Gbit/s, 0.001 to 1000000";
	if (!message && o->budget && read_gbps(o->budget, &o->budget_value))
		message = "--budget is a number of Gbit/s, 0.001 to 1000000";
	if (!message && o->gbps && o->budget && o->gbps_value < o->budget_value)
		message = "--gbps offers less than --budget asks for";
	if (!message && o->sweep.count && (o->budget || o->trace_file || o->lines || o->sizes))
		message = "--sweep has no --budget, --trace or --lines, and its sizes are an axis";
	if (!message && o->threads && !o->sweep.count)
		message = "--threads is of --sweep";
	if (!message && read_sizes(o))
		message = "--sizes is none, or up to 16 numbers of bytes from 28 to 9216, as in 64,512";
	if (message)
		fprintf(stderr, "spinctl cost: %s; see spinctl cost --help\n", message);
	if (!message && operands > 1)
		return check_each(o, operands);
	return message ? USAGE : DONE;
}
