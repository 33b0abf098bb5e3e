/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <spin/libspin.h>

#include "user/conformance/recording_internal.h"

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
		return engine_fail(-EINVAL, "%s is no regular file: name another for the recording", path);
	}
	w->realtime_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	err = whole_file__open(&w->out, path, "spinrec");
	if (err)
		engine_fail(err, "cannot write %s: %s", path, whole_file__reason(err));
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

		/* the first one is there always: it tells the variable */
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
		struct recording_seal seal;
	} tail = { .seal = { .magic = RECORDING_MAGIC } };
	struct recording_custom custom = { .magic = RECORDING_MAGIC, .kind = RECORDING_END, .bytes = sizeof(end) + sizeof(tail) };
	const uint32_t head[] = { RECORDING_BLOCK, 12 + sizeof(custom) + sizeof(end) + sizeof(tail) };
	int err;

	for (unsigned i = 0; i < SPIN_HPUS_MAX; i++)
		end.hpus += w->hpu_seen[i];
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++) {
		snprintf(tail.count[i].reason, sizeof(tail.count[i].reason), "%s", spin_reason_name((enum spin_reason)i));
		tail.count[i].packets = counters[i];
	}
	tail.seal.file_bytes = w->bytes + head[1];
	err = recording__put(w, head, sizeof(head));
	if (!err)
		err = recording__put(w, &custom, sizeof(custom));
	if (!err)
		err = recording__put(w, &end, sizeof(end));
	if (!err)
		err = recording__put(w, &tail, sizeof(tail) - sizeof(tail.seal.crc));
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
	err = whole_file__publish(&w->out);
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
	whole_file__close(&w->out);
	free(w);
}
