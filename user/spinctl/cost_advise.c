/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Other registrations first; then, with the best of them, other ways to compile. */
#include <stdlib.h>

#include "user/spinctl/cost_advise.h"
#include "user/libspin/internal.h"
#include "user/spinctl/stop.h"

#define STATE_IN_L1_MAX 0x7ffc0 /* as the image's linker script has it */
#define NEAR            0.005   /* less is no difference in throughput: packets have whole cycles */
#define LEAST_CYCLES    0.05    /* of a packet's mean: less is printed as nothing */

/* Beside all of it: headers alone, and what some handlers look into. */
static const uint32_t lengths[] = { SPIN_WHOLE_PACKET, SPIN_HEADERS_ONLY, 128, 256, 512 };
static const char *const flags[] = { "-fno-unroll-loops", "-funroll-all-loops", "-O2", "-Os" };

struct advisor {
	const struct cost_options *options;
	struct cost_program program; /* with the variant's ELF and registration */
	struct spin_meta meta;
	struct cost_source *source;
	struct advice advice;
	uint32_t longest; /* mean bytes of a packet: what is not less is all of it */
};

static int run_both(struct advisor *a, struct cost_point *p)
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
	if (!a->advice.report->takes_messages || !a->advice.report->trace)
		cost_source__repeat(a->source, COST_LOADED_PACKETS);
	status = cost_pass__loaded(&a->program, a->source, a->options->gbps_value, NULL, &p->loaded, &p->throughput, NULL);
	if (!status)
		cost_rates(a->advice.report, p);
	return status;
}

static int measure(struct advisor *a, struct advice_variant *v)
{
	struct cost_point *p = calloc(1, sizeof(*p));
	int status = p ? run_both(a, p) : complain("no memory");

	if (!status && !p->alone.handled)
		status = complain("no handler ran; the rule is %s", a->advice.report->rule);
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

/* The program as it is; with it fails all. */
static int measure_registered(struct advisor *a)
{
	const struct spin_registration *r = &a->meta.registration;
	struct advice_variant *v = &a->advice.variants[a->advice.count++];

	*v = (struct advice_variant){ r->state_placement, r->bytes_in_l1, "", .hpus = 0 };
	return measure(a, v);
}

/* One that cannot be built is told, and no reason to stop; a signal is. */
static int add(struct advisor *a, uint8_t placement, uint32_t bytes_in_l1, const char *with)
{
	struct advice_variant *v = &a->advice.variants[a->advice.count++];
	size_t bytes;
	void *elf;

	*v = (struct advice_variant){ placement, bytes_in_l1, with, .hpus = 0 };
	if (advise_build(a->advice.source, v, &a->options->compile, &elf, &bytes))
		return stop__signal() ? FAILED : DONE;
	a->program.elf = elf;
	a->program.elf_bytes = bytes;
	a->meta.registration.state_placement = placement;
	a->meta.registration.bytes_in_l1 = bytes_in_l1;
	measure(a, v);
	free(elf);
	return stop__signal() ? FAILED : DONE;
}

static int is_better(const struct advice_variant *v, const struct advice_variant *than)
{
	if (!v->is_measured)
		return 0;
	if (v->gbps > than->gbps * (1 + NEAR) || v->gbps < than->gbps * (1 - NEAR))
		return v->gbps > than->gbps;
	return v->cycles < than->cycles - LEAST_CYCLES;
}

static unsigned find_best(const struct advice *a)
{
	unsigned best = 0;

	for (unsigned i = 1; i < a->count; i++)
		if (is_better(&a->variants[i], &a->variants[best]))
			best = i;
	return best;
}

static int try_registrations(struct advisor *a)
{
	const struct advice_variant *is = &a->advice.variants[0];
	uint32_t longest = a->longest;

	for (uint8_t placement = SPIN_STATE_IN_L2; placement <= SPIN_STATE_IN_L1; placement++) {
		if (placement == SPIN_STATE_IN_L1 && a->advice.state_bytes > STATE_IN_L1_MAX)
			continue;
		for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			if (lengths[i] > SPIN_HEADERS_ONLY && lengths[i] >= longest)
				continue;
			if (placement == is->state_placement && lengths[i] == is->bytes_in_l1)
				continue;
			if (add(a, placement, lengths[i], ""))
				return FAILED;
		}
	}
	a->advice.registration = find_best(&a->advice);
	return DONE;
}

static int try_flags(struct advisor *a)
{
	const struct advice_variant best = a->advice.variants[a->advice.registration];

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (add(a, best.state_placement, best.bytes_in_l1, flags[i]))
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
		return complain("no memory");
	a->options = options;
	a->program = *program;
	a->meta = *spin_object__meta(program->object);
	a->program.meta = &a->meta;
	a->source = source;
	a->advice.report = report;
	a->advice.state_bytes = a->meta.state_bytes;
	stop__watch();
	status = advise_source(program, a->advice.source) || measure_registered(a) || try_registrations(a) || try_flags(a) ? FAILED : DONE;
	if (!status && options->json)
		cost_advise__json(&a->advice);
	else if (!status)
		cost_advise__text(&a->advice);
	free(a);
	return status;
}
