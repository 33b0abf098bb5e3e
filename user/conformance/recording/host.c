/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes and reads the host's part of a recording (traffic and memory of live handlers in a pcapng file): host memory, matching entries
 * (memory posted for messages) and events. Called by read.c and by spinctl record. Numbers read from a file are not trusted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/event.h"
#include "user/conformance/recording/internal.h"
#include "user/lib/printable.h"

_Static_assert(RECORDING_ENTRIES_MAX == SPIN_MES_MAX && RECORDING_SEGMENTS_MAX == SPIN_SEGMENTS_MAX,
	       "a recording has room for all that a context can have");

/* --- writing --- */

int recording_writer__context(struct recording_writer *w, const struct recording_context *context)
{
	struct recording_context copy = *context;

	copy.start_ns += w->realtime_ns;
	return recording__put_custom(w, RECORDING_CONTEXT, &copy, sizeof(copy), NULL, 0);
}

int recording_writer__host(struct recording_writer *w, enum recording_moment moment, const void *mem, size_t bytes)
{
	int err = 0;

	for (size_t at = 0; at < bytes && !err; at += RECORDING_PIECE_BYTES) {
		const struct recording_host_piece piece = { .moment = moment, .offset = at };
		const uint8_t *from = (const uint8_t *)mem + at;
		size_t left = bytes - at, n;

		n = recording__trimmed(from, left < RECORDING_PIECE_BYTES ? left : RECORDING_PIECE_BYTES);
		if (n)
			err = recording__put_custom(w, RECORDING_HOST, &piece, sizeof(piece), from, n);
	}
	return err;
}

int recording_writer__entry(struct recording_writer *w, const struct recording_entry *entry)
{
	return recording__put_custom(w, RECORDING_ENTRY, entry, sizeof(*entry), NULL, 0);
}

int recording_writer__event(struct recording_writer *w, const struct spin_event *event, uint64_t lost)
{
	const struct recording_event head = { .lost = lost };
	char line[EVENT_LINE_MAX] = "";
	struct spin_event copy;

	if (event) {
		copy = *event;
		copy.hpu = 0;
		event_line(&copy, line);
	}
	return recording__put_custom(w, RECORDING_EVENT, &head, sizeof(head), line, strlen(line));
}

/* --- reading --- */

static int parse_context(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_context *c = &r->context;

	if (bytes < RECORDING_CONTEXT_BYTES_MIN || r->has_context)
		return recording__damaged(r, "its context is invalid");
	memcpy(c, at, bytes < sizeof(*c) ? bytes : sizeof(*c)); /* older recordings are shorter; the rest is 0 */
	if (!c->host_bytes || c->host_bytes > SPIN_HOST_BYTES_MAX || c->takes_messages > 1 || c->messages > SPIN_MPQS_MAX ||
	    c->parking > SPIN_PARKING_MAX || c->put > 1)
		return recording__damaged(r, "its context is invalid");
	for (int moment = 0; moment < RECORDING_MOMENTS; moment++) {
		r->host[moment].mem = calloc(1, (size_t)c->host_bytes);
		if (!r->host[moment].mem)
			return engine_fail(-ENOMEM, "no memory for %s", r->path);
	}
	r->has_context = 1;
	return 0;
}

static int parse_host(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_host_piece piece;

	if (bytes < sizeof(piece))
		return recording__damaged(r, "a piece of host memory is too short");
	memcpy(&piece, at, sizeof(piece));
	bytes -= (uint32_t)sizeof(piece);
	if (piece.moment >= RECORDING_MOMENTS || piece.offset > r->context.host_bytes || bytes > r->context.host_bytes - piece.offset)
		return recording__damaged(r, "a piece of host memory is in the wrong place");
	memcpy(r->host[piece.moment].mem + piece.offset, at + sizeof(piece), bytes);
	return 0;
}

static int parse_entry(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_entry entry;

	if (bytes < RECORDING_ENTRY_BYTES_MIN)
		return recording__damaged(r, "a matching entry is too short");
	memset(&entry, 0, sizeof(entry));
	memcpy(&entry, at, bytes < sizeof(entry) ? bytes : sizeof(entry));
	if (entry.moment >= RECORDING_MOMENTS || entry.index >= RECORDING_ENTRIES_MAX || entry.state > SPIN_ME_TAKEN ||
	    entry.segments > RECORDING_SEGMENTS_MAX)
		return recording__damaged(r, "a matching entry is invalid");
	r->host[entry.moment].entry[entry.index] = entry;
	return 0;
}

static int parse_event(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_event head;

	if (bytes < sizeof(head) || bytes - sizeof(head) >= EVENT_LINE_MAX)
		return recording__damaged(r, "an event is invalid");
	memcpy(&head, at, sizeof(head));
	r->events_lost += head.lost;
	bytes -= (uint32_t)sizeof(head);
	if (!bytes)
		return 0;
	if (!is_printable((const char *)at + sizeof(head), strnlen((const char *)at + sizeof(head), bytes)))
		return recording__damaged(r, "an event is invalid");
	if (r->events == r->event_room) {
		size_t room = r->event_room ? r->event_room * 2 : 64;
		char **more = realloc(r->event, room * sizeof(*more));

		if (!more)
			return engine_fail(-ENOMEM, "no memory for %s", r->path);
		r->event = more;
		r->event_room = room;
	}
	r->event[r->events] = strndup((const char *)at + sizeof(head), bytes);
	if (!r->event[r->events])
		return engine_fail(-ENOMEM, "no memory for %s", r->path);
	r->events++;
	return 0;
}

int recording__parse_host(struct recording *r, uint32_t kind, const uint8_t *at, uint32_t bytes)
{
	if (kind == RECORDING_CONTEXT)
		return parse_context(r, at, bytes);
	if (kind != RECORDING_HOST && kind != RECORDING_ENTRY && kind != RECORDING_EVENT)
		return 0;
	if (!r->has_context)
		return recording__damaged(r, "the description of its context is missing");
	return kind == RECORDING_HOST    ? parse_host(r, at, bytes)
	       : kind == RECORDING_ENTRY ? parse_entry(r, at, bytes)
					 : parse_event(r, at, bytes);
}

void recording__free_host(struct recording *r)
{
	for (int moment = 0; moment < RECORDING_MOMENTS; moment++)
		free(r->host[moment].mem);
	for (size_t i = 0; i < r->events; i++)
		free(r->event[i]);
	free(r->event);
}
