/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_COST_H
#define SPINCTL_COST_H

#include <hwmodel/pspin.h>

#include "spinctl.h"

/* Whose instructions they are, told by source and by the functions around them. */
enum cost_part { COST_USER, COST_WRAPPER, COST_COMMANDS, COST_RUNTIME, COST_PARTS };

struct cost_spread { uint64_t min, median, p99, max; double mean; };

/* A kind of task, over all packets that had one. */
struct cost_task {
	const char *name;   /* "payload" */
	uint64_t runs;
	struct cost_spread cycles;       /* B: the body */
	double instructions_mean, ipc;
	uint64_t errors;
	uint64_t nic_sends, host_dmas, host_reads, host_writes; /* host_dmas both ways, of them host_reads from the host */
};

struct cost_line {
	const char *file;
	unsigned line;
	enum cost_part part;
	uint64_t instructions, cycles;
	char *text;         /* NULL: the file cannot be read */
};

/* Messages to be made, instead of a trace. */
struct cost_messages {
	unsigned messages, packets, payload_bytes;
	unsigned values; /* payload is 32-bit numbers below it; 0: any */
};
#define COST_PACKETS 16
#define COST_PAYLOAD 1456 /* what fits into an MTU of 1500, a multiple of 8, as our sender has it */
/* Of a packet: what fits behind IPv6, UDP and SLMP headers. */
#define COST_PAYLOAD_MAX (SPIN_IP_BYTES_MAX - 58)

struct cost_rate { double gbps; double hpus, hpus_with_ethernet; };
#define COST_RATES 3

/* What is reported; text and JSON are printed from this. */
struct cost_report {
	const char *handler, *target, *isa;
	const char *trace;                /* NULL: messages were made */
	int takes_messages;               /* the handlers; 0: datagrams */
	struct cost_messages made;
	char compiler[512], rule[256];
	double clock_ghz;
	unsigned runtime_cycles;          /* per task, beyond the body */
	uint64_t frames;                  /* in the trace */
	uint64_t cut_short;               /* left out: the capture has only a part */
	uint64_t handled;                 /* frames that tasks ran for */
	double packet_bytes_mean;         /* of those handled, from the IP header on */
	uint64_t packets[SPIN_REASON_COUNT];
	struct cost_task tasks[PSPIN_TASK_KINDS];
	struct cost_spread packet_cycles; /* bodies of all tasks of a packet */
	double packet_instructions_mean, ipc;
	double cycles_with_runtime_mean;  /* sum over tasks of B + runtime_cycles */
	double cause_cycles_mean[RV32_CAUSE_COUNT];
	double part_cycles_mean[COST_PARTS], part_instructions_mean[COST_PARTS];
	struct cost_rate rates[COST_RATES];
	struct cost_line *lines;          /* most cycles first */
	unsigned line_count;
	const char *const *assumptions;
};

const char *cost_part_name(enum cost_part part);
const char *cost_part_text(enum cost_part part);

void cost_text__print(const struct cost_report *r);
void cost_json__print(const struct cost_report *r);

/* Runs packets, and keeps what they took. Functions return DONE, or FAILED after a message. */
struct cost_totals;
struct cost_totals *cost_totals__new(void); /* NULL: no memory */
void cost_totals__free(struct cost_totals *t);
/* The frame counted last in r->frames. */
int cost_totals__frame(struct cost_totals *t, struct pspin *nic, const uint8_t *frame, unsigned bytes,
		       struct cost_report *r);
/* The time of messages; of others there is none. */
int cost_totals__clock(struct cost_totals *t, struct pspin *nic, uint32_t now_ms, struct cost_report *r);
void cost_totals__conclude(struct cost_totals *t, struct cost_report *r);

/* A trace through the model; messages made by the rule. DONE or FAILED after a message. */
int cost_trace__run(struct pspin *nic, const char *path, struct cost_totals *t, struct cost_report *r);
int cost_messages__run(struct pspin *nic, const struct cost_messages *messages, const struct spin_rule *rule,
		       struct cost_totals *t, struct cost_report *r);

/* Sorts the profile into parts and lines by the image's DWARF. DONE or FAILED after a message. */
int cost_profile__sort(const void *image, size_t bytes, const struct rv32_profile *profile,
		       unsigned top, struct cost_report *r);

/* State and tables in the model's memory; written back by flush. */
struct model_memory;
struct model_memory *model_memory__new(struct pspin *nic, const struct spin_object *object);
int model_memory__flush(struct model_memory *m); /* DONE or FAILED after a message */
void model_memory__free(struct model_memory *m);
struct fill_target model_memory__target(struct model_memory *m);

/* The compiler and its options, from the image's DWARF; "unknown". */
void cost_compiler(const void *image, size_t bytes, char *out, size_t out_bytes);

#endif
