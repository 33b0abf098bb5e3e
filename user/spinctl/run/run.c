/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl run: attaches handlers to interfaces, reads their events and prints counts until a signal. Has the options and the loop. main.c
 * runs it through run_command. The handlers are detached on every exit.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include <linux/bpf.h>

#include "user/tool/parse_enum.h"
#include "user/tool/notify.h"
#include "user/spinctl/run/cost.h"
#include "user/spinctl/run/warn.h"
#include "user/spinctl/run/ring.h"
#include "user/tool/notify.h"
#include "user/tool/fill.h"

#define SHARE_PRIORITY 50 /* same default as xdp-loader */
#define NOT_GIVEN      UINT_MAX

static struct run_options {
	struct option_list devices, matches, names;
	const char *mode, *class, *hpus, *ready_file, *need;
	struct fill_options fill;
	struct message_options message;
	struct run_cost_options cost;
	struct run_ring_options ring;
	double interval_s, duration_s;
	unsigned count, ready_fd, priority;
	const char *chain;
	int json, state, uncounted, share;
} options = { .mode = "auto",
	      .priority = NOT_GIVEN,
	      .class = "trusted",
	      .hpus = "cpu",
	      .cost = RUN_COST_DEFAULTS,
	      .ring = RUN_RING_DEFAULTS,
	      .interval_s = 1,
	      .ready_fd = READY_NO_FD };

static struct run_cost cost = { .stats_fd = -1 };

#define FIELD(name) offsetof(struct run_options, name)

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_LIST, "IF", FIELD(devices), "the interface; several: on all of them", .required = 1 },
	{ "match", 0, OPTION_LIST, "RULE", FIELD(matches),
	  "which packets: udp, tcp, icmp, icmp6, ip4, ip6, src ADDR[/LEN], dst ADDR[/LEN], sport LIST, dport LIST, "
	  "vlan LIST, dscp LIST, ttl LIST, where LIST is as 53,9000-9010; `not` in front of one, or of an address, is all else; or ether TYPE; and "
	  "u32 INDEX[/MASK]=FIRST[-LAST], of 32-bit words of the frame (default: udp, of handlers of TCP segments tcp; "
	  "with several files one for each, in order)" },
	{ "name", 0, OPTION_LIST, "NAME", FIELD(names), "of the context (default: the handler's); one per file, in order" },
	{ "mode", 0, OPTION_STRING, MODE_CHOICES_OFFLOAD, FIELD(mode),
	  "native: in the driver; generic: any interface, slower; auto: native, generic where that is refused; offload: on a card "
	  "with hardware XDP, one context for each interface; offload,native: native where the card refuses (default: auto)" },
	{ "uncounted", 0, OPTION_FLAG, NULL, FIELD(uncounted),
	  "with --mode offload: packets are not counted by reason, which saves the card a lookup for each" },
	{ "share", 0, OPTION_FLAG, NULL, FIELD(share),
	  "beside XDP programs of others, by libxdp's dispatcher, as xdp-loader does; where the kernel lets programs replace functions" },
	{ "priority", 0, OPTION_UINT, "N", FIELD(priority), "with --share: programs with lower ones see a packet before (default: 50)" },
	{ "chain", 0, OPTION_STRING, "ACTION[,ACTION...]", FIELD(chain),
	  "with --share: after which verdicts programs behind see the packet, too: pass, drop, tx, redirect, aborted, or none "
	  "(default: pass)" },
	{ "class", 0, OPTION_STRING, CLASS_CHOICES, FIELD(class),
	  "trusted: the packet is read in place; isolated: loaded without CAP_PERFMON, packets are copied, slower "
	  "(default: trusted)" },
	{ "need", 0, OPTION_STRING, "CAP[,CAP...]", FIELD(need),
	  "refuse an interface without these capabilities, which `spinctl limits` lists" },
	{ "hpus", 0, OPTION_STRING, "HPUS", FIELD(hpus),
	  "what an HPU is: cpu: the CPU that a packet comes to; queue: the receive queue, each with a kernel thread; "
	  "spread[=N]: packets are given to all CPUs, or N, a message's to one while that has room (default: cpu)" },
	FILL_OPTIONS(struct run_options, fill),
	MESSAGE_OPTIONS(struct run_options, message),
	RUN_RING_OPTIONS(struct run_options, ring),
	RUN_COST_OPTIONS(struct run_options, cost),
	{ "interval", 0, OPTION_SECONDS, "SEC", FIELD(interval_s), "seconds between reports, 0: only the last (default: 1)" },
	{ "count", 0, OPTION_UINT, "N", FIELD(count), "end after N reports (default: 0, until a signal)" },
	{ "duration", 0, OPTION_SECONDS, "SEC", FIELD(duration_s), "end after so many seconds (default: 0, until a signal)" },
	{ "ready-fd", 0, OPTION_UINT, "N", FIELD(ready_fd), "write \"ready\" to this descriptor once attached" },
	{ "ready-file", 0, OPTION_STRING, "PATH", FIELD(ready_file), "create this file once attached" },
	{ "state", 0, OPTION_FLAG, NULL, FIELD(state), "end with the fields of state and tables that are not 0" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON object per line" },
	{ 0 },
};

