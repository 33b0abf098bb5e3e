/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_REPLAY_HOST_H
#define USER_SPINCTL_REPLAY_HOST_H

/*
 * The host's side of a replay: host memory, matching entries, events. Called by run.c. Functions return 0 or a negative errno with
 * engine_error().
 */
#include "user/conformance/recording/recording.h"
#include "user/conformance/difference.h"

/* Lines of events, in the order in which the host was told. */
struct replay_events {
	char **line;
	size_t count, room;
};

/* A context as the recorded one was made; `segment` is where opts' handler_mem goes. */
void replay_host__options(const struct recording *recording, struct spin_message_opts *opts,
			  struct spin_segment segment[SPIN_SEGMENTS_MAX]);
/* Host memory, entries and counters as they were recorded BEFORE. */
int replay_host__start(const struct recording *recording, const struct types *types, struct engine *e);
/* What was recorded AFTER, as an image. */
int replay_host__recorded(const struct recording *recording, const struct types *types, struct host_image *out);

int replay_events__add(struct replay_events *to, const struct engine_events *from);
/* Events that only one side has; their order does not count: of several messages it is that of the HPUs. */
void replay_events__differ(struct differences *d, char *const *want, size_t want_count, const struct replay_events *got);
void replay_events__free(struct replay_events *e);

#endif
