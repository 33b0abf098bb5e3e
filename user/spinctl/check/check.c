/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl check: says whether a Netronome card (NFP) or a driver's native XDP mode would accept the XDP programs in an object file. Checks
 * a copy in user space: loads nothing and needs no root. main.c runs it through check_command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/libspin.h>
#include <spin/meta.h>

#include "kernel/nfp/elf.h"
#include "user/lib/printable.h"
#include "user/spinctl/check/driver.h"
#include "user/spinctl/check/print.h"
#include "user/spinctl/spinctl.h"
#include "user/tool/read_file.h"

static struct check_options {
	const char *target, *profile, *kernel, *device, *save, *match, *program;
	unsigned mtu;
	int json;
} options = { .kernel = "all", .match = "udp" };

#define FIELD(name) offsetof(struct check_options, name)

static const struct option_row rows[] = {
	{ "target", 0, OPTION_STRING, "TARGET", FIELD(target),
	  "nfp (a Netronome card), native (any driver), driver:NAME (that driver) or generic", 1 },
	{ "profile", 0, OPTION_STRING, "FILE", FIELD(profile), "the card's capabilities (default: firmware bpf-2.0.6.124)" },
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "the capabilities of this card, by its firmware's name" },
	{ "save", 0, OPTION_STRING, "FILE", FIELD(save), "writes the capabilities there, to be changed and passed by --profile" },
	{ "match", 0, OPTION_STRING, "RULE", FIELD(match), "of a fat object: the rule that its program for a card has (default: udp)" },
	{ "save-program", 0, OPTION_STRING, "FILE", FIELD(program),
	  "of a fat object: writes its program for a card with that rule in it, for `bpftool prog load FILE PIN dev IF`" },
	{ "kernel", 0, OPTION_STRING, "6.1|6.12|all", FIELD(kernel),
	  "of which kernel the driver is (default all: what only some refuse is a warning)" },
	{ "mtu", 0, OPTION_UINT, "BYTES", FIELD(mtu), "of the interface (default: any)" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "as JSON" },
	{ 0 },
};

static unsigned wanted_kernels(void)
{
	for (int k = 0; k < NFP_KERNELS; k++)
		if (!strcmp(options.kernel, nfp_kernel__name((enum nfp_kernel)k)))
			return 1u << k;
	return NFP_ALL_KERNELS;
}

static int read_profile(struct nfp_profile *profile)
{
	char reason[512] = "";
	int err;

	if (options.device)
		err = nfp_profile__of_device(options.device, profile, reason, sizeof(reason));
	else if (options.profile)
		err = nfp_profile__read(options.profile, profile, reason, sizeof(reason));
	else
		err = nfp_profile__default(profile);
	return err ? report_error("%s: %s", options.device ? "--dev" : "--profile", reason) : DONE;
}

static int save(const char *option, const char *path, const void *data, size_t bytes)
{
	FILE *to = fopen(path, "we");
	int failed;

	if (!to)
		return report_error("--%s %s: %s", option, path, strerror(errno));
	failed = fwrite(data, 1, bytes, to) != bytes;
	failed |= fclose(to);
	return failed ? report_error("--%s %s: it cannot be written", option, path) : DONE;
}

static int save_profile(const struct nfp_profile *profile)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	int status = FAILED;

	if (!to || nfp_profile__write(profile, to) | fclose(to))
		report_error("--save %s: %s", options.save, strerror(ENOMEM));
	else
		status = save("save", options.save, text, bytes);
	free(text);
	return status;
}

static int is_fat(const void *data, size_t bytes)
{
	struct nfp_elf elf;
	int has;

	if (nfp_elf__open(&elf, data, bytes))
		return 0; /* nfp_check__object() reports what is wrong */
	has = nfp_elf__find(&elf, SPIN_META_SECTION) != 0;
	nfp_elf__close(&elf);
	return has;
}

/* Replaces a fat object's data with its program for a card, which contains the rule. */
static int use_card_program(const char *path, void **data, size_t *bytes)
{
	struct spin_object *object;
	struct spin_rule rule;
	size_t elf_bytes;
	void *elf;
	int err;

	if (!is_fat(*data, *bytes))
		return options.program ? report_error("%s: --save-program is for fat objects, which spincc makes", path) : DONE;
	if (spin_rule__parse(options.match, &rule))
		return report_error("--match: %s", spin_strerror_last());
	if (spin_object__open_mem(path, *data, *bytes, &object))
		return report_error("%s", spin_strerror_last());
	err = spin_object__card_program(object, &rule, 1, &elf, &elf_bytes);
	spin_object__close(object);
	if (err)
		return report_error("%s", spin_strerror_last());
	free(*data);
	*data = elf;
	*bytes = elf_bytes;
	return options.program ? save("save-program", options.program, elf, elf_bytes) : DONE;
}

