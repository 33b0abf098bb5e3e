/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_FIGURES_WORKLOAD_H
#define TESTS_FIGURES_WORKLOAD_H

/* The handlers of PsPIN 4.3 with the packets and tables that it gives them. */
#include "tests/common/bench.h"

struct workload {
	const char *handler;    /* its name and the object's */
	int takes_messages;     /* SLMP; else datagrams to port 9000 */
	unsigned message_bytes; /* of payload; 0: a packet each */
	unsigned values;        /* payload is 32-bit numbers below it; 0: any */
	unsigned sources;       /* addresses that datagrams come from in turn; 0: one */
	unsigned bytes_min;     /* a packet is not shorter */
	const char *sets[4];    /* of its state; %u is the number of messages */
	const char *insert;     /* of its table, for each source; %s is the address */
	double paper_gbps;      /* PsPIN 4.3.2, from 512 bytes on: this, or more than this */
	int is_more;            /* 1: more */
	double goal_gbps;       /* what packets of 512 bytes are to reach on pspin-rtl */
	const char *why;        /* ours is another */
	int has_amo_per_word;   /* of the payload */
	int is_kv;              /* requests to a key-value store, in which the popular keys are */
};

extern const struct workload workloads[];
extern const unsigned workload_count;

/* 0, or -1 with a reason. at_once as in struct bench_run. packet_bytes: from the IP header on. */
int workload__run(const struct workload *w, const struct pspin_target *target, unsigned packet_bytes, unsigned packets, int at_once,
		  struct bench_result *out, char *err, size_t err_bytes);

/* The state and tables that it wants, as for so many messages. 0 or not. */
struct spin_object;
int workload__fill(struct pspin *nic, const struct spin_object *object, const struct workload *w, unsigned messages);

/* Frames, in order; in workload_packets.c. */
struct workload_packets {
	const struct workload *workload;
	unsigned packet_bytes, next;
	uint32_t random;
	uint8_t frame[PSPIN_FRAME_BYTES_MAX];
	unsigned frame_bytes;
};
unsigned workload__payload_bytes(const struct workload *w, unsigned packet_bytes);
/* Messages that so many packets are. */
unsigned workload__messages(const struct workload *w, unsigned packet_bytes, unsigned packets);
void workload_packets__make(struct workload_packets *p, unsigned last);
/* The most popular keys of workloads with is_kv. */
#define WORKLOAD_KEYS 1000
uint32_t workload__zipf(uint32_t *random);

#endif
