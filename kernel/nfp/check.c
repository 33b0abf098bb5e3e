/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Predicts whether the driver of an NFP card (Netronome's NIC with hardware XDP) accepts the XDP programs of a BPF object: collects what
 * breaks the driver's rules (rules.h). Called by `spinctl check` and `spinctl cost`. All paths of each program are walked (walk.c) once
 * per kernel version, because the kernels' verifiers differ. What only some of the kernels refuse becomes a warning that names them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/check.h"
#include "kernel/nfp/disasm.h"
#include "kernel/nfp/jit.h"

/* The result of one kernel's walk over one program. */
struct walk_result {
	struct nfp_findings findings;
	unsigned nfp_instructions, stack_bytes;
	uint32_t packet_bytes;
};

/* --- maps --- */

#define FIND(F, RULE, ...) nfp_findings__add(F, RULE, nfp_rule__verdict(RULE), -1, __VA_ARGS__)

static uint32_t round8(uint32_t bytes)
{
	return bytes > UINT32_MAX - 7 ? UINT32_MAX - 7 : (bytes + 7) / 8 * 8;
}

static void check_sizes(const struct nfp_map *map, const struct nfp_profile *profile, struct nfp_findings *f)
{
	const struct nfp_map_definition *is = &map->is;

	if (is->key_bytes > profile->key_bytes_max)
		FIND(f, NFP_RULE_MAP_KEY_SIZE, "the key of %s has %u bytes, the maximum is %u", map->name, is->key_bytes,
		     profile->key_bytes_max);
	if (is->value_bytes > profile->value_bytes_max)
		FIND(f, NFP_RULE_MAP_VALUE_SIZE, "the value of %s has %u bytes, the maximum is %u", map->name, is->value_bytes,
		     profile->value_bytes_max);
	if (round8(is->key_bytes) > UINT32_MAX - round8(is->value_bytes) ||
	    round8(is->key_bytes) + round8(is->value_bytes) > profile->element_bytes_max)
		FIND(f, NFP_RULE_MAP_ELEMENT_SIZE,
		     "key and value of %s have %u and %u bytes, which are %llu when rounded up, and the maximum is %u", map->name,
		     is->key_bytes, is->value_bytes, (unsigned long long)round8(is->key_bytes) + round8(is->value_bytes),
		     profile->element_bytes_max);
}

/* Would the driver create this map? */
static void check_map(const struct nfp_map *map, const struct nfp_profile *profile, struct nfp_findings *f)
{
	const struct nfp_map_definition *is = &map->is;

	if (map->is_data) {
		FIND(f, NFP_RULE_GLOBAL_DATA, "the section %s is a map with flags, which the card does not take", map->name);
		return;
	}
	if (is->type >= 32 || !(profile->map_types & 1u << is->type)) {
		FIND(f, NFP_RULE_MAP_TYPE, "the map %s is of type %u", map->name, is->type);
		return;
	}
	if (is->flags || is->has_numa_node)
		FIND(f, NFP_RULE_MAP_FLAGS, "the map %s has flags 0x%x%s", map->name, is->flags,
		     is->has_numa_node ? " and a NUMA node" : "");
	if (!is->entries || !is->key_bytes || !is->value_bytes || (is->type == BPF_MAP_TYPE_ARRAY && is->key_bytes != 4))
		FIND(f, NFP_RULE_MAP_SHAPE, "the map %s has %u entries with keys of %u and values of %u bytes", map->name, is->entries,
		     is->key_bytes, is->value_bytes);
	check_sizes(map, profile, f);
}

static void check_maps(const struct nfp_object *o, const struct nfp_profile *profile, struct nfp_findings *f)
{
	uint64_t entries = 0;
	unsigned maps = 0;

	for (unsigned i = 0; i < o->map_count; i++) {
		if (o->maps[i].is.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY && !o->maps[i].is_data)
			continue; /* stays on the host */
		check_map(&o->maps[i], profile, f);
		entries += o->maps[i].is.entries;
		maps++;
	}
	if (maps > profile->maps_max)
		FIND(f, NFP_RULE_MAP_COUNT, "it has %u maps, the maximum is %u", maps, profile->maps_max);
	if (entries > profile->entries_max)
		FIND(f, NFP_RULE_MAP_ENTRIES, "its maps have %llu entries, the maximum is %u", (unsigned long long)entries,
		     profile->entries_max);
}

/* --- programs --- */

static void check_program_kind(const struct nfp_code *code, struct nfp_findings *f)
{
	if (code->is_frags)
		FIND(f, NFP_RULE_PROG_FRAGS, "the program is for frames in several buffers");
	if (code->is_for_map)
		FIND(f, NFP_RULE_PROG_KIND, "the program is of a map's entries, not of an interface");
	if (code->cannot_link)
		FIND(f, NFP_RULE_LINK, "libbpf cannot resolve %s", code->cannot_link);
}

/* What the driver checks after the walk: sizes, and how much of a packet the program reaches. */
static void check_totals(const struct nfp_walk *w, unsigned mtu, struct walk_result *j)
{
	uint32_t reach = nfp_profile__packet_bytes(w->profile);

	j->stack_bytes = nfp_jit__stack_bytes(w);
	j->packet_bytes = w->packet_bytes;
	if (j->stack_bytes > w->profile->stack_bytes)
		FIND(&j->findings, NFP_RULE_STACK_SIZE, "its frames take %u bytes of stack, the maximum is %u", j->stack_bytes,
		     w->profile->stack_bytes);
	if (nfp_findings__verdict(&j->findings) > NFP_WARN)
		return;
	j->nfp_instructions = nfp_jit__count(w);
	if (j->nfp_instructions > w->profile->instructions_max)
		FIND(&j->findings, NFP_RULE_PROGRAM_SIZE, "it would be some %u instructions of the NFP, the maximum is %u",
		     j->nfp_instructions, w->profile->instructions_max);
	/* an unknown MTU may be small enough */
	if (reach && j->packet_bytes > reach + 1 && (!mtu || mtu > reach))
		nfp_findings__add(&j->findings, NFP_RULE_PACKET_DEPTH, mtu ? NFP_REJECT : NFP_WARN, -1,
				  "it may look at %u bytes of a packet; attaching fails at an MTU of more than %u", j->packet_bytes, reach);
}

/* Checks one program for one kernel. *steps_left: the steps that the object's programs may still take together. */
static int walk_program(const struct nfp_object *o, const struct nfp_code *code, const struct nfp_profile *profile, enum nfp_kernel kernel,
			unsigned mtu, unsigned *steps_left, struct walk_result *j)
{
	struct nfp_walk w = { .object = o,
			      .code = code,
			      .profile = profile,
			      .kernel = kernel,
			      .findings = &j->findings,
			      .steps_max = *steps_left < NFP_STEPS_MAX ? *steps_left : NFP_STEPS_MAX };
	int err = 0;

	check_maps(o, profile, &j->findings);
	check_program_kind(code, &j->findings);
	if (!code->cannot_link)
		err = nfp_walk__run(&w);
	*steps_left -= w.steps < w.steps_max ? w.steps : w.steps_max;
	if (!err && !code->cannot_link)
		check_totals(&w, mtu, j);
	nfp_walk__free(&w);
	return err;
}

/* --- the report --- */

static struct nfp_finding *finding_of(struct nfp_program *p, const struct nfp_walk_finding *found)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->findings[i].rule == nfp_rule__name(found->rule) && p->findings[i].insn == found->insn)
			return &p->findings[i];
	return NULL;
}

