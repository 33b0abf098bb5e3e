/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl recv: receives files over SLMP (sPIN's message protocol over UDP): handlers put the packets of a message together in memory at
 * XDP. Has the options and the loop that reads events. transfer.c writes files that come in pieces. main.c runs it through recv_command.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <spin/slmp.h>

#include "kernel/probe.h"

#include "user/spinctl/builtin.h"
#include "user/tool/parse_enum.h"
#include "user/tool/notify.h"
#include "user/spinctl/recv/recv.h"
#include "user/spinctl/run/warn.h"

#define MAX_MIB       64    /* default of --max-mib; spinctl send cuts longer files by default (WHOLE_KIB in send.c) */
#define POLL_S        0.1   /* longest wait for an event; also the interval of the progress line */
#define LINGER_S      0.3   /* after the last file, the command ends when no packet has arrived for this long */
#define LINGER_MAX_S  5     /* or, if packets keep arriving, after this long */
#define CONTROL_BYTES 4096u /* host memory for the first and last message of a transfer: 80 bytes, in a page of their own */
#define TOMBSTONE_S   10    /* longer than the default: a sender with a longer timeout does not deliver a message twice */

static struct recv_options {
	struct option_list devices;
	const char *mode, *handler, *ready_file;
	unsigned port, count, max_mib;
	double duration_s;
	int quiet, json;
} options = { .mode = "auto", .port = SPIN_SLMP_PORT, .count = 1, .max_mib = MAX_MIB };

#define FIELD(name) offsetof(struct recv_options, name)

/* clang-format off */
static const struct option_row rows[] = {
	{ "dev", 0, OPTION_LIST, "IF", FIELD(devices), "the interface; several: on all of them", .required = 1 },
	{ "port", 0, OPTION_UINT, "N", FIELD(port), "the UDP port that senders send to (default: 9330)" },
	{ "count", 0, OPTION_UINT, "N", FIELD(count),
	  "files; more than one, or 0, as many as come: into FILE.1, FILE.2 and so on (default: 1)" },
	{ "duration", 0, OPTION_SECONDS, "SEC", FIELD(duration_s), "end after so many seconds (default: 0, until it is done)" },
	{ "max-mib", 0, OPTION_UINT, "N", FIELD(max_mib), "MiB of host memory, 1 to 256, in which the longest message, or piece of a file, has "
	  "to fit; one that is longer is refused, which its sender learns (default: 64)" },
	{ "mode", 0, OPTION_STRING, MODE_CHOICES, FIELD(mode), "as for spinctl run (default: auto)" },
	{ "handler", 0, OPTION_STRING, "FILE.spin", FIELD(handler),
	  "handlers that put messages into host memory (default: copy_to_host, which comes with spinctl)" },
	{ "ready-file", 0, OPTION_STRING, "PATH", FIELD(ready_file), "create this file once attached" },
	{ "quiet", 'q', OPTION_FLAG, NULL, FIELD(quiet), "no progress on terminals" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON object per message" },
	{ 0 },
};
/* clang-format on */

static int usage(const char *option, const char *reason)
{
	fprintf(stderr, "spinctl recv: %s %s; see spinctl recv --help\n", option, reason);
	return USAGE;
}

/* Returns the size of host memory: --max-mib for data, and CONTROL_BYTES for the first and last message of a transfer if they fit. */
static unsigned host_kib(void)
{
	unsigned kib = (options.max_mib << 10) + (CONTROL_BYTES >> 10);

	return kib < SPIN_HOST_BYTES_MAX >> 10 ? kib : SPIN_HOST_BYTES_MAX >> 10;
}

/* Returns FAILED after a message if a handler failed or dropped packets, so that the bytes are invalid or incomplete. */
static int check_message(const struct spin_event *e)
{
	if (e->flags & (SPIN_EVENT_FAILED | SPIN_EVENT_DROPPED))
		return report_error("message %u: a handler failed or dropped it; `spinctl run` of the handlers tells more", e->message_id);
	return DONE;
}

/* Writes a message that is a whole file. If it is invalid and more than one file was requested, the command goes on with the next one. */
static int write_message(struct receiver *r, const struct spin_event *e)
{
	int status;

	recv_print__clear(r);
	if (check_message(e)) {
		if (r->wanted == 1)
			return FAILED;
		r->bad++;
		return recv_transfer__post_whole(r);
	}
	status = recv_file__write(r, e->offset, e->length);
	if (!status)
		status = recv_file__publish(r);
	if (status)
		return status;
	recv_print__received(r, e, e->length, 1);
	if (++r->received == r->wanted)
		return DONE;
	status = recv_file__prepare(r);
	return status ? status : recv_transfer__post_whole(r);
}

static void on_event(void *arg, const struct spin_event *event)
{
	struct receiver *r = arg;
	int is_whole = 0;

	if (r->status || (r->wanted && r->received == r->wanted))
		return;
	if (event->type == SPIN_EVENT_MESSAGE)
		r->status = recv_transfer__event(r, event, &is_whole);
	else if (event->type == SPIN_EVENT_TIMEOUT && r->state == RECV_IDLE && !(event->flags & SPIN_EVENT_REFUSED))
		recv_print__abandoned(r, event);
	if (!r->status && is_whole)
		r->status = write_message(r, event);
}

static int done(const struct receiver *r)
{
	return r->wanted && r->received == r->wanted;
}

/* Stays attached after the last file: if its last acknowledgements were lost, the sender repeats packets, which must be acknowledged. */
static void linger(struct receiver *r)
{
	const struct run_counts *counts = &r->set.context[0].counts;
	const double start_s = now_s();
	double quiet_s = start_s;

	while (!signals__signal() && now_s() < quiet_s + LINGER_S && now_s() < start_s + LINGER_MAX_S) {
		poll(NULL, 0, (int)(LINGER_S * 1000 / 4));
		session__count(&r->set);
		if (counters__sum(counts->in_interval))
			quiet_s = now_s();
	}
}

/*
 * Reports packets for which no entry had room. Their senders got a refusal, and give up. Anybody can send such a packet, so it ends the
 * command only if nothing is being received and one file is wanted.
 */
static int check_refused(struct receiver *r)
{
	const uint64_t refused = r->set.context[0].counts.in_interval[SPIN_REASON_BEYOND_ENTRY];
	const int is_new = refused && !r->was_refused;

	r->was_refused = refused > 0;
	if (!is_new)
		return DONE;
	recv_print__clear(r);
	report_error("a message, or a piece of a file, was refused: it has more than the %zu bytes that there is room for; give a larger "
		     "--max-mib, or let its sender cut it (spinctl send --piece-kib)",
		     r->memory_bytes);
	if (r->wanted == 1)
		return recv_transfer__is_busy(r) ? DONE : FAILED;
	r->bad++;
	return DONE;
}

static int watch(struct receiver *r)
{
	struct spin_ctx *ctx = r->set.context[0].ctx;
	const double start_s = now_s();

	while (!signals__signal() && !r->status && !done(r) && !ferror(stdout)) {
		struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };
		double wait_s = POLL_S, left_s = options.duration_s - (now_s() - start_s);

		if (options.duration_s > 0 && left_s <= 0)
			break;
		if (options.duration_s > 0 && left_s < wait_s)
			wait_s = left_s;
		poll(&fd, 1, (int)(wait_s * 1000) + 1);
		if (spin_ctx__events(ctx, on_event, r) < 0)
			return report_error("%s", spin_strerror_last());
		if (!r->status && !done(r))
			r->status = recv_transfer__step(r);
		if (session__alive(&r->set))
			return FAILED;
		session__count(&r->set);
		run_warn__lost_replies(&r->set);
		if (!r->status && !done(r))
			r->status = check_refused(r);
		recv_print__progress(r);
	}
	recv_print__clear(r);
	if (!r->status && done(r))
		linger(r);
	if (r->status || done(r) || !r->wanted)
		return r->status || !r->bad ? r->status : FAILED;
	return report_error("%s: %u of %u messages arrived", signals__signal() ? "ended by a signal" : "the time is over", r->received,
			    r->wanted);
}

static int receive(struct receiver *r)
{
	void *memory;
	int status = recv_file__prepare(r);

	if (!status)
		status = ready__begin(options.ready_file);
	if (!status && spin_ctx__host_memory(r->set.context[0].ctx, &memory, &r->memory_bytes))
		status = report_error("%s", spin_strerror_last());
	if (status)
		return status;
	r->memory = memory;
	r->control = (uint32_t)(r->memory_bytes - CONTROL_BYTES);
	r->memory_bytes = (size_t)options.max_mib << 20;
	if (r->memory_bytes > r->control)
		r->memory_bytes = r->control;
	status = recv_transfer__start(r);
	if (status)
		return status;
	status = session__attach(&r->set);
	if (status)
		return status;
	run_warn__start(&r->set);
	recv_print__start(r, options.port);
	fflush(stdout);
	status = ready__notify(READY_NO_FD, options.ready_file);
	if (!status)
		status = watch(r);
	recv_print__end(r);
	return status;
}

static int check_options(void)
{
	if (!options.port || options.port > UINT16_MAX)
		return usage("--port", "is 1 to 65535");
	if (!options.max_mib || options.max_mib > SPIN_HOST_BYTES_MAX >> 20)
		return usage("--max-mib", "is 1 to 256");
	return DONE;
}

static int run(const char **operands, unsigned count)
{
	static struct receiver r;
	const char *file, *rule;
	char handler[PATH_MAX], match[32];
	const struct option_list matches = { &rule, 1 }, names = { 0 };
	const struct session_options session_options = { .files = &file,
							 .file_count = 1,
							 .devices = &options.devices,
							 .matches = &matches,
							 .names = &names,
							 .mode = parse_enum__mode(options.mode),
							 .message = &r.message };
	int status = check_options();

	(void)count;
	if (!status && !options.handler)
		status = builtin__find("copy_to_host", handler);
	if (status)
		return status;
	file = options.handler ? options.handler : handler;
	rule = match;
	snprintf(match, sizeof(match), "udp dport %u", options.port);
	r.message = (struct message_options){ .host_kib = host_kib(), .tombstone_s = TOMBSTONE_S, .put = 1, .no_entry = 1 };
	r.path = operands[0];
	r.wanted = options.count;
	r.json = options.json;
	r.bar = !options.quiet && isatty(STDERR_FILENO);
	signals__watch();
	status = session__open(&r.set, &session_options);
	if (!status)
		status = receive(&r);
	session__close(&r.set);
	atomic_file__close(&r.file);
	options__free_list(&options.devices);
	return status;
}

static const struct command_row row = {
	.name = "spinctl recv",
	.operands = "FILE",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Receives messages into files, packet by packet acknowledged from XDP",
	.options = rows,
	.notes = "Needs root.",
	.about =
		"Handlers on the interface put each packet of a message to its place in host memory, in whatever order they "
		"come, and acknowledge it; the sender is `spinctl send`, or any other of SLMP. When the message is complete it "
		"is written to FILE, which gets its name when it is whole: of a message that stops halfway, or a command "
		"that is killed, nothing is left. What was FILE before is replaced. With --handler "
		"the bytes are what those handlers have left in host memory.\n"
		"\n"
		"`spinctl send` cuts long files into pieces, messages that make one file here, of any length: a piece is written "
		"while others are received, as many as fit into the host memory, 16 at most. Length and digest are compared before the file "
		"gets its name. A file of which no piece comes for ten seconds, or for four if another one waits, is given "
		"up with a line on stderr that says how far it came.\n"
		"\n"
		"One file is received at a time. Another message that begins in the meantime is not acknowledged, so that its sender "
		"tries again. A message that goes on no more is given up after two seconds, with a line on "
		"stderr, and the next one is waited for.\n"
		"\n"
		"Ends with status 0 when --count files are written; with --count 0 also by a signal, or when --duration is "
		"over. With more than one, a message that is too long, or that a handler failed or dropped, is told on stderr "
		"and not counted; the status is 1 then. Datagrams to the port reach no socket while it runs. Packets of a complete message are known for ten seconds. Over a veth pair, the other end needs an XDP program, too, "
		"any that passes packets on: without one acknowledgements do not arrive.",
	.examples =
		(const struct example_row[]){
			{ "spinctl recv copy.c --dev lo --duration 30 --ready-file up & until test -e up; do sleep 0.1; done; "
			  "spinctl send kvstore.c --to 127.0.0.1 && wait",
			  "A file through the loopback interface." },
			{ "spinctl recv incoming --dev eth0 --count 0 --duration 1", "All messages of a second, as incoming.1, "
										     "incoming.2 and so on." },
			{ 0 },
		},
};

const struct subcommand recv_command = { "recv", &row, run, &options };
