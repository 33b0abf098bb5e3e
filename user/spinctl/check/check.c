/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* spinctl check: says whether a card or a driver would take the XDP programs of objects. Loads nothing, and needs no root. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/check/check.h"
#include "user/spinctl/spinctl.h"

#define OBJECT_BYTES_MAX (256u << 20)

static struct check_options {
	const char *target, *profile, *kernel;
	unsigned mtu;
	int json;
} options = { .kernel = "all" };

#define FIELD(name) offsetof(struct check_options, name)

static const struct option_row rows[] = {
	{ "target", 0, OPTION_STRING, "nfp", FIELD(target), "for which card or driver", 1 },
	{ "profile", 0, OPTION_STRING, "FILE", FIELD(profile), "the card's capabilities (default: firmware bpf-2.0.6.124)" },
	{ "kernel", 0, OPTION_STRING, "6.1|6.12|all", FIELD(kernel),
	  "of which kernel the driver is (default all: what only some refuse is a warning)" },
	{ "mtu", 0, OPTION_UINT, "BYTES", FIELD(mtu), "of the interface (default: any)" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "as JSON" },
	{ 0 },
};

/* The file, or NULL with errno. It may be a pipe. */
static void *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "re");
	char *data = NULL, *more;
	size_t room = 0, got;

	*bytes = 0;
	if (!file)
		return NULL;
	do {
		if (*bytes == room) {
			room = room ? 2 * room : 1 << 16;
			errno = room > OBJECT_BYTES_MAX ? EFBIG : ENOMEM;
			more = room > OBJECT_BYTES_MAX ? NULL : realloc(data, room);
			if (!more)
				goto fail;
			data = more;
		}
		got = fread(data + *bytes, 1, room - *bytes, file);
		*bytes += got;
	} while (got);
	if (ferror(file))
		goto fail;
	fclose(file);
	return data;

fail:
	fclose(file);
	free(data);
	return NULL;
}

static unsigned wanted_kernels(void)
{
	for (int k = 0; k < NFP_KERNELS; k++)
		if (!strcmp(options.kernel, nfp_kernel__name((enum nfp_kernel)k)))
			return 1u << k;
	return NFP_ALL_KERNELS;
}

static int check_for_nfp(const char *path, const void *data, size_t bytes)
{
	struct nfp_report *report;
	struct nfp_profile profile;
	unsigned kernels = wanted_kernels();
	char why[512] = "";
	int err;

	err = options.profile ? nfp_profile__read(options.profile, &profile, why, sizeof(why)) : nfp_profile__default(&profile);
	if (err)
		return report_error("--profile: %s", why);
	err = nfp_check__object(data, bytes, &profile, kernels, options.mtu, &report, why, sizeof(why));
	if (err)
		return report_error("%s: %s", path, why);
	if (options.json)
		check_print__json(report, &profile, kernels, path);
	else
		check_print__text(report, &profile, kernels);
	err = check_print__worst(report) == NFP_REJECT ? FAILED : DONE;
	nfp_report__free(report);
	return err;
}

static int run(const char **operands, unsigned count)
{
	size_t bytes;
	void *data;
	int status;

	(void)count;
	if (strcmp(options.target, "nfp")) {
		fprintf(stderr, "spinctl check: there is no target %s; see spinctl check --help\n", options.target);
		return USAGE;
	}
	data = read_file(operands[0], &bytes);
	if (!data)
		return report_error("%s: %s", operands[0], strerror(errno));
	status = check_for_nfp(operands[0], data, bytes);
	free(data);
	return status;
}

static const struct command_row row = {
	.name = "spinctl check",
	.operands = "FILE",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Says whether a card or a driver would take an object's XDP programs",
	.options = rows,
	.examples =
		(const struct example_row[]){
			{ "spinctl check --target nfp handler.spin", "Before there is a card." },
			{ 0 },
		},
};

const struct subcommand check_command = { "check", &row, run, &options };
