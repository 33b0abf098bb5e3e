/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl replay: runs recorded traffic (a file of spinctl record) through a handler again, on several engines (ways to execute it: host,
 * kernel, model), and compares the results. Has the options and selects handler and engines; run.c runs. main.c runs it through
 * replay_command.
 */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include <spin/wire.h>

#include "user/spinctl/engines.h"
#include "user/tool/handler.h"
#include "user/spinctl/replay/replay.h"
#include "user/tool/notify.h"

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
	ENGINE_OPTION(struct replay_options, engines, "host|bpf|isolated|model"),
	{ NULL, 'I', OPTION_WORD, "DIR", FIELD(compile), "a directory for #include, when the handler is a source" },
	{ NULL, 'D', OPTION_WORD, "NAME[=VALUE]", FIELD(compile), "a macro, when the handler is a source" },
	TRUST_OPTION(struct replay_options, trust),
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ 0 },
};
/* clang-format on */

static int report(struct recording *recording, const struct handler *h, const char *path, struct comparison_engines *engines)
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
		return report_error("%s", engine_error());
	if (replay_run(recording, &h->files, &types, &r)) {
		status = signals__signal() ? FAILED : report_error("%s", engine_error());
	} else {
		if (options.json)
			replay_print__json(&r);
		else
			replay_print__text(&r);
		engines__report_skipped(engines);
		status = r.disagree || r.differ ? FAILED : DONE;
	}
	replay_report_free(&r);
	types_close(&types);
	return status;
}

/* What was recorded: messages have their context in the file, and only segments have a rule of tcp. */
static enum spin_delivery recorded_delivery(const struct recording *recording)
{
	struct spin_rule rule;

	if (recording->has_context && recording->context.takes_messages)
		return SPIN_DELIVER_ME;
	return !spin_rule__parse(recording->info.rule, &rule) && rule.protocol == SPIN_IP_TCP ? SPIN_DELIVER_SEGMENTS : SPIN_DELIVER_STACK;
}

/* Refuses a handler that takes another kind of packets than were recorded: their contexts have different state. */
static int check_delivery(const struct recording *recording, const char *name, const char *path)
{
	static const char *const kinds[] = { "datagrams", "messages", "TCP segments" };
	const enum spin_delivery recorded = recorded_delivery(recording);
	enum spin_delivery delivery;
	struct spin_object *object;

	if (spin_object__open(path, &object))
		return report_error("%s", spin_strerror_last());
	delivery = (enum spin_delivery)spin_object__meta(object)->registration.delivery;
	spin_object__close(object);
	return delivery == recorded ? DONE
				    : report_error("%s takes %s, %s was recorded of %s: replay with the handler that was recorded", name,
						   kinds[delivery], recording->path, kinds[recorded]);
}

static int open_handler(struct handler *h, const struct recording *recording, const struct comparison_engines *engines, const char *path)
{
	const struct handler_open_opts wants = { .host = engines->wanted[ENGINE_HOST],
						 .verify = engines__want_kernel(engines),
						 .trust = options.trust,
						 .compile = &options.compile };
	int status;

	if (options.handler)
		status = handler__open(h, options.handler, &wants);
	else
		status = handler__open_bytes(h, path, recording->object, recording->object_bytes);
	if (!status && strcmp(h->name, recording->info.handler))
		status = report_error("%s is of handler %s, %s has handler %s", path, recording->info.handler,
				      options.handler ? options.handler : "its object", h->name);
	return status ? status : check_delivery(recording, options.handler ? options.handler : path, h->files.object);
}

/* Warns that the recording carries programs, not only packets. With --handler these are not used. */
static void warn_programs(const struct recording *recording, const char *path)
{
	if (options.handler)
		return;
	report_error("%s carries programs: the object of handler %s, %zu KiB, as whoever recorded it had it; %s", path,
		     recording->info.handler, (recording->object_bytes + 1023) / 1024,
		     options.trust ? "they are run, as --trust says" : "they are run on the model of the HPU alone");
}

static int replay(const char *path, struct comparison_engines *engines)
{
	struct recording recording;
	struct handler h = { 0 };
	int status = DONE;

	if (recording__open(path, &recording))
		status = report_error("%s", engine_error());
	if (!status) {
		warn_programs(&recording, path);
		status = open_handler(&h, &recording, engines, path);
	}
	if (!status)
		status = engines__drop_host(engines, &h);
	if (!status)
		status = engines__drop_untrusted(engines, &h, options.trust);
	if (!status)
		status = report(&recording, &h, path, engines);
	handler__close(&h);
	recording__close(&recording);
	return status;
}

static int run(const char **operands, unsigned count)
{
	struct comparison_engines engines = { 0 };
	int status = engines__select(&engines, &options.engines);

	(void)count;
	signals__watch();
	if (!status)
		status = replay(operands[0], &engines);
	comparison_engines_free(&engines);
	options__free_list(&options.engines);
	options__free_list(&options.compile);
	signals__end();
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
		 "time out as they did. The clock that handlers read is 0 at the first packet and goes on as packets arrived, and "
		 "random numbers are the ones that vectors have: what was recorded of them differs.\n\n"
		 "Of a recording of TCP segments the numbers of connections, and so what handlers keep by them (spin_connection()), are "
		 "each engine's own. The live context has asked the kernel's sockets about segments of connections that it did not know; a "
		 "replay has no sockets, and begins connections with such segments.\n\n"
		 "With --handler another version of the handler is run on the packets that the first one met. Its state "
		 "and tables must be those of the recorded one, with the same sizes.",
};

const struct subcommand replay_command = { "replay", &row, run, &options };

/* Compares a handler with the recorded one by its loaded sections, because debug information contains paths of the build. */

/* Returns the next section that is loaded, or NULL after the last one. */
static Elf_Scn *next_loaded(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_flags & SHF_ALLOC)
			return section;
	return NULL;
}

static int same_section(Elf_Scn *a, Elf_Scn *b, const GElf_Shdr *of_a, const GElf_Shdr *of_b)
{
	const Elf_Data *in_a, *in_b;

	if (of_a->sh_type != of_b->sh_type || of_a->sh_size != of_b->sh_size)
		return 0;
	if (of_a->sh_type == SHT_NOBITS || !of_a->sh_size)
		return 1;
	in_a = elf_rawdata(a, NULL);
	in_b = elf_rawdata(b, NULL);
	return in_a && in_b && in_a->d_size == in_b->d_size && !memcmp(in_a->d_buf, in_b->d_buf, in_a->d_size);
}

static int same_loaded(Elf *a, Elf *b)
{
	Elf_Scn *in_a = NULL, *in_b = NULL;
	GElf_Shdr of_a, of_b;

	do {
		in_a = next_loaded(a, in_a, &of_a);
		in_b = next_loaded(b, in_b, &of_b);
		if (!in_a || !in_b)
			return !in_a && !in_b;
	} while (same_section(in_a, in_b, &of_a, &of_b));
	return 0;
}

int replay__is_recorded(const struct recording *recording, const char *object)
{
	int fd = open(object, O_RDONLY | O_CLOEXEC), same;
	Elf *a, *b;

	elf_version(EV_CURRENT);
	a = elf_memory((char *)recording->object, recording->object_bytes);
	b = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	same = a && b && same_loaded(a, b);
	elf_end(b);
	elf_end(a);
	if (fd >= 0)
		close(fd);
	return same;
}
