/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Encodes commands of memcached and reads their answers (commands.h): memcached's doc/protocol.txt, and its binary protocol. Called by
 * writer.c, which changes keys with them. Must encode all commands that may change a key.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/memcached/commands.h"

#define NO_INITIAL UINT32_MAX /* expiry of a binary incr that does not create the value */

/* Names for reports, by enum mc_op. */
const char *const mc_op_name[MC_OPS] = {
	"set",  "add", "replace", "append", "prepend", "cas",   "cas, old", "incr", "decr",  "delete", "touch", "gat",
	"gats", "ms",  "ms ME",   "ms MR",  "ms MA",   "ms MP", "md",       "ma",   "ma MD", "ma N J", "mg T",  "mg N",
};

/* Storage commands of the text protocol, and modes of "ms". */
static const char *const storage[MC_OPS] = {
	[MC_SET] = "set",         [MC_ADD] = "add",        [MC_REPLACE] = "replace", [MC_APPEND] = "append",
	[MC_PREPEND] = "prepend", [MC_CAS] = "cas",        [MC_CAS_OLD] = "cas",     [MC_META_SET] = "S",
	[MC_META_ADD] = "E",      [MC_META_REPLACE] = "R", [MC_META_APPEND] = "A",   [MC_META_PREPEND] = "P",
};

/* Opcodes, and their quiet variants; 0x00 is a GET, which changes nothing. */
static const struct {
	uint8_t opcode, quiet;
} binary[MC_OPS] = {
	[MC_SET] = { 0x01, 0x11 },   [MC_ADD] = { 0x02, 0x12 },  [MC_REPLACE] = { 0x03, 0x13 }, [MC_DELETE] = { 0x04, 0x14 },
	[MC_INCR] = { 0x05, 0x15 },  [MC_DECR] = { 0x06, 0x16 }, [MC_APPEND] = { 0x0e, 0x19 },  [MC_PREPEND] = { 0x0f, 0x1a },
	[MC_TOUCH] = { 0x1c, 0x1c }, [MC_GAT] = { 0x1d, 0x1d },
};

struct header {
	uint8_t magic, opcode;
	uint16_t key_bytes;
	uint8_t extra_bytes, type;
	uint16_t status; /* in requests: zero */
	uint32_t body_bytes, opaque;
	uint64_t unique;
} __attribute__((packed));

static size_t store_text(const struct mc_command *c, char *out)
{
	const char *word = storage[c->op], *quiet = c->quiet ? " noreply" : "";
	int n;

	if (c->op >= MC_META_SET)
		n = sprintf(out, "ms %s %u F%u T%u M%s%s\r\n", c->key, c->count, c->flags, c->seconds, word, c->quiet ? " q" : "");
	else if (c->op == MC_CAS || c->op == MC_CAS_OLD)
		n = sprintf(out, "%s %s %u %u %u %llu%s\r\n", word, c->key, c->flags, c->seconds, c->count, (unsigned long long)c->unique,
			    quiet);
	else
		n = sprintf(out, "%s %s %u %u %u%s\r\n", word, c->key, c->flags, c->seconds, c->count, quiet);
	memcpy(out + n, c->bytes, c->count);
	memcpy(out + n + c->count, "\r\n", 2);
	return (size_t)n + c->count + 2;
}

size_t mc_command__text(const struct mc_command *c, char *out)
{
	const char *quiet = c->quiet ? " noreply" : "", *q = c->quiet ? " q" : "";
	int n;

	if (storage[c->op])
		return store_text(c, out);
	switch (c->op) {
	case MC_INCR:
	case MC_DECR:
		n = sprintf(out, "%s %s %u%s\r\n", c->op == MC_INCR ? "incr" : "decr", c->key, c->delta, quiet);
		break;
	case MC_DELETE:
		n = sprintf(out, "delete %s%s\r\n", c->key, quiet);
		break;
	case MC_TOUCH:
		n = sprintf(out, "touch %s %u%s\r\n", c->key, c->seconds, quiet);
		break;
	case MC_GAT:
	case MC_GATS:
		n = sprintf(out, "%s %u %s\r\n", c->op == MC_GAT ? "gat" : "gats", c->seconds, c->key);
		break;
	case MC_META_DELETE:
		n = sprintf(out, "md %s%s\r\n", c->key, q);
		break;
	case MC_META_INCR:
	case MC_META_DECR:
		n = sprintf(out, "ma %s D%u M%s%s\r\n", c->key, c->delta, c->op == MC_META_INCR ? "I" : "D", c->quiet ? " q" : " v");
		break;
	case MC_META_INCR_OR_NEW:
		n = sprintf(out, "ma %s N0 J%.*s D%u v\r\n", c->key, (int)c->count, c->bytes, c->delta);
		break;
	case MC_META_TOUCH:
		n = sprintf(out, "mg %s v T%u\r\n", c->key, c->seconds);
		break;
	default:
		n = sprintf(out, "mg %s v N%u\r\n", c->key, c->seconds);
	}
	return (size_t)n;
}

int mc_command__is_binary(enum mc_op op)
{
	return binary[op].opcode != 0;
}

