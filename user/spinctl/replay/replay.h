/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_REPLAY_REPLAY_H
#define USER_SPINCTL_REPLAY_REPLAY_H

/* spinctl replay: the report of a recording that ran on several engines. Filled by run.c, printed by print.c. */
#include "user/conformance/recording/recording.h"
#include "user/conformance/comparison.h"
#include "user/spinctl/spinctl.h"

/* A recording on one engine. */
struct replay_engine {
	int ran;
	uint64_t packets[SPIN_REASON_COUNT];
	struct differences from_recording; /* counters, memory at the end, events of messages */
	struct differences from_first;     /* memory at the end, from the first engine's */
};

/* The first packet with different results on two engines. */
struct replay_split {
	int there;
	uint64_t packet;       /* from 1 */
	double time_s;         /* since the first */
	enum engine_kind kind; /* that is not like the first one */
	struct differences differences;
};

struct replay_report {
	const char *path;
	const struct recording_info *info;
	struct comparison_engines *engines;
	enum engine_kind first; /* the engine the others are compared with */
	struct replay_engine engine[ENGINE_KINDS];
	struct replay_split split;
	int disagree, differ; /* engines with each other; with the recording */
	int messages;         /* it is a recording of messages */
	size_t events;        /* of these: recorded, and those that found no room */
	uint64_t events_lost;
	int other_handler; /* the handler is not the recorded one */
};

/* 1 if the object does what the recorded one does: its code and data are the same. */
int replay__is_recorded(const struct recording *recording, const char *object);

void replay_print__text(const struct replay_report *r);
void replay_print__json(const struct replay_report *r);

/*
 * Feeds a recording to the engines wanted. 0 with the report, or a negative errno with
 * engine_error(). The handler must have the recording's memory: same variables, same sizes.
 */
int replay_run(struct recording *recording, const struct engine_handler *handler, const struct types *types, struct replay_report *r);
void replay_report_free(struct replay_report *r);

#endif