static void report(struct session *set, const struct run_printer *p, struct run_report *r, double time_s, int final)
{
	session__count(set);
	if (p->cost)
		run_cost__mark(&cost, set);
	r->interval_s = time_s - r->time_s;
	r->time_s = time_s;
	r->final = final;
	run_print__report(p, r);
	run_warn__lost_replies(set);
}

/* Returns DONE, or FAILED after a message. */
static int read_events(struct session *set, struct run_printer *p)
{
	for (unsigned i = 0; i < set->contexts; i++) {
		p->speaker = &set->context[i];
		if (spin_ctx__events(set->context[i].ctx, run_print__event, p) < 0)
			return report_error("%s", spin_strerror_last());
	}
	fflush(stdout); /* the reader of a pipe also gets events at once */
	return DONE;
}

static void wait_for_events(const struct session *set, double wait_s)
{
	struct pollfd fd[2 * SPIN_CONTEXTS_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < set->contexts; i++) {
		fd[count++] = (struct pollfd){ .fd = spin_ctx__event_fd(set->context[i].ctx), .events = POLLIN };
		if (set->context[i].ring)
			fd[count++] = (struct pollfd){ .fd = spin_ring__fd(set->context[i].ring), .events = POLLIN };
	}
	poll(fd, count, (int)(wait_s * 1000) + 1);
}

static int watch(struct session *set, struct run_printer *p)
{
	double start = now_s(), next = options.interval_s;
	struct run_report r = { 0 };
	unsigned reports = 0;
	int status = DONE;

	while (!signals__signal() && !status) {
		double time_s = now_s() - start, wait_s = WATCH_LOOK_S;

		if (options.interval_s > 0 && time_s >= next) {
			report(set, p, &r, time_s, 0);
			next += options.interval_s;
			if (next < time_s)
				next = time_s + options.interval_s;
			if (++reports == options.count)
				break;
		}
		if (options.duration_s > 0 && time_s >= options.duration_s)
			break;
		if (options.interval_s > 0 && next - time_s < wait_s)
			wait_s = next - time_s;
		if (options.duration_s > 0 && options.duration_s - time_s < wait_s)
			wait_s = options.duration_s - time_s;
		if (p->cost && wait_s > RUN_COST_LOOK_S)
			wait_s = RUN_COST_LOOK_S;
		if (!run_ring__poll(set, p->json))
			wait_for_events(set, wait_s);
		status = read_events(set, p);
		if (!status && p->cost)
			status = run_cost__poll(&cost);
		if (!status)
			status = session__alive(set);
		if (ferror(stdout))
			return output_failed();
	}
	if (p->cost)
		run_cost__mark(&cost, set); /* before an interface's program ends with its last context */
	session__detach(set);               /* before the final counts, so that these do not change */
	while (run_ring__poll(set, p->json))
		;
	read_events(set, p);
	if (p->cost && !status)
		run_cost__poll(&cost);
	report(set, p, &r, now_s() - start, 1);
	return status;
}

