/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_REPORT_H
#define USER_COST_REPORT_H

/*
 * The data of a `spinctl cost` report: cycles, latency and throughput of a handler's packets on a modelled NIC. Measured by collect.c and
 * rates.c; text, JSON and the HTML page are printed from struct cost_report.
 */
#include <hwmodel/traffic.h>
#include <hwmodel/xpulp.h>

#include <spin/libspin.h>

#include "user/lib/json.h"
#include "user/lib/options.h"

/* The owner of an instruction, determined by its source file and the functions that enclose it. */
enum cost_part { COST_USER, COST_WRAPPER, COST_COMMANDS, COST_RUNTIME, COST_PARTS };

const char *cost_part_name(enum cost_part part);
const char *cost_part_text(enum cost_part part);

/* The stages of a packet's latency, in order; their sum is its latency. X(NAME, "name", "text") */
/* clang-format off */
#define COST_STAGES_(X) \
	X(ARRIVE,   "arrive",   "from its first bit to all of it in L2 packet memory") \
	X(HER,      "her",      "its handler execution request (HER) is taken") \
	X(QUEUE,    "queue",    "in its message's queue: for handlers before it, and its turn") \
	X(DISPATCH, "dispatch", "for a cluster with room") \
	X(COPY,     "copy",     "from L2 to L1") \
	X(WAIT,     "wait",     "copied, for an HPU") \
	X(RUNTIME,  "runtime",  "the HPU's loop around handlers") \
	X(HANDLER,  "handler",  "handlers' bodies") \
	X(FEEDBACK, "feedback", "after the handler: its commands, and the way back to the NIC") \
	X(OUT,      "out",      "what leaves of it, after that")
/* clang-format on */
enum cost_stage {
#define COST_STAGE_ENUM_(name, word, text) COST_STAGE_##name,
	COST_STAGES_(COST_STAGE_ENUM_)
#undef COST_STAGE_ENUM_
		COST_STAGES
};
const char *cost_stage_name(enum cost_stage stage);
const char *cost_stage_text(enum cost_stage stage);

const char *cost_task_name(enum pspin_task_kind kind); /* "payload" */

/* A distribution of cycles or times. */
struct cost_distribution {
	uint64_t min, median, p99, max;
	double mean;
};

/* A kind of task, over all packets that had one. */
struct cost_task {
	const char *name;                /* "payload" */
	uint64_t runs, cold_runs;        /* cold: the instruction cache missed */
	struct cost_distribution cycles; /* B: the body; all runs */
	struct cost_distribution warm;   /* runs that were not cold; all runs if all were cold */
	double instructions_mean, ipc;
	uint64_t errors;
	uint64_t nic_sends, host_dmas, host_reads, host_writes; /* host_dmas: both directions; host_reads: those from the host */
};

/* The result of one pass: alone, cold or under load. Means are per packet that handlers ran for. */
struct cost_view {
	uint64_t packets, handled, lost; /* offered; processed by tasks; dropped because there was no room */
	double packet_bytes_mean;        /* of handled packets, from the IP header on */
	uint64_t reasons[SPIN_REASON_COUNT];
	struct cost_task tasks[PSPIN_TASK_KINDS];
	struct cost_distribution packet_cycles; /* bodies of all tasks of a packet */
	double packet_instructions_mean, ipc;
	double cycles_with_runtime_mean; /* sum over tasks of B + runtime_cycles */
	double warm_with_runtime_mean;   /* of packets without a cold task; of all packets if each had one */
	double cause_cycles_mean[RV32_CAUSE_COUNT];
	struct cost_distribution latency_ps;     /* from the first bit to the last byte sent or the last feedback, whichever is later */
	double stage_ps_mean[COST_STAGES];       /* sum is latency_ps.mean */
	uint64_t slowest_packet, slowest_cycles; /* packet number, from 0; chosen among packets without a cold task, if there are any */
	uint32_t slowest_bytes;
	struct pspin_traffic traffic;
};

