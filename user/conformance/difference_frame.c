/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Frames taken apart into named header fields and payload, and compared by these. */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "user/conformance/difference.h"

#define FIELDS_MAX 40

struct field {
	char name[32], value[128];
};

struct view {
	const uint8_t *frame;
	uint32_t bytes, at; /* at: the first byte that is not in a field yet */
	unsigned count;
	struct field field[FIELDS_MAX];
};

static unsigned get16(const struct view *v, uint32_t at)
{
	return v->frame[at] * 256u + v->frame[at + 1];
}

static void add(struct view *v, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add(struct view *v, const char *name, const char *format, ...)
{
	struct field *field = &v->field[v->count];
	va_list args;

	if (v->count == FIELDS_MAX)
		return;
	v->count++;
	snprintf(field->name, sizeof(field->name), "%s", name);
	va_start(args, format);
	vsnprintf(field->value, sizeof(field->value), format, args);
	va_end(args);
}

static void add_mac(struct view *v, const char *name, uint32_t at)
{
	const uint8_t *m = v->frame + at;

	add(v, name, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
}

static void add_address(struct view *v, const char *name, int family, uint32_t at)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(family, v->frame + at, text, sizeof(text));
	add(v, name, "%s", text);
}

static int has(const struct view *v, uint32_t bytes)
{
	return v->bytes - v->at >= bytes;
}

/* Gives the type of what follows; 0: the frame ends before. */
static unsigned view_ethernet(struct view *v)
{
	unsigned type, tags = 0;
	char name[32];

	if (!has(v, 14))
		return 0;
	add_mac(v, "Ethernet destination", 0);
	add_mac(v, "Ethernet source", 6);
	type = get16(v, 12);
	v->at = 14;
	while ((type == 0x8100 || type == 0x88a8) && has(v, 4)) {
		snprintf(name, sizeof(name), "VLAN tag %u", ++tags);
		add(v, name, "0x%04x of type 0x%04x", get16(v, v->at), type);
		type = get16(v, v->at + 2);
		v->at += 4;
	}
	add(v, "Ethernet type", "0x%04x", type);
	return type;
}

/* These give the protocol that follows, -1: none that can be told. */
static int view_ip4(struct view *v)
{
	const uint8_t *ip = v->frame + v->at;
	uint32_t bytes;

	if (!has(v, 20))
		return -1;
	add(v, "IPv4 version", "%u", ip[0] >> 4);
	add(v, "IPv4 header length", "%u bytes", (ip[0] & 15u) * 4);
	add(v, "IPv4 TOS", "0x%02x", ip[1]);
	add(v, "IPv4 length", "%u", get16(v, v->at + 2));
	add(v, "IPv4 id", "%u", get16(v, v->at + 4));
	add(v, "IPv4 fragment", "0x%04x", get16(v, v->at + 6));
	add(v, "IPv4 TTL", "%u", ip[8]);
	add(v, "IPv4 protocol", "%u", ip[9]);
	add(v, "IPv4 checksum", "0x%04x", get16(v, v->at + 10));
	add_address(v, "IPv4 source", AF_INET, v->at + 12);
	add_address(v, "IPv4 destination", AF_INET, v->at + 16);
	bytes = (ip[0] & 15u) * 4;
	if (bytes < 20 || !has(v, bytes)) {
		v->at += 20;
		return -1;
	}
	if (bytes > 20) {
		char hex[2 * 40 + 1];

		for (uint32_t i = 20; i < bytes; i++)
			snprintf(hex + 2 * (i - 20), 3, "%02x", ip[i]);
		add(v, "IPv4 options", "%s", hex);
	}
	v->at += bytes;
	return ip[6] & 0x1f || ip[7] ? -1 : ip[9];
}

static int view_ip6(struct view *v)
{
	const uint8_t *ip = v->frame + v->at;

	if (!has(v, 40))
		return -1;
	add(v, "IPv6 version", "%u", ip[0] >> 4);
	add(v, "IPv6 traffic class", "0x%02x", (ip[0] & 15u) << 4 | ip[1] >> 4);
	add(v, "IPv6 flow label", "0x%05x", (ip[1] & 15u) << 16 | get16(v, v->at + 2));
	add(v, "IPv6 length", "%u", get16(v, v->at + 4));
	add(v, "IPv6 next header", "%u", ip[6]);
	add(v, "IPv6 hop limit", "%u", ip[7]);
	add_address(v, "IPv6 source", AF_INET6, v->at + 8);
	add_address(v, "IPv6 destination", AF_INET6, v->at + 24);
	v->at += 40;
	return ip[6];
}

static void view_udp(struct view *v)
{
	if (!has(v, 8))
		return;
	add(v, "UDP source port", "%u", get16(v, v->at));
	add(v, "UDP destination port", "%u", get16(v, v->at + 2));
	add(v, "UDP length", "%u", get16(v, v->at + 4));
	add(v, "UDP checksum", "0x%04x", get16(v, v->at + 6));
	v->at += 8;
}

static void view_icmp(struct view *v, const char *name)
{
	char field[32];

	if (!has(v, 4))
		return;
	snprintf(field, sizeof(field), "%s type", name);
	add(v, field, "%u", v->frame[v->at]);
	snprintf(field, sizeof(field), "%s code", name);
	add(v, field, "%u", v->frame[v->at + 1]);
	snprintf(field, sizeof(field), "%s checksum", name);
	add(v, field, "0x%04x", get16(v, v->at + 2));
	v->at += 4;
}

static void view_open(struct view *v, const uint8_t *frame, uint32_t bytes)
{
	unsigned type;
	int protocol = -1;

	*v = (struct view){ .frame = frame, .bytes = bytes };
	type = view_ethernet(v);
	if (type == 0x0800)
		protocol = view_ip4(v);
	else if (type == 0x86dd)
		protocol = view_ip6(v);
	if (protocol == 17)
		view_udp(v);
	else if (protocol == (type == 0x0800 ? 1 : 58))
		view_icmp(v, type == 0x0800 ? "ICMP" : "ICMPv6");
}

static const char *value_of(const struct view *v, const char *name)
{
	for (unsigned i = 0; i < v->count; i++)
		if (!strcmp(v->field[i].name, name))
			return v->field[i].value;
	return NULL;
}

void differences_frame(struct differences *d, const uint8_t *want, uint32_t want_bytes, const uint8_t *got, uint32_t got_bytes)
{
	struct view expected, came;
	char a[32], b[32];

	if (want_bytes == got_bytes && !memcmp(want, got, got_bytes))
		return;
	view_open(&expected, want, want_bytes);
	view_open(&came, got, got_bytes);
	if (want_bytes != got_bytes) {
		snprintf(a, sizeof(a), "%u bytes", want_bytes);
		snprintf(b, sizeof(b), "%u bytes", got_bytes);
		differences_add(d, "frame length", b, a);
	}
	for (unsigned i = 0; i < expected.count; i++) {
		const struct field *field = &expected.field[i];
		const char *value = value_of(&came, field->name);

		if (!value || strcmp(value, field->value))
			differences_add(d, field->name, value ? value : "none", field->value);
	}
	for (unsigned i = 0; i < came.count; i++)
		if (!value_of(&expected, came.field[i].name))
			differences_add(d, came.field[i].name, came.field[i].value, "none");
	differences_bytes(d, "payload", want + expected.at, want_bytes - expected.at, got + came.at, got_bytes - came.at);
}
