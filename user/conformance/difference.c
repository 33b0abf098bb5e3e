/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares frames header by header, and handlers' memory field by field, and describes each difference as text ("IPv4 source: got,
 * expected"). Called when tests (vectors) and recorded traffic (spinctl replay) are run.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/difference.h"
#include "user/libspin/object/layout_type.h"

#define LISTED_FIELDS_MAX 16 /* maximum number of fields listed */

void differences_add(struct differences *d, const char *what, const char *got, const char *expected)
{
	struct difference *list = realloc(d->list, (d->count + 1) * sizeof(*list)), *added;

	if (list)
		d->list = list;
	added = list ? &list[d->count] : NULL;
	if (added)
		*added = (struct difference){ .what = strdup(what), .got = strdup(got), .expected = strdup(expected) };
	if (added && added->what && added->got && added->expected) {
		d->count++;
		return;
	}
	if (added) {
		free(added->what);
		free(added->got);
		free(added->expected);
	}
	d->left_out++;
}

void differences_free(struct differences *d)
{
	for (unsigned i = 0; i < d->count; i++) {
		free(d->list[i].what);
		free(d->list[i].got);
		free(d->list[i].expected);
	}
	free(d->list);
	*d = (struct differences){ 0 };
}

int differences_same(const struct differences *a, const struct differences *b)
{
	if (a->count != b->count || a->left_out != b->left_out)
		return 0;
	for (unsigned i = 0; i < a->count; i++)
		if (strcmp(a->list[i].what, b->list[i].what) || strcmp(a->list[i].got, b->list[i].got))
			return 0;
	return 1;
}

struct memory_walk {
	struct differences *d;
	const struct types *types;
	const struct layout_variable *var;
	const uint8_t *want, *got;
	unsigned count;
};

static void value_text(const struct layout_type *type, const uint8_t *at, char *text, size_t bytes)
{
	uint64_t value = layout_type__load(at, type->bytes);
	char address[INET_ADDRSTRLEN];

	if (type->network_order && type->bytes == 4)
		snprintf(text, bytes, "%" PRIu32 " (%s)", ntohl((uint32_t)value), inet_ntop(AF_INET, at, address, sizeof(address)));
	else
		snprintf(text, bytes, "%" PRIu64, type->network_order ? ntohs((uint16_t)value) : value);
}

static int add_field(void *arg, const struct spin_field *field)
{
	struct memory_walk *w = arg;
	const char *path = field->path + strlen(w->var->name);
	char got[64], want[64];
	struct layout_type type;
	size_t at;

	if (w->count++ >= LISTED_FIELDS_MAX) {
		w->d->left_out++;
		return 0;
	}
	if (layout_type__follow(w->types->btf, w->var->type, &path, &type, &at) || at > w->var->bytes || type.bytes > w->var->bytes - at) {
		differences_add(w->d, field->path, "?", "?");
		return 0;
	}
	value_text(&type, w->got + at, got, sizeof(got));
	value_text(&type, w->want + at, want, sizeof(want));
	differences_add(w->d, field->path, got, want);
	return 0;
}

/* Adds the first differing byte. Called if no field differs, so the byte belongs to no field. */
static void add_bytes(struct memory_walk *w)
{
	char what[128], got[16], want[16];

	for (size_t i = 0; i < w->var->bytes; i++) {
		if (w->want[i] == w->got[i])
			continue;
		snprintf(what, sizeof(what), "%s, byte %zu", w->var->name, i);
		snprintf(got, sizeof(got), "0x%02x", w->got[i]);
		snprintf(want, sizeof(want), "0x%02x", w->want[i]);
		differences_add(w->d, what, got, want);
		return;
	}
}

/* Compares two images by fields: walks the fields of an image that is zero except where the two differ. */
void differences_memory(struct differences *d, const struct types *t, const struct image *want, const struct image *got)
{
	for (unsigned i = 0; i < t->count; i++) {
		struct memory_walk w = { .d = d, .types = t, .var = &t->var[i], .want = want->bytes[i], .got = got->bytes[i] };
		uint8_t *mask;

		if (!memcmp(w.want, w.got, w.var->bytes))
			continue;
		mask = malloc(w.var->bytes);
		if (!mask) {
			d->left_out++;
			continue;
		}
		for (size_t at = 0; at < w.var->bytes; at++)
			mask[at] = w.want[at] ^ w.got[at];
		layout__walk(t->btf, w.var, mask, 0, add_field, &w);
		if (!w.count)
			add_bytes(&w);
		free(mask);
	}
}

