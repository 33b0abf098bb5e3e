/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/recording.h"
#include "libspin/internal.h"
#include "libspin/seal.h"
#include "spinctl.h"
#include "stop.h"

#define LOOK_S 0.2 /* how often the interface is looked at */

static struct record_options {
	const char *device, *match, *output, *ready_file;
	struct fill_options fill;
	double duration_s;
	unsigned packets, ring_mib;
	int json;
} options = { .match = "udp", .ring_mib = 16 };

#define FIELD(name) offsetof(struct record_options, name)

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "the interface (required)" },
	{ "output", 'o', OPTION_STRING, "FILE", FIELD(output), "the recording, a pcapng file (required)" },
	{ "match", 0, OPTION_STRING, "RULE", FIELD(match), "which datagrams, as for spinctl run (default: udp)" },
	FILL_OPTIONS(struct record_options, fill),
	{ "duration", 0, OPTION_SECONDS, "SEC", FIELD(duration_s),
	  "end after so many seconds (default: 0, until a signal)" },
	{ "packets", 0, OPTION_UINT, "N", FIELD(packets), "end when N packets are recorded (default: 0, until a signal)" },
	{ "ring-mib", 0, OPTION_UINT, "N", FIELD(ring_mib),
	  "MiB between the handlers and the file, for bursts (default: 16)" },
	{ "ready-file", 0, OPTION_STRING, "PATH", FIELD(ready_file), "create this file once attached" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ 0 },
};

struct recorder {
	struct spin_ctx *ctx;
	struct recording_writer *writer;
	struct recording_info info;
	int status;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int tell_ready(void)
{
	int fd;

	if (!options.ready_file)
		return DONE;
	fd = open(options.ready_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "ready\n", 6) < 0) {
		int err = errno;

		if (fd >= 0)
			close(fd);
		return complain("cannot write %s: %s", options.ready_file, strerror(err));
	}
	close(fd);
	return DONE;
}

static int write_memory(struct recorder *r, enum recording_moment moment)
{
	const char *name;

	for (unsigned i = 0; (name = spin_ctx__symbol_name(r->ctx, i)); i++) {
		char copy[64];
		size_t bytes;
		void *mem;

		snprintf(copy, sizeof(copy), "%s", name);
		if (spin_ctx__symbol(r->ctx, copy, &mem, &bytes))
			return complain("%s", spin_strerror_last());
		if (recording_writer__memory(r->writer, moment, copy, mem, bytes))
			return complain("%s", engine_why());
	}
	return DONE;
}

static void take_packet(void *arg, const struct spin_tapped *packet)
{
	struct recorder *r = arg;

	if (!r->status && recording_writer__packet(r->writer, packet->time_ns, packet->hpu, packet->frame,
						   packet->frame_bytes))
		r->status = complain("%s", engine_why());
}

static void drain(struct recorder *r)
{
	if (spin_ctx__tapped(r->ctx, take_packet, r) < 0 && !r->status)
		r->status = complain("%s", spin_strerror_last());
}

/* Until the time is over, the packets are there, a signal comes, or something fails; 1: the interface has gone. */
static int watch(struct recorder *r, double start_s)
{
	while (!stop__signal() && !r->status) {
		struct pollfd fd = { .fd = spin_ctx__tap_fd(r->ctx), .events = POLLIN };
		double wait_s = LOOK_S, left_s = options.duration_s - (now_s() - start_s);

		if (options.duration_s > 0 && left_s <= 0)
			break;
		if (options.duration_s > 0 && left_s < wait_s)
			wait_s = left_s;
		poll(&fd, 1, (int)(wait_s * 1000) + 1);
		drain(r);
		if (options.packets && recording_writer__packets(r->writer) >= options.packets)
			break;
		if (spin_ctx__alive(r->ctx) < 0) {
			complain("%s; what came until then is recorded", spin_strerror_last());
			return 1;
		}
	}
	return 0;
}

