/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/layout_type.h"

#include "user/conformance/difference.h"

#define MEMORY_MAX 16 /* fields listed */

void differences_add(struct differences *d, const char *what, const char *got, const char *expected)
{
	struct difference *list = realloc(d->list, (d->count + 1) * sizeof(*list)), *new;

	if (list)
		d->list = list;
	new = list ? &list[d->count] : NULL;
	if (new)
		*new = (struct difference){ .what = strdup(what), .got = strdup(got), .expected = strdup(expected) };
	if (new &&new->what &&new->got &&new->expected) {
		d->count++;
		return;
	}
	if (new) {
		free(new->what);
		free(new->got);
		free(new->expected);
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

static int take_field(void *arg, const struct spin_field *field)
{
	struct memory_walk *w = arg;
	const char *path = field->path + strlen(w->var->name);
	char got[64], want[64];
	struct layout_type type;
	size_t at;

	if (w->count++ >= MEMORY_MAX) {
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

/* Bytes that belong to no field: between them. */
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

/* Fields are found by walking a memory that is zero but where the two differ. */
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
		layout__walk(t->btf, w.var, mask, 0, take_field, &w);
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
