/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl record: loads handlers, attaches them to an interface, and stores their packets and memory in a pcapng file for spinctl replay.
 * Has the options and the summary; loop.c writes the file. main.c runs it through record_command.
 */
#include "user/tool/parse_enum.h"
#include "user/libspin/internal.h"
#include "user/libspin/object/trailer.h"
#include "user/spinctl/record/record.h"
#include "user/spinctl/run/message.h"
#include "user/tool/notify.h"
#include "user/tool/fill.h"

#define RING_MIB_MAX 1024 /* libspin's limit for the ring of a tap */

static struct record_options {
	const char *device, *match, *output, *mode, *class, *ready_file;
	struct fill_options fill;
	struct message_options message;
	double duration_s;
	unsigned packets, ring_mib;
	int json;
} options = { .mode = "auto", .class = "trusted", .ring_mib = 16 };

#define FIELD(name) offsetof(struct record_options, name)

/* clang-format off */
static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "the interface", .required = 1 },
	{ "output", 'o', OPTION_STRING, "FILE", FIELD(output), "the recording, a pcapng file",
	  .required = 1 },
	{ "match", 0, OPTION_STRING, "RULE", FIELD(match), "which packets, as for spinctl run (default: udp, of handlers of TCP segments tcp)" },
	{ "mode", 0, OPTION_STRING, MODE_CHOICES, FIELD(mode), "as for spinctl run (default: auto)" },
	{ "class", 0, OPTION_STRING, CLASS_CHOICES, FIELD(class), "as for spinctl run (default: trusted)" },
	FILL_OPTIONS(struct record_options, fill),
	MESSAGE_OPTIONS(struct record_options, message),
	{ "duration", 0, OPTION_SECONDS, "SEC", FIELD(duration_s),
	  "end after so many seconds (default: 0, until a signal)" },
	{ "packets", 0, OPTION_UINT, "N", FIELD(packets), "end when N packets are recorded (default: 0, until a signal)" },
	{ "ring-mib", 0, OPTION_UINT, "N", FIELD(ring_mib),
	  "MiB between the handlers and the file, for bursts (default: 16)" },
	{ "ready-file", 0, OPTION_STRING, "PATH", FIELD(ready_file), "create this file once attached" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ 0 },
};
/* clang-format on */

static void print(const struct recorder *r)
{
	const struct recording_info *info = &r->info;
	const int messages = r->ctx->messages != NULL;
	double seconds = (double)info->duration_ns * 1e-9;
	struct json j;

	if (!options.json) {
		printf("%s on %s, rule: %s: %llu packet%s in %.1f s recorded in %s\n\n", info->handler, info->device, info->rule,
		       (unsigned long long)info->packets, info->packets == 1 ? "" : "s", seconds, options.output);
		counters__text(info->counters, messages);
		run_message__text(r->ctx);
		return;
	}
	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "file", options.output);
	json_string(&j, "handler", info->handler);
	json_string(&j, "device", info->device);
	json_string(&j, "rule", info->rule);
	json_double(&j, "duration_s", seconds);
	json_uint(&j, "recorded_packets", info->packets);
	json_uint(&j, "lost_packets", info->lost);
	if (messages)
		json_uint(&j, "recorded_events", r->events);
	counters__json(&j, info->counters, messages);
	run_message__json(&j, r->ctx);
	json_object_end(&j);
	json_end(&j);
}

static int set(void *ctx, const char *assignment)
{
	return spin_ctx__set(ctx, assignment);
}

static int insert(void *ctx, const char *table, const char *fields)
{
	return spin_ctx__table_insert(ctx, table, fields);
}

static int record_ctx(struct recorder *r, const struct spin_object *object)
{
	struct fill_target target = { .arg = r->ctx, .set = set, .insert = insert };
	int status = fill__apply(&options.fill, &target);

	if (!status)
		status = record_loop__run(r, object->data, object->bytes + SPIN_TRAILER_BYTES);
	if (r->whole)
		print(r);
	return status;
}

