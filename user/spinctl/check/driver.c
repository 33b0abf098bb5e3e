/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl check for targets other than a card: native mode of a driver, or generic mode. Called by check.c. It reads the object's
 * programs as any loader does; kernel/drivers.c says what each driver supports.
 */
#include <stdio.h>
#include <string.h>

#include "kernel/drivers.h"
#include "kernel/nfp/object.h"
#include "kernel/nfp/verdict.h"
#include "user/lib/json.h"
#include "user/lib/printable.h"
#include "user/spinctl/check/driver.h"
#include "user/spinctl/spinctl.h"

#define FINDINGS_MAX 4

struct finding {
	const char *rule, *advice;
	enum nfp_verdict verdict;
	char what[200];
};

struct result {
	const struct nfp_code *code;
	enum nfp_verdict verdict;
	struct finding found[FINDINGS_MAX];
	unsigned count;
};

static void add_finding(struct result *r, const char *rule, enum nfp_verdict verdict, const char *advice, const char *what)
{
	struct finding *f = &r->found[r->count++];

	f->rule = rule;
	f->verdict = verdict;
	f->advice = advice;
	snprintf(f->what, sizeof(f->what), "%s", what);
	r->verdict = verdict > r->verdict ? verdict : r->verdict;
}

static int calls_helper(const struct nfp_code *code, int32_t helper)
{
	for (uint32_t i = 0; i < code->count; i++)
		if (code->insns[i].code == (BPF_JMP | BPF_CALL) && !code->insns[i].src_reg && code->insns[i].imm == helper)
			return 1;
	return 0;
}

/* Returns the answer for a set of kernels: yes or no if all agree, else unknown. */
static enum driver_answer answer_for(const uint8_t answers[DRIVERS_KERNELS], unsigned kernels)
{
	enum driver_answer all = DRIVER_UNKNOWN;
	int first = 1;

	for (int k = 0; k < DRIVERS_KERNELS; k++) {
		if (!(kernels & 1u << k))
			continue;
		all = first || all == answers[k] ? answers[k] : DRIVER_UNKNOWN;
		first = 0;
	}
	return all;
}

static void check_mtu(const struct driver_row *row, const struct check_driver *wanted, struct result *r)
{
	char what[200];

	if (!wanted->mtu || (r->code->is_frags && answer_for(row->frags, wanted->kernels) == DRIVER_YES))
		return;
	if (row->mtu_max && wanted->mtu > row->mtu_max) {
		snprintf(what, sizeof(what), "%s takes a program for one buffer up to an MTU of %u", row->name, row->mtu_max);
		add_finding(r, "driver-mtu", NFP_REJECT, "lower the interface's MTU, or put the program into SEC(\"xdp.frags\")", what);
	} else if (!row->mtu_max && wanted->mtu > 1500) {
		snprintf(what, sizeof(what), "up to which MTU %s takes a program for one buffer is not in the table", row->name);
		add_finding(r, "driver-mtu", NFP_UNKNOWN, "attach it, and read the driver's message", what);
	}
}

static void check_driver(const struct driver_row *row, const struct check_driver *wanted, struct result *r)
{
	enum driver_answer native = answer_for(row->native, wanted->kernels), frags = answer_for(row->frags, wanted->kernels),
			   redirect = answer_for(row->redirect, wanted->kernels);

	if (native != DRIVER_YES) {
		add_finding(r, "driver-native", native == DRIVER_NO ? NFP_REJECT : NFP_WARN,
			    "use generic mode: `spinctl run --mode generic`",
			    native == DRIVER_NO ? "the driver has no native XDP"
						: "not every kernel asked for has native XDP in this driver");
		return;
	}
	if (r->code->is_frags && frags != DRIVER_YES)
		add_finding(r, "driver-frags", frags == DRIVER_NO ? NFP_WARN : NFP_UNKNOWN, "keep the MTU at what fits one page",
			    frags == DRIVER_NO ? "the driver gives no frames in several buffers"
					       : "whether frames come in several buffers depends");
	if ((calls_helper(r->code, BPF_FUNC_redirect) || calls_helper(r->code, BPF_FUNC_redirect_map)) && redirect != DRIVER_YES)
		add_finding(r, "driver-redirect", redirect == DRIVER_NO ? NFP_WARN : NFP_UNKNOWN, "use another action than XDP_REDIRECT",
			    redirect == DRIVER_NO ? "the driver drops what the program redirects"
						  : "whether the driver redirects was not established for all kernels asked for");
	check_mtu(row, wanted, r);
}

