/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_ENGINE_EVENT_H
#define USER_ENGINE_EVENT_H

/* Events as people read and write them. */
#include <stddef.h>
#include <stdint.h>

#define EVENT_TEXT_MAX 32

/* "fail"; 0 is "none", and what there is not "unknown". */
const char *event_name(uint32_t type);
/* "payload" */
const char *event_handler_name(uint32_t kind);
/* "fail payload"; "none" without a handler. */
void event_text(uint32_t type, uint32_t handler, char text[EVENT_TEXT_MAX]);

#endif
