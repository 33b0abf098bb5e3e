/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* spinctl replay: its options, the handler that a recording is run with, and which engines may run it. */
#include <string.h>

#include "user/spinctl/engines.h"
#include "user/spinctl/handler.h"
#include "user/spinctl/replay.h"
#include "user/spinctl/stop.h"

static struct replay_options {
	const char *handler;
	struct option_list engines, compile;
	int json, trust;
} options;

#define FIELD(name) offsetof(struct replay_options, name)

/* clang-format off */
static const struct option_row rows[] = {
	{ "handler", 0, OPTION_STRING, "FILE", FIELD(handler),
	  "the handler, NAME.c or NAME.spin (default: the object that was recorded)" },
	ENGINE_OPTION(struct replay_options, engines),
	{ NULL, 'I', OPTION_WORD, "DIR", FIELD(compile), "a folder for #include, when the handler is a source" },
	{ NULL, 'D', OPTION_WORD, "NAME[=VALUE]", FIELD(compile), "a macro, when the handler is a source" },
	TRUST_OPTION(struct replay_options, trust),
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ 0 },
};
/* clang-format on */

static int report(struct recording *recording, const struct handler *h, const char *path, struct trial_engines *engines)
{
	struct replay_report r = { .path = path,
				   .info = &recording->info,
				   .engines = engines,
				   .events = recording->events,
				   .events_lost = recording->events_lost,
				   .messages = recording->has_context && recording->context.takes_messages,
				   .other_handler = !replay__is_recorded(recording, h->files.object) };
	struct types types;
	int status = DONE;

	if (types_open(h->files.object, &types))
		return complain("%s", engine_why());
	if (replay_run(recording, &h->files, &types, &r)) {
		status = stop__signal() ? FAILED : complain("%s", engine_why());
	} else {
		if (options.json)
			replay_print__json(&r);
		else
			replay_print__text(&r);
		engines__say_skipped(engines);
		status = r.disagree || r.differ ? FAILED : DONE;
	}
	replay_report_free(&r);
	types_close(&types);
	return status;
}

/* Handlers of messages have another context, with its own state. */
static int takes_the_same(const struct recording *recording, const char *name, const char *path)
{
	const int recorded = recording->has_context && recording->context.takes_messages;
	struct spin_object *object;
	int messages;

	if (spin_object__open(path, &object))
		return complain("%s", spin_strerror_last());
	messages = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_ME;
	spin_object__close(object);
	return messages == recorded ? DONE
				    : complain("%s takes %s, %s was recorded of %s: replay with the handler that was recorded", name,
					       messages ? "messages" : "datagrams", recording->path, recorded ? "messages" : "datagrams");
}

static int open_handler(struct handler *h, const struct recording *recording, const struct trial_engines *engines, const char *path)
{
	const struct handler_wants wants = { .host = engines->wanted[ENGINE_HOST],
					     .verify = engines__want_kernel(engines),
					     .trust = options.trust,
					     .compile = &options.compile };
	int status;

	if (options.handler)
		status = handler__open(h, options.handler, &wants);
	else
		status = handler__open_bytes(h, path, recording->object, recording->object_bytes);
	if (!status && strcmp(h->name, recording->info.handler))
		status = complain("%s is of handler %s, %s has handler %s", path, recording->info.handler, options.handler, h->name);
	return status ? status : takes_the_same(recording, options.handler ? options.handler : path, h->files.object);
}

/* It looks like packets, and is more. With --handler they are not looked at. */
static void say_programs(const struct recording *recording, const char *path)
{
	if (options.handler)
		return;
	complain("%s carries programs: the object of handler %s, %zu KiB, as whoever recorded it had it; %s", path, recording->info.handler,
		 (recording->object_bytes + 1023) / 1024,
		 options.trust ? "they are run, as --trust says" : "they are run on the model of the HPU alone");
}

static int replay(const char *path, struct trial_engines *engines)
{
	struct recording recording;
	struct handler h = { 0 };
	int status = DONE;

	if (recording__open(path, &recording))
		status = complain("%s", engine_why());
	if (!status) {
		say_programs(&recording, path);
		status = open_handler(&h, &recording, engines, path);
	}
	if (!status)
		status = engines__without_host(engines, &h);
	if (!status)
		status = engines__without_trust(engines, &h, options.trust);
	if (!status)
		status = report(&recording, &h, path, engines);
	handler__close(&h);
	recording__close(&recording);
	return status;
}

static int run(const char **operands, unsigned count)
{
	struct trial_engines engines = { 0 };
	int status = engines__pick(&engines, &options.engines);

	(void)count;
	stop__watch();
	if (!status)
		status = replay(operands[0], &engines);
	trial_engines_free(&engines);
	options__free_list(&options.engines);
	options__free_list(&options.compile);
	stop__end();
	return status;
}

static const struct example_row examples[] = {
	{ "spinctl record kvstore.spin --dev eth0 -o kv.spinrec --duration 1 && spinctl replay kv.spinrec --engine model",
	  "A second of datagrams as they come in, then the same on the model of the HPU." },
	{ 0 },
};

static const struct command_row row = {
	.name = "spinctl replay",
	.operands = "RECORDING",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Runs a recording on every engine and compares the outcome with what was recorded",
	.options = rows,
	.examples = examples,
	.notes = "A recording carries programs: they run on the model alone unless you give --trust, or the source with --handler.\n"
		 "The engines bpf and isolated need root; without it they are left out, as is host without a source.",
	.about = "The recorded packets are fed to each engine one after the other, from the recorded memory on. "
		 "Counters by reason, the memory at the end and the events of messages are compared with the recording, and "
		 "packet by packet between the engines. These have to agree with each other exactly. The recording may differ from "
		 "all of them if its handlers ran on several HPUs at once: then the order in which packets arrived "
		 "was not the order of the handlers. Exit status 1 for a difference of either kind.\n\n"
		 "Of a recording of messages each packet is given to the engines at the time at which it arrived: so messages "
		 "time out as they did.\n\n"
		 "With --handler another version of the handler is run on the packets that the first one met. Its state "
		 "and tables must be those of the recorded one, with the same sizes.",
};

const struct subcommand replay_command = { "replay", &row, run, &options };
