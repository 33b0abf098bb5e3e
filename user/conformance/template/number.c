/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses numbers in the lines of a vector (a test as text) that describe a packet's headers, checks them against the field's width, and
 * stores them in network order. Called by template.c and slmp.c, which build the frame, and by the parsers of a vector's other lines.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/engine.h"
#include "user/conformance/template/number.h"

#define WORD_SHOWN_MAX 32

/* Fields of each header: name, first bit from the start of the header, width in bits. */
const struct template_field template_ip4_fields[] = {
	{ "version", 0, 4 }, { "words", 4, 4 },  { "tos", 8, 8 }, { "length", 16, 16 }, { "id", 32, 16 }, { "fragment", 48, 16 },
	{ "ttl", 64, 8 },    { "proto", 72, 8 }, { 0 },
};

const struct template_field template_ip6_fields[] = {
	{ "version", 0, 4 }, { "class", 4, 8 }, { "flow", 12, 20 }, { "length", 32, 16 }, { "next", 48, 8 }, { "hop", 56, 8 }, { 0 },
};

const struct template_field template_tcp_fields[] = {
	{ "sport", 0, 16 }, { "dport", 16, 16 }, { "seq", 32, 32 },  { "ack", 64, 32 },
	{ "words", 96, 4 }, { "win", 112, 16 },  { "urg", 144, 16 }, { 0 },
};

const struct template_field template_slmp_fields[] = {
	{ "flags", 0, 16 },
	{ "id", 16, 32 },
	{ "off", 48, 32 },
	{ 0 },
};

const struct template_field template_put_fields[] = {
	{ "op", 0, 8 },      { "version", 8, 8 }, { "unused", 16, 16 }, { "len", 32, 32 },
	{ "match", 64, 64 }, { "data", 128, 64 }, { "off", 192, 64 },   { 0 },
};

int template_number(const char *word, const char *what, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(word, &end, 0);
	/* strtoull() accepts a sign and negates the value modulo 2^64 */
	if (*end || (!isdigit((unsigned char)word[0]) && !(word[0] == '-' && isdigit((unsigned char)word[1]))))
		return engine_fail(-EINVAL, "'%.*s' is not a number", WORD_SHOWN_MAX, word);
	if (word[0] == '-' || errno || *out > max)
		return engine_fail(-EINVAL, "%.*s is not a valid %s: 0 to %" PRIu64, WORD_SHOWN_MAX, word, what, max);
	return 0;
}

static void store_bits(uint8_t *to, const struct template_field *field, uint64_t value)
{
	for (unsigned i = 0; i < field->bits; i++) {
		unsigned bit = field->at_bit + field->bits - 1 - i;
		uint8_t mask = (uint8_t)(0x80 >> bit % 8);

		to[bit / 8] = (uint8_t)(value >> i & 1 ? to[bit / 8] | mask : to[bit / 8] & ~mask);
	}
}

int template_store(const struct template_field *fields, const char *header, const char *name, const char *word, uint8_t *to)
{
	uint64_t value;

	for (; fields->name; fields++) {
		if (strcmp(fields->name, name))
			continue;
		if (template_number(word, name, UINT64_MAX >> (64 - fields->bits), &value))
			return -EINVAL;
		store_bits(to, fields, value);
		return 0;
	}
	return engine_fail(-EINVAL, "%s has no '%.*s'", header, WORD_SHOWN_MAX, name);
}