/* Creates the context with its matching entries, as it is before the first packet. */
static int create_ctx(struct recorder *r, struct spin_nic *nic, const struct spin_object *object, const struct spin_rule *rule,
		      struct spin_ctx_opts *opts)
{
	const int messages = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_ME;
	struct run_memory memory;

	if (!messages && run_message__has_options(&options.message))
		return report_error("%s takes datagrams: leave options of messages out, or give handlers that register .delivery = "
				    "SPIN_DELIVER_ME",
				    spin_object__meta(object)->name);
	if (run_message__convert(&options.message, messages, &memory, &opts->message))
		return FAILED;
	if (spin_ctx__create_opts(nic, object, rule, opts, &r->ctx))
		return report_error("%s", spin_strerror_last());
	return messages ? run_message__post(&options.message, r->ctx) : DONE;
}

static int run(const char **operands, unsigned count)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = parse_enum__class(options.class) };
	struct recorder r = { .output = options.output,
			      .ready_file = options.ready_file,
			      .duration_s = options.duration_s,
			      .packets = options.packets,
			      .ring_mib = options.ring_mib };
	struct spin_object *object = NULL;
	struct spin_nic *nic = NULL;
	struct spin_rule rule;
	int status;

	(void)count;
	if (!options.ring_mib || options.ring_mib > RING_MIB_MAX) {
		fprintf(stderr, "spinctl record: --ring-mib is 1 to %d; see spinctl record --help\n", RING_MIB_MAX);
		return USAGE;
	}
	signals__watch();
	if (spin_object__open(operands[0], &object) || parse_enum__match(options.match, object, &rule) ||
	    spin_nic__open(options.device, &nic) || spin_nic__set_mode(nic, parse_enum__mode(options.mode)))
		status = report_error("%s", spin_strerror_last());
	else
		status = create_ctx(&r, nic, object, &rule, &opts);
	if (!status) {
		snprintf(r.info.handler, sizeof(r.info.handler), "%s", spin_object__meta(object)->name);
		snprintf(r.info.device, sizeof(r.info.device), "%s", spin_nic__name(nic));
		spin_rule__format(&rule, r.info.rule, sizeof(r.info.rule));
		r.info.class = opts.class;
		r.nic = nic;
		status = record_ctx(&r, object);
	}
	spin_ctx__destroy(r.ctx);
	recording_writer__close(r.writer);
	spin_nic__close(nic);
	spin_object__close(object);
	options__free_list(&options.fill.sets);
	options__free_list(&options.fill.inserts);
	options__free_list(&options.fill.files);
	options__free_list(&options.message.entries);
	return status;
}

static const struct example_row examples[] = {
	{ "spinctl record filtering.spin --dev eth0 --match \"udp dport 9000\" -o trace.spinrec --duration 1",
	  "A second of the context's packets, with its memory before and after." },
	{ "spinctl record reduce.spin --dev eth0 --match \"udp dport 9330\" --host-kib 4096 -o sums.spinrec --duration 1",
	  "A second of messages, with their events, and host memory before and after." },
	{ 0 },
};

static const struct command_row row = {
	.name = "spinctl record",
	.operands = "FILE.spin",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Runs handlers on an interface and keeps their packets and memory in one file",
	.options = rows,
	.notes = "Ends with a signal, or as --duration and --packets say. Needs root.",
	.about =
		"The handlers run as with spinctl run. The recording has the object, the rule, state and tables before "
		"the first packet, every packet of the context as it arrived, and counters and memory at the end; "
		"spinctl replay runs it on any engine. Of handlers of messages, and of those "
		"with host memory, it has host memory and matching entries at both moments, and the events. It is a pcapng file: Wireshark, tcpdump and spinctl cost "
		"--pcap read its packets.\n\n"
		"The file gets its name when it is whole. Of a recording that was killed nothing is left, or, on file "
		"systems without files that have no name (NFS, FAT), a hidden file .spinrec-PID-N. Packets that come "
		"faster than they can be written are handled but not recorded; their number is told, here and "
		"in the file.",
	.examples = examples,
};

const struct subcommand record_command = { "record", &row, run, &options };
