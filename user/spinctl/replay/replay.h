/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_REPLAY_REPLAY_H
#define USER_SPINCTL_REPLAY_REPLAY_H

/*
 * The report of spinctl replay: recorded traffic that was run on several engines (ways to execute a handler: host, kernel, model), and
 * where they differ. Filled by run.c, printed by print.c.
 */
#include "user/conformance/recording/recording.h"
#include "user/conformance/comparison.h"
#include "user/spinctl/spinctl.h"

/* A recording on one engine. */
struct replay_engine {
	int ran;
	uint64_t packets[SPIN_REASON_COUNT];
	struct differences from_recording; /* counters, memory at the end and events of messages */
	struct differences from_first;     /* memory at the end, compared with the first engine */
};

/* The first packet with different results on two engines. */
struct replay_split {
	int there;             /* 1: there is one */
	uint64_t packet;       /* its number, from 1 */
	double time_s;         /* since the first packet */
	enum engine_kind kind; /* the engine that differs from the first one */
	struct differences differences;
};

/* The report on one recording. */
struct replay_report {
	const char *path;
	const struct recording_info *info;
	struct comparison_engines *engines;
	enum engine_kind first; /* the engine the others are compared with */
	struct replay_engine engine[ENGINE_KINDS];
	struct replay_split split;
	int disagree, differ; /* 1: engines differ from each other; from the recording */
	int messages;         /* 1: a recording of messages */
	size_t events;        /* events of messages: recorded, and lost because the queue was full */
	uint64_t events_lost;
	int other_handler; /* 1: the handler is not the recorded one */
};

/* Returns 1 if the object's code and data are the same as those of the recorded object. */
int replay__is_recorded(const struct recording *recording, const char *object);

void replay_print__text(const struct replay_report *r);
void replay_print__json(const struct replay_report *r);

/*
 * Runs a recording on the requested engines and fills in the report. Returns 0, or -errno with a reason in engine_error(). The
 * handler must have the same variables, with the same sizes, as the recorded one.
 */
int replay_run(struct recording *recording, const struct engine_handler *handler, const struct types *types, struct replay_report *r);
void replay_report_free(struct replay_report *r);

#endif
