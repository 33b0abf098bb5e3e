/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <math.h>

#include "user/spinctl/cost_advise.h"

static const char *place_name(const struct advice_variant *v)
{
	return v->state_placement == SPIN_STATE_IN_L1 ? "L1" : "L2";
}

/* "whole", "headers", "128" */
static const char *bytes_name(const struct advice_variant *v, char out[16])
{
	if (v->bytes_in_l1 == SPIN_WHOLE_PACKET)
		snprintf(out, 16, "whole");
	else if (v->bytes_in_l1 == SPIN_HEADERS_ONLY)
		snprintf(out, 16, "headers");
	else
		snprintf(out, 16, "%u", v->bytes_in_l1);
	return out;
}

/* As it stands in a handler's file. */
static void registration_words(const struct advice_variant *v, char *out, size_t bytes)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", v->bytes_in_l1);
	snprintf(out, bytes, ".state_placement = SPIN_STATE_IN_%s, .bytes_in_l1 = %s", place_name(v),
		 v->bytes_in_l1 == SPIN_WHOLE_PACKET   ? "SPIN_WHOLE_PACKET"
		 : v->bytes_in_l1 == SPIN_HEADERS_ONLY ? "SPIN_HEADERS_ONLY"
						       : number);
}

static void difference(const struct advice_variant *from, const struct advice_variant *to)
{
	printf(": a mean of %.1f cycles a packet instead of %.1f (saves %.1f), %.2f HPUs at %d Gbit/s instead of %.2f (saves %.2f), "
	       "%.1f Gbit/s under load instead of %.1f\n",
	       to->cycles, from->cycles, from->cycles - to->cycles, to->hpus, ADVICE_GBPS, from->hpus, from->hpus - to->hpus, to->gbps,
	       from->gbps);
}

static void verdict(const struct advice *a)
{
	const struct advice_variant *is = &a->variants[0], *better = &a->variants[a->registration];
	char words[128];

	registration_words(better, words, sizeof(words));
	if (a->registration) {
		printf("register %s", words);
		difference(is, better);
	} else {
		printf("registered as it should be: %s\n", words);
	}
	if (a->best != a->registration) {
		printf("compile it with spincc --hpu-flag=%s", a->variants[a->best].flags);
		difference(better, &a->variants[a->best]);
	} else {
		puts("other options for the compiler do not help");
	}
}

static void packets(const struct cost_report *r)
{
	if (r->trace)
		printf("packets of %s\n", r->trace);
	else if (r->takes_messages)
		printf("%u messages made, of %u packets with %u bytes of payload; --pcap, --messages and --payload give others\n",
		       r->made.messages, r->made.packets, r->made.payload_bytes);
	else
		printf("%u datagrams made, with %u bytes of payload; --pcap, --datagrams and --payload give others\n", r->made.messages,
		       r->made.payload_bytes);
}

void cost_advise__text(const struct advice *a)
{
	const struct cost_report *r = a->report;

	printf("%s on %s, rule: %s; %s compiled anew\n", r->handler, r->target, r->rule, a->source);
	packets(r);
	verdict(a);
	printf("\n%-6s %-8s %-20s %10s %13s %9s  %-18s\n", "state", "in L1", "compiler", "cycles", "HPUs, 400 G", "Gbit/s", "bound by");
	for (unsigned i = 0; i < a->count; i++) {
		const struct advice_variant *v = &a->variants[i];
		char number[16];

		printf("%-6s %-8s %-20s ", place_name(v), bytes_name(v, number), v->flags[0] ? v->flags : "as it is");
		if (v->is_measured)
			printf("%10.1f %13.2f %9.1f  %-18s", v->cycles, v->hpus, v->gbps, v->bound);
		else
			printf("%10s %13s %9s  %-18s", "-", "-", "-", "does not run so");
		printf("%s%s\n", i ? "" : " registered", i == a->best ? " best" : "");
	}
	printf("state: where the HPU state lives; in L1: what of each packet is copied there, the rest is read, and sent, from L2\n"
	       "cycles: mean of a packet's handlers, on an idle NIC; HPUs by them; Gbit/s: packet bytes, as fast as the NIC takes them\n");
}

static void variant(struct json *j, const char *key, const struct advice_variant *v)
{
	json_object(j, key);
	json_string(j, "state_placement", place_name(v));
	json_uint(j, "bytes_in_l1", v->bytes_in_l1);
	json_string(j, "compiler_option", v->flags[0] ? v->flags : NULL);
	if (v->is_measured) {
		json_double(j, "mean_cycles", v->cycles);
		json_double(j, "mean_cycles_with_runtime", v->cycles_with_runtime);
		json_double(j, "hpus_at_400_gbps", v->hpus);
		json_double(j, "loaded_gbps", v->gbps);
		json_string(j, "bound_by", v->bound);
	} else {
		json_string(j, "mean_cycles", NULL);
	}
	json_object_end(j);
}

void cost_advise__json(const struct advice *a)
{
	const struct advice_variant *is = &a->variants[0], *best = &a->variants[a->best];
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "handler", a->report->handler);
	json_string(&j, "target", a->report->target);
	json_string(&j, "rule", a->report->rule);
	json_string(&j, "source", a->source);
	json_string(&j, "trace", a->report->trace);
	if (!a->report->trace) {
		json_uint(&j, a->report->takes_messages ? "messages_made" : "datagrams_made", a->report->made.messages);
		json_uint(&j, "payload_bytes_per_packet", a->report->made.payload_bytes);
	}
	variant(&j, "registered", is);
	variant(&j, "best_registration", &a->variants[a->registration]);
	variant(&j, "best", best);
	json_double(&j, "saved_cycles_per_packet", is->cycles - best->cycles);
	json_double(&j, "saved_hpus_at_400_gbps", is->hpus - best->hpus);
	json_array(&j, "variants");
	for (unsigned i = 0; i < a->count; i++)
		variant(&j, NULL, &a->variants[i]);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
