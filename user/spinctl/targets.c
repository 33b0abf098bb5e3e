/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl targets: lists the NICs that spinctl cost can model, with all their parameters and how they differ from the default, pspin-rtl.
 * main.c runs it through targets_command.
 */
#include <inttypes.h>
#include <string.h>

#include <hwmodel/target.h>

#include "user/spinctl/spinctl.h"

static struct targets_options {
	int json;
} options;

static const struct option_row rows[] = {
	{ "json", 0, OPTION_FLAG, NULL, offsetof(struct targets_options, json), "as JSON" },
	{ 0 },
};

static int differs(const struct pspin_target *target, const char *parameter)
{
	uint64_t here, there;

	pspin_target__get(target, parameter, &here);
	pspin_target__get(pspin_target__find("pspin-rtl"), parameter, &there);
	return here != there;
}

/* Formats a value as text. */
static const char *value_text(const struct pspin_parameter *p, uint64_t value, char text[32])
{
	if (p->names)
		return p->names[value];
	snprintf(text, 32, "%" PRIu64, value);
	return text;
}

/* Formats the permitted values: "1 to 16", or the list of names. */
static void range_text(const struct pspin_parameter *p, char text[128])
{
	snprintf(text, 128, "%" PRIu64 " to %" PRIu64, p->low, p->high);
	for (unsigned i = 0; p->names && p->names[i]; i++)
		snprintf(i ? text + strlen(text) : text, i ? 128 - strlen(text) : 128, "%s%s", i ? " or " : "", p->names[i]);
}

/* Compares all targets: a row for each parameter that differs in any of them, or for all parameters. */
static void compare(void)
{
	const char *const *names = pspin_target__names();
	struct pspin_parameter p;
	char text[32];
	uint64_t value;

	printf("%-22s %-17s", "parameter", "unit");
	for (unsigned i = 0; names[i]; i++)
		printf(" %15s", names[i]);
	putchar('\n');
	for (unsigned row = 0; !pspin_target__parameter(row, &p); row++) {
		printf("%-22s %-17s", p.name, p.unit);
		for (unsigned i = 0; names[i]; i++) {
			pspin_target__get(pspin_target__find(names[i]), p.name, &value);
			printf(" %15s", value_text(&p, value, text));
		}
		putchar('\n');
	}
	puts("\nspinctl targets NAME writes one as a target file, with the source of each number.");
}

/* Prints a target file: parameters that differ from pspin-rtl as lines, the others as comments. */
static void as_file(const struct pspin_target *target)
{
	struct pspin_parameter p;
	char text[32], range[128];
	uint64_t value;

	printf("# target %s\nbase = pspin-rtl\n\n", pspin_target__name(target));
	for (unsigned row = 0; !pspin_target__parameter(row, &p); row++) {
		pspin_target__get(target, p.name, &value);
		range_text(&p, range);
		printf("%s%s = %s\t# %s, %s; %s\n", differs(target, p.name) ? "" : "# ", p.name, value_text(&p, value, text), p.unit, range,
		       pspin_target__source(target, p.name));
	}
}

static void as_json(const struct pspin_target *one)
{
	const char *const *names = pspin_target__names();
	struct pspin_parameter p;
	uint64_t value;
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_array(&j, "targets");
	for (unsigned i = 0; one ? !i : !!names[i]; i++) {
		const struct pspin_target *target = one ? one : pspin_target__find(names[i]);

		json_object(&j, NULL);
		json_string(&j, "name", pspin_target__name(target));
		json_array(&j, "parameters");
		for (unsigned row = 0; !pspin_target__parameter(row, &p); row++) {
			pspin_target__get(target, p.name, &value);
			json_object(&j, NULL);
			json_string(&j, "name", p.name);
			json_uint(&j, "value", value);
			if (p.names)
				json_string(&j, "value_name", p.names[value]);
			json_string(&j, "unit", p.unit);
			json_uint(&j, "low", p.low);
			json_uint(&j, "high", p.high);
			json_string(&j, "source", pspin_target__source(target, p.name));
			json_object_end(&j);
		}
		json_array_end(&j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static int run(const char **operands, unsigned count)
{
	struct pspin_target *target = NULL;
	char reason[512] = "";

	if (count && pspin_target__read(operands[0], &target, reason, sizeof(reason)))
		return report_error("%s", reason);
	if (options.json)
		as_json(target);
	else if (target)
		as_file(target);
	else
		compare();
	pspin_target__free(target);
	return DONE;
}

static const struct command_row row = {
	.name = "spinctl targets",
	.operands = "[TARGET]",
	.min_operands = 0,
	.max_operands = 1,
	.summary = "Shows the NICs that spinctl cost models, or one as a target file",
	.options = rows,
	.about = "A target is PsPIN's structure with a value for each of its parameters. pspin-rtl "
		 "is PsPIN as its RTL was measured; "
		 "pspin as it was published, whose host never waits; pspin-pcie4 the same behind its PCIe 4.0 x16, which "
		 "carries 252 Gbit/s; spin-discrete and spin-integrated are the two NICs of "
		 "the sPIN paper; bluefield3-dpa is one core of that card's data-path accelerator, for spinctl cost --compare.\n"
		 "\n"
		 "A target file says what differs: lines of `name = value`, the first perhaps "
		 "`base = NAME`, with comments after a #. "
		 "What this command writes is one, to be changed and given to `spinctl cost "
		 "--target ./my.target`. "
		 "A policy's value is one of its names, as in scheduler = fair_hpu_time. "
		 "Values that could not be a NIC are refused, with file and line.",
	.examples =
		(const struct example_row[]){
			{ "spinctl targets", "All parameters of all targets." },
			{ "spinctl targets pspin", "One, with the source of each number." },
			{ "spinctl targets spin-discrete --json", "For a program." },
			{ 0 },
		},
};

const struct subcommand targets_command = { "targets", &row, run, &options };
