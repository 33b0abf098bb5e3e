/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes recordings (packets, memory and events of live handlers in a pcapng file) block by block, for spinctl record. The trailer with the
 * checksum is last: a file without it is truncated, and readers refuse it.
 */
#include <errno.h>
#include <spin/libspin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

#include "user/conformance/recording/internal.h"
#include "user/lib/version.h"

static int put_start(struct recording_writer *w, const struct recording_info *info, const void *object, size_t object_bytes)
{
	struct recording_start start = { .version = RECORDING_VERSION, .class = info->class, .object_bytes = object_bytes };
	int err;

	snprintf(start.handler, sizeof(start.handler), "%s", info->handler);
	snprintf(start.device, sizeof(start.device), "%s", info->device);
	snprintf(start.rule, sizeof(start.rule), "%s", info->rule);
	err = recording__put_custom(w, RECORDING_START, &start, sizeof(start), NULL, 0);
	for (size_t at = 0; at < object_bytes && !err; at += RECORDING_PIECE_BYTES) {
		struct recording_object piece = { .offset = at };
		size_t bytes = object_bytes - at < RECORDING_PIECE_BYTES ? object_bytes - at : RECORDING_PIECE_BYTES;

		err = recording__put_custom(w, RECORDING_OBJECT, &piece, sizeof(piece), (const uint8_t *)object + at, bytes);
	}
	return err;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int recording_writer__open(const char *path, const struct recording_info *info, const void *object, size_t object_bytes,
			   struct recording_writer **out)
{
	struct recording_writer *w = calloc(1, sizeof(*w));
	struct stat st;
	int err;

	*out = NULL;
	if (!w)
		return engine_fail(-ENOMEM, "no memory");
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		free(w);
		return engine_fail(-EINVAL, "%s is not a regular file: name another for the recording", path);
	}
	w->realtime_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	err = atomic_file__open(&w->out, path, "spinrec");
	if (err)
		engine_fail(err, "cannot write %s: %s", path, atomic_file__reason(err));
	if (!err)
		err = recording__put_section(w);
	if (!err)
		err = recording__put_interface(w, info->device);
	if (!err)
		err = put_start(w, info, object, object_bytes);
	if (err) {
		recording_writer__close(w);
		return err;
	}
	*out = w;
	return 0;
}

size_t recording__trimmed(const uint8_t *at, size_t bytes)
{
	while (bytes && !at[bytes - 1])
		bytes--;
	return bytes;
}

int recording_writer__memory(struct recording_writer *w, enum recording_moment moment, const char *name, const void *mem, size_t bytes)
{
	int err = 0;

	for (size_t at = 0; at < bytes && !err; at += RECORDING_PIECE_BYTES) {
		struct recording_memory_piece piece = { .moment = moment, .symbol_bytes = bytes, .offset = at };
		const uint8_t *from = (const uint8_t *)mem + at;
		size_t n = recording__trimmed(from, bytes - at < RECORDING_PIECE_BYTES ? bytes - at : RECORDING_PIECE_BYTES);

		/* the first piece is always written: it names the variable */
		if (at && !n)
			continue;
		snprintf(piece.name, sizeof(piece.name), "%s", name);
		err = recording__put_custom(w, RECORDING_MEMORY, &piece, sizeof(piece), from, n);
	}
	return err;
}

int recording_writer__packet(struct recording_writer *w, uint64_t time_ns, uint32_t hpu, const void *frame, uint32_t bytes)
{
	uint64_t time = time_ns + w->realtime_ns;
	uint32_t block = 32 + bytes + recording__padding(bytes) + recording__option_bytes(4) + 4;
	const uint32_t head[] = { PCAPNG_PACKET, block, 0, (uint32_t)(time >> 32), (uint32_t)time, bytes, bytes };
	int err = recording__put(w, head, sizeof(head));

	if (!err)
		err = recording__put_padded(w, frame, bytes);
	if (!err)
		err = recording__put_option(w, PCAPNG_EPB_QUEUE, &hpu, sizeof(hpu));
	if (!err)
		err = recording__put32(w, 0);
	if (!err)
		err = recording__put32(w, block);
	w->packets += !err;
	w->hpu_seen[hpu % SPIN_HPUS_MAX] = 1;
	return err;
}

static int put_end(struct recording_writer *w, const uint64_t *counters, uint64_t lost, uint64_t duration_ns)
{
	struct recording_end end = { .packets = w->packets, .lost = lost, .duration_ns = duration_ns, .reasons = SPIN_REASON_COUNT };
	struct {
		struct recording_count count[SPIN_REASON_COUNT];
		struct recording_trailer trailer;
	} tail = { .trailer = { .magic = RECORDING_MAGIC } };
	struct recording_custom custom = { .magic = RECORDING_MAGIC, .kind = RECORDING_END, .bytes = sizeof(end) + sizeof(tail) };
	const uint32_t head[] = { RECORDING_BLOCK, 12 + sizeof(custom) + sizeof(end) + sizeof(tail) };
	int err;

	for (unsigned i = 0; i < SPIN_HPUS_MAX; i++)
		end.hpus += w->hpu_seen[i];
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++) {
		snprintf(tail.count[i].reason, sizeof(tail.count[i].reason), "%s", spin_reason_name((enum spin_reason)i));
		tail.count[i].packets = counters[i];
	}
	tail.trailer.file_bytes = w->bytes + head[1];
	err = recording__put(w, head, sizeof(head));
	if (!err)
		err = recording__put(w, &custom, sizeof(custom));
	if (!err)
		err = recording__put(w, &end, sizeof(end));
	if (!err)
		err = recording__put(w, &tail, sizeof(tail) - sizeof(tail.trailer.crc));
	if (!err)
		err = recording__put32(w, w->crc);
	return err ? err : recording__put32(w, head[1]);
}