static size_t request(uint8_t opcode, const struct mc_command *c, const void *extra, size_t extra_bytes, int has_value, char *out)
{
	size_t key_bytes = c->key ? strlen(c->key) : 0, value_bytes = has_value ? c->count : 0;
	struct header h = {
		.magic = 0x80,
		.opcode = opcode,
		.key_bytes = htobe16((uint16_t)key_bytes),
		.extra_bytes = (uint8_t)extra_bytes,
		.body_bytes = htobe32((uint32_t)(extra_bytes + key_bytes + value_bytes)),
		.opaque = htobe32(c->opaque),
	};
	char *at = mempcpy(out, &h, sizeof(h));

	at = mempcpy(at, extra, extra_bytes);
	if (key_bytes)
		at = mempcpy(at, c->key, key_bytes);
	if (value_bytes)
		at = mempcpy(at, c->bytes, value_bytes);
	return (size_t)(at - out);
}

size_t mc_command__binary(const struct mc_command *c, char *out)
{
	uint8_t opcode = c->quiet ? binary[c->op].quiet : binary[c->op].opcode;
	struct {
		uint64_t delta, initial;
		uint32_t seconds;
	} __attribute__((packed)) change = { htobe64(c->delta), 0, htobe32(NO_INITIAL) };
	uint32_t words[2] = { htobe32(c->flags), htobe32(c->seconds) };

	switch (c->op) {
	case MC_SET:
	case MC_ADD:
	case MC_REPLACE:
		return request(opcode, c, words, sizeof(words), 1, out);
	case MC_INCR:
	case MC_DECR:
		return request(opcode, c, &change, sizeof(change), 0, out);
	case MC_TOUCH:
	case MC_GAT:
		return request(opcode, c, &words[1], sizeof(words[1]), 0, out);
	default:
		return request(opcode, c, NULL, 0, c->op != MC_DELETE, out);
	}
}

size_t mc_command__flush(unsigned seconds, int is_binary, int quiet, char *out)
{
	const uint32_t word = htobe32(seconds);
	const struct mc_command c = { .opaque = 0 };

	if (is_binary)
		return request(quiet ? 0x18 : 0x08, &c, &word, seconds ? sizeof(word) : 0, 0, out);
	if (!seconds)
		return (size_t)sprintf(out, "flush_all%s\r\n", quiet ? " noreply" : "");
	return (size_t)sprintf(out, "flush_all %u%s\r\n", seconds, quiet ? " noreply" : "");
}

size_t mc_command__noop(int is_binary, uint32_t opaque, char *out)
{
	const struct mc_command c = { .opaque = opaque };

	return is_binary ? request(0x0a, &c, NULL, 0, 0, out) : (size_t)sprintf(out, "mn\r\n");
}

static int has_value_there(enum mc_op op)
{
	return op == MC_ADD || op == MC_META_ADD;
}

enum mc_result mc_command__text_answer(const struct mc_command *command, struct mc_answer *from, const char **data, uint32_t *bytes)
{
	static const char *const done[] = { "STORED", "DELETED", "TOUCHED", "HD", "OK", "MN" };
	static const char *const absent[] = { "NOT_FOUND", "NF", "EN", "END" };
	const char *line = mc_client__line(from);
	int at = 0;

	*data = NULL;
	if (!line)
		return MC_WRONG;
	for (size_t i = 0; i < sizeof(done) / sizeof(done[0]); i++)
		if (!strcmp(line, done[i]))
			return MC_DONE;
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		if (!strcmp(line, absent[i]))
			return MC_ABSENT;
	if (!strcmp(line, "NOT_STORED") || !strcmp(line, "NS"))
		return has_value_there(command->op) ? MC_UNCHANGED : MC_ABSENT;
	if (!strcmp(line, "EXISTS") || !strcmp(line, "EX"))
		return MC_UNCHANGED;
	if (line[0] >= '0' && line[0] <= '9') {
		*data = line;
		*bytes = (uint32_t)strlen(line);
		return MC_DONE;
	}
	if (sscanf(line, "VALUE %*s %*u %u%n", bytes, &at) != 1 && sscanf(line, "VA %u%n", bytes, &at) != 1)
		return MC_WRONG;
	at = line[2] == 'L';
	*data = mc_client__bytes(from, *bytes + 2);
	if (!*data || memcmp(*data + *bytes, "\r\n", 2))
		return MC_WRONG;
	if (at) { /* reading the next line may move the data */
		static __thread char kept[MC_VALUE_BYTES];

		if (*bytes > sizeof(kept))
			return MC_WRONG;
		memcpy(kept, *data, *bytes);
		*data = kept;
		line = mc_client__line(from);
		return line && !strcmp(line, "END") ? MC_DONE : MC_WRONG;
	}
	return MC_DONE;
}

enum mc_result mc_command__binary_answer(struct mc_answer *from, uint32_t *opaque)
{
	const char *at = mc_client__bytes(from, sizeof(struct header));
	struct header h;

	if (!at)
		return MC_WRONG;
	memcpy(&h, at, sizeof(h));
	*opaque = be32toh(h.opaque);
	if (h.magic != 0x81 || !mc_client__bytes(from, be32toh(h.body_bytes)))
		return MC_WRONG;
	switch (be16toh(h.status)) {
	case 0:
		return MC_DONE;
	case 1: /* not found */
	case 5: /* not stored */
		return MC_ABSENT;
	case 2: /* exists */
		return MC_UNCHANGED;
	default:
		return MC_WRONG;
	}
}
