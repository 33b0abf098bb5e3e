/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_RECORDING_RECORDING_H
#define USER_CONFORMANCE_RECORDING_RECORDING_H

/*
 * A recording of live handlers in one pcapng file: their packets, their memory before and after, and their counters. Written by spinctl
 * record, read by spinctl replay. format.h describes the format. Functions return 0 or a negative errno with engine_error().
 */
#include <stdio.h>

#include "user/conformance/engine.h"
#include "user/conformance/recording/format.h"

/* What a recording says of itself. */
struct recording_info {
	char handler[16], device[16], rule[256];
	uint32_t class; /* enum spin_class */
	uint64_t packets, lost, duration_ns;
	uint32_t hpus;
	uint64_t counters[SPIN_REASON_COUNT];
};

/* --- writing --- */

struct recording_writer;

/* Begins a recording in a temporary file. recording_writer__finish() renames it to `path` and replaces an old file. */
int recording_writer__open(const char *path, const struct recording_info *info, const void *object, size_t object_bytes,
			   struct recording_writer **out);
int recording_writer__memory(struct recording_writer *w, enum recording_moment moment, const char *name, const void *mem, size_t bytes);
/* For handlers with host memory, after the memory BEFORE. start_ns of `context` is CLOCK_MONOTONIC. */
int recording_writer__context(struct recording_writer *w, const struct recording_context *context);
int recording_writer__host(struct recording_writer *w, enum recording_moment moment, const void *mem, size_t bytes);
int recording_writer__entry(struct recording_writer *w, const struct recording_entry *entry);
/* Writes an event and the number of events lost before it. event NULL: only the number. */
int recording_writer__event(struct recording_writer *w, const struct spin_event *event, uint64_t lost);
/* time_ns: CLOCK_MONOTONIC. */
int recording_writer__packet(struct recording_writer *w, uint64_t time_ns, uint32_t hpu, const void *frame, uint32_t bytes);
/* Writes the end, with the writer's counts of packets and HPUs, and renames the file to its final name. */
int recording_writer__finish(struct recording_writer *w, const uint64_t *counters, uint64_t lost, uint64_t duration_ns);
uint64_t recording_writer__packets(const struct recording_writer *w);
/* Frees the writer. Without recording_writer__finish() no file is left. */
void recording_writer__close(struct recording_writer *w);

/* --- reading --- */

/* A variable of the handlers, with its value before and after. */
struct recording_symbol {
	char name[64];
	size_t bytes;
	uint8_t *mem[RECORDING_MOMENTS];
};

/* Host memory and matching entries at a moment. */
struct recording_host {
	uint8_t *mem; /* context.host_bytes bytes */
	struct recording_entry entry[RECORDING_ENTRIES_MAX];
};

/* A recording that was opened for reading. */
struct recording {
	struct recording_info info;
	uint8_t *object;
	size_t object_bytes;
	unsigned symbols;
	struct recording_symbol symbol[ENGINE_SYMBOLS_MAX];
	int has_context; /* 0: the fields below are not set */
	struct recording_context context;
	struct recording_host host[RECORDING_MOMENTS];
	char **event; /* lines, in the order of the host's events */
	size_t events;
	uint64_t events_lost;
	/* private */
	size_t event_room;
	const char *path;
	FILE *file;
	uint8_t *block;
	uint64_t at, file_bytes;
	size_t object_room;
	int started;
};

/* A recorded packet. */
struct recording_packet {
	uint64_t time_ns; /* since 1970 */
	uint32_t hpu, bytes;
	const uint8_t *frame; /* valid until the next call */
};

/* Checks the whole file, then reads everything except the packets. The caller must call recording__close() even after a failure. */
int recording__open(const char *path, struct recording *r);
/* Returns 1 and the next packet, 0 after the last one, or a negative errno. */
int recording__next(struct recording *r, struct recording_packet *out);
void recording__close(struct recording *r);

#endif
