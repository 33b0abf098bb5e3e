/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl limits: prints the limits of handlers and their memory on an interface or on a modelled NIC (target), and what either guarantees.
 * main.c runs it through limits_command. The values come from libspin (spin_nic__limits()) and from the target's parameters.
 */
#include <inttypes.h>
#include <string.h>

#include <hwmodel/target.h>

#include "kernel/features.h"
#include <spin/libspin_hpu.h>
#include "user/spinctl/spinctl.h"

static struct limits_options {
	const char *device, *target;
	int json;
} options;

#define FIELD(name) offsetof(struct limits_options, name)

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "of this interface (default: what holds for any)" },
	{ "target", 0, OPTION_STRING, "TARGET", FIELD(target),
	  "of a modelled NIC, one of spinctl targets or a file: its own cycles and HPUs in place of this machine's" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "as JSON" },
	{ 0 },
};

#define LIMIT(name, unit, what)                                                                                         \
	{                                                                                                               \
#name, unit, what, offsetof(struct spin_ni_limits, name), sizeof(((struct spin_ni_limits *)NULL)->name) \
	}

static const struct limit_row {
	const char *name, *unit, *what;
	size_t offset, bytes;
} limit_rows[] = {
	LIMIT(max_user_hdr_size, "bytes", "of a user header (.user_header_bytes)"),
	LIMIT(max_payload_size, "bytes", "of a datagram that handlers see; SLMP has 10 of them"),
	LIMIT(max_handler_mem, "bytes", "of state and tables"),
	LIMIT(max_initial_state, "bytes", "of state, and of what it begins with"),
	LIMIT(min_fragmentation_limit, "bytes", "that packets are a multiple of in any case"),
	LIMIT(max_fragmentation_limit, "bytes", "that packets can be made a multiple of (.fragmentation_bytes)"),
	LIMIT(max_cycles_per_byte, "cycles", "of a payload handler per byte; 0: no limit, as of live ones, which have a budget"),
	LIMIT(max_budget, "steps", "of one handler's run (.budget)"),
	LIMIT(max_messages, "messages", "in flight in a context"),
	LIMIT(max_entries, "entries", "to match in a context"),
	LIMIT(max_iovecs, "segments", "of an entry's handler memory"),
	LIMIT(max_puts, "packets", "that handlers send for one that came (SPIN_PUTS)"),
	LIMIT(max_put_size, "bytes", "of payload of a packet that handlers send"),
	LIMIT(max_host_mem, "bytes", "of a context's host memory"),
	LIMIT(max_contexts, "contexts", "on the interface"),
	LIMIT(num_hpus, "HPUs", "that handlers run on"),
};
#define LIMIT_ROWS (sizeof(limit_rows) / sizeof(limit_rows[0]))

struct answer {
	struct spin_ni_limits limits;
	uint32_t datagrams, messages, segments; /* capability bits */
};

static uint64_t value_of(const struct answer *a, const struct limit_row *row)
{
	const char *at = (const char *)&a->limits + row->offset;
	uint64_t value = 0;

	memcpy(&value, at, row->bytes); /* little-endian, like all targets */
	return value;
}

/* Returns the bit of capability number i, or 0 if there is none. */
static uint32_t capability(unsigned i)
{
	return i < 32 && strcmp(spin_capability_name((enum spin_capability)(1u << i)), "unknown") ? 1u << i : 0;
}

static void print_text(const struct answer *a)
{
	uint32_t bit;

	for (unsigned i = 0; i < LIMIT_ROWS; i++)
		printf("%-24s %10" PRIu64 " %-9s %s\n", limit_rows[i].name, value_of(a, &limit_rows[i]), limit_rows[i].unit,
		       limit_rows[i].what);
	printf("\n%-27s %7s %s\n", "this kernel", "has", "first");
	for (int i = 0; i < KERNEL_FEATURES; i++)
		printf("%-27s %7s %s\n", kernel_feature__name((enum kernel_feature)i),
		       kernel_feature__has((enum kernel_feature)i) ? "yes" : "no", kernel_feature__version((enum kernel_feature)i));
	printf("\n%-24s %10s %10s %s\n", "contexts of", "datagrams", "messages", "TCP segments");
	for (unsigned i = 0; (bit = capability(i)); i++)
		printf("%-24s %10s %10s %s\n", spin_capability_name((enum spin_capability)bit), a->datagrams & bit ? "yes" : "no",
		       a->messages & bit ? "yes" : "no", a->segments & bit ? "yes" : "no");
}

