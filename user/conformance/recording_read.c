/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads recordings. Nothing of a file is believed: the seal finds damage, every length is checked
 * all the same. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include <spin/libspin.h>

#include "user/conformance/recording_internal.h"

#define TAIL_BYTES (sizeof(struct recording_seal) + 4) /* the seal and the last block's length */

static int get(struct recording *r, void *to, size_t bytes)
{
	if (fread(to, 1, bytes, r->file) == bytes)
		return 0;
	return engine_fail(-EIO, "cannot read %s: %s", r->path, ferror(r->file) ? strerror(errno) : "it became shorter meanwhile");
}

/* 1: a block; 0: the file ends here. */
static int next_block(struct recording *r, struct recording_block *b)
{
	uint32_t head[2];
	int err;

	if (r->at == r->file_bytes)
		return 0;
	if (r->file_bytes - r->at < 12)
		return recording__damaged(r, "half a block");
	err = get(r, head, sizeof(head));
	if (err)
		return err;
	if (head[1] < 12 || head[1] % 4 || head[1] > RECORDING_BLOCK_MAX || head[1] > r->file_bytes - r->at)
		return recording__damaged(r, "a block's length is none");
	err = get(r, r->block, head[1] - 8);
	if (err)
		return err;
	*b = (struct recording_block){ .type = head[0], .bytes = head[1] - 12, .body = r->block };
	if (recording__load32(r->block + b->bytes) != head[1])
		return recording__damaged(r, "a block's two lengths differ");
	r->at += head[1];
	return 1;
}

static int scan(struct recording *r)
{
	struct recording_packet packet;
	int rc, ended = 0;
	struct recording_block b;

	while ((rc = next_block(r, &b)) > 0) {
		if (b.type == RECORDING_BLOCK || b.type == PCAPNG_CUSTOM) {
			rc = recording__take_custom(r, &b, &ended);
		} else if (b.type == PCAPNG_PACKET) {
			rc = recording__take_packet(r, &b, &packet);
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

/* What a file without our end may be. */
static int without_end(struct recording *r)
{
	static const uint32_t mark[] = { RECORDING_MAGIC, RECORDING_START };
	size_t bytes;

	rewind(r->file);
	bytes = fread(r->block, 1, 4096, r->file);
	if (memmem(r->block, bytes, mark, sizeof(mark)))
		return engine_fail(-EINVAL, "%s is cut short: its end is missing; record again", r->path);
	return engine_fail(-EINVAL,
			   "%s is a capture, but no recording: it has packets only; make one with "
			   "`spinctl record`",
			   r->path);
}

/* The seal tells what was cut or changed before anything is interpreted. */
static int check_seal(struct recording *r)
{
	struct recording_seal seal;
	uint64_t left;
	uint32_t crc = 0;
	int err;

	if (r->file_bytes < 12 + TAIL_BYTES)
		return without_end(r);
	if (fseeko(r->file, (off_t)(r->file_bytes - TAIL_BYTES), SEEK_SET))
		return engine_fail(-errno, "cannot read %s: %s", r->path, strerror(errno));
	err = get(r, &seal, sizeof(seal));
	if (err)
		return err;
	if (seal.magic != RECORDING_MAGIC || seal.file_bytes != r->file_bytes)
		return without_end(r);
	rewind(r->file);
	for (left = r->file_bytes - 8; left && !err;) {
		size_t bytes = left < RECORDING_BLOCK_MAX ? (size_t)left : RECORDING_BLOCK_MAX;

		err = get(r, r->block, bytes);
		crc = (uint32_t)crc32_z(crc, r->block, bytes);
		left -= bytes;
	}
	if (!err && crc != seal.crc)
		err = engine_fail(-EINVAL, "%s is damaged: its checksum is wrong; record again", r->path);
	return err;
}

static int check_start(struct recording *r)
{
	uint8_t head[12] = { 0 };
	size_t bytes = fread(head, 1, sizeof(head), r->file);

	if (bytes == sizeof(head) && recording__load32(head) == PCAPNG_SECTION && recording__load32(head + 8) == PCAPNG_BYTE_ORDER)
		return 0;
	return engine_fail(-EINVAL, "%s is no recording: make one with `spinctl record`", r->path);
}

int recording__open(const char *path, struct recording *r)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err; /* does not wait for a pipe's writer */
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
		return engine_fail(-EINVAL, "%s is no regular file", path);
	r->file_bytes = (uint64_t)st.st_size;
	err = check_start(r);
	if (!err)
		err = check_seal(r);
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
			return recording__take_packet(r, &b, out);
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