/* Does what must be done before the contexts are attached. */
static int prepare(struct session *set, struct run_printer *printer)
{
	int status = session__fill(set, &options.fill);

	if (!status && options.cost.on) {
		status = run_cost__open(&cost, set, &options.cost);
		printer->cost = &cost;
	}
	if (!status)
		status = run_ring__open(set, &options.ring);
	return status;
}

static int attach(struct session *set, struct session_options *session_options, struct run_printer *printer)
{
	int status = prepare(set, printer);

	if (status)
		return status;
	status = session__attach(set);
	if (!status || !session__falls_back(set, session_options))
		return status;
	fprintf(stderr, "spinctl run: not on the card, for that reason: native mode instead\n");
	run_cost__close(&cost);
	session__close(set);
	session_options->mode = SPIN_MODE_NATIVE;
	status = session__open(set, session_options);
	if (!status)
		status = prepare(set, printer);
	return status ? status : session__attach(set);
}

static int start(struct session *set, struct session_options *session_options)
{
	struct run_printer printer = { .json = options.json, .state = options.state, .set = set };
	int status = ready__begin(options.ready_file);

	if (!status)
		status = attach(set, session_options, &printer);
	if (status)
		return status;
	run_print__start(&printer);
	run_ring__start(set, options.json);
	run_warn__start(set);
	fflush(stdout);
	status = ready__notify(options.ready_fd, options.ready_file);
	return status ? status : watch(set, &printer);
}

/* Parses the options of --share. Returns DONE, or USAGE after a message. */
static int parse_share(struct spin_share *share)
{
	*share = (struct spin_share){ .priority = options.priority == NOT_GIVEN ? SHARE_PRIORITY : options.priority,
				      .chain = 1u << XDP_PASS };
	if (!options.share && (options.chain || options.priority != NOT_GIVEN)) {
		report_error("--priority and --chain are for an interface that is shared: give --share, too");
		return USAGE;
	}
	if (options.priority != NOT_GIVEN && options.priority > INT_MAX) {
		report_error("--priority %u: at most %d", options.priority, INT_MAX);
		return USAGE;
	}
	if (options.chain && parse_enum__chain(options.chain, &share->chain)) {
		report_error("%s", spin_strerror_last());
		return USAGE;
	}
	return DONE;
}

static int run(const char **operands, unsigned count)
{
	struct session_options session_options = { .files = operands,
						   .file_count = count,
						   .devices = &options.devices,
						   .matches = &options.matches,
						   .names = &options.names,
						   .mode = parse_enum__mode(options.mode),
						   .uncounted = options.uncounted,
						   .falls_back = parse_enum__falls_back(options.mode),
						   .class = parse_enum__class(options.class),
						   .message = &options.message };
	static struct session set;
	struct spin_share share;
	int status = parse_share(&share);

	if (status)
		return status;
	session_options.share = options.share ? &share : NULL;
	if (options.need && parse_enum__capabilities(options.need, &session_options.capabilities)) {
		report_error("%s", spin_strerror_last());
		return USAGE;
	}
	if (parse_enum__hpus(options.hpus, &session_options.hpus, &session_options.hpu_count)) {
		report_error("%s", spin_strerror_last());
		return USAGE;
	}
	signals__watch();
	status = session__open(&set, &session_options);
	if (!status)
		status = start(&set, &session_options);
	run_cost__close(&cost);
	session__close(&set);
	options__free_list(&options.devices);
	options__free_list(&options.matches);
	options__free_list(&options.names);
	options__free_list(&options.fill.sets);
	options__free_list(&options.fill.inserts);
	options__free_list(&options.fill.files);
	options__free_list(&options.message.entries);
	options__free_list(&options.ring.queues);
	return status;
}

