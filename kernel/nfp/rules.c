/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table of rules that a BPF program for an NFP card must follow, and the list of findings. Called by all parts of the checker. */
#include <stdarg.h>
#include <stdio.h>

#include "kernel/nfp/rules.h"

const char *nfp_verdict__name(enum nfp_verdict verdict)
{
	static const char *const names[] = { "accept", "warn", "unknown", "reject" };

	return names[verdict];
}

const char *nfp_kernel__name(enum nfp_kernel kernel)
{
	static const char *const names[] = { "6.1", "6.12" };

	return names[kernel];
}

static const struct {
	const char *name, *advice;
	enum nfp_verdict verdict;
} rules[] = {
#define NFP_RULE_ROW(name, text, verdict, advice) { text, advice, NFP_##verdict },
	NFP_RULES(NFP_RULE_ROW)
#undef NFP_RULE_ROW
};

const char *nfp_rule__name(enum nfp_rule rule)
{
	return rules[rule].name;
}

const char *nfp_rule__advice(enum nfp_rule rule)
{
	return rules[rule].advice;
}

enum nfp_verdict nfp_rule__verdict(enum nfp_rule rule)
{
	return rules[rule].verdict;
}

void nfp_findings__add(struct nfp_findings *f, enum nfp_rule rule, enum nfp_verdict verdict, int insn, const char *format, ...)
{
	struct nfp_walk_finding *to = NULL;
	va_list args;

	for (unsigned i = 0; i < f->count; i++)
		if (f->found[i].rule == rule && f->found[i].insn == insn) {
			if (f->found[i].verdict >= verdict)
				return;
			to = &f->found[i];
		}
	if (!to && f->count == NFP_FOUND_MAX)
		return;
	if (!to)
		to = &f->found[f->count++];
	to->rule = rule;
	to->verdict = verdict;
	to->insn = insn;
	va_start(args, format);
	vsnprintf(to->what, sizeof(to->what), format, args);
	va_end(args);
}

enum nfp_verdict nfp_findings__verdict(const struct nfp_findings *f)
{
	enum nfp_verdict worst = NFP_ACCEPT;

	for (unsigned i = 0; i < f->count; i++)
		if (f->found[i].verdict > worst)
			worst = f->found[i].verdict;
	return worst;
}
