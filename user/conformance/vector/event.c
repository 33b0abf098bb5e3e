/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the lines of a vector (a test as text) about events that handlers report to the application. Called by line.c, which selects the
 * parser by a line's first word. A field that a line omits is taken from the message's packets, or is not compared.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/return.h>

#include "user/conformance/event.h"
#include "user/conformance/template/number.h"
#include "user/conformance/vector/reader.h"
#include "user/conformance/vector/wire.h"

static int find_type(const char *word, uint32_t *out)
{
	for (uint32_t type = SPIN_EVENT_FAIL; word && type <= SPIN_EVENT_WORK; type++) {
		if (type == SPIN_EVENT_RAN || type == SPIN_EVENT_PUT_FAILED || type == SPIN_EVENT_PUT_ACKED ||
		    strcmp(word, event_name(type)))
			continue;
		*out = type;
		return 1;
	}
	return 0;
}

static int find_handler(const char *word, uint32_t *out)
{
	for (uint32_t kind = SPIN_KIND_HEADER; word && kind <= SPIN_KIND_COMPLETION; kind++) {
		if (strcmp(word, event_handler_name(kind)))
			continue;
		*out = kind;
		return 1;
	}
	return 0;
}

static uint32_t find_flag(const char *word)
{
	const char *name;

	for (unsigned i = 0; (name = event_flag_name(i)); i++)
		if (!strcmp(word, name))
			return 1u << i;
	return 0;
}

/* from ADDRESS PORT */
static int read_source(struct vector_event *e, const char *address, const char *port)
{
	uint64_t number;

	e->event.ip_version = address && strchr(address, ':') ? 6 : 4;
	if (!address || !port || inet_pton(e->event.ip_version == 6 ? AF_INET6 : AF_INET, address, e->event.src_addr) != 1)
		return engine_fail(-EINVAL, "write: from ADDRESS PORT");
	if (template_number(port, "port", UINT16_MAX, &number))
		return -EINVAL;
	e->event.src_port = (uint16_t)number;
	e->from_given = 1;
	return 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int read_item(struct vector_event *e, const char *hex)
{
	uint8_t *item = (uint8_t *)e->event.item;
	size_t digits = strlen(hex);

	if (e->event.type != SPIN_EVENT_WORK || !digits || digits % 8 || digits > 2 * SPIN_WORK_BYTES_MAX)
		return engine_fail(-EINVAL, "write: event work ... item HEX, with 4 to %u bytes", SPIN_WORK_BYTES_MAX);
	for (size_t i = 0; i < digits / 2; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return engine_fail(-EINVAL, "'%.64s' is not hexadecimal", hex);
		item[i] = (uint8_t)(high << 4 | low);
	}
	e->event.item_bytes = (uint32_t)(digits / 2);
	return 0;
}

static int read_field(struct vector_event *e, const char *name, const char *word)
{
	const struct {
		const char *name;
		uint32_t *to;
		uint64_t *to_wide;
	} fields[] = {
		{ "id", &e->event.message_id, NULL },
		{ "length", &e->event.length, NULL },
		{ "me", &e->event.me, NULL },
		{ "offset", &e->event.offset, NULL },
		{ "dropped", &e->event.dropped_bytes, NULL },
		{ "deposited", &e->event.deposited_bytes, NULL },
		{ "match", NULL, &e->event.match_bits },
		{ "data", NULL, &e->event.hdr_data },
	};
	uint64_t value;

	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(name, fields[i].name))
			continue;
		if (template_number(word, name, fields[i].to ? UINT32_MAX : UINT64_MAX, &value))
			return -EINVAL;
		if (fields[i].to)
			*fields[i].to = (uint32_t)value;
		else
			*fields[i].to_wide = value;
		e->id_given |= !strcmp(name, "id");
		return 0;
	}
	return engine_fail(-EINVAL, "an event has no '%.32s'", name);
}

/*
 * [id N] [length N] [dropped N] [deposited N] [me N|none] [offset N] [match N] [data N] [from ADDRESS PORT]
 * [item HEX] [FLAG...]. `dropped` is a flag if no number follows.
 */
