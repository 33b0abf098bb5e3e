/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_FIGURES_WORKLOAD_H
#define TESTS_FIGURES_WORKLOAD_H

/*
 * Workloads: the handlers of PsPIN 4.3, with the packets, tables and states of the paper's figures, to be run on the NIC model. Used by the
 * figures (`make figures`) and by `make rtl-kit`. The same workload gives the same packets.
 */
#include "tests/common/bench.h"

struct workload {
	const char *handler;    /* name of the handler and of its object */
	int takes_messages;     /* SLMP; otherwise datagrams to port 9000 */
	int takes_segments;     /* of TCP: each packet begins a connection to port 9000, from a /24 of its own, with payload */
	unsigned message_bytes; /* of payload; 0: one packet each */
	unsigned values;        /* payload is 32-bit numbers below this; 0: any */
	unsigned sources;       /* number of source addresses of datagrams, in turn; 0: one */
	unsigned bytes_min;     /* minimum packet length */
	const char *sets[4];    /* for its state; %u is the number of messages */
	const char *insert;     /* for its table, once per source; %s is the address */
	double paper_gbps;      /* throughput of PsPIN 4.3.2, for packets of 512 bytes or more */
	int is_more;            /* 1: the paper says more than this */
	double goal_gbps;       /* goal for 512-byte packets on pspin-rtl; 0: none */
	const char *reason;     /* why our value differs */
	int has_amo_per_word;   /* 1: one AMO per word of payload */
	int is_kv;              /* 1: requests to a key-value store that holds the popular keys */
	unsigned burst;         /* packets of a burst for `make rtl-check`; 0: 256. Among 256 its cycles would differ by their order */
};

extern const struct workload workloads[];
extern const unsigned workload_count;

/* Runs a workload. at_once: as in struct bench_run. packet_bytes: from the IP header on. Returns 0, or -1 with a reason. */
int workload__run(const struct workload *w, const struct pspin_target *target, unsigned packet_bytes, unsigned packets, int at_once,
		  struct bench_result *out, char *err, size_t err_bytes);

/* Fills in the state and tables for this number of messages. Returns 0 on success. */
struct spin_object;
int workload__fill(struct pspin *nic, const struct spin_object *object, const struct workload *w, unsigned messages);

/* The state of generating a workload's frames in order; see workload_packets.c. */
struct workload_packets {
	const struct workload *workload;
	unsigned packet_bytes, next;
	uint32_t random;
	uint8_t frame[PSPIN_FRAME_BYTES_MAX];
	unsigned frame_bytes;
};
unsigned workload__payload_bytes(const struct workload *w, unsigned packet_bytes);
/* Returns the number of messages that `packets` packets form. */
unsigned workload__messages(const struct workload *w, unsigned packet_bytes, unsigned packets);
void workload_packets__make(struct workload_packets *p, unsigned last);
/* The number of keys of workloads with is_kv. */
#define WORKLOAD_KEYS 1000
uint32_t workload__zipf(uint32_t *random);

#endif
