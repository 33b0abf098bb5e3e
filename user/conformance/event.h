/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_EVENT_H
#define USER_CONFORMANCE_EVENT_H

/* Events as people read and write them. */
#include <stddef.h>
#include <stdint.h>

struct spin_event;
struct engine_events;

#define EVENT_TEXT_MAX 32
#define EVENT_LINE_MAX 384
#define EVENT_ITEM_MAX 65

/* "fail"; 0 is "none", and what there is not "unknown". */
const char *event_name(uint32_t type);
/* "payload" */
const char *event_handler_name(uint32_t kind);
/* 1: the event is a handler's, and tells which. */
int event_has_handler(uint32_t type);
/* 1: a handler failed in one of the ways that the host is told of. */
int event_is_error(uint32_t type);
/* "fail payload"; "none" without a handler. */
void event_text(uint32_t type, uint32_t handler, char text[EVENT_TEXT_MAX]);

/* The bytes of a work item, in hexadecimal. */
void event_item(const struct spin_event *event, char text[EVENT_ITEM_MAX]);

/* Bit number i of an event's flags, as vectors have it; NULL: there is none. */
const char *event_flag_name(unsigned i);
/* All of an event, as a vector's line has it. Two events are the same if their lines are. */
void event_line(const struct spin_event *event, char line[EVENT_LINE_MAX]);

/* The first error of a handler; 0: none. */
void events_first_error(const struct engine_events *events, uint32_t *type, uint32_t *handler);

#endif
