/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads recordings (pcapng files with the packets, memory and events of live handlers) for spinctl replay and tests. Nothing in a file is
 * trusted: the checksum in the trailer at its end detects damage, and every length is checked regardless.
 */
#include <errno.h>
#include <fcntl.h>
#include <spin/libspin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "user/conformance/recording/internal.h"
#include "user/lib/printable.h"

#define TAIL_BYTES (sizeof(struct recording_trailer) + 4) /* the trailer, and the length that ends the last block */

static int read_bytes(struct recording *r, void *to, size_t bytes)
{
	if (fread(to, 1, bytes, r->file) == bytes)
		return 0;
	return engine_fail(-EIO, "cannot read %s: %s", r->path, ferror(r->file) ? strerror(errno) : "it became shorter in the meantime");
}

/* Reads the next block. Returns 1, 0 at the end of the file, or a negative errno. */
static int next_block(struct recording *r, struct recording_block *b)
{
	uint32_t head[2];
	int err;

	if (r->at == r->file_bytes)
		return 0;
	if (r->file_bytes - r->at < 12)
		return recording__damaged(r, "half a block");
	err = read_bytes(r, head, sizeof(head));
	if (err)
		return err;
	if (head[1] < 12 || head[1] % 4 || head[1] > RECORDING_BLOCK_MAX || head[1] > r->file_bytes - r->at)
		return recording__damaged(r, "a block has an invalid length");
	err = read_bytes(r, r->block, head[1] - 8);
	if (err)
		return err;
	*b = (struct recording_block){ .type = head[0], .bytes = head[1] - 12, .body = r->block };
	if (recording__load32(r->block + b->bytes) != head[1])
		return recording__damaged(r, "a block's two lengths differ");
	r->at += head[1];
	return 1;
}

/* Reads the whole file once. Afterwards all parts are known to be there and valid. */
static int scan(struct recording *r)
{
	struct recording_packet packet;
	int rc, ended = 0;
	struct recording_block b;

	while ((rc = next_block(r, &b)) > 0) {
		if (b.type == RECORDING_BLOCK || b.type == PCAPNG_CUSTOM) {
			rc = recording__parse_custom(r, &b, &ended);
		} else if (b.type == PCAPNG_PACKET) {
			rc = recording__parse_packet(r, &b, &packet);
			r->info.packets++;
		} else if (b.type == PCAPNG_SECTION && r->at > b.bytes + 12u) {
			rc = recording__damaged(r, "it has two sections");
		}
		if (rc < 0)
			return rc;
	}
	if (rc)
		return rc;
	if (!ended || !r->symbols || r->object_bytes != r->object_room)
		return recording__damaged(r, "parts are missing");
	for (unsigned i = 0; i < r->symbols; i++)
		if (!r->symbol[i].mem[RECORDING_BEFORE] || !r->symbol[i].mem[RECORDING_AFTER])
			return recording__damaged(r, "parts of its memory are missing");
	return 0;
}

/* Reports that a file without a trailer is truncated, or is not a recording. Returns -EINVAL. */
static int report_no_trailer(struct recording *r)
{
	static const uint32_t start_block[] = { RECORDING_MAGIC, RECORDING_START };
	size_t bytes;

	rewind(r->file);
	bytes = fread(r->block, 1, 4096, r->file);
	if (memmem(r->block, bytes, start_block, sizeof(start_block)))
		return engine_fail(-EINVAL, "%s is cut short: its end is missing; record again", r->path);
	return engine_fail(-EINVAL,
			   "%s is a capture, but no recording: it has packets only; make one with "
			   "`spinctl record`",
			   r->path);
}

/* Checks length and CRC of the file before anything else is interpreted. */
static int check_trailer(struct recording *r)
{
	struct recording_trailer trailer;
	uint64_t left;
	uint32_t crc = 0;
	int err;

	if (r->file_bytes < 12 + TAIL_BYTES)
		return report_no_trailer(r);
	if (fseeko(r->file, (off_t)(r->file_bytes - TAIL_BYTES), SEEK_SET))
		return engine_fail(-errno, "cannot read %s: %s", r->path, strerror(errno));
	err = read_bytes(r, &trailer, sizeof(trailer));
	if (err)
		return err;
	if (trailer.magic != RECORDING_MAGIC || trailer.file_bytes != r->file_bytes)
		return report_no_trailer(r);
	rewind(r->file);
	for (left = r->file_bytes - 8; left && !err;) {
		size_t bytes = left < RECORDING_BLOCK_MAX ? (size_t)left : RECORDING_BLOCK_MAX;

		err = read_bytes(r, r->block, bytes);
		crc = (uint32_t)crc32_z(crc, r->block, bytes);
		left -= bytes;
	}
	if (!err && crc != trailer.crc)
		err = engine_fail(-EINVAL, "%s is damaged: its checksum is wrong; record again", r->path);
	return err;
}

static int check_section_header(struct recording *r)
{
	uint8_t head[12] = { 0 };
	size_t bytes = fread(head, 1, sizeof(head), r->file);

	if (bytes == sizeof(head) && recording__load32(head) == PCAPNG_SECTION && recording__load32(head + 8) == PCAPNG_BYTE_ORDER)
		return 0;
	return engine_fail(-EINVAL, "%s is not a recording: make one with `spinctl record`", r->path);
}