static void print(const struct recorder *r)
{
	const struct recording_info *info = &r->info;
	double seconds = (double)info->duration_ns * 1e-9;
	struct json j;

	if (!options.json) {
		printf("%s on %s, rule: %s: %llu packet%s in %.1f s recorded in %s\n\n", info->handler, info->device,
		       info->rule, (unsigned long long)info->packets, info->packets == 1 ? "" : "s", seconds,
		       options.output);
		counters__text(info->counters);
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
	counters__json(&j, info->counters);
	json_object_end(&j);
	json_end(&j);
}

static int finish(struct recorder *r, double start_s)
{
	struct recording_info *info = &r->info;

	spin_ctx__detach(r->ctx); /* from here on no handler runs: packets, memory and counters belong together */
	info->duration_ns = (uint64_t)((now_s() - start_s) * 1e9);
	drain(r);
	if (r->status || write_memory(r, RECORDING_AFTER))
		return FAILED;
	spin_ctx__counters(r->ctx, info->counters);
	info->packets = recording_writer__packets(r->writer);
	info->lost = spin_ctx__tap_lost(r->ctx);
	if (recording_writer__finish(r->writer, info->counters, info->lost, info->duration_ns))
		return complain("%s", engine_why());
	if (info->lost)
		complain("%llu packets found the ring full and are not in %s: a replay cannot come to the same; record "
			 "again with a larger --ring-mib (now %u)", (unsigned long long)info->lost, options.output,
			 options.ring_mib);
	print(r);
	return DONE;
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
	int gone, status = fill__apply(&options.fill, &target);
	double start_s;

	if (status)
		return status;
	if (recording_writer__open(options.output, &r->info, object->data, object->bytes + SPIN_SEAL_BYTES, &r->writer))
		return complain("%s", engine_why());
	if (write_memory(r, RECORDING_BEFORE))
		return FAILED;
	if (spin_ctx__tap(r->ctx, (size_t)options.ring_mib << 20) || spin_ctx__attach(r->ctx))
		return complain("%s", spin_strerror_last());
	start_s = now_s();
	status = tell_ready();
	if (status)
		return status;
	gone = watch(r, start_s);
	status = finish(r, start_s);
	return status ? status : gone ? FAILED : DONE;
}

static int missing(const char *option)
{
	fprintf(stderr, "spinctl record: missing: %s; see spinctl record --help\n", option);
	return USAGE;
}

static int run(const char **operands, unsigned count)
{
	struct recorder r = { 0 };
	struct spin_object *object = NULL;
	struct spin_nic *nic = NULL;
	struct spin_rule rule;
	int status;

	(void)count;
	if (!options.device || !options.output)
		return missing(options.device ? "-o FILE" : "--dev IF");
	if (!options.ring_mib || options.ring_mib > 1024) {
		fprintf(stderr, "spinctl record: --ring-mib is 1 to 1024; see spinctl record --help\n");
		return USAGE;
	}
	stop__watch();
	if (spin_rule__parse(options.match, &rule) || spin_object__open(operands[0], &object) ||
	    spin_nic__open(options.device, &nic) || spin_ctx__create(nic, object, &rule, &r.ctx)) {
		status = complain("%s", spin_strerror_last());
	} else {
		snprintf(r.info.handler, sizeof(r.info.handler), "%s", spin_object__meta(object)->name);
		snprintf(r.info.device, sizeof(r.info.device), "%s", spin_nic__name(nic));
		spin_rule__format(&rule, r.info.rule, sizeof(r.info.rule));
		r.info.class = SPIN_CLASS_TRUSTED;
		status = record_ctx(&r, object);
	}
	spin_ctx__destroy(r.ctx);
	recording_writer__close(r.writer);
	spin_nic__close(nic);
	spin_object__close(object);
	options__free_list(&options.fill.sets);
	options__free_list(&options.fill.inserts);
	options__free_list(&options.fill.files);
	return status;
}

static const struct example_row examples[] = {
	{ "spinctl record filtering.spin --dev eth0 --match \"udp dport 9000\" -o trace.spinrec --duration 1",
	  "A second of the context's packets, with its memory before and after." },
	{ 0 },
};

static const struct command_row row = {
	.name = "spinctl record", .operands = "FILE.spin", .min_operands = 1, .max_operands = 1,
	.summary = "Runs handlers on an interface and keeps their packets and memory in one file",
	.options = rows,
	.notes = "Ends with a signal, or as --duration and --packets say. Needs root.",
	.about = "The handlers run as with spinctl run. The recording has the object, the rule, state and tables before "
		 "the first packet, every packet of the context as it arrived, and counters and memory at the end; "
		 "spinctl replay runs it on any engine. It is a pcapng file: Wireshark, tcpdump and spinctl cost "
		 "--pcap read its packets.\n\n"
		 "The file gets its name when it is whole; nothing is left of a recording that was killed. Packets that "
		 "come faster than they can be written are handled but not recorded; their number is told, here and "
		 "in the file.",
	.examples = examples,
};

const struct subcommand record_command = { "record", &row, run, &options };
