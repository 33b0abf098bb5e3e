/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_EVENT_H
#define USER_CONFORMANCE_EVENT_H

/*
 * Events of handlers (an error, a completed message) as text: equal events have equal lines. Test vectors and spinctl replay compare these
 * lines; spinctl run prints them.
 */
#include <stddef.h>
#include <stdint.h>

struct spin_event;
struct engine_events;

#define EVENT_TEXT_MAX 32
#define EVENT_LINE_MAX 384
#define EVENT_ITEM_MAX 65

/* Returns "fail"; "none" for 0, "unknown" for an unknown type. */
const char *event_name(uint32_t type);
/* Returns "payload". */
const char *event_handler_name(uint32_t kind);
/* Returns 1 if the event names a handler. */
int event_has_handler(uint32_t type);
/* Returns 1 if the event reports a handler's error. */
int event_is_error(uint32_t type);
/* Formats "fail payload", or "none" if there is no event. */
void event_text(uint32_t type, uint32_t handler, char text[EVENT_TEXT_MAX]);

/* Formats the bytes of a work item in hexadecimal. */
void event_item(const struct spin_event *event, char text[EVENT_ITEM_MAX]);

/* Returns the name of flag bit i in vectors, or NULL if there is no such flag. */
const char *event_flag_name(unsigned i);
/* Formats an event as the line of a vector. Equal events have equal lines. */
void event_line(const struct spin_event *event, char line[EVENT_LINE_MAX]);

/* Stores type and handler of the first error event; type 0: none. */
void events_first_error(const struct engine_events *events, uint32_t *type, uint32_t *handler);

#endif