int recording__open(const char *path, struct recording *r)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err; /* O_NONBLOCK: do not wait for the writer of a FIFO */
	struct stat st;

	*r = (struct recording){ .path = path, .block = malloc(RECORDING_BLOCK_MAX) };
	r->file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!r->file) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return engine_fail(err, "cannot open %s: %s", path, strerror(-err));
	}
	if (!r->block)
		return engine_fail(-ENOMEM, "no memory for %s", path);
	if (fstat(fileno(r->file), &st) || !S_ISREG(st.st_mode))
		return engine_fail(-EINVAL, "%s is not a regular file", path);
	r->file_bytes = (uint64_t)st.st_size;
	err = check_section_header(r);
	if (!err)
		err = check_trailer(r);
	if (err)
		return err;
	rewind(r->file);
	err = scan(r);
	rewind(r->file);
	r->at = 0;
	return err;
}

int recording__next(struct recording *r, struct recording_packet *out)
{
	struct recording_block b;
	int rc;

	while ((rc = next_block(r, &b)) > 0)
		if (b.type == PCAPNG_PACKET)
			return recording__parse_packet(r, &b, out);
	return rc;
}

void recording__close(struct recording *r)
{
	if (r->file)
		fclose(r->file);
	for (unsigned i = 0; i < r->symbols; i++)
		for (int moment = 0; moment < RECORDING_MOMENTS; moment++)
			free(r->symbol[i].mem[moment]);
	recording__free_host(r);
	free(r->object);
	free(r->block);
	*r = (struct recording){ 0 };
}

/* --- blocks of a recording: each is checked, then stored --- */

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
	return text[0] && memchr(text, 0, bytes) && is_printable(text, strlen(text));
}

static int parse_start(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_start start;

	if (bytes < sizeof(start) || r->started)
		return recording__damaged(r, "its description is invalid");
	memcpy(&start, at, sizeof(start));
	if (!start.version || start.version > RECORDING_VERSION)
		return engine_fail(-ENOTSUP, "%s is of version %u, this reads versions 1 to %u: use the spinctl that wrote it", r->path,
				   start.version, RECORDING_VERSION);
	if (!is_text(start.handler, sizeof(start.handler)) || !is_text(start.device, sizeof(start.device)) ||
	    !is_text(start.rule, sizeof(start.rule)) || start.class > SPIN_CLASS_ISOLATED || !start.object_bytes ||
	    start.object_bytes > OBJECT_BYTES_MAX)
		return recording__damaged(r, "its description is invalid");
	memcpy(r->info.handler, start.handler, sizeof(start.handler));
	memcpy(r->info.device, start.device, sizeof(start.device));
	memcpy(r->info.rule, start.rule, sizeof(start.rule));
	r->info.class = start.class;
	r->object_room = (size_t)start.object_bytes;
	r->object = malloc(r->object_room);
	r->started = 1;
	return r->object ? 0 : engine_fail(-ENOMEM, "no memory for %s", r->path);
}

static int parse_object(struct recording *r, const uint8_t *at, uint32_t bytes)
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

static struct recording_symbol *find_or_add_symbol(struct recording *r, const struct recording_memory_piece *piece)
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

static int parse_memory(struct recording *r, const uint8_t *at, uint32_t bytes)
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
	symbol = find_or_add_symbol(r, &piece);
	if (!symbol || symbol->bytes != piece.symbol_bytes)
		return recording__damaged(r, "its variables are invalid");
	mem = &symbol->mem[piece.moment];
	if (!*mem)
		*mem = calloc(1, symbol->bytes);
	if (!*mem)
		return engine_fail(-ENOMEM, "no memory for %s", r->path);
	memcpy(*mem + piece.offset, at + sizeof(piece), bytes);
	return 0;
}

static int parse_end(struct recording *r, const uint8_t *at, uint32_t bytes)
{
	struct recording_end end;

	if (bytes < sizeof(end))
		return recording__damaged(r, "its end is too short");
	memcpy(&end, at, sizeof(end));
	bytes -= (uint32_t)sizeof(end);
	if (bytes < sizeof(struct recording_trailer) || r->at != r->file_bytes ||
	    end.reasons > (bytes - sizeof(struct recording_trailer)) / sizeof(struct recording_count))
		return recording__damaged(r, "its end is invalid");
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
			return recording__damaged(r, "its counters are invalid");
		while (reason < SPIN_REASON_COUNT && strcmp(spin_reason_name((enum spin_reason)reason), count.reason))
			reason++;
		if (reason < SPIN_REASON_COUNT)
			r->info.counters[reason] = count.packets;
		else if (count.packets)
			return engine_fail(-ENOTSUP, "%s counts packets as '%s', which this version does not know", r->path, count.reason);
	}
	return 0;
}

int recording__parse_custom(struct recording *r, const struct recording_block *b, int *ended)
{
	struct recording_custom custom;
	const uint8_t *at = b->body + sizeof(custom);

	if (b->bytes < sizeof(custom))
		return 0; /* a block of another program */
	memcpy(&custom, b->body, sizeof(custom));
	if (custom.pen != (b->type == PCAPNG_CUSTOM ? RECORDING_PEN : 0) || custom.magic != RECORDING_MAGIC)
		return 0;
	if (custom.bytes > b->bytes - sizeof(custom))
		return recording__damaged(r, "a block holds less than it says");
	if (!r->started && custom.kind != RECORDING_START)
		return recording__damaged(r, "its description is missing");
	switch (custom.kind) {
	case RECORDING_START:
		return parse_start(r, at, custom.bytes);
	case RECORDING_OBJECT:
		return parse_object(r, at, custom.bytes);
	case RECORDING_MEMORY:
		return parse_memory(r, at, custom.bytes);
	case RECORDING_END:
		*ended = 1;
		return parse_end(r, at, custom.bytes);
	}
	return recording__parse_host(r, custom.kind, at, custom.bytes);
}

int recording__parse_packet(const struct recording *r, const struct recording_block *b, struct recording_packet *out)
{
	uint32_t bytes, at;

	if (b->bytes < 20 || recording__load32(b->body))
		return recording__damaged(r, "a packet is invalid");
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
