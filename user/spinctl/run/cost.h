/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_COST_H
#define USER_SPINCTL_RUN_COST_H

/*
 * spinctl run --cost: also runs some of the live packets on the model of the NIC while traffic flows, to report cycles of its processors
 * (HPUs). Called by run.c and print.c. Without the option none of it is created.
 */
#include <hwmodel/target.h>

#include "user/spinctl/run/options.h"

/* The options of --cost. */
struct run_cost_options {
	int on;
	unsigned every;
	const char *target;
};

#define RUN_COST_DEFAULTS                           \
	{                                           \
		.every = 100, .target = "pspin-rtl" \
	}
/* clang-format off */
#define RUN_COST_OPTIONS(TYPE, member) \
	{ "cost", 0, OPTION_FLAG, NULL, offsetof(TYPE, member.on), \
	  "run some of the packets through the model of the NIC, too: HPU cycles beside ns per packet here" }, \
	{ "cost-every", 0, OPTION_UINT, "N", offsetof(TYPE, member.every), \
	  "with --cost: one datagram in N, by chance, or one message in N with all its packets (default: 100)" }, \
	{ "cost-target", 0, OPTION_STRING, "TARGET", offsetof(TYPE, member.target), \
	  "with --cost: the NIC modelled, one of spinctl targets or a file (default: pspin-rtl)" }
/* clang-format on */

/* Packets that ran on the model. Cycles are per packet, over all its handlers; packets without a handler do not count. */
struct run_cost_sums {
	uint64_t samples, handled;
	uint64_t cycles, cycles_with_runtime, min, max;
	uint64_t faults; /* further packets with a task that trapped or did not end; not in cycles */
	uint64_t missed; /* further packets that were chosen, but did not run for lack of space or time */
};

/* Sums of one context: since the start, and since the last print. */
struct run_cost_context {
	struct run_cost_sums all, interval;
};

/* Run time of an interface's program and the handlers that it calls, as the kernel counts it. */
struct run_cost_device {
	int is_known;
	double ns_per_packet, ns_per_packet_in_interval; /* 0: no packets */
	uint64_t ns, packets;                            /* since the program was attached */
};

struct run_cost_model;

/* The state of --cost: a model of the NIC for each context, and sums for each context and interface. */
struct run_cost {
	struct pspin_target *target;
	unsigned hpus; /* number of HPUs of the target */
	unsigned models, devices;
	struct run_cost_model *model[SPIN_CONTEXTS_MAX];
	struct run_cost_context context[SPIN_CONTEXTS_MAX];
	struct run_cost_device device[RUN_DEVICES_MAX];
	int stats_fd; /* -1: the kernel does not count */
	double refresh_s;
};

/* Called after the contexts are filled and before they are attached. DONE, FAILED or USAGE after a message. The caller always closes it. */
int run_cost__open(struct run_cost *cost, const struct session *set, const struct run_cost_options *options);
void run_cost__close(struct run_cost *cost);

/* Runs the packets that have arrived; limited in time. Returns DONE, or FAILED after a message. Must be called about this often: */
#define RUN_COST_LOOK_S 0.05
int run_cost__poll(struct run_cost *cost);
/* Ends an interval: reports then use its sums. */
void run_cost__mark(struct run_cost *cost, const struct session *set);

/* Print lines below a report, and members of the context's and the interface's objects in JSON. */
void run_cost__text(const struct run_cost *cost, const struct session *set, const struct run_report *r);
void run_cost__context_json(struct json *j, const struct run_cost *cost, const struct session *set, unsigned i, const struct run_report *r);
void run_cost__device_json(struct json *j, const struct run_cost *cost, unsigned i, const struct run_report *r);

/* --- the model of one context --- */

/* Opens a model and taps the context. Returns DONE, or FAILED after a message. */
int run_cost_model__open(const struct run_context *c, const struct pspin_target *target, unsigned every, struct run_cost_model **out);
void run_cost_model__close(struct run_cost_model *m);
/* Copies the context's state and tables to the model. The copy is not atomic: handlers may change them at the same time. */
void run_cost_model__refresh(struct run_cost_model *m);
int run_cost_model__look(struct run_cost_model *m);
/* Sets out->interval to the sums since the last mark, and adds them to out->all. */
void run_cost_model__mark(struct run_cost_model *m, struct run_cost_context *out);

/* Sets *key to a number that all packets of a message (is_flow: of a flow, without SLMP) share. Returns 0, or -1 if the frame is short. */
int run_cost_key(const uint8_t *frame, uint32_t bytes, int is_flow, uint32_t *key);

#endif
