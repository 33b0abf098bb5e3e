/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names and text lines of the events that handlers and the message engine report to the application. Called by the parser and comparison of
 * vectors (tests as text), by spinctl replay and by spinctl run. Equal events have equal lines.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <spin/context.h>
#include <spin/return.h>

#include "user/conformance/engine.h"
#include "user/conformance/event.h"

const char *event_name(uint32_t type)
{
	switch (type) {
	case 0:
		return "none";
	case SPIN_EVENT_FAIL:
		return "fail";
	case SPIN_EVENT_SEGV:
		return "segv";
	case SPIN_EVENT_BAD_RETURN:
		return "bad_return";
	case SPIN_EVENT_MESSAGE:
		return "message";
	case SPIN_EVENT_TIMEOUT:
		return "timeout";
	case SPIN_EVENT_RAN:
		return "ran";
	case SPIN_EVENT_OVERRUN:
		return "overrun";
	case SPIN_EVENT_PUT_FAILED:
		return "put_failed";
	case SPIN_EVENT_PUT_ACKED:
		return "put_acked";
	case SPIN_EVENT_PUT_OVERFLOW:
		return "put_overflow";
	case SPIN_EVENT_WORK:
		return "work";
	}
	return "unknown";
}

const char *event_handler_name(uint32_t kind)
{
	switch (kind) {
	case SPIN_KIND_HEADER:
		return "header";
	case SPIN_KIND_PAYLOAD:
		return "payload";
	case SPIN_KIND_COMPLETION:
		return "completion";
	}
	return "unknown";
}

int event_has_handler(uint32_t type)
{
	return type && type != SPIN_EVENT_MESSAGE && type != SPIN_EVENT_TIMEOUT && type != SPIN_EVENT_PUT_FAILED &&
	       type != SPIN_EVENT_PUT_ACKED && type != SPIN_EVENT_PUT_OVERFLOW;
}

int event_is_error(uint32_t type)
{
	return type == SPIN_EVENT_FAIL || type == SPIN_EVENT_SEGV || type == SPIN_EVENT_BAD_RETURN || type == SPIN_EVENT_OVERRUN;
}

void event_text(uint32_t type, uint32_t handler, char text[EVENT_TEXT_MAX])
{
	int has = event_has_handler(type);

	snprintf(text, EVENT_TEXT_MAX, "%s%s%s", event_name(type), has ? " " : "", has ? event_handler_name(handler) : "");
}

const char *event_flag_name(unsigned i)
{
	static const char *const names[] = { "flow_control", "unlinked", "failed", "proceeded", "dropped",
					     "refused",      "get",      "atomic", "overflow" };

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

struct line {
	char *text;
	size_t at;
};

static void add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *l, const char *format, ...)
{
	va_list args;
	int n;

	if (l->at >= EVENT_LINE_MAX)
		return;
	va_start(args, format);
	n = vsnprintf(l->text + l->at, EVENT_LINE_MAX - l->at, format, args);
	va_end(args);
	l->at += n > 0 ? (size_t)n : 0;
}

static void add_number(struct line *l, const char *name, uint64_t value)
{
	if (value)
		add(l, " %s %" PRIu64, name, value);
}

static void add_source(struct line *l, const struct spin_event *e)
{
	char address[INET6_ADDRSTRLEN] = "?";

	inet_ntop(e->ip_version == 6 ? AF_INET6 : AF_INET, e->src_addr, address, sizeof(address));
	add(l, " from %s %u to %u", address, e->src_port, e->dst_port);
	/* IPv4 uses only the first word of the address: the others must be 0 */
	if (e->ip_version != 6 && (e->src_addr[1] || e->src_addr[2] || e->src_addr[3]))
		add(l, " (more of an address: %x %x %x)", e->src_addr[1], e->src_addr[2], e->src_addr[3]);
	if (e->ip_version != 4 && e->ip_version != 6)
		add(l, " (IP version %u)", e->ip_version);
}

void event_item(const struct spin_event *e, char text[EVENT_ITEM_MAX])
{
	const uint8_t *item = (const uint8_t *)e->item;

	for (uint32_t i = 0; i < e->item_bytes && i < SPIN_WORK_BYTES_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", item[i]);
	if (!e->item_bytes)
		*text = 0;
}

static void add_item(struct line *l, const struct spin_event *e)
{
	char item[EVENT_ITEM_MAX];

	event_item(e, item);
	add(l, " item %s", item);
	if (e->item_bytes > SPIN_WORK_BYTES_MAX)
		add(l, " (of %u bytes)", e->item_bytes);
	for (uint32_t i = (e->item_bytes + 3) / 4; i < SPIN_WORK_BYTES_MAX / 4; i++)
		add_number(l, "behind it", e->item[i]);
}

/* Appends the fields that work items do not have. */
static void add_message(struct line *l, const struct spin_event *e)
{
	const char *flag;

	add_number(l, "match", e->match_bits);
	add_number(l, "data", e->hdr_data);
	for (unsigned i = 0; (flag = event_flag_name(i)); i++)
		if (e->flags >> i & 1)
			add(l, " %s", flag);
	if (e->flags >> 5)
		add(l, " flags %#x", e->flags);
}

void event_line(const struct spin_event *e, char text[EVENT_LINE_MAX])
{
	struct line l = { .text = text };
	char what[EVENT_TEXT_MAX];

	event_text(e->type, e->handler, what);
	add(&l, "%s id %u", what, e->message_id);
	add_source(&l, e);
	if (e->length != SPIN_LENGTH_UNKNOWN)
		add(&l, " length %u", e->length);
	if (e->type == SPIN_EVENT_PUT_FAILED || e->type == SPIN_EVENT_PUT_ACKED)
		add_number(&l, "user", e->user_ptr);
	else if (e->type != SPIN_EVENT_WORK && (e->me_start || e->me_length || e->me_serial))
		add(&l, " entry %u+%u serial %u", e->me_start, e->me_length, e->me_serial);
	if (e->me == SPIN_MES_MAX)
		add(&l, " me none");
	else
		add_number(&l, "me", e->me);
	add_number(&l, "offset", e->offset);
	add_number(&l, "dropped", e->dropped_bytes);
	add_number(&l, "deposited", e->deposited_bytes);
	if (e->type == SPIN_EVENT_WORK)
		add_item(&l, e);
	else
		add_message(&l, e);
	add_number(&l, "hpu", e->hpu);
}

void events_first_error(const struct engine_events *events, uint32_t *type, uint32_t *handler)
{
	*type = *handler = 0;
	for (unsigned i = 0; i < events->count && i < ENGINE_EVENTS_MAX; i++) {
		const struct spin_event *event = &events->event[i];

		if (!event_is_error(event->type))
			continue;
		*type = event->type;
		*handler = event->handler;
		return;
	}
}