int recording_writer__finish(struct recording_writer *w, const uint64_t *counters, uint64_t lost, uint64_t duration_ns)
{
	int err = put_end(w, counters, lost, duration_ns);

	if (err)
		return err;
	if (fflush(w->out.file))
		return engine_fail(-errno, "cannot write %s: %s", w->out.path, strerror(errno));
	err = atomic_file__publish(&w->out);
	return err ? engine_fail(err, "cannot write %s: %s", w->out.path, strerror(-err)) : 0;
}

uint64_t recording_writer__packets(const struct recording_writer *w)
{
	return w->packets;
}

void recording_writer__close(struct recording_writer *w)
{
	if (!w)
		return;
	atomic_file__close(&w->out);
	free(w);
}

/* --- pcapng blocks, written with a running checksum --- */

int recording__put(struct recording_writer *w, const void *data, size_t bytes)
{
	if (!bytes)
		return 0;
	if (fwrite(data, 1, bytes, w->out.file) != bytes)
		return engine_fail(-errno, "cannot write %s: %s", w->out.path, strerror(errno));
	w->crc = (uint32_t)crc32_z(w->crc, data, bytes);
	w->bytes += bytes;
	return 0;
}

int recording__put32(struct recording_writer *w, uint32_t value)
{
	return recording__put(w, &value, sizeof(value));
}

uint32_t recording__padding(size_t bytes)
{
	return (uint32_t)(-bytes & 3);
}

int recording__put_padded(struct recording_writer *w, const void *data, size_t bytes)
{
	static const uint8_t zeros[4];
	int err = recording__put(w, data, bytes);

	return err ? err : recording__put(w, zeros, recording__padding(bytes));
}

int recording__put_option(struct recording_writer *w, uint16_t code, const void *value, uint16_t bytes)
{
	int err = recording__put32(w, code | (uint32_t)bytes << 16);

	return err ? err : recording__put_padded(w, value, bytes);
}

uint32_t recording__option_bytes(size_t bytes)
{
	return 4 + (uint32_t)bytes + recording__padding(bytes);
}

int recording__put_custom(struct recording_writer *w, enum recording_kind kind, const void *head, size_t head_bytes, const void *tail,
			  size_t tail_bytes)
{
	struct recording_custom custom = { .magic = RECORDING_MAGIC, .kind = kind, .bytes = (uint32_t)(head_bytes + tail_bytes) };
	uint32_t bytes = 12 + (uint32_t)sizeof(custom) + custom.bytes + recording__padding(custom.bytes);
	int err = recording__put32(w, RECORDING_BLOCK);

	if (!err)
		err = recording__put32(w, bytes);
	if (!err)
		err = recording__put(w, &custom, sizeof(custom));
	if (!err)
		err = recording__put(w, head, head_bytes);
	if (!err)
		err = recording__put_padded(w, tail, tail_bytes);
	return err ? err : recording__put32(w, bytes);
}

int recording__put_section(struct recording_writer *w)
{
	static const char application[] = "spinctl record " SPIN_VERSION;
	uint32_t bytes = 28 + recording__option_bytes(sizeof(application) - 1) + 4;
	const uint32_t head[] = { PCAPNG_SECTION, bytes, PCAPNG_BYTE_ORDER, 1 /* 1.0 */, ~0u, ~0u };
	int err = recording__put(w, head, sizeof(head));

	if (!err)
		err = recording__put_option(w, PCAPNG_SHB_USERAPPL, application, sizeof(application) - 1);
	if (!err)
		err = recording__put32(w, 0);
	return err ? err : recording__put32(w, bytes);
}

int recording__put_interface(struct recording_writer *w, const char *device)
{
	static const uint8_t nanoseconds = 9;
	uint16_t length = (uint16_t)strlen(device);
	uint32_t bytes = 20 + recording__option_bytes(length) + recording__option_bytes(1) + 4;
	const uint32_t head[] = { PCAPNG_INTERFACE, bytes, PCAPNG_ETHERNET, 0 /* no limit */ };
	int err = recording__put(w, head, sizeof(head));

	if (!err)
		err = recording__put_option(w, PCAPNG_IF_NAME, device, length);
	if (!err)
		err = recording__put_option(w, PCAPNG_IF_TSRESOL, &nanoseconds, 1);
	if (!err)
		err = recording__put32(w, 0);
	return err ? err : recording__put32(w, bytes);
}
