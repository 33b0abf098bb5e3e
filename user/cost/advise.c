/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --advise: measures variants of a handler on the modelled NIC: first other registrations (where its state lies, how much of a
 * packet is copied to it), then other compiler flags with the best of these. Called by measure.c. A variant that cannot be built or run is
 * reported and skipped.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cost/advise.h"
#include "user/cost/dwarf.h"
#include "user/lib/printable.h"
#include "user/libspin/internal.h"
#include "user/tool/compile.h"
#include "user/tool/notify.h"
#include "user/tool/read_file.h"
#include "user/tool/temp_directory.h"
#include "user/tool/error.h"

#define STATE_IN_L1_MAX  0x7fc00 /* bytes of state, as in the image's linker script */
#define GBPS_TOLERANCE   0.005   /* throughputs that differ by a smaller fraction count as equal: packets take whole cycles */
#define CYCLES_TOLERANCE 0.05    /* smallest difference of mean cycles per packet: text prints one decimal */

/* What is tried: bytes of a packet that are copied to the HPU's fast memory (bytes_in_l1), and compiler flags. */
static const uint32_t lengths[] = { SPIN_WHOLE_PACKET, SPIN_HEADERS_ONLY, 128, 256, 512 };
static const char *const flags[] = { "-fno-unroll-loops", "-funroll-all-loops", "-O2", "-Os" };

struct advisor {
	const struct cost_options *options;
	struct cost_program program; /* a copy with the variant's ELF and registration */
	struct spin_meta meta;
	struct cost_source *source;
	struct advice advice;
	uint32_t longest; /* mean packet length; a bytes_in_l1 of at least this is not tried, since it is the whole packet */
};

static int run_passes(struct advisor *a, struct cost_point *p)
{
	int status;

	cost_source__repeat(a->source, 0);
	if (cost_source__rewind(a->source))
		return FAILED;
	status = cost_pass__alone(&a->program, a->source, NULL, &p->alone);
	if (status || !p->alone.handled)
		return status;
	if (cost_source__rewind(a->source))
		return FAILED;
	if (cost_packets__may_repeat(a->advice.report))
		cost_source__repeat(a->source, COST_LOADED_PACKETS);
	status = cost_pass__loaded(&a->program, a->source, a->options->gbps_value, NULL, &p->loaded, &p->throughput, NULL);
	if (!status)
		cost_rates(a->advice.report, p);
	return status;
}

/* Measures a variant and fills in its results. */
static int measure(struct advisor *a, struct advice_variant *v)
{
	struct cost_point *p = calloc(1, sizeof(*p));
	int status = p ? run_passes(a, p) : report_error("no memory");

	if (!status && !p->alone.handled)
		status = report_error("no handler ran; the rule is %s", a->advice.report->rule);
	if (!status) {
		v->is_measured = 1;
		v->cycles = p->alone.packet_cycles.mean;
		v->cycles_with_runtime = p->alone.cycles_with_runtime_mean;
		v->gbps = p->throughput.gbps;
		cost_bound_name(&p->throughput, v->bound);
		for (unsigned i = 0; i < COST_RATES; i++)
			if (p->rates[i].gbps == ADVICE_GBPS)
				v->hpus = p->rates[i].hpus;
		a->longest = (uint32_t)p->alone.packet_bytes_mean;
	}
	free(p);
	return status;
}

/* Measures the program as registered and compiled. If this fails, --advise fails. */
static int measure_registered(struct advisor *a)
{
	const struct spin_registration *r = &a->meta.registration;
	struct advice_variant *v = &a->advice.variants[a->advice.count++];

	*v = (struct advice_variant){ r->state_placement, r->bytes_in_l1, r->payload_aligned, "", .hpus = 0 };
	return measure(a, v);
}