static void print_bytes(const struct difference *one, const char *indent, const char *other, FILE *to)
{
	size_t got = strlen(one->got), want = strlen(one->expected), longer = got > want ? got : want;

	fprintf(to, "%s%-24s got       %s\n", indent, one->what, one->got);
	fprintf(to, "%s%-24s %-9s %s\n", indent, "", other, one->expected);
	fprintf(to, "%s%-24s %-9s ", indent, "", "");
	for (size_t i = 0, blanks = 0; i < longer; i++) {
		int differs = i >= got || i >= want || one->got[i] != one->expected[i];

		if (!differs) {
			blanks++;
			continue;
		}
		fprintf(to, "%*s^", (int)blanks, "");
		blanks = 0;
	}
	fputc('\n', to);
}

void differences_print(const struct differences *d, const char *indent, const char *other, FILE *to)
{
	for (unsigned i = 0; i < d->count; i++) {
		const struct difference *one = &d->list[i];

		if (one->is_bytes)
			print_bytes(one, indent, other, to);
		else
			fprintf(to, "%s%-24s %s, %s %s\n", indent, one->what, one->got, other, one->expected);
	}
	if (d->left_out)
		fprintf(to, "%sand %u more\n", indent, d->left_out);
}

/* --- plain bytes, compared in rows of 16 --- */

#define ROW_BYTES 16
#define ROWS_MAX  8

static size_t row_bytes(size_t bytes, size_t from)
{
	size_t rest = from >= bytes ? 0 : bytes - from;

	return rest < ROW_BYTES ? rest : ROW_BYTES;
}

static void format_hex(const uint8_t *at, size_t bytes, char hex[3 * ROW_BYTES + 1])
{
	hex[0] = '\0';
	for (size_t i = 0; i < bytes; i++)
		snprintf(hex + 3 * i, 4, "%02x%s", at[i], i + 1 < bytes ? " " : "");
}

void differences_bytes(struct differences *d, const char *name, const uint8_t *want, size_t want_bytes, const uint8_t *got,
		       size_t got_bytes)
{
	char a[3 * ROW_BYTES + 1], b[3 * ROW_BYTES + 1], what[48];
	unsigned rows = 0;

	if (want_bytes == got_bytes && !memcmp(want, got, want_bytes))
		return;
	for (size_t from = 0; from < want_bytes || from < got_bytes; from += ROW_BYTES) {
		size_t in_want = row_bytes(want_bytes, from), in_got = row_bytes(got_bytes, from);

		if (in_want == in_got && !memcmp(want + from, got + from, in_want))
			continue;
		if (rows++ >= ROWS_MAX) {
			d->left_out++;
			continue;
		}
		format_hex(want + from, in_want, a);
		format_hex(got + from, in_got, b);
		snprintf(what, sizeof(what), "%s +0x%04zx", name, from);
		differences_add(d, what, b, a);
		if (d->count)
			d->list[d->count - 1].is_bytes = 1;
	}
}

/* --- frames, compared by header fields and payload --- */

#define FIELDS_MAX 40

struct field {
	char name[32], value[128];
};

struct dissection {
	const uint8_t *frame;
	uint32_t bytes, at; /* at: the first byte that is not yet in a field */
	unsigned count;
	struct field field[FIELDS_MAX];
};

static unsigned get16(const struct dissection *v, uint32_t at)
{
	return v->frame[at] * 256u + v->frame[at + 1];
}

