/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The blocks of a recording, each checked and taken. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/libspin.h>

#include "user/conformance/recording_internal.h"

#define SYMBOL_BYTES_MAX (256u << 20)
#define OBJECT_BYTES_MAX (256u << 20)

int recording__damaged(const struct recording *r, const char *what)
{
	return engine_fail(-EINVAL, "%s is damaged: %s, at byte %llu; record again", r->path, what, (unsigned long long)r->at);
}

static uint16_t load16(const uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static int is_text(const char *text, size_t bytes)
{
	return text[0] && memchr(text, 0, bytes);
}

static int take_start(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_start start;

	if (bytes < sizeof(start) || r->started)
		return recording__damaged(r, "its description is not sound");
	memcpy(&start, at, sizeof(start));
	if (!start.version || start.version > RECORDING_VERSION)
		return engine_fail(-ENOTSUP, "%s is of version %u, this reads versions 1 to %u: use the spinctl that wrote it", r->path,
				   start.version, RECORDING_VERSION);
	if (!is_text(start.handler, sizeof(start.handler)) || !is_text(start.device, sizeof(start.device)) ||
	    !is_text(start.rule, sizeof(start.rule)) || start.class > SPIN_CLASS_ISOLATED || !start.object_bytes ||
	    start.object_bytes > OBJECT_BYTES_MAX)
		return recording__damaged(r, "its description is not sound");
	memcpy(r->info.handler, start.handler, sizeof(start.handler));
	memcpy(r->info.device, start.device, sizeof(start.device));
	memcpy(r->info.rule, start.rule, sizeof(start.rule));
	r->info.class = start.class;
	r->object_room = (size_t)start.object_bytes;
	r->object = malloc(r->object_room);
	r->started = 1;
	return r->object ? 0 : engine_fail(-ENOMEM, "no memory for %s", r->path);
}

static int take_object(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_object piece;

	if (bytes < sizeof(piece))
		return recording__damaged(r, "a piece of the object is too short");
	memcpy(&piece, at, sizeof(piece));
	bytes -= (uint32_t)sizeof(piece);
	if (piece.offset != r->object_bytes || bytes > r->object_room - r->object_bytes)
		return recording__damaged(r, "a piece of the object is in the wrong place");
	memcpy(r->object + r->object_bytes, at + sizeof(piece), bytes);
	r->object_bytes += bytes;
	return 0;
}

static struct recording_symbol *symbol_of(struct recording *r, const struct recording_memory_piece *piece)
{
	struct recording_symbol *symbol;

	for (unsigned i = 0; i < r->symbols; i++)
		if (!strcmp(r->symbol[i].name, piece->name))
			return &r->symbol[i];
	if (r->symbols == ENGINE_SYMBOLS_MAX)
		return NULL;
	symbol = &r->symbol[r->symbols++];
	snprintf(symbol->name, sizeof(symbol->name), "%s", piece->name);
	symbol->bytes = (size_t)piece->symbol_bytes;
	return symbol;
}

static int take_memory(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_memory_piece piece;
	struct recording_symbol *symbol;
	uint8_t **mem;

	if (bytes < sizeof(piece))
		return recording__damaged(r, "a piece of memory is too short");
	memcpy(&piece, at, sizeof(piece));
	bytes -= (uint32_t)sizeof(piece);
	if (!is_text(piece.name, sizeof(piece.name)) || piece.moment >= RECORDING_MOMENTS || !piece.symbol_bytes ||
	    piece.symbol_bytes > SYMBOL_BYTES_MAX || piece.offset > piece.symbol_bytes || bytes > piece.symbol_bytes - piece.offset)
		return recording__damaged(r, "a piece of memory is in the wrong place");
	symbol = symbol_of(r, &piece);
	if (!symbol || symbol->bytes != piece.symbol_bytes)
		return recording__damaged(r, "its variables are not sound");
	mem = &symbol->mem[piece.moment];
	if (!*mem)
		*mem = calloc(1, symbol->bytes);
	if (!*mem)
		return engine_fail(-ENOMEM, "no memory for %s", r->path);
	memcpy(*mem + piece.offset, at + sizeof(piece), bytes);
	return 0;
}

static int take_end(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_end end;

	if (bytes < sizeof(end))
		return recording__damaged(r, "its end is too short");
	memcpy(&end, at, sizeof(end));
	bytes -= (uint32_t)sizeof(end);
	if (bytes < sizeof(struct recording_seal) || r->at != r->file_bytes ||
	    end.reasons > (bytes - sizeof(struct recording_seal)) / sizeof(struct recording_count))
		return recording__damaged(r, "its end is not sound");
	if (end.packets != r->info.packets)
		return recording__damaged(r, "packets are missing");
	r->info.lost = end.lost;
	r->info.duration_ns = end.duration_ns;
	r->info.hpus = end.hpus;
	for (uint32_t i = 0; i < end.reasons; i++) {
		struct recording_count count;
		int reason = 0;

		memcpy(&count, at + sizeof(end) + i * sizeof(count), sizeof(count));
		if (!is_text(count.reason, sizeof(count.reason)))
			return recording__damaged(r, "its counters are not sound");
		while (reason < SPIN_REASON_COUNT && strcmp(spin_reason_name((enum spin_reason)reason), count.reason))
			reason++;
		if (reason < SPIN_REASON_COUNT)
			r->info.counters[reason] = count.packets;
		else if (count.packets)
			return engine_fail(-ENOTSUP, "%s counts packets as '%s', which this version does not know", r->path, count.reason);
	}
	return 0;
}

int recording__take_custom(struct recording *r, const struct recording_block *b, int *ended)
{
	struct recording_custom custom;
	const uint8_t *at = b->body + sizeof(custom);

	if (b->bytes < sizeof(custom))
		return 0; /* somebody else's */
	memcpy(&custom, b->body, sizeof(custom));
	if (custom.pen != (b->type == PCAPNG_CUSTOM ? RECORDING_PEN : 0) || custom.magic != RECORDING_MAGIC)
		return 0;
	if (custom.bytes > b->bytes - sizeof(custom))
		return recording__damaged(r, "a block holds less than it says");
	if (!r->started && custom.kind != RECORDING_START)
		return recording__damaged(r, "its description is missing");
	switch (custom.kind) {
	case RECORDING_START:
		return take_start(r, at, custom.bytes);
	case RECORDING_OBJECT:
		return take_object(r, at, custom.bytes);
	case RECORDING_MEMORY:
		return take_memory(r, at, custom.bytes);
	case RECORDING_END:
		*ended = 1;
		return take_end(r, at, custom.bytes);
	}
	return recording__take_host(r, custom.kind, at, custom.bytes);
}

int recording__take_packet(const struct recording *r, const struct recording_block *b, struct recording_packet *out)
{
	uint32_t bytes, at;

	if (b->bytes < 20 || recording__load32(b->body))
		return recording__damaged(r, "a packet is not sound");
	bytes = recording__load32(b->body + 12);
	if (bytes > b->bytes - 20 || recording__load32(b->body + 16) != bytes)
		return recording__damaged(r, "a packet is not whole");
	*out = (struct recording_packet){ .time_ns = (uint64_t)recording__load32(b->body + 4) << 32 | recording__load32(b->body + 8),
					  .bytes = bytes,
					  .frame = b->body + 20 };
	for (at = 20 + ((bytes + 3) & ~3u); at + 4 <= b->bytes;) {
		uint32_t code = load16(b->body + at), length = load16(b->body + at + 2);

		at += 4;
		if (!code || length > b->bytes - at)
			break;
		if (code == PCAPNG_EPB_QUEUE && length == 4)
			out->hpu = recording__load32(b->body + at);
		at += (length + 3) & ~3u;
	}
	return 1;
}