/* Builds and measures a variant. If that fails, the error is reported and the next variant follows. Returns FAILED only after a signal. */
static int try_variant(struct advisor *a, struct advice_variant variant)
{
	struct advice_variant *v = &a->advice.variants[a->advice.count++];
	size_t bytes;
	void *elf;

	*v = variant;
	if (advise_build(a->advice.source, v, &a->options->compile, &elf, &bytes))
		return signals__signal() ? FAILED : DONE;
	a->program.elf = elf;
	a->program.elf_bytes = bytes;
	a->meta.registration.state_placement = v->state_placement;
	a->meta.registration.bytes_in_l1 = v->bytes_in_l1;
	a->meta.registration.payload_aligned = v->payload_aligned;
	measure(a, v);
	free(elf);
	return signals__signal() ? FAILED : DONE;
}

static int is_better(const struct advice_variant *v, const struct advice_variant *than)
{
	if (!v->is_measured)
		return 0;
	if (v->gbps > than->gbps * (1 + GBPS_TOLERANCE) || v->gbps < than->gbps * (1 - GBPS_TOLERANCE))
		return v->gbps > than->gbps;
	return v->cycles < than->cycles - CYCLES_TOLERANCE;
}

static unsigned find_best(const struct advice *a)
{
	unsigned best = 0;

	for (unsigned i = 1; i < a->count; i++)
		if (is_better(&a->variants[i], &a->variants[best]))
			best = i;
	return best;
}

/* Measures the handler with each placement of its state and number of packet bytes in L1, and recommends the best. */
static int try_registrations(struct advisor *a)
{
	const struct advice_variant *registered = &a->advice.variants[0];
	uint32_t longest = a->longest;

	for (uint8_t placement = SPIN_STATE_IN_L2; placement <= SPIN_STATE_IN_L1; placement++) {
		if (placement == SPIN_STATE_IN_L1 && a->advice.state_bytes > STATE_IN_L1_MAX)
			continue;
		for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			if (lengths[i] > SPIN_HEADERS_ONLY && lengths[i] >= longest)
				continue;
			if (placement == registered->state_placement && lengths[i] == registered->bytes_in_l1)
				continue;
			if (try_variant(a, (struct advice_variant){ placement, lengths[i], registered->payload_aligned, "", .hpus = 0 }))
				return FAILED;
		}
	}
	a->advice.registration = find_best(&a->advice);
	return DONE;
}

/* Tries the best registration with payload_aligned inverted. */
static int try_alignment(struct advisor *a)
{
	const struct advice_variant best = a->advice.variants[a->advice.registration];

	if (try_variant(a, (struct advice_variant){ best.state_placement, best.bytes_in_l1, !best.payload_aligned, "", .hpus = 0 }))
		return FAILED;
	a->advice.registration = find_best(&a->advice);
	return DONE;
}

static int try_flags(struct advisor *a)
{
	const struct advice_variant best = a->advice.variants[a->advice.registration];

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (try_variant(a, (struct advice_variant){ best.state_placement, best.bytes_in_l1, best.payload_aligned, flags[i],
							    .hpus = 0 }))
			return FAILED;
	a->advice.best = find_best(&a->advice);
	return DONE;
}

int cost_advise(const struct cost_program *program, struct cost_source *source, const struct cost_options *options,
		struct cost_report *report)
{
	struct advisor *a = calloc(1, sizeof(*a));
	int status;

	if (!a)
		return report_error("no memory");
	a->options = options;
	a->program = *program;
	a->meta = *spin_object__meta(program->object);
	a->program.meta = &a->meta;
	a->source = source;
	a->advice.report = report;
	a->advice.state_bytes = a->meta.state_bytes;
	signals__watch();
	status = advise_source(program, a->advice.source) || measure_registered(a) || try_registrations(a) || try_alignment(a) ||
				 try_flags(a)
			 ? FAILED
			 : DONE;
	if (!status && options->json)
		cost_advise__json(&a->advice);
	else if (!status)
		cost_advise__text(&a->advice);
	free(a);
	return status;
}

