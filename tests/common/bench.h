/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_BENCH_H
#define TESTS_COMMON_BENCH_H

/*
 * Runs packets through a handler on a modelled NIC, one at a time or as fast as the NIC accepts them, and returns latency, cycles and
 * throughput. Called by `make figures` and by tests/model. A HER, below, is the request to run a packet's handlers.
 */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/traffic.h>

struct bench_image {
	void *elf;
	size_t bytes;
};
/* Reads a program from $BUILD. Returns 0, or -1 after a message. */
int bench_image__read(struct bench_image *image, const char *name);

#define BENCH_SCRATCHPAD_BYTES 3072 /* per message; there can be 256 messages */

struct bench_run {
	const char *handler; /* symbol of the payload handler */
	const char *header;  /* symbol of the header handler; NULL: none */
	uint32_t packet_bytes;
	uint32_t bytes_in_l1; /* SPIN_WHOLE_PACKET, or the number of leading bytes */
	uint32_t argument;    /* if has_argument: first word of the packet, instead of an IP header */
	int has_argument;
	uint32_t first_argument; /* argument of the first packet; 0: as for the others */
	uint32_t argument_step;  /* added to the argument from one packet to the next */
	int at_once;             /* 1: all packets are offered at the start; 0: one at a time, warm */
	unsigned packets, messages;
	int takes_errors; /* 1: tasks may fail */
};

struct bench_result {
	double latency_ns;           /* from HER accepted to feedback, median */
	double body_cycles;          /* median */
	double instructions;         /* median, of a body */
	double gbps, packets_per_ns; /* of packet bytes, without start and end of the run */
	unsigned hpus;               /* most HPUs busy at once, without start and end of the run */
	double arrival_ns;           /* from offered to HER accepted, median */
	double leave_ns;             /* from feedback to the last byte out, median over packets that send something */
	double latency_mean_ns, span_ns;
	struct pspin_traffic traffic;
	uint32_t error; /* of the first task that failed; takes_errors lets the run continue */
};

/* Returns 0, or -1 with a reason. */
int bench__run(const struct bench_image *image, const struct pspin_target *target, const struct bench_run *run, struct bench_result *out,
	       char *err, size_t err_bytes);

/* The records of a run. */
struct bench_recorder {
	uint64_t *feedback_ps, *latency_ps, *body_cycles, *started_ps, *doorbell_ps, *arrival_ps, *leave_ps, *instructions;
	size_t packets, tasks, room, left;
	uint64_t bytes;
	uint64_t skip;  /* warm-up packets that are not counted */
	uint32_t error; /* of a failed task */
	uint64_t lost;
};
int bench_recorder__open(struct bench_recorder *heard, size_t packets); /* returns 0 or -1 */
void bench_recorder__close(struct bench_recorder *heard);
void bench_recorder__observe(struct bench_recorder *heard, struct pspin *nic);
void bench_recorder__finalize(struct bench_recorder *heard, const struct pspin *nic, struct bench_result *out);

#endif
