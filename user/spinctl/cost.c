/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost: reports the cycles that handlers take on a modelled NIC. Defines the options and passes their values to the cost library
 * (user/cost), which does all the work. main.c runs it through cost_command.
 */
#include <stdlib.h>
#include <string.h>

#include "user/tool/parse_enum.h"
#include "user/cost/options.h"
#include "user/cost/run.h"
#include "user/libspin/internal.h"
#include "user/tool/fill.h"
#include "user/spinctl/spinctl.h"

static struct cost_options options = { .target = "pspin-rtl", .made = { 0, COST_PACKETS, COST_PAYLOAD, 0 }, .top = 10 };

#define FIELD(name) offsetof(struct cost_options, name)

static const struct option_row rows[] = {
	{ "pcap", 0, OPTION_STRING, "TRACE", FIELD(trace), "the packets: a capture file, Ethernet" },
	{ "messages", 0, OPTION_UINT, "N", FIELD(made.messages),
	  "make so many messages instead, or TCP connections, for handlers of these" },
	{ "datagrams", 0, OPTION_UINT, "N", FIELD(datagrams), "the same for handlers of datagrams" },
	{ "packets", 0, OPTION_UINT, "N", FIELD(made.packets),
	  "of each message made; of connections with payload, after the SYN (default: 16)" },
	{ "payload", 0, OPTION_STRING, "BYTES", FIELD(payload),
	  "of each packet made, 1 to 9158 (default: 1456), of several handlers for all or one each: 484,64; with --image the symbol "
	  "of its payload handler" },
	{ "payload-bytes", 0, OPTION_STRING, "BYTES", FIELD(payload_bytes), "of each packet made, with --image, too" },
	{ "values", 0, OPTION_UINT, "N", FIELD(made.values), "payload made is 32-bit numbers at random below N (default: any)" },
	{ "sizes", 0, OPTION_STRING, "LIST", FIELD(sizes),
	  "packets of these sizes, too, in bytes from the IP header on, or none (default: 64,256,512,1024 if packets are "
	  "made); datagrams of a capture are cut or stretched" },
	{ "gbps", 0, OPTION_STRING, "RATE", FIELD(gbps),
	  "offer packets at so many Gbit/s of packet bytes under load (default: as fast as the NIC takes them)" },
	{ "match", 0, OPTION_LIST, "RULE", FIELD(match),
	  "which packets, as for spinctl run (default: udp, of handlers of TCP segments tcp); of several handlers one for each, in their order" },
	{ "weights", 0, OPTION_STRING, "LIST", FIELD(weights),
	  "of several handlers, for a target with scheduler = fair_hpu_time: their parts of the HPU time, 1 to 1000 for each, in "
	  "their order (default: 1)" },
	FILL_OPTIONS(struct cost_options, fill),
	{ "target", 0, OPTION_STRING, "TARGET", FIELD(target), "the NIC modelled, one of spinctl targets or a file (default: pspin-rtl)" },
	{ "watchdog", 0, OPTION_UINT, "CYCLES", FIELD(watchdog),
	  "a task that takes longer is stopped (default: watchdog_cycles of the target, or more for a handler with a budget of steps)" },
	{ "image", 0, OPTION_STRING, "FILE", FIELD(image.path),
	  "a PsPIN program that spincc did not make, an ELF with boot and runtime, in place of FILE.spin" },
	{ "header", 0, OPTION_STRING, "SYMBOL", FIELD(image.header), "its header handler (default: none)" },
	{ "completion", 0, OPTION_STRING, "SYMBOL", FIELD(image.completion), "its completion handler (default: none)" },
	{ "memory", 0, OPTION_LIST, "ADDR=FILE", FIELD(image.memory),
	  "with --image or an object of spincc --api pspin: handler memory from this address on is what the file has, before the first packet" },
	{ "framing", 0, OPTION_STRING, "raw|pspin|ip|ethernet", FIELD(framing),
	  "how its packets look in packet memory (default: ethernet; of an object of spincc --api pspin: pspin)" },
	{ "advise", 0, OPTION_FLAG, NULL, FIELD(advise),
	  "compile the handler again with other registrations and options, and say which are best" },
	{ "compare", 0, OPTION_FLAG, NULL, FIELD(compare),
	  "what other hardware would do with the same packets: a row for each, measured, modelled or estimate" },
	{ "api", 0, OPTION_STRING, "spin|pspin", FIELD(api), "what a source is written for, as for spincc (default: spin)" },
	{ NULL, 'I', OPTION_WORD, "DIR", FIELD(compile), "a directory for #include, when the handler is compiled" },
	{ NULL, 'D', OPTION_WORD, "NAME[=VALUE]", FIELD(compile), "a macro, when the handler is compiled" },
	{ "lines", 0, OPTION_FLAG, NULL, FIELD(lines), "source lines with their cycles" },
	{ "top", 0, OPTION_UINT, "N", FIELD(top), "how many source lines (default: 10)" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ "html", 0, OPTION_STRING, "FILE", FIELD(html), "write a page with plots there, too" },
	{ "trace", 0, OPTION_STRING, "FILE", FIELD(trace_file),
	  "write what happens under load there, for chrome://tracing and ui.perfetto.dev" },
	{ "sweep", 0, OPTION_LIST, "NAME=VALUES", FIELD(sweep),
	  "once for each value of a target's parameter, of size (bytes from the IP header on) or of rate (Gbit/s offered): "
	  "hpus=1..8, size=64,512, rate=100..400:50; several are all combined" },
	{ "threads", 0, OPTION_UINT, "N", FIELD(threads), "that run a sweep (default: one per processor)" },
	{ "budget", 0, OPTION_STRING, "RATE", FIELD(budget),
	  "exit with 1 if the handlers do not keep up with so many Gbit/s of packet bytes" },
	{ 0 },
};