/* Finds the source file that declares spin_state, which the state macros of the handler's file do. "": unknown. */
static void find_source_in_dwarf(const struct cost_program *program, char out[PATH_MAX])
{
	struct cost_dwarf d;
	Dwarf_Off at = 0, next;
	size_t header;

	out[0] = '\0';
	cost_dwarf__open(&d, program->elf, program->elf_bytes);
	while (d.dwarf && !out[0] && !dwarf_nextcu(d.dwarf, at, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit, die;

		if (dwarf_offdie(d.dwarf, at + header, &unit) && !dwarf_child(&unit, &die))
			do {
				const char *name = dwarf_diename(&die), *file = dwarf_decl_file(&die);

				if (name && file && !strcmp(name, "spin_state"))
					snprintf(out, PATH_MAX, "%s", file);
			} while (!out[0] && !dwarf_siblingof(&die, &die));
		at = next;
	}
	cost_dwarf__close(&d);
}

int advise_source(const struct cost_program *program, char out[PATH_MAX])
{
	const char *dot = strrchr(program->path, '.');

	if (program->source) {
		snprintf(out, PATH_MAX, "%s", program->source);
		return DONE;
	}
	snprintf(out, PATH_MAX, "%.*s.c", (int)(dot ? dot - program->path : 0), program->path);
	if (dot && !access(out, R_OK))
		return DONE;
	find_source_in_dwarf(program, out);
	if (out[0] && !access(out, R_OK))
		return DONE;
	return report_error("--advise compiles the handler again, and there is no source of %s beside it or where it was compiled; "
			    "give the source, NAME.c, in place of it",
			    program->path);
}

static int add_word(struct option_list *list, const char *word)
{
	const char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		return report_error("no memory");
	list->items = items;
	list->items[list->count++] = word;
	return DONE;
}

static int compile(const char *source, const struct advice_variant *v, const struct option_list *compile, const char *output)
{
	struct option_list words = { 0 };
	char macro[128], flag[64];
	int status = DONE;

	snprintf(macro, sizeof(macro), "-DSPIN_REGISTER_TOO_=,.state_placement=%u,.bytes_in_l1=%u,.payload_aligned=%u", v->state_placement,
		 v->bytes_in_l1, v->payload_aligned);
	snprintf(flag, sizeof(flag), "--hpu-flag=%s", v->flags);
	for (unsigned i = 0; i < compile->count && !status; i++)
		status = add_word(&words, compile->items[i]);
	status = status || add_word(&words, macro) || (v->flags[0] && add_word(&words, flag));
	if (!status)
		status = compile__run(source, "rv32", output, 0, &words);
	options__free_list(&words);
	return status;
}

int advise_build(const char *source, const struct advice_variant *v, const struct option_list *words, void **elf, size_t *bytes)
{
	char directory[PATH_MAX - 16], output[PATH_MAX];
	int in_use = temp_directory__make(directory, sizeof(directory)), status;

	if (in_use < 0)
		return FAILED;
	snprintf(output, sizeof(output), "%s/handler.elf", directory);
	status = compile(source, v, words, output);
	if (!status) {
		*elf = read_file(output, bytes);
		status = *elf ? DONE : FAILED;
	}
	temp_directory__remove(directory, in_use);
	return status;
}

static const char *place_name(const struct advice_variant *v)
{
	return v->state_placement == SPIN_STATE_IN_L1 ? "L1" : "L2";
}

/* Returns "whole", "headers" or "128". */
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

/* Formats the registration as C source. */
static void format_registration(const struct advice_variant *v, char *out, size_t bytes)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", v->bytes_in_l1);
	snprintf(out, bytes, ".state_placement = SPIN_STATE_IN_%s, .bytes_in_l1 = %s%s", place_name(v),
		 v->bytes_in_l1 == SPIN_WHOLE_PACKET   ? "SPIN_WHOLE_PACKET"
		 : v->bytes_in_l1 == SPIN_HEADERS_ONLY ? "SPIN_HEADERS_ONLY"
						       : number,
		 v->payload_aligned ? ", .payload_aligned = 1" : "");
}

static void print_difference(const struct advice_variant *from, const struct advice_variant *to)
{
	printf(": a mean of %.1f cycles a packet instead of %.1f (saves %.1f), %.2f HPUs at %d Gbit/s instead of %.2f (saves %.2f), "
	       "%.1f Gbit/s under load instead of %.1f\n",
	       to->cycles, from->cycles, from->cycles - to->cycles, to->hpus, ADVICE_GBPS, from->hpus, from->hpus - to->hpus, to->gbps,
	       from->gbps);
}

