/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_BENCH_H
#define TESTS_COMMON_BENCH_H

/* Packets through a handler on a NIC, one after the other or as fast as it takes them. */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/traffic.h>

struct bench_image {
	void *elf;
	size_t bytes;
};
/* A program from $BUILD; 0 or -1 after a message. */
int bench_image__read(struct bench_image *image, const char *name);

#define BENCH_SCRATCHPAD_BYTES 3072 /* of each of the 256 messages there can be */

struct bench_run {
	const char *handler; /* the payload handler's symbol */
	const char *header;  /* a header handler's; NULL: none */
	uint32_t packet_bytes;
	uint32_t bytes_in_l1; /* SPIN_WHOLE_PACKET, or so many of its first */
	uint32_t argument;    /* in the packet's first word, instead of an IP header, if has_argument */
	int has_argument;
	uint32_t first_argument; /* of the first packet; 0: as the others */
	int at_once;             /* 1: all are offered at the beginning; 0: one after the other, warm */
	unsigned packets, messages;
	int takes_errors; /* 1: tasks may fail */
};

struct bench_result {
	double latency_ns;           /* HER accepted to feedback, median */
	double body_cycles;          /* median */
	double instructions;         /* of a body, median */
	double gbps, packets_per_ns; /* of packet bytes, in the midst of the run */
	unsigned hpus;               /* at work at once, at most, in the midst of the run */
	double arrival_ns;           /* offered to its HER being accepted, median */
	double leave_ns;             /* feedback to the last byte out, median of those of which something leaves
			  */
	double latency_mean_ns, span_ns;
	struct pspin_traffic traffic;
	uint32_t error; /* of the first task that failed; a run is told to go on by takes_errors */
};

/* 0, or -1 with a reason. */
int bench__run(const struct bench_image *image, const struct pspin_target *target, const struct bench_run *run, struct bench_result *out,
	       char *err, size_t err_bytes);

/* What is heard of a run. */
struct bench_heard {
	uint64_t *feedback_ps, *latency_ps, *body_cycles, *started_ps, *doorbell_ps, *arrival_ps, *leave_ps, *instructions;
	size_t packets, tasks, room, left;
	uint64_t bytes;
	uint64_t skip;  /* packets that are not counted: they warm up */
	uint32_t error; /* of a task */
	uint64_t lost;
};
int bench_heard__open(struct bench_heard *heard, size_t packets); /* 0 or -1 */
void bench_heard__close(struct bench_heard *heard);
void bench_heard__observe(struct bench_heard *heard, struct pspin *nic);
void bench_heard__finalize(struct bench_heard *heard, const struct pspin *nic, struct bench_result *out);

#endif