static int check_for_nfp(const char *path, const void *data, size_t bytes, const struct nfp_profile *profile)
{
	struct nfp_report *report;
	unsigned kernels = wanted_kernels();
	char reason[512] = "", safe[4 * sizeof(reason)];
	int status;

	if (nfp_check__object(data, bytes, profile, kernels, options.mtu, &report, reason, sizeof(reason))) {
		printable(safe, sizeof(safe), reason); /* it quotes names from the object, which is untrusted */
		return report_error("%s: %s", path, safe);
	}
	if (options.json)
		check_print__json(report, profile, kernels, path);
	else
		check_print__text(report, profile, kernels);
	status = check_print__worst(report) == NFP_REJECT ? FAILED : DONE;
	nfp_report__free(report);
	return status;
}

static int wrong_usage(const char *what)
{
	fprintf(stderr, "spinctl check: %s; see spinctl check --help\n", what);
	return USAGE;
}

static int run(const char **operands, unsigned count)
{
	int is_nfp = !strcmp(options.target, "nfp"), is_driver = !strncmp(options.target, "driver:", 7);
	struct check_driver driver = { .target = options.target,
				       .driver = is_driver ? options.target + 7 : NULL,
				       .is_native = !strcmp(options.target, "native"),
				       .kernels = wanted_kernels(),
				       .mtu = options.mtu,
				       .json = options.json };
	struct nfp_profile profile;
	size_t bytes;
	void *data;
	int status;

	if (!is_nfp && !is_driver && !driver.is_native && strcmp(options.target, "generic"))
		return wrong_usage("--target is nfp, native, driver:NAME or generic");
	if (!is_nfp && (options.profile || options.device || options.save || options.program))
		return wrong_usage("--profile, --dev, --save and --save-program are of --target nfp");
	if (options.profile && options.device)
		return wrong_usage("--profile and --dev exclude each other");
	if (!count && !options.save)
		return wrong_usage("an object is needed");
	if (is_nfp && (read_profile(&profile) || (options.save && save_profile(&profile))))
		return FAILED;
	if (!count)
		return DONE;
	data = read_file(operands[0], &bytes);
	if (!data)
		return FAILED;
	status = is_nfp ? use_card_program(operands[0], &data, &bytes) : DONE;
	if (!status)
		status = is_nfp ? check_for_nfp(operands[0], data, bytes, &profile)
				: check_driver__object(operands[0], data, bytes, &driver);
	free(data);
	return status;
}

static const struct command_row row = {
	.name = "spinctl check",
	.operands = "[FILE]",
	.min_operands = 0,
	.max_operands = 1,
	.summary = "Says whether a card or a driver would take an object's XDP programs, and what to change",
	.options = rows,
	.notes = "Loads nothing and needs no root. Exit status: 0 accept, warn or unknown, 1 reject, 2 usage.",
	.about =
		"Judges every XDP program of a BPF object. Of a fat object for a card it is the part that `spincc --target nfp` makes, "
		"with the rule of --match in its instructions. Each finding names its rule, the instruction, the source line and what to change.\n"
		"\n"
		"The verdict for nfp is accept, warn (loads, but not on every kernel or at every MTU, or does what its author may not "
		"expect), unknown (the checker cannot tell) or reject. Accept means: accepted by the NFP driver's verifier and JIT, of "
		"the kernels and with the firmware that are named; it says nothing of a card. The count of NFP instructions is an "
		"estimate.\n"
		"\n"
		"The driver keeps a card's capabilities to itself. With --dev the card is recognized by its firmware's name, "
		"and one whose firmware is not known is refused. Profiles are text: a line `KEY VALUE` each; --save "
		"writes one with a comment on each key.\n"
		"\n"
		"For native, driver:NAME and generic the program is compared with a table of what drivers of Linux 6.1 and 6.12 support.",
	.examples =
		(const struct example_row[]){
			{ "spinctl check --target nfp --save card.profile", "The capabilities that are assumed, as text." },
			{ "spinctl check --target driver:ixgbe filtering.spin", "Whether a driver takes it in native mode." },
			{ "spinctl check --target driver:igc --mtu 1500 --json kvstore.spin", "The same for programs." },
			{ 0 },
		},
};

const struct subcommand check_command = { "check", &row, run, &options };
