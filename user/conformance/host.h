/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_HOST_H
#define USER_CONFORMANCE_HOST_H

/*
 * The state of the engine that runs the host build of handlers: symbols of the shared object, and what handlers of messages need in
 * addition. Shared by host.c and host_message.c.
 */
#include "user/conformance/engine.h"

/* The engine's state. */
struct host {
	void *lib;
	int fd; /* stays open as long as the library: glibc also identifies libraries by name */
	int (*packet)(uint8_t *frame, uint32_t *frame_bytes, uint32_t *verdict);
	const struct spin_counters *counters;
	struct spin_config *config;
	struct spin_virtual *of_handlers; /* virtual time and random draw of the handlers */
	uint32_t *event_count;
	const struct spin_event *event;

	uint32_t *request_count;
	const struct spin_request *request; /* packets and puts that handlers sent */

	uint8_t *memory;
	uint64_t *wide; /* words of wide windows; NULL: no wide windows */
	struct spin_me_memory *me_memory;
	struct spin_segment first_segment[SPIN_SEGMENTS_MAX]; /* segments of the first entry; 0: libspin's default */
	unsigned first_segments;

	/* for messages; mes is NULL if the handlers take none */
	struct spin_me *mes;
	uint32_t serial;
	int no_entry;
	const struct spin_message_stats *(*stats)(void);
	void (*progress)(void);
	void (*set_clock)(uint32_t now_ms);
	void (*forget)(void);
	int (*me_held)(uint32_t me);
};

/* Returns the address of a symbol, or NULL with *missing set to a negative errno if the library does not export it. */
void *host__symbol(const struct host *h, const char *name, int *missing);

/* Called after the library is loaded. */
int host_message__open(struct host *h, const struct spin_message_opts *opts);
/* Returns the events since event_count was set to 0. */
void host_message__events(const struct host *h, struct engine_events *out);

/* Must be called after h->mes is set. */
int host_memory__open(struct host *h, const struct spin_message_opts *opts);
/* Resets counters and segments to those of a new context. */
int host_memory__start(struct host *h);
/* Clears the counter of an entry and sets its segments. */
int host_memory__segments(struct host *h, unsigned me, const struct spin_segment *segment, unsigned segments);
int host_memory__read(struct engine *e, size_t offset, void *to, size_t bytes);
int host_memory__write(struct engine *e, size_t offset, const void *from, size_t bytes);
int host_memory__ct(struct engine *e, unsigned me, struct spin_ct *out);
int host_memory__set_ct(struct engine *e, unsigned me, const struct spin_ct *ct);

int host_message__clock(struct engine *e, uint32_t now_ms, struct engine_events *out);
int host_message__reset(struct engine *e);
int host_message__me_append(struct engine *e, const struct spin_me_opts *opts, unsigned *me);
int host_message__me_unlink(struct engine *e, unsigned me);
int host_message__me_get(struct engine *e, unsigned me, struct spin_me *out);
int host_message__stats(struct engine *e, struct spin_message_stats *out);

#endif