static int run(const char **operands, unsigned count)
{
	int status = cost_options__check(&options, count);

	if (!status && count > 1)
		status = cost_contexts__run(&options, operands, count);
	else if (!status)
		status = cost_run(&options, count ? operands[0] : NULL);
	options__free_list(&options.match);
	options__free_list(&options.sweep);
	options__free_list(&options.image.memory);
	options__free_list(&options.fill.sets);
	options__free_list(&options.fill.inserts);
	options__free_list(&options.fill.files);
	options__free_list(&options.compile);
	return status;
}

static const struct command_row row = {
	.name = "spinctl cost",
	.operands = "[HANDLER ...]",
	.min_operands = 0,
	.max_operands = COST_CONTEXTS_MAX,
	.summary = "Runs packets through the model of the NIC: line rate, cycles, stalls, latency",
	.options = rows,
	.about =
		"Says whether handlers keep up with 100, 200 and 400 Gbit/s and what bounds them; then cycles per handler (minimum, "
		"median, 99th percentile, maximum; with a warm and a cold instruction cache), where they go (stalls by "
		"cause, source lines, the handler's own code, the wrapper around it, commands to the NIC), the way of a packet "
		"through the NIC in stages, HPUs needed, and a closed form. Line rates are counted in packet bytes from the IP "
		"header on, and again with the 38 bytes that Ethernet adds; a rate is reached from 99.5 % of it on. What bounds them is "
		"what is busy most of the time (the link, the packet copy port, the HPUs, the HPUs' port to L2, commands to the "
		"wire, to and from the host); or, where all HPUs are taken, what they wait for: commands of which as many are under "
		"way as can be, another cluster's L1 (and whose), the banks of their own, L2. HPUs needed are told twice: by a packet's "
		"mean cycles alone and by those under load, which have that waiting in them.\n\n"
		"The packets go through the model three times, each time through a NIC that is as the options make it: one "
		"after the other (\"alone\": cycles, stalls, lines), a few of them with caches that have forgotten all "
		"(\"cold\"), and as fast as the NIC takes them (\"loaded\": throughput, waiting). For a rate there have to be "
		"some 2000 packets: made ones are made so many, a capture of datagrams is repeated.\n\n"
		"The packets are those of a capture, with its time where handlers can see it; or packets that are made: "
		"equally long, in order, and as the rule wants them. Of a TCP connection a SYN without payload comes first, so far ahead of the "
		"other segments that in between others have theirs, and a FIN with the last one.\n\n"
		"With --image any program for PsPIN runs, from reset, on all HPUs. Its packets are framed as it wants them: "
		"raw, the payload alone; ip, from the IP header on; pspin, as ip, with PsPIN's own order of the header's "
		"bytes; ethernet, all of the frame. Of a capture each packet is a message. Its segments lie in program memory, "
		"in handler memory, in a cluster's L1 (0x10000000 + cluster * 0x400000) or in every cluster's (0x1b000000), as "
		"PsPIN's linker script has them; scratchpads go behind them. All of L1 is open to its handlers, as PsPIN's memory "
		"protection leaves it, and what it prints is lost. Its tasks are told that handler memory is the MiB at 0x1c300000, where "
		"PsPIN's driver puts it; --memory fills it, once the program has booted, where no segment of the program lies.\n\n"
		"An object of spincc --api pspin needs no symbols, its init_handlers() says which its handlers are; all that is said of "
		"--image holds for it, but that packets are framed as PsPIN's, all messages share a scratchpad of 400 KiB in each "
		"cluster, and what it writes to host addresses that are not memory of the message's is lost (spin-pspin(7)).\n\n"
		"A handler that traps, does not end or gives a command for memory that is not there has no cost: the "
		"command fails and names packet and source line.\n\n"
		"HANDLER is what spincc made, FILE.spin, or a source, FILE.c, which is compiled first. --advise compiles it again "
		"and again: with its state in L1 and in L2, with all or only a part of each packet in L1 (the rest is read, and "
		"sent, from L2), then with other options for the compiler. It prints the best registration, which is the "
		"one with the highest throughput under load or else with the fewest cycles, what that saves, and all that "
		"was tried. Without packets it makes 200 datagrams, or 8 messages. An object's source is looked for in its directory and where it was compiled.\n\n"
		"Several HANDLERs, up to 8, are execution contexts of one NIC, each with its --match; no packet may match two rules. Each "
		"has its packets: those of the capture that its rule matches, or as many made ones as --datagrams or --messages say, which "
		"come in turn; --gbps is of all together. A capture is not repeated. Each context is reported as a handler alone is, but "
		"that under load all are on the NIC at once. In front stand, for each context, the flow completion time (from its first packet "
		"being offered to its last one being done with), the same with the NIC for itself, and its HPU time up to when the first "
		"flow is done; --html writes one page, which has each one's HPUs over time there and a section for each context. Jain's "
		"index over the contexts, 1 if all have the same and 1/n if one of n has all, is of that HPU time divided by weight, and of "
		"speed: flow completion time alone divided by that in company. Which task is next is the target's "
		"scheduler: round_robin over the messages that have one, as in PsPIN, or fair_hpu_time, first the context that has had the "
		"least HPU time for its weight; a task that runs is never taken back. --set, --insert and --insert-from fill all handlers, "
		"or one: 2/routes:src=10.0.0.1. Handlers are built for the same addresses: the report lists what is assumed of a NIC that "
		"contexts share, as that each has memories of its own there. Together they have to fit into the NIC's.\n\n"
		"--compare prints what other hardware would do with the same handler and packets, a row for each device: PsPIN as modelled "
		"here; the XDP program on one CPU of this machine, run with BPF_PROG_TEST_RUN, which needs root; hXDP, by its published "
		"rules for making VLIW rows of eBPF, and a run of the packets that says how often each row is executed; an NFP, by the "
		"instructions of the handler's program for the card; and BlueField-3's DPA, by the rv32 image with that card's memories, "
		"cores and threads. A row is measured if it ran here, modelled if a model ran it that was checked against published "
		"figures, and an estimate if it is computed from published properties alone. Below the table are what bounds each row, "
		"the published figures that it was checked against, ours beside them where there is one, and why a device has no "
		"figures. hXDP and XDP run all of the program, with the parsing and matching that PsPIN has in hardware. --json has the "
		"properties that the rows are computed from, each with its source.\n\n"
		"Energy is an upper bound: the target's power (power_mw: all of PsPIN at once, 6.1 W) for as long as a packet "
		"takes at full rate.",
	.examples =
		(const struct example_row[]){
			{ "spinctl cost filtering.spin --pcap trace.pcap --insert 'routes:src=10.0.0.1 port=7000' --lines",
			  "What each datagram of a capture takes, and the ten source lines that cost most." },
			{ "spinctl cost kvstore.spin --pcap trace.pcap --match 'udp dport 9000' --json",
			  "The same for a program, of the datagrams to one port." },
			{ "spinctl cost histogram.spin --messages 4 --packets 64 --values 1024 --html histogram.html",
			  "Messages made for the purpose, of 32-bit numbers that the histogram has counters for; the page has plots." },
			{ "spinctl cost filtering.spin --datagrams 500 --match 'udp src 10.0.0.1' "
			  "--insert 'routes:src=10.0.0.1 port=7000' --payload 484 --sizes none --budget 100 --trace filtering.json",
			  "For CI: fails if packets of 512 bytes do not go at 100 Gbit/s; what happened on the way is in filtering.json." },
			{ "spinctl cost filtering.spin --datagrams 200 --target pspin --sweep hpus=1,2,4,8 --sweep size=64,1024",
			  "Eight NICs and sizes with each other, on all processors; the results do not depend on how many." },
			{ "spinctl cost counter.spin --messages 8 --packets 16 --payload 484 --target pspin",
			  "An object that spincc --api pspin made of a handler file for PsPIN's runtime." },
			{ "spinctl cost filtering.spin kvstore.spin --match 'udp dport 9000' --match 'udp dport 9001' --datagrams 500 "
			  "--payload 484,64 --insert '1/routes:src=192.0.2.1 port=7000'",
			  "Two handlers on one NIC: who has how much of the HPUs, and when each is done." },
			{ "spinctl cost filtering.spin --datagrams 200 --payload 36 --match 'udp src 10.0.0.1' "
			  "--insert 'routes:src=10.0.0.1 port=7000' --compare",
			  "What other hardware would do with the same packets of 64 bytes." },
			{ "spinctl cost filtering.c --datagrams 200 --payload 484 --advise",
			  "Whether the handler is registered well, and what another registration would save." },
			{ 0 },
		},
	.notes = "Needs no root. Same input, same output.",
};

const struct subcommand cost_command = { "cost", &row, run, &options };