static void add(struct dissection *v, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add(struct dissection *v, const char *name, const char *format, ...)
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

static void add_mac(struct dissection *v, const char *name, uint32_t at)
{
	const uint8_t *m = v->frame + at;

	add(v, name, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
}

static void add_address(struct dissection *v, const char *name, int family, uint32_t at)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(family, v->frame + at, text, sizeof(text));
	add(v, name, "%s", text);
}

static int has_bytes(const struct dissection *v, uint32_t bytes)
{
	return v->bytes - v->at >= bytes;
}

/* Adds the Ethernet fields and returns the EtherType; 0: the frame is too short. */
static unsigned dissect_ethernet(struct dissection *v)
{
	unsigned type, tags = 0;
	char name[32];

	if (!has_bytes(v, 14))
		return 0;
	add_mac(v, "Ethernet destination", 0);
	add_mac(v, "Ethernet source", 6);
	type = get16(v, 12);
	v->at = 14;
	while ((type == 0x8100 || type == 0x88a8) && has_bytes(v, 4)) {
		snprintf(name, sizeof(name), "VLAN tag %u", ++tags);
		add(v, name, "0x%04x of type 0x%04x", get16(v, v->at), type);
		type = get16(v, v->at + 2);
		v->at += 4;
	}
	add(v, "Ethernet type", "0x%04x", type);
	return type;
}

/* Add the IP fields and return the protocol; -1: unknown. */
static int dissect_ip4(struct dissection *v)
{
	const uint8_t *ip = v->frame + v->at;
	uint32_t bytes;

	if (!has_bytes(v, 20))
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
	if (bytes < 20 || !has_bytes(v, bytes)) {
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

static int dissect_ip6(struct dissection *v)
{
	const uint8_t *ip = v->frame + v->at;

	if (!has_bytes(v, 40))
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

static void dissect_udp(struct dissection *v)
{
	if (!has_bytes(v, 8))
		return;
	add(v, "UDP source port", "%u", get16(v, v->at));
	add(v, "UDP destination port", "%u", get16(v, v->at + 2));
	add(v, "UDP length", "%u", get16(v, v->at + 4));
	add(v, "UDP checksum", "0x%04x", get16(v, v->at + 6));
	v->at += 8;
}

static void dissect_tcp(struct dissection *v)
{
	const uint8_t *tcp = v->frame + v->at;
	static const char *const names[] = { "FIN", "SYN", "RST", "PSH", "ACK", "URG" };
	uint32_t bytes;
	char text[96];
	size_t at = 0;

	if (!has_bytes(v, 20))
		return;
	bytes = (tcp[12] >> 4) * 4u;
	add(v, "TCP source port", "%u", get16(v, v->at));
	add(v, "TCP destination port", "%u", get16(v, v->at + 2));
	add(v, "TCP sequence number", "%u", get16(v, v->at + 4) << 16 | get16(v, v->at + 6));
	add(v, "TCP acknowledgement", "%u", get16(v, v->at + 8) << 16 | get16(v, v->at + 10));
	add(v, "TCP header length", "%u bytes", bytes);
	text[0] = '\0';
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (tcp[13] >> i & 1)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " %s", names[i]);
	add(v, "TCP flags", "0x%02x%s", tcp[13], text);
	add(v, "TCP window", "%u", get16(v, v->at + 14));
	add(v, "TCP checksum", "0x%04x", get16(v, v->at + 16));
	add(v, "TCP urgent pointer", "%u", get16(v, v->at + 18));
	v->at += 20;
	if (bytes <= 20 || !has_bytes(v, bytes - 20))
		return;
	for (uint32_t i = 20; i < bytes; i++)
		snprintf(text + 2 * (i - 20), 3, "%02x", tcp[i]);
	add(v, "TCP options", "%s", text);
	v->at += bytes - 20;
}

static void dissect_icmp(struct dissection *v, const char *name)
{
	char field[32];

	if (!has_bytes(v, 4))
		return;
	snprintf(field, sizeof(field), "%s type", name);
	add(v, field, "%u", v->frame[v->at]);
	snprintf(field, sizeof(field), "%s code", name);
	add(v, field, "%u", v->frame[v->at + 1]);
	snprintf(field, sizeof(field), "%s checksum", name);
	add(v, field, "0x%04x", get16(v, v->at + 2));
	v->at += 4;
}

static void dissect(struct dissection *v, const uint8_t *frame, uint32_t bytes)
{
	unsigned type;
	int protocol = -1;

	*v = (struct dissection){ .frame = frame, .bytes = bytes };
	type = dissect_ethernet(v);
	if (type == 0x0800)
		protocol = dissect_ip4(v);
	else if (type == 0x86dd)
		protocol = dissect_ip6(v);
	if (protocol == 17)
		dissect_udp(v);
	else if (protocol == 6)
		dissect_tcp(v);
	else if (protocol == (type == 0x0800 ? 1 : 58))
		dissect_icmp(v, type == 0x0800 ? "ICMP" : "ICMPv6");
}

static const char *find_value(const struct dissection *v, const char *name)
{
	for (unsigned i = 0; i < v->count; i++)
		if (!strcmp(v->field[i].name, name))
			return v->field[i].value;
	return NULL;
}

void differences_frame(struct differences *d, const uint8_t *want, uint32_t want_bytes, const uint8_t *got, uint32_t got_bytes)
{
	struct dissection expected, actual;
	char a[32], b[32];

	if (want_bytes == got_bytes && !memcmp(want, got, got_bytes))
		return;
	dissect(&expected, want, want_bytes);
	dissect(&actual, got, got_bytes);
	if (want_bytes != got_bytes) {
		snprintf(a, sizeof(a), "%u bytes", want_bytes);
		snprintf(b, sizeof(b), "%u bytes", got_bytes);
		differences_add(d, "frame length", b, a);
	}
	for (unsigned i = 0; i < expected.count; i++) {
		const struct field *field = &expected.field[i];
		const char *value = find_value(&actual, field->name);

		if (!value || strcmp(value, field->value))
			differences_add(d, field->name, value ? value : "none", field->value);
	}
	for (unsigned i = 0; i < actual.count; i++)
		if (!find_value(&expected, actual.field[i].name))
			differences_add(d, actual.field[i].name, actual.field[i].value, "none");
	differences_bytes(d, "payload", want + expected.at, want_bytes - expected.at, got + actual.at, got_bytes - actual.at);
}