static int read_fields(struct vector_event *e, char *rest)
{
	const char *name, *word;
	int err = 0;

	while (!err && (name = vector_next(&rest))) {
		if (find_flag(name) && (*rest < '0' || *rest > '9')) {
			e->event.flags |= find_flag(name);
			continue;
		}
		word = vector_next(&rest);
		if (!word)
			return engine_fail(-EINVAL, "'%.32s' is not a flag of an event, and no number follows", name);
		if (!strcmp(name, "from"))
			err = read_source(e, word, vector_next(&rest));
		else if (!strcmp(name, "item"))
			err = read_item(e, word);
		else if (!strcmp(name, "me") && !strcmp(word, "none"))
			e->event.me = SPIN_MES_MAX;
		else
			err = read_field(e, name, word);
	}
	return err;
}

int vector_read_event(struct vector_step *step, char *rest, unsigned line)
{
	struct vector_event *list = realloc(step->event, (step->event_count + 1) * sizeof(*list)), *e;
	const char *type = vector_next(&rest);
	int err;

	if (!list)
		return engine_fail(-ENOMEM, "no memory");
	step->event = list;
	e = &list[step->event_count++];
	*e = (struct vector_event){ .line = line, .event.length = SPIN_LENGTH_UNKNOWN };
	if (!find_type(type, &e->event.type) || (event_has_handler(e->event.type) && !find_handler(vector_next(&rest), &e->event.handler)))
		return engine_fail(-EINVAL, "write: event fail|segv|bad_return|overrun|work header|payload|completion, "
					    "event message or event timeout");
	err = read_fields(e, rest);
	if (!err && e->event.type == SPIN_EVENT_MESSAGE && e->event.length == SPIN_LENGTH_UNKNOWN)
		return engine_fail(-EINVAL, "a message has a length: event message length N");
	if (!err && e->event.type == SPIN_EVENT_WORK && !e->event.item_bytes)
		return engine_fail(-EINVAL, "work has an item: event work payload item HEX");
	return err;
}

/* Reads source and message id from a packet's headers. Returns 0 if it has none. is_flow: the packet has no SLMP header. */
static int describe(const struct vector_step *step, int is_flow, struct spin_event *out)
{
	const uint8_t *frame = step->in, *from;
	struct vector_headers w;

	if (step->kind != STEP_PACKET ||
	    (is_flow ? vector_headers_udp(frame, step->in_bytes, &w) : vector_headers(frame, step->in_bytes, &w)))
		return 0;
	*out = (struct spin_event){ .ip_version = w.ip_version };
	from = frame + w.ip_at + (w.ip_version == 6 ? 8 : 12);
	memcpy(out->src_addr, from, w.ip_version == 6 ? 16 : 4);
	out->src_port = (uint16_t)(frame[w.udp_at] << 8 | frame[w.udp_at + 1]);
	out->dst_port = (uint16_t)(frame[w.udp_at + 2] << 8 | frame[w.udp_at + 3]);
	out->message_id = is_flow ? out->dst_port : vector_wire_id(frame, &w);
	return 1;
}

static int same_source(const struct spin_event *a, const struct spin_event *b)
{
	return a->ip_version == b->ip_version && a->src_port == b->src_port && !memcmp(a->src_addr, b->src_addr, sizeof(a->src_addr));
}

/* Fills in the fields that an event's line omits, from the message's last packet up to this step. */
static int complete_event(const struct vector *v, unsigned step, struct vector_event *e)
{
	struct spin_event described;

	for (unsigned i = step + 1; i-- > 0;) {
		if (!describe(&v->step[i], v->context.rule.has_eom, &described)) {
			if (!e->id_given)
				return 0; /* the event of a datagram */
			continue;
		}
		if ((e->id_given && described.message_id != e->event.message_id) || (e->from_given && !same_source(&described, &e->event)))
			continue;
		e->event.message_id = described.message_id;
		e->event.ip_version = described.ip_version;
		memcpy(e->event.src_addr, described.src_addr, sizeof(described.src_addr));
		e->event.src_port = described.src_port;
		e->event.dst_port = described.dst_port;
		return 0;
	}
	return engine_fail(-EINVAL, "no packet of that message comes before its event");
}

int vector_complete_events(struct vector *v, unsigned *line)
{
	for (unsigned i = 0; i < v->count; i++) {
		for (unsigned n = 0; n < v->step[i].event_count; n++) {
			struct vector_event *e = &v->step[i].event[n];

			*line = e->line;
			if (v->step[i].kind == STEP_CLOCK && !e->id_given)
				return engine_fail(-EINVAL, "whose event? write: event ... id N");
			if (complete_event(v, i, e))
				return -EINVAL;
		}
	}
	return 0;
}
