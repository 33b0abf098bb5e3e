/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_COST_H
#define USER_SPINCTL_RUN_COST_H

/*
 * spinctl run --cost: runs some of the contexts' packets through the HPU model too, while traffic flows. Called by run.c. Without
 * the option nothing of it exists.
 */
#include <hwmodel/target.h>

#include "user/spinctl/run/options.h"

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

/* Packets that ran in the model. Cycles: of all handlers of a packet that had any. */
struct run_cost_sums {
	uint64_t samples, handled;
	uint64_t cycles, cycles_with_runtime, min, max;
	uint64_t faults; /* more that a task of trapped, or did not end: their cycles do not count */
	uint64_t missed; /* more that were to run, and found no room or no time */
};

struct run_cost_context {
	struct run_cost_sums all, interval;
};

/* Of an interface's program, and the handlers that it goes on to, by the kernel's count. */
struct run_cost_device {
	int is_known;
	double ns_per_packet, ns_per_packet_in_interval; /* 0: none came */
	uint64_t ns, packets;                            /* since the beginning */
};

struct run_cost_model;

struct run_cost {
	struct pspin_target *target;
	unsigned hpus; /* the target's */
	unsigned models, devices;
	struct run_cost_model *model[SPIN_CONTEXTS_MAX];
	struct run_cost_context context[SPIN_CONTEXTS_MAX];
	struct run_cost_device device[RUN_DEVICES_MAX];
	int stats_fd; /* -1: the kernel does not count */
	double refresh_s;
};

/* After the contexts are filled and before they are attached. DONE, FAILED or USAGE after a message; close in any case. */
int run_cost__open(struct run_cost *cost, const struct session *set, const struct run_cost_options *options);
void run_cost__close(struct run_cost *cost);

/* Runs what has come, and returns soon. DONE, or FAILED after a message. To be called every so often: */
#define RUN_COST_LOOK_S 0.05
int run_cost__look(struct run_cost *cost);
/* An interval ends: its sums are those that are read from now on. */
void run_cost__mark(struct run_cost *cost, const struct session *set);

/* Lines below a report's, and members of the context's and the interface's objects in JSON. */
void run_cost__text(const struct run_cost *cost, const struct session *set, const struct run_report *r);
void run_cost__context_json(struct json *j, const struct run_cost *cost, const struct session *set, unsigned i, const struct run_report *r);
void run_cost__device_json(struct json *j, const struct run_cost *cost, unsigned i, const struct run_report *r);

/* --- the model of one context --- */

/* Taps the context. DONE, or FAILED after a message. */
int run_cost_model__open(const struct run_context *c, const struct pspin_target *target, unsigned every, struct run_cost_model **out);
void run_cost_model__close(struct run_cost_model *m);
/*
 * The model's state and tables become the context's, as they are now: handlers that run in the meantime may be in the midst of
 * a change.
 */
void run_cost_model__refresh(struct run_cost_model *m);
int run_cost_model__look(struct run_cost_model *m);
/* What ran since the last mark is in out->interval, and added to out->all. */
void run_cost_model__mark(struct run_cost_model *m, struct run_cost_context *out);

/* The same number for all packets of a message, or, without SLMP, of a flow. -1: it is none of one. */
int run_cost_key(const uint8_t *frame, uint32_t bytes, int is_flow, uint32_t *key);

#endif