static void print_json(const struct answer *a)
{
	uint32_t bit;
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "device", options.device);
	json_string(&j, "target", options.target);
	json_array(&j, "limits");
	for (unsigned i = 0; i < LIMIT_ROWS; i++) {
		json_object(&j, NULL);
		json_string(&j, "name", limit_rows[i].name);
		json_uint(&j, "value", value_of(a, &limit_rows[i]));
		json_string(&j, "unit", limit_rows[i].unit);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_string(&j, "kernel", kernel_feature__release());
	json_array(&j, "features");
	for (int i = 0; i < KERNEL_FEATURES; i++) {
		json_object(&j, NULL);
		json_string(&j, "feature", kernel_feature__name((enum kernel_feature)i));
		json_bool(&j, "has", kernel_feature__has((enum kernel_feature)i));
		json_string(&j, "first", kernel_feature__version((enum kernel_feature)i));
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "capabilities");
	for (unsigned i = 0; (bit = capability(i)); i++) {
		json_object(&j, NULL);
		json_string(&j, "name", spin_capability_name((enum spin_capability)bit));
		json_bool(&j, "datagrams", !!(a->datagrams & bit));
		json_bool(&j, "messages", !!(a->messages & bit));
		json_bool(&j, "segments", !!(a->segments & bit));
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

/* Reads the limits that a target file defines. All other limits are those of the model and equal a context's. */
static int read_target_limits(struct spin_ni_limits *limits)
{
	struct pspin_target *target = NULL;
	uint64_t cycles = 0, clusters = 0, hpus = 0, threads = 1;
	char reason[512] = "";

	if (pspin_target__read(options.target, &target, reason, sizeof(reason)))
		return report_error("--target: %s", reason);
	pspin_target__get(target, "max_cycles_per_byte", &cycles);
	pspin_target__get(target, "clusters", &clusters);
	pspin_target__get(target, "hpus", &hpus);
	pspin_target__get(target, "hpu_threads", &threads);
	pspin_target__free(target);
	limits->max_cycles_per_byte = (uint32_t)cycles;
	limits->num_hpus = (uint32_t)(clusters * hpus * threads);
	return DONE;
}

static int run(const char **operands, unsigned count)
{
	struct answer a = { .limits.bytes = sizeof(a.limits) };
	struct spin_nic *nic = NULL;
	int err = 0;

	(void)operands;
	(void)count;
	if (options.device && options.target) {
		fprintf(stderr, "spinctl limits: --dev and --target exclude each other; see spinctl limits --help\n");
		return USAGE;
	}
	if (options.device)
		err = spin_nic__open(options.device, &nic);
	if (!err)
		err = spin_nic__limits(nic, &a.limits);
	if (!err) {
		a.datagrams = spin_nic__capabilities(nic, SPIN_DELIVER_STACK);
		a.messages = spin_nic__capabilities(nic, SPIN_DELIVER_ME);
		a.segments = spin_nic__capabilities(nic, SPIN_DELIVER_SEGMENTS);
	}
	spin_nic__close(nic);
	if (err)
		return report_error("%s", spin_strerror_last());
	if (options.target && read_target_limits(&a.limits))
		return FAILED;
	if (options.json)
		print_json(&a);
	else
		print_text(&a);
	return DONE;
}

static const struct command_row row = {
	.name = "spinctl limits",
	.summary = "Shows how much an interface takes of handlers and applications, and what it guarantees",
	.options = rows,
	.about =
		"Limits are those of sPIN (B.2.1) and some more: what asks for more is refused, by the compiler, when the object is "
		"opened, or when the context is made, with a reason that says limit and value.\n"
		"\n"
		"Limits and capabilities are those that the running kernel allows; what it is too old for is `no`, with the "
		"first kernel that has it.\n"
		"\n"
		"Capabilities (PsPIN 3.4) are what contexts of datagrams, of messages and of TCP segments can rely on; `spinctl run --need` and "
		"programs ask for those that their handlers are written for, and are refused where one is missing. "
		"libspin(3) says what each means.",
	.examples =
		(const struct example_row[]){
			{ "spinctl limits", "What holds for any interface." },
			{ "spinctl limits --dev eth0 --json", "Of one, for a program." },
			{ "spinctl limits --target pspin-rtl", "Of a card, as spinctl cost models it." },
			{ 0 },
		},
};

const struct subcommand limits_command = { "limits", &row, run, &options };
