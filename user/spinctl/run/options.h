/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_RUN_H
#define USER_SPINCTL_RUN_RUN_H

/* spinctl run: its options, and the state that its files share. */
#include <spin/libspin_ring.h>
#include "user/spinctl/run/message.h"
#include "user/spinctl/spinctl.h"
#include "user/tool/fill.h"

/* Packets by reason: since attaching, and in the last interval. */
struct run_counts {
	uint64_t packets[SPIN_REASON_COUNT];
	uint64_t in_interval[SPIN_REASON_COUNT];
};

struct run_context {
	struct spin_ctx *ctx;
	struct spin_object *object;
	char name[16]; /* the handler's; "-2" and so on behind it where that is taken */
	char rule[256];
	struct run_counts counts;
	/* of --delivery ring (ring.h) */
	struct spin_ring *ring; /* NULL: none; it ends with its context */
	uint64_t ring_bytes;    /* of payload that came by it */
	unsigned ring_print;    /* packets that are still to be printed */
};

struct run_device {
	struct spin_nic *nic;
	struct run_counts counts; /* of packets that went to no context */
};

#define RUN_DEVICES_MAX 16

/* What one command runs: each context is on each of the devices. */
struct session {
	struct run_context context[SPIN_CONTEXTS_MAX];
	struct run_device device[RUN_DEVICES_MAX];
	unsigned contexts, devices;
	int has_fallen_back; /* 1: of --mode offload,native the latter is used */
};

struct session_options {
	const char *const *files;
	unsigned file_count;
	const struct option_list *devices, *matches, *names; /* matches and names go with the files, in order */
	const struct message_options *message;
	enum spin_mode mode;
	int uncounted;
	int falls_back;                 /* 1: with SPIN_MODE_OFFLOAD, to native mode where the card refuses */
	const struct spin_share *share; /* NULL: interfaces are not shared */
	enum spin_class class;
	uint32_t capabilities; /* that are needed */
	enum spin_hpus hpus;
	uint32_t hpu_count;
};

/* Opens and loads all of it, nothing attached yet. DONE, FAILED or USAGE after a message. */
int session__open(struct session *set, const struct session_options *session_options);
int session__fill(struct session *set, const struct fill_options *fill);
int session__attach(struct session *set);
/* 1: a context that could not be attached is for the card, and native mode is to be tried. */
int session__falls_back(const struct session *set, const struct session_options *session_options);
/* 1: messages; 0: datagrams. */
int session__takes_messages(const struct run_context *c);
/* Takes new counts of everything. */
void session__count(struct session *set);
/* DONE, or FAILED after a message: an interface went away. */
int session__alive(struct session *set);
void session__detach(struct session *set);
void session__close(struct session *set);

/* What is reported at the end of an interval; text and JSON come from this. */
struct run_report {
	double time_s, interval_s;
	int final;
};

struct run_cost;

struct run_printer {
	int json, state;
	const struct session *set;
	const struct run_cost *cost;       /* NULL: not asked for */
	const struct run_context *speaker; /* whose events are being read */
};

void run_print__start(const struct run_printer *p);
void run_print__report(const struct run_printer *p, const struct run_report *r);
/* For spin_ctx__events(): arg is a struct run_printer. */
void run_print__event(void *arg, const struct spin_event *event);

#endif