/* Resources that may bound the throughput. */
enum cost_resource {
	COST_LINK,
	COST_COPY_PORT,
	COST_HPUS,
	COST_L1_BANKS,
	COST_L1_PORT,
	COST_L2_PORT,
	COST_SEND,
	COST_TO_HOST,
	COST_FROM_HOST,
	COST_HOST_DIRECT,
	COST_RESOURCES,
	COST_SHARED /* not a resource: the NIC also has other contexts */
};
const char *cost_resource_name(enum cost_resource resource);

/* Throughput under load, and what limits it. */
struct cost_throughput {
	uint64_t packets; /* offered at once */
	int is_steady;    /* 1: the rate excludes start and end; 0: too few packets, the rate is over all of them */
	double packets_per_us, gbps, gbps_with_ethernet;
	double busy[COST_RESOURCES + 1]; /* fraction of the time; 1: saturated; the last one is 0 */
	enum cost_resource
		bound;          /* the bottleneck; COST_RESOURCES: nothing is busy, latency bounds the rate; COST_SHARED: not determined */
	int waits_for_commands; /* 1: the maximum number of commands of `bound` is in flight, and HPUs wait for them */
	int waits_for_memory;   /* 1: all HPUs are occupied and often wait for `bound` */
	double memory_wait;     /* if waits_for_memory: fraction of the HPUs' time */
	unsigned l1_cluster;    /* the cluster of COST_L1_PORT */
	double hpus_blocked;    /* fraction of the HPUs' time that they wait for commands and feedback */
	double energy_nj;       /* per packet, upper bound */
};

/* Formats the bottleneck: "link, 100 % busy". */
#define COST_BOUND_TEXT 128
const char *cost_bound_text(const struct cost_throughput *t, char text[COST_BOUND_TEXT]);
/* Same without figures: "link", "L1 of cluster 0, port". */
const char *cost_bound_name(const struct cost_throughput *t, char text[COST_BOUND_TEXT]);

/* A rate counts as met if this fraction of it is reached: packets take whole cycles, links do not. */
#define COST_MET 0.995

/* A line rate: how many HPUs it needs, and whether it is reached. */
struct cost_rate {
	double gbps;
	double hpus, hpus_with_ethernet;               /* needed, with the warm cycles of `alone` */
	double hpus_loaded, hpus_loaded_with_ethernet; /* with the cycles of `loaded`, which include contention */
	double reached, reached_with_ethernet;         /* throughput divided by the requested rate */
	int is_met, is_met_with_ethernet;
};
#define COST_RATES 3

/* Packets of one size, or an unchanged trace. */
struct cost_point {
	unsigned size;           /* requested, from the IP header on; 0: unchanged */
	struct cost_view alone;  /* one packet at a time on an idle NIC */
	struct cost_view cold;   /* same with flushed caches */
	struct cost_view loaded; /* as fast as the NIC takes them */
	struct cost_throughput throughput;
	struct cost_rate rates[COST_RATES];
};
#define COST_SIZES_MAX    16
#define COST_CONTEXTS_MAX 8 /* of one NIC */

/* cycles = a + b * bytes, fitted over the points' medians; bytes from the IP header on. */
struct cost_fit {
	int is_known;
	double a, b, worst_residual;
	unsigned points;
};

/* The cost of a source line. */
struct cost_line {
	const char *file;
	unsigned line;
	enum cost_part part;
	uint64_t instructions, cycles;
	char *text; /* NULL: the file cannot be read */
};
/* The costliest source lines, and the cost of each part. */
struct cost_lines {
	struct cost_line *lines; /* most cycles first */
	unsigned count;          /* number of lines shown */
	double part_cycles[COST_PARTS], part_instructions[COST_PARTS];
};

/* Busy HPUs over time, under load. */
#define COST_SLOTS 120
/* HPU time in use, in slots of slot_ps. */
struct cost_occupancy {
	uint64_t slot_ps, busy_ps[COST_SLOTS];
	unsigned slots;
};

/* Packets to generate, instead of a trace. */
struct cost_generated {
	unsigned messages, packets, payload_bytes; /* messages: datagrams have 1 packet each; of connections packets with payload */
	unsigned values;                           /* payload is 32-bit numbers below this; 0: any */
};
#define COST_PACKETS 16
#define COST_PAYLOAD 1456 /* fits in an MTU of 1500; a multiple of 8, as the sender of messages uses */
/* The largest payload that fits after IPv6, UDP and SLMP headers. */
#define COST_PAYLOAD_MAX (SPIN_IP_BYTES_MAX - 58)