static void print_verdict(const struct advice *a)
{
	const struct advice_variant *registered = &a->variants[0], *better = &a->variants[a->registration];
	char words[128];

	format_registration(better, words, sizeof(words));
	if (a->registration) {
		printf("register %s", words);
		print_difference(registered, better);
	} else {
		printf("registered as it should be: %s\n", words);
	}
	if (a->best != a->registration) {
		printf("compile it with spincc --hpu-flag=%s", a->variants[a->best].flags);
		print_difference(better, &a->variants[a->best]);
	} else {
		puts("other options for the compiler do not help");
	}
}

static void print_packets(const struct cost_report *r)
{
	char packets[160];

	if (r->trace) {
		printf("packets of %s\n", r->trace);
		return;
	}
	cost_packets__describe(r, packets, sizeof(packets));
	printf("%s; --pcap, --%s and --payload give others\n", packets, r->takes_messages || r->takes_segments ? "messages" : "datagrams");
}

void cost_advise__text(const struct advice *a)
{
	const struct cost_report *r = a->report;
	char source[sizeof(a->source)];

	memcpy(source, a->source, sizeof(source));
	replace_terminal_controls(source); /* it may be of the object's debug information */
	printf("%s on %s, rule: %s; %s compiled again\n", r->handler, r->target, r->rule, source);
	print_packets(r);
	print_verdict(a);
	printf("\n%-6s %-8s %-8s %-18s %7s %11s %7s  %-11s\n", "state", "in L1", "payload", "compiler", "cycles", "HPUs, 400 G", "Gbit/s",
	       "bound by");
	for (unsigned i = 0; i < a->count; i++) {
		const struct advice_variant *v = &a->variants[i];
		char number[16];

		printf("%-6s %-8s %-8s %-18s ", place_name(v), bytes_name(v, number), v->payload_aligned ? "aligned" : "-",
		       v->flags[0] ? v->flags : "as it is");
		if (v->is_measured)
			printf("%7.1f %11.2f %7.1f  %-11s", v->cycles, v->hpus, v->gbps, v->bound);
		else
			printf("%7s %11s %7s  %-11s", "-", "-", "-", "does not run so");
		printf("%s%s\n", i ? "" : " registered", i == a->best ? " best" : "");
	}
	printf("state: where the HPU state lives; in L1: what of each packet is copied there, the rest is read, and sent, from L2\n"
	       "payload: aligned, if it begins a line of packet memory\n"
	       "cycles: mean of a packet's handlers, on an idle NIC; HPUs by them; Gbit/s: packet bytes, as fast as the NIC takes them\n");
}

static void json_variant(struct json *j, const char *key, const struct advice_variant *v)
{
	json_object(j, key);
	json_string(j, "state_placement", place_name(v));
	json_uint(j, "bytes_in_l1", v->bytes_in_l1);
	json_bool(j, "payload_aligned", v->payload_aligned);
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
	const struct advice_variant *registered = &a->variants[0], *best = &a->variants[a->best];
	char made[32];
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "handler", a->report->handler);
	json_string(&j, "target", a->report->target);
	json_string(&j, "rule", a->report->rule);
	json_string(&j, "source", a->source);
	json_string(&j, "trace", a->report->trace);
	if (!a->report->trace) {
		snprintf(made, sizeof(made), "%s_made", cost_packets__name(a->report));
		json_uint(&j, made, a->report->made.messages);
		json_uint(&j, "payload_bytes_per_packet", a->report->made.payload_bytes);
	}
	json_variant(&j, "registered", registered);
	json_variant(&j, "best_registration", &a->variants[a->registration]);
	json_variant(&j, "best", best);
	json_double(&j, "saved_cycles_per_packet", registered->cycles - best->cycles);
	json_double(&j, "saved_hpus_at_400_gbps", registered->hpus - best->hpus);
	json_array(&j, "variants");
	for (unsigned i = 0; i < a->count; i++)
		json_variant(&j, NULL, &a->variants[i]);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