static const struct example_row examples[] = {
	{ "spinctl run filtering.spin --dev eth0 --match 'udp dport 9000' --insert 'routes:src=10.0.0.1 port=7000' "
	  "--duration 1 --state",
	  "Steers datagrams to port 9000 for a second and shows the table at the end." },
	{ "spinctl run filtering.spin kvstore.spin --dev eth0 --match 'udp dport 9000' --match 'udp dport 6000' "
	  "--insert 'filtering/routes:src=10.0.0.1 port=7000' --interval 0 --duration 1",
	  "Two contexts on one interface." },
	{ "spinctl run filtering.spin --dev eth0 --hpus spread --interval 0 --duration 1",
	  "Packets are given to all CPUs, whichever they come to." },
	{ "spinctl run filtering.spin --dev eth0 --match 'udp dport 9000' --cost --cost-every 10 --count 1",
	  "Shows what each packet takes here, and what it would take on PsPIN." },
	{ "spinctl run filtering.spin --dev eth0 --match 'udp dport 9000' --delivery ring --ring-print 3 --duration 1",
	  "What the handlers deliver comes to this program, and to no socket; the first three datagrams are printed." },
	{ "spinctl run kvstore.spin --dev eth0 --mode generic --class isolated --json --count 1",
	  "On any interface, loaded as code that is not trusted, for programs to read." },
	{ 0 },
};

static const struct command_row row = {
	.name = "spinctl run",
	.operands = "FILE.spin...",
	.min_operands = 1,
	.max_operands = SPIN_CONTEXTS_MAX,
	.summary = "Attaches handlers to interfaces and counts until SIGINT or SIGTERM",
	.options = rows,
	.notes = "The handlers end with this process, however it ends. Needs root.",
	.about =
		"Each file becomes an execution context: its handlers, its memory and its rule. A packet goes to the "
		"context whose rule it matches; all others go on to the host, untouched. Rules may not overlap. Up to "
		"64 contexts share an interface at the same cost as one.\n"
		"\n"
		"Packets are counted by reason: those of each context, and per interface those of none. Handlers' "
		"errors are printed as they come. With several contexts, --set, --insert and --insert-from take "
		"the context's name and a slash before the field or table.\n"
		"\n"
		"Handlers that take messages get an event for each that completes or times out; the options of "
		"messages are for them. `spinctl mpq` shows what is in flight.\n"
		"\n"
		"With --cost each context also has a model of its NIC. Datagrams are chosen by chance where they arrive, and "
		"only those are copied; messages are chosen by their key, so all their packets are copied, and those of the "
		"chosen ones run. The model's state and tables become the context's once a second, and in between they are "
		"what the chosen packets make of them: its cycles are those of a card that stands where the context does, "
		"approximately. Each packet has the modelled NIC for itself. ns per packet are the kernel's count for the "
		"interface's program with all handlers that it goes on to, of all contexts; counting takes some 20 ns of them. "
		"Packets that come faster than the model runs are missed, and their number told.\n"
		"\n"
		"With --delivery ring, datagrams that handlers deliver do not go on to the host's sockets but to a ring of memory that "
		"this program reads. It counts them, and is to be taken for a program that does more (libspin(3), spin_ring__create()). "
		"A datagram that finds no room in the ring is lost and counted; those of queues without a ring go to the host. One "
		"interface, and handlers of datagrams whose packets are not spread.\n"
		"\n"
		"If one of the interfaces goes away, the command ends with status 1: handlers that others wait for "
		"are not to run on a part of them unnoticed.\n"
		"\n"
		"With --mode offload the handlers run on the card, of an object that spincc --target nfp has made (spin-handler(7), \"What "
		"a card takes\"). An interface has one such context, with a rule of addresses, one port each and the IP version. Its tables "
		"are filled and read by system calls, its counters are of all packets of the interface, and there are no events.\n"
		"\n"
		"With --share the interface's program goes to libxdp's dispatcher, beside those that xdp-loader, xdp-filter or "
		"xdpdump put there, in the order of priorities. A packet that no context takes is passed, so programs behind see it; "
		"what handlers pass they see, too, and what handlers drop, send or redirect only if --chain names that. `xdp-loader "
		"status` lists the program as spin_root. libxdp pins what it attaches, so it outlives a process that is killed: it then "
		"passes all packets on, and the next start of any spinctl removes it. Where the kernel refuses, the message says why.\n"
		"\n"
		"Without --share the attachment is a bpf_link: it ends with the process, however that ends. An interface that another "
		"program holds is refused with that program's name; it is never replaced. Needs root, or CAP_BPF and "
		"CAP_NET_ADMIN, and CAP_PERFMON for the trusted class.",
	.examples = examples,
};

const struct subcommand run_command = { "run", &row, run, &options };