/* Cycles that a compiler with PULP's instructions would save (hwmodel/xpulp.h): total of all innermost loops, and the hottest loops. */
#define COST_LOOPS_MAX 8
/* What Xpulp would save (xpulp.c). */
struct cost_xpulp {
	uint64_t cycles, cycles_xpulp;
	unsigned count;
	struct {
		char place[192];
		struct xpulp_loop loop;
	} loops[COST_LOOPS_MAX];
};

/* The report on one handler. */
struct cost_report {
	const char *handler, *target, *isa;
	const char *trace;  /* NULL: packets were generated */
	int takes_messages; /* 1: the handlers take messages; 0: datagrams, or segments */
	int takes_segments; /* 1: the handlers take segments of TCP connections */
	int is_image;       /* 1: a program that spincc did not make, or made with --api pspin */
	struct cost_generated made;
	char compiler[512], rule[256];
	double clock_ghz;
	uint64_t cycle_ps;
	unsigned hpus, runtime_cycles; /* runtime: per task, in addition to the body */
	uint64_t power_mw;
	double offered_gbps; /* under load; 0: as fast as the NIC takes them */
	uint64_t frames;     /* in the trace */
	uint64_t cut_short;  /* skipped: the capture has only part of the frame */
	struct cost_point main;
	struct cost_point points[COST_SIZES_MAX];
	unsigned point_count;
	struct cost_fit fits[PSPIN_TASK_KINDS];
	struct cost_xpulp xpulp;
	struct cost_lines lines, worst; /* of all packets; of the slowest packet */
	struct cost_occupancy occupancy;
	double budget_gbps; /* 0: none */
	int shows_lines;    /* 1: the text report shows all lines */
	unsigned contexts;  /* of the NIC under load; 0: only this one */
	unsigned context;   /* number of this context, from 1; 0: only this one */
	const char *const *assumptions;
};

/* "messages", "connections" or "datagrams": what the handlers take. */
const char *cost_packets__name(const struct cost_report *r);
/* Describes generated packets: "200 datagrams made, with 64 bytes of payload". */
void cost_packets__describe(const struct cost_report *r, char *text, size_t bytes);
/* Returns 1 if the packets may be run again as new ones: messages and connections of a trace are complete after one pass. */
int cost_packets__may_repeat(const struct cost_report *r);

void cost_text__print(const struct cost_report *r);
void cost_json__print(const struct cost_report *r);
/* Prints the members of the JSON document's object. */
void cost_json__report(struct json *j, const struct cost_report *r);

/* --- several contexts on one NIC --- */

/* A flow is all packets of a context. */
struct cost_flow {
	const struct cost_report *report; /* loaded: of the shared NIC */
	unsigned weight;
	uint64_t done_ps;  /* flow completion time: from the first packet offered to the last packet complete */
	uint64_t alone_ps; /* same, alone on the NIC */
	uint64_t hpu_ps;   /* HPU time until the first flow completed */
};

/* The report on several handlers that share a NIC. */
struct cost_sharing {
	struct cost_flow flows[COST_CONTEXTS_MAX];
	unsigned count;
	const char *target, *scheduler;
	uint64_t until_ps;    /* when the first flow completed */
	unsigned first;       /* number of that flow */
	double jain_hpu_time; /* Jain's index of HPU time divided by weight, until then */
	double jain_speed;    /* Jain's index of alone_ps / done_ps */
	double hpus_busy;     /* fraction of all HPUs' time until then */
	const char *const *assumptions;
};

/*
 * share: flow i's fraction of the HPU time until the first flow completed. slowdown: the completion time divided by the completion
 * time alone on the NIC.
 */
double cost_sharing__share(const struct cost_sharing *sharing, unsigned i);
double cost_sharing__slowdown(const struct cost_flow *flow);

void cost_sharing__text(const struct cost_sharing *sharing);
void cost_sharing__json(const struct cost_sharing *sharing);
/* Writes the page. Returns DONE, or FAILED after a message. */
int cost_sharing__html(const struct cost_sharing *sharing, const char *path);

#endif
