/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "cost.h"
#include "libspin/internal.h"

static struct cost_options {
	const char *trace, *match, *target;
	struct fill_options fill;
	struct cost_messages made;
	unsigned top;
	int lines, json;
} options = { .match = "udp", .target = "pspin-rtl", .made = { 0, COST_PACKETS, COST_PAYLOAD, 0 }, .top = 10 };

#define FIELD(name) offsetof(struct cost_options, name)

static const struct option_row rows[] = {
	{ "pcap", 0, OPTION_STRING, "TRACE", FIELD(trace), "the packets: a capture file, Ethernet" },
	{ "messages", 0, OPTION_UINT, "N", FIELD(made.messages),
	  "make so many messages instead, for handlers of messages" },
	{ "packets", 0, OPTION_UINT, "N", FIELD(made.packets), "of each message made (default: 16)" },
	{ "payload", 0, OPTION_UINT, "BYTES", FIELD(made.payload_bytes),
	  "of each packet made, 1 to 9158 (default: 1456)" },
	{ "values", 0, OPTION_UINT, "N", FIELD(made.values),
	  "payload made is 32-bit numbers at random below N (default: any)" },
	{ "match", 0, OPTION_STRING, "RULE", FIELD(match), "which packets, as for spinctl run (default: udp)" },
	FILL_OPTIONS(struct cost_options, fill),
	{ "target", 0, OPTION_STRING, "TARGET", FIELD(target),
	  "the NIC modelled, one of spinctl targets or a file (default: pspin-rtl)" },
	{ "lines", 0, OPTION_FLAG, NULL, FIELD(lines), "source lines with their cycles" },
	{ "top", 0, OPTION_UINT, "N", FIELD(top), "how many source lines (default: 10)" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ 0 },
};

const char *cost_part_name(enum cost_part part)
{
	static const char *const names[COST_PARTS] = { "user", "wrapper", "commands", "runtime" };

	return names[part];
}

const char *cost_part_text(enum cost_part part)
{
	static const char *const texts[COST_PARTS] = {
		"the handler's functions and what is inlined into them", "entry, task registers, return codes",
		"commands to the NIC", "the loop that waits for tasks; not part of the body" };

	return texts[part];
}

static void free_report(struct cost_report *r)
{
	for (unsigned i = 0; i < r->line_count; i++) {
		free((char *)r->lines[i].file);
		free(r->lines[i].text);
	}
	free(r->lines);
}

static int open_profile(const struct pspin *nic, struct rv32_profile *profile)
{
	pspin__program(nic, &profile->addr, &profile->bytes);
	profile->instructions = calloc(profile->bytes / 2 + 1, sizeof(*profile->instructions));
	profile->cycles = calloc((profile->bytes / 2 + 1) * (size_t)RV32_CAUSE_COUNT, sizeof(*profile->cycles));
	return profile->instructions && profile->cycles ? DONE : complain("no memory for the profile");
}

static int run_packets(struct pspin *nic, const struct spin_rule *rule, struct cost_report *r)
{
	struct cost_totals *totals = cost_totals__new();
	int status;

	if (!totals)
		return complain("no memory");
	status = options.trace ? cost_trace__run(nic, options.trace, totals, r)
			       : cost_messages__run(nic, &options.made, rule, totals, r);
	cost_totals__conclude(totals, r);
	cost_totals__free(totals);
	return status;
}

static int measure(struct pspin *nic, const void *image, size_t bytes, const struct spin_rule *rule,
		   struct cost_report *r)
{
	struct rv32_profile profile = { 0 };
	int status = open_profile(nic, &profile);

	if (!status) {
		pspin__set_profile(nic, &profile);
		status = run_packets(nic, rule, r);
		pspin__set_profile(nic, NULL);
	}
	if (!status)
		status = cost_profile__sort(image, bytes, &profile, options.lines ? options.top : 0, r);
	free(profile.instructions);
	free(profile.cycles);
	return status;
}

static int fill_model(struct pspin *nic, const struct spin_object *object)
{
	struct model_memory *memory = model_memory__new(nic, object);
	struct fill_target target;
	int status;

	if (!memory)
		return complain("no memory");
	target = model_memory__target(memory);
	status = fill__apply(&options.fill, &target);
	if (!status)
		status = model_memory__flush(memory);
	model_memory__free(memory);
	return status;
}

