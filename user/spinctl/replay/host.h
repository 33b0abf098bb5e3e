/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_REPLAY_HOST_H
#define USER_SPINCTL_REPLAY_HOST_H

/*
 * The host's side of spinctl replay (recorded traffic that runs again): host memory, matching entries (memory posted for messages), events.
 * Called by run.c. Functions return 0, or -errno with a reason in engine_error().
 */
#include "user/conformance/recording/recording.h"
#include "user/conformance/difference.h"

/* Events as lines of text, in the order in which the host received them. */
struct replay_events {
	char **line;
	size_t count, room;
};

/* Sets the options of the recorded context. `segment`: memory for opts->handler_mem. */
void replay_host__options(const struct recording *recording, struct spin_message_opts *opts,
			  struct spin_segment segment[SPIN_SEGMENTS_MAX]);
/* Sets host memory, entries and counters of an engine as recorded BEFORE. */
int replay_host__start(const struct recording *recording, const struct types *types, struct engine *e);
/* Makes an image of what was recorded AFTER. The caller frees it. */
int replay_host__recorded(const struct recording *recording, const struct types *types, struct host_image *out);

int replay_events__add(struct replay_events *to, const struct engine_events *from);
/* Adds events that only one side has. Their order is ignored, because for several messages it depends on the HPUs. */
void replay_events__differ(struct differences *d, char *const *want, size_t want_count, const struct replay_events *got);
void replay_events__free(struct replay_events *e);

#endif
