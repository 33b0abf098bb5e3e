/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints the report of spinctl check on programs for a card, as text and as JSON. Called by check.c. */
#include <stdio.h>
#include <string.h>

#include "user/lib/json.h"
#include "user/lib/printable.h"
#include "user/spinctl/check/print.h"

enum nfp_verdict check_print__worst(const struct nfp_report *report)
{
	enum nfp_verdict worst = NFP_ACCEPT;

	for (unsigned i = 0; i < report->count; i++)
		worst = report->programs[i].verdict > worst ? report->programs[i].verdict : worst;
	return worst;
}

/* Writes "6.1 and 6.12" to buf. */
static const char *kernel_list(unsigned kernels, char *buf, size_t bytes)
{
	*buf = 0;
	for (int k = 0; k < NFP_KERNELS; k++)
		if (kernels & 1u << k)
			snprintf(buf + strlen(buf), bytes - strlen(buf), "%s%s", *buf ? " and " : "", nfp_kernel__name((enum nfp_kernel)k));
	return buf;
}

/* Escapes names and lines from the object, which is untrusted. */
static const char *escape(char *buf, size_t bytes, const char *text)
{
	printable(buf, bytes, text);
	return buf;
}

static void print_finding(const struct nfp_finding *f, unsigned kernels)
{
	char list[64], what[4 * sizeof(f->what)], code[4 * sizeof(f->code)], source[4 * sizeof(f->source)];

	printf("  %s: %s", nfp_verdict__name(f->verdict), f->rule);
	if (f->kernels != kernels)
		printf(" (Linux %s)", kernel_list(f->kernels, list, sizeof(list)));
	printf(": %s\n", escape(what, sizeof(what), f->what));
	if (f->insn >= 0)
		printf("    instruction %d: %s%s%s\n", f->insn, escape(code, sizeof(code), f->code), *f->source ? "  at " : "",
		       escape(source, sizeof(source), f->source));
	printf("    %s\n", f->advice);
}

static void print_program(const struct nfp_program *p, const struct nfp_profile *profile, unsigned kernels)
{
	char list[64], name[4 * sizeof(p->name)];

	printf("%s: %s", escape(name, sizeof(name), p->name), nfp_verdict__name(p->verdict));
	if (p->verdict < NFP_UNKNOWN && !(kernels & (kernels - 1)))
		printf(": accepted by the NFP driver's verifier and JIT");
	printf(" (Linux %s, firmware %s)\n", kernel_list(kernels, list, sizeof(list)), profile->firmware);
	printf("  %u eBPF instructions", p->instructions);
	if (p->nfp_instructions)
		printf(", about %u of the NFP (estimate) of %u", p->nfp_instructions, profile->instructions_max);
	printf(", %u of %u bytes of stack, %u bytes of a packet\n", p->stack_bytes, profile->stack_bytes, p->packet_bytes);
	for (unsigned i = 0; i < p->count; i++)
		print_finding(&p->findings[i], kernels);
}

void check_print__text(const struct nfp_report *report, const struct nfp_profile *profile, unsigned kernels)
{
	for (unsigned i = 0; i < report->count; i++)
		print_program(&report->programs[i], profile, kernels);
}

static void json_finding(struct json *j, const struct nfp_finding *f)
{
	json_object(j, NULL);
	json_string(j, "rule", f->rule);
	json_string(j, "verdict", nfp_verdict__name(f->verdict));
	json_array(j, "kernels");
	for (int k = 0; k < NFP_KERNELS; k++)
		if (f->kernels & 1u << k)
			json_string(j, NULL, nfp_kernel__name((enum nfp_kernel)k));
	json_array_end(j);
	if (f->insn >= 0) {
		json_uint(j, "instruction", (uint64_t)f->insn);
		json_string(j, "code", f->code);
		json_string(j, "source", *f->source ? f->source : NULL);
	}
	json_string(j, "what", f->what);
	json_string(j, "advice", f->advice);
	json_object_end(j);
}

static void json_program(struct json *j, const struct nfp_program *p, unsigned kernels)
{
	json_object(j, NULL);
	json_string(j, "program", p->name);
	json_string(j, "section", p->section);
	json_string(j, "verdict", nfp_verdict__name(p->verdict));
	json_object(j, "by_kernel");
	for (int k = 0; k < NFP_KERNELS; k++)
		if (kernels & 1u << k)
			json_string(j, nfp_kernel__name((enum nfp_kernel)k), nfp_verdict__name(p->of_kernel[k]));
	json_object_end(j);
	json_uint(j, "instructions", p->instructions);
	if (p->nfp_instructions)
		json_uint(j, "nfp_instructions_estimate", p->nfp_instructions);
	json_uint(j, "stack_bytes", p->stack_bytes);
	json_uint(j, "packet_bytes", p->packet_bytes);
	json_array(j, "findings");
	for (unsigned i = 0; i < p->count; i++)
		json_finding(j, &p->findings[i]);
	json_array_end(j);
	json_object_end(j);
}

void check_print__json(const struct nfp_report *report, const struct nfp_profile *profile, unsigned kernels, const char *file)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "file", file);
	json_string(&j, "target", "nfp");
	json_string(&j, "firmware", profile->firmware);
	json_uint(&j, "nfp_instructions_max", profile->instructions_max);
	json_string(&j, "verdict", nfp_verdict__name(check_print__worst(report)));
	json_array(&j, "programs");
	for (unsigned i = 0; i < report->count; i++)
		json_program(&j, &report->programs[i], kernels);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
