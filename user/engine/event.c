/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>

#include <spin/context.h>

#include "event.h"

const char *event_name(uint32_t type)
{
	switch (type) {
	case 0:                     return "none";
	case SPIN_EVENT_FAIL:       return "fail";
	case SPIN_EVENT_SEGV:       return "segv";
	case SPIN_EVENT_BAD_RETURN: return "bad_return";
	}
	return "unknown";
}

const char *event_handler_name(uint32_t kind)
{
	switch (kind) {
	case SPIN_KIND_HEADER:     return "header";
	case SPIN_KIND_PAYLOAD:    return "payload";
	case SPIN_KIND_COMPLETION: return "completion";
	}
	return "unknown";
}

void event_text(uint32_t type, uint32_t handler, char text[EVENT_TEXT_MAX])
{
	snprintf(text, EVENT_TEXT_MAX, "%s%s%s", event_name(type), type ? " " : "", type ? event_handler_name(handler) : "");
}