static void describe(const struct nfp_object *o, const struct nfp_code *code, const struct nfp_walk_finding *found, struct nfp_finding *to)
{
	*to = (struct nfp_finding){
		.rule = nfp_rule__name(found->rule), .verdict = found->verdict, .insn = found->insn, .advice = nfp_rule__advice(found->rule)
	};
	snprintf(to->what, sizeof(to->what), "%s", found->what);
	if (found->insn < 0)
		return;
	nfp_disasm(o, code, (uint32_t)found->insn, to->code, sizeof(to->code));
	nfp_object__line(o, code, (uint32_t)found->insn, to->source, sizeof(to->source));
}

/* Adds a kernel's findings to the program's. One that another kernel has as well is only marked with this kernel. */
static int add_findings(const struct nfp_object *o, const struct nfp_code *code, enum nfp_kernel kernel, const struct walk_result *j,
			struct nfp_program *p)
{
	for (unsigned i = 0; i < j->findings.count; i++) {
		const struct nfp_walk_finding *found = &j->findings.found[i];
		struct nfp_finding *to = finding_of(p, found), *more;

		if (!to) {
			more = realloc(p->findings, (p->count + 1) * sizeof(*more));
			if (!more)
				return -ENOMEM;
			p->findings = more;
			to = &p->findings[p->count++];
			describe(o, code, found, to);
		}
		to->kernels |= 1u << kernel;
		if (found->verdict > to->verdict)
			to->verdict = found->verdict;
	}
	return 0;
}