static int cost(const struct spin_object *object, const struct pspin_target *target,
		const struct spin_rule *rule, struct cost_report *r)
{
	/* so that nothing is cut off, and handlers have memory of their own */
	const struct spin_segment all = { 0, SPIN_HOST_BYTES_MAX };
	const struct pspin_limits limits = { .host_bytes = SPIN_HOST_BYTES_MAX, .handler_mem = &all, .handler_segments = 1 };
	char why[512] = "";
	struct pspin *nic = NULL;
	size_t bytes;
	const void *image = spin_object__image(object, &bytes);
	int status;

	if (!image)
		return complain("%s has no rv32 image: make it with spincc", object->path);
	if (pspin__open(&nic, target, spin_object__meta(object), image, bytes, rule, why, sizeof(why)))
		return complain("the model cannot run the image of %s: %s", object->path, why);
	if (pspin__limit(nic, &limits)) {
		pspin__close(nic);
		return complain("no memory");
	}
	r->handler = spin_object__meta(object)->name;
	r->takes_messages = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_ME;
	r->target = pspin_target__name(target);
	r->clock_ghz = pspin_target__clock_ghz(target);
	r->runtime_cycles = pspin_target__runtime_cycles(target);
	r->isa = rv32_isa_string();
	r->assumptions = pspin__assumptions();
	spin_rule__format(rule, r->rule, sizeof(r->rule));
	cost_compiler(image, bytes, r->compiler, sizeof(r->compiler));
	status = fill_model(nic, object);
	if (!status)
		status = measure(nic, image, bytes, rule, r);
	if (!status && options.json)
		cost_json__print(r);
	else if (!status)
		cost_text__print(r);
	pspin__close(nic);
	return status;
}

/* The packets: a trace, or messages that can be made. */
static int check_source(void)
{
	const char *wrong = NULL;

	if (!options.trace && !options.made.messages)
		wrong = "give the packets with --pcap, or let --messages make some";
	else if (options.trace && options.made.messages)
		wrong = "--pcap and --messages exclude each other";
	else if (!options.made.payload_bytes || options.made.payload_bytes > COST_PAYLOAD_MAX)
		wrong = "--payload is 1 to 9158 bytes";
	else if (!options.made.packets || options.made.packets > UINT32_MAX / options.made.payload_bytes)
		wrong = "--packets is at least 1, and a message at most 4 GiB";
	if (wrong)
		fprintf(stderr, "spinctl cost: %s; see spinctl cost --help\n", wrong);
	return wrong ? USAGE : DONE;
}

static int run(const char **operands, unsigned count)
{
	struct cost_report report = { 0 };
	struct spin_object *object = NULL;
	struct pspin_target *target;
	struct spin_rule rule;
	char why[512] = "";
	int status;

	(void)count;
	if (check_source())
		return USAGE;
	if (pspin_target__read(options.target, &target, why, sizeof(why)))
		return complain("--target: %s", why);
	if (choice__match(options.match, &rule) || spin_object__open(operands[0], &object)) {
		pspin_target__free(target);
		return complain("%s", spin_strerror_last());
	}
	if (options.made.messages && spin_object__meta(object)->registration.delivery != SPIN_DELIVER_ME)
		status = complain("%s takes datagrams, not messages: give a trace of them with --pcap", operands[0]);
	else
		status = cost(object, target, &rule, &report);
	free_report(&report);
	spin_object__close(object);
	pspin_target__free(target);
	options__free_list(&options.fill.sets);
	options__free_list(&options.fill.inserts);
	options__free_list(&options.fill.files);
	return status;
}

static const struct command_row row = {
	.name = "spinctl cost", .operands = "FILE.spin", .min_operands = 1, .max_operands = 1,
	.summary = "Runs a trace through the HPU model and counts cycles",
	.options = rows,
	.about = "Reports cycles per packet and handler (minimum, median, 99th percentile, maximum), instructions, "
		 "cycles by cause and by part (the handler's own code, the wrapper around it, commands to the NIC), "
		 "and the HPUs needed at 100, 200 and 400 Gbit/s. Line rates are counted in packet bytes from the IP "
		 "header on, and again with the 38 bytes that Ethernet adds.\n\n"
		 "The packets are those of a capture, with its time; or, for handlers of messages, messages that are made: "
		 "all their packets are equally long, in order, and as the rule wants them.",
	.examples = (const struct example_row[]){
		{ "spinctl cost filtering.spin --pcap trace.pcap --insert 'routes:src=10.0.0.1 port=7000' --lines",
		  "Cycles of each datagram of a capture, and the ten source lines that cost most." },
		{ "spinctl cost kvstore.spin --pcap trace.pcap --match 'udp dport 9000' --json",
		  "The same for a program, of the datagrams to one port." },
		{ "spinctl cost histogram.spin --messages 4 --packets 64 --values 1024",
		  "Messages made for the purpose, of 32-bit numbers that the histogram has counters for." },
		{ 0 },
	},
	.notes = "Needs no root. Cycles are those of one HPU with an idle NIC around it.",
};

const struct subcommand cost_command = { "cost", &row, run, &options };
