/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_OPTIONS_H
#define USER_SPINCTL_RUN_OPTIONS_H

/*
 * spinctl run: its contexts (handlers attached to packets by a match rule), interfaces and options, shared by its files and by spinctl
 * recv.
 */
#include <spin/libspin_ring.h>
#include "user/spinctl/run/message.h"
#include "user/spinctl/spinctl.h"
#include "user/tool/fill.h"

/* Packets by reason: since attaching, and in the last interval. */
struct run_counts {
	uint64_t packets[SPIN_REASON_COUNT];
	uint64_t in_interval[SPIN_REASON_COUNT];
};

/* A context of the command, with its counts at the last print. */
struct run_context {
	struct spin_ctx *ctx;
	struct spin_object *object;
	char name[16]; /* --name, or the handler's, with "-2" and so on appended if it is taken */
	char rule[256];
	struct run_counts counts;
	/* for --delivery ring (ring.h) */
	struct spin_ring *ring; /* NULL: none; freed with its context */
	uint64_t ring_bytes;    /* payload received through it */
	unsigned ring_print;    /* number of packets still to print */
};

/* An interface of the command. */
struct run_device {
	struct spin_nic *nic;
	struct run_counts counts; /* packets that belong to no context */
};

#define RUN_DEVICES_MAX 16

/* What one command runs. Each context is attached to each device. */
struct session {
	struct run_context context[SPIN_CONTEXTS_MAX];
	struct run_device device[RUN_DEVICES_MAX];
	unsigned contexts, devices;
	int has_fallen_back; /* 1: --mode offload,native has switched to native */
};

/* What to open: the handlers, interfaces and settings that the command line names. */
struct session_options {
	const char *const *files;
	unsigned file_count;
	const struct option_list *devices, *matches, *names; /* matches and names go with the files, in order */
	const struct message_options *message;
	enum spin_mode mode;
	int uncounted;
	int falls_back;                 /* 1: if the card refuses SPIN_MODE_OFFLOAD, use native mode */
	const struct spin_share *share; /* NULL: interfaces are not shared */
	enum spin_class class;
	uint32_t capabilities; /* required ones */
	enum spin_hpus hpus;
	uint32_t hpu_count;
};

/* Opens and loads everything, but attaches nothing. Returns DONE, or FAILED or USAGE after a message. */
int session__open(struct session *set, const struct session_options *session_options);
int session__fill(struct session *set, const struct fill_options *fill);
int session__attach(struct session *set);
/* Returns 1 if native mode must be tried after a context could not be created or attached on the card. */
int session__falls_back(const struct session *set, const struct session_options *session_options);
/* Returns 1 if the context takes messages, 0 for datagrams. */
int session__takes_messages(const struct run_context *c);
/* Reads the counters of all contexts and devices. */
void session__count(struct session *set);
/* Returns DONE, or FAILED after a message if an interface was removed. */
int session__alive(struct session *set);
void session__detach(struct session *set);
void session__close(struct session *set);

/* A report, at the end of an interval or (final) of the run. */
struct run_report {
	double time_s, interval_s;
	int final;
};

struct run_cost;

/* What to print, and how. */
struct run_printer {
	int json, state;
	const struct session *set;
	const struct run_cost *cost;       /* NULL: without --cost */
	const struct run_context *speaker; /* the context whose events are being read */
};

void run_print__start(const struct run_printer *p);
void run_print__report(const struct run_printer *p, const struct run_report *r);
/* Callback for spin_ctx__events(). arg: a struct run_printer. */
void run_print__event(void *arg, const struct spin_event *event);

#endif