/* Native mode without a driver's name: reports what only some drivers support. */
static void check_native(const struct check_driver *wanted, struct result *r)
{
	if (r->code->is_frags)
		add_finding(r, "driver-frags", NFP_UNKNOWN, "name the driver: --target driver:NAME",
			    "not every driver gives frames in several buffers");
	if (calls_helper(r->code, BPF_FUNC_redirect) || calls_helper(r->code, BPF_FUNC_redirect_map))
		add_finding(r, "driver-redirect", NFP_UNKNOWN, "name the driver: --target driver:NAME", "not every driver redirects");
	if (wanted->mtu > 1500)
		add_finding(r, "driver-mtu", NFP_UNKNOWN, "name the driver: --target driver:NAME", "drivers differ in the largest MTU");
}

static void print_text(const struct result *r, const struct check_driver *wanted)
{
	char name[4 * sizeof(r->code->name)];

	printable(name, sizeof(name), r->code->name); /* from the object, which is untrusted */
	printf("%s: %s (%s)\n", name, nfp_verdict__name(r->verdict), wanted->target);
	for (unsigned i = 0; i < r->count; i++)
		printf("  %s: %s: %s\n    %s\n", nfp_verdict__name(r->found[i].verdict), r->found[i].rule, r->found[i].what,
		       r->found[i].advice);
}

static void print_json(struct json *j, const struct result *r)
{
	json_object(j, NULL);
	json_string(j, "program", r->code->name);
	json_string(j, "section", r->code->section);
	json_string(j, "verdict", nfp_verdict__name(r->verdict));
	json_uint(j, "instructions", r->code->count);
	json_array(j, "findings");
	for (unsigned i = 0; i < r->count; i++) {
		json_object(j, NULL);
		json_string(j, "rule", r->found[i].rule);
		json_string(j, "verdict", nfp_verdict__name(r->found[i].verdict));
		json_string(j, "what", r->found[i].what);
		json_string(j, "advice", r->found[i].advice);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

int check_driver__object(const char *path, const void *data, size_t bytes, const struct check_driver *wanted)
{
	const struct driver_row *row = wanted->driver ? kernel_drivers__find(wanted->driver) : NULL;
	enum nfp_verdict worst = NFP_ACCEPT;
	struct nfp_object o;
	struct json j;
	char reason[400], safe[4 * sizeof(reason)];

	if (nfp_object__open(&o, data, bytes, reason, sizeof(reason))) {
		printable(safe, sizeof(safe), reason);
		return report_error("%s: %s", path, safe);
	}
	if (wanted->json) {
		json_begin(&j, stdout, 1);
		json_object(&j, NULL);
		json_string(&j, "file", path);
		json_string(&j, "target", wanted->target);
		json_array(&j, "programs");
	}
	for (unsigned i = 0; i < o.program_count; i++) {
		struct result r = { .code = &o.programs[i] };

		if (wanted->driver && !row)
			add_finding(&r, "driver-unknown", NFP_UNKNOWN, "look at `spinctl doctor --dev IF` on the machine",
				    "the driver is not in the table");
		else if (row)
			check_driver(row, wanted, &r);
		else if (wanted->is_native)
			check_native(wanted, &r);
		worst = r.verdict > worst ? r.verdict : worst;
		wanted->json ? print_json(&j, &r) : print_text(&r, wanted);
	}
	if (wanted->json) {
		json_array_end(&j);
		json_string(&j, "verdict", nfp_verdict__name(worst));
		json_object_end(&j);
		json_end(&j);
	} else if (row) {
		printf("%s: from drivers/net/%s\n", row->name, row->source);
	}
	nfp_object__close(&o);
	return worst == NFP_REJECT ? FAILED : DONE;
}