/*
 * The worst verdict of all kernels; but WARN if one kernel accepts what another refuses, and UNKNOWN if one cannot tell what another
 * refuses.
 */
static enum nfp_verdict overall(const struct nfp_program *p, unsigned kernels)
{
	enum nfp_verdict best = NFP_REJECT, worst = NFP_ACCEPT;

	for (int k = 0; k < NFP_KERNELS; k++) {
		if (!(kernels & 1u << k))
			continue;
		best = p->of_kernel[k] < best ? p->of_kernel[k] : best;
		worst = p->of_kernel[k] > worst ? p->of_kernel[k] : worst;
	}
	if (worst == NFP_REJECT && best < NFP_UNKNOWN)
		return NFP_WARN;
	return worst == NFP_REJECT && best == NFP_UNKNOWN ? NFP_UNKNOWN : worst;
}

/* Checks one program for each of the kernels (bits of `kernels`) and sums up. */
static int check_program(const struct nfp_object *o, const struct nfp_code *code, const struct nfp_profile *profile, unsigned kernels,
			 unsigned mtu, unsigned *steps_left, struct nfp_program *p)
{
	struct walk_result *j = malloc(sizeof(*j));
	int err = j ? 0 : -ENOMEM;

	snprintf(p->name, sizeof(p->name), "%s", code->name);
	snprintf(p->section, sizeof(p->section), "%s", code->section);
	p->instructions = code->count;
	for (int k = 0; k < NFP_KERNELS && !err; k++) {
		if (!(kernels & 1u << k))
			continue;
		memset(j, 0, sizeof(*j));
		err = walk_program(o, code, profile, (enum nfp_kernel)k, mtu, steps_left, j);
		if (err)
			break;
		p->of_kernel[k] = nfp_findings__verdict(&j->findings);
		p->nfp_instructions = j->nfp_instructions > p->nfp_instructions ? j->nfp_instructions : p->nfp_instructions;
		p->stack_bytes = j->stack_bytes > p->stack_bytes ? j->stack_bytes : p->stack_bytes;
		p->packet_bytes = j->packet_bytes > p->packet_bytes ? j->packet_bytes : p->packet_bytes;
		err = add_findings(o, code, (enum nfp_kernel)k, j, p);
	}
	p->verdict = overall(p, kernels);
	free(j);
	return err;
}

int nfp_check__object(const void *data, size_t bytes, const struct nfp_profile *profile, unsigned kernels, unsigned mtu,
		      struct nfp_report **report, char *reason, size_t reason_bytes)
{
	unsigned steps_left = NFP_OBJECT_STEPS_MAX;
	struct nfp_report *r = NULL;
	struct nfp_object o;
	int err = nfp_object__open(&o, data, bytes, reason, reason_bytes);

	*report = NULL;
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (r)
		r->programs = calloc(o.program_count, sizeof(*r->programs));
	if (!r || !r->programs)
		err = -ENOMEM;
	for (unsigned i = 0; i < o.program_count && !err; i++) {
		err = check_program(&o, &o.programs[i], profile, kernels, mtu, &steps_left, &r->programs[i]);
		r->count = i + 1;
	}
	nfp_object__close(&o);
	if (err) {
		snprintf(reason, reason_bytes, "no memory");
		nfp_report__free(r);
		return err;
	}
	*report = r;
	return 0;
}

void nfp_report__free(struct nfp_report *report)
{
	if (!report)
		return;
	for (unsigned i = 0; i < report->count; i++)
		free(report->programs[i].findings);
	free(report->programs);
	free(report);
}
