/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that a recording (the file that spinctl record writes) reads back as it was written. Every file with a changed byte and every
 * truncation must be refused with a reason. With a recomputed trailer (checksum at the end) after a change, a file is refused or still
 * valid, and must never crash the reader. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "user/conformance/recording/recording.h"

#define PACKETS   3
#define BIG_BYTES 200000u

static char directory[] = "/tmp/spin-recording-XXXXXX", path[64];
static uint8_t big[BIG_BYTES];
static int failed;

static void fail(const char *what)
{
	printf("FAIL  %s: %s\n", what, engine_error());
	failed = 1;
}

static void frame_of(unsigned i, uint8_t frame[64])
{
	for (unsigned b = 0; b < 64; b++)
		frame[b] = (uint8_t)(i * 7 + b);
}

static int write_host(struct recording_writer *w, enum recording_moment moment)
{
	const struct recording_context context = { .start_ns = 5,
						   .host_bytes = BIG_BYTES,
						   .takes_messages = 1,
						   .messages = 4,
						   .parking = 8,
						   .idle_ms = 100,
						   .tombstone_ms = 200,
						   .put = 1,
						   .age_ms = 300 };
	struct recording_entry entry = { .moment = moment,
					 .index = 3,
					 .state = SPIN_ME_OPEN,
					 .match_bits = 77,
					 .length = 4096,
					 .segments = 1,
					 .segment = { { 8, 16 } } };
	struct spin_event event = { .type = SPIN_EVENT_MESSAGE, .message_id = 9, .ip_version = 4, .hpu = 3 };
	int err = moment == RECORDING_BEFORE ? recording_writer__context(w, &context) : 0;

	if (!err)
		err = recording_writer__host(w, moment, big, BIG_BYTES);
	if (!err)
		err = recording_writer__entry(w, &entry);
	if (!err && moment == RECORDING_AFTER)
		err = recording_writer__event(w, &event, 0);
	if (!err && moment == RECORDING_AFTER)
		err = recording_writer__event(w, NULL, 6);
	return err;
}

static int write_recording(const struct recording_info *info)
{
	uint64_t counters[SPIN_REASON_COUNT] = { [SPIN_REASON_SUCCESS] = 2, [SPIN_REASON_SEGV] = 1 };
	struct recording_writer *w;
	uint8_t frame[64], small[4] = { 1, 2, 3, 4 };
	int err = recording_writer__open(path, info, "object", 6, &w);

	if (err)
		return err;
	err = recording_writer__memory(w, RECORDING_BEFORE, "spin_state", small, sizeof(small));
	if (!err)
		err = recording_writer__memory(w, RECORDING_BEFORE, "routes", big, sizeof(big));
	if (!err)
		err = write_host(w, RECORDING_BEFORE);
	for (unsigned i = 0; i < PACKETS && !err; i++) {
		frame_of(i, frame);
		err = recording_writer__packet(w, i * 1000, i % 2, frame, 60 + i);
	}
	big[BIG_BYTES - 1] = 9;
	small[0]++;
	if (!err)
		err = recording_writer__memory(w, RECORDING_AFTER, "spin_state", small, sizeof(small));
	if (!err)
		err = recording_writer__memory(w, RECORDING_AFTER, "routes", big, sizeof(big));
	if (!err)
		err = write_host(w, RECORDING_AFTER);
	if (!err && !access(path, F_OK))
		err = engine_fail(-EEXIST, "the file is seen before it is whole");
	if (!err)
		err = recording_writer__finish(w, counters, 5, 77);
	recording_writer__close(w);
	return err;
}

static void check_host(const struct recording *r)
{
	const struct recording_host *before = &r->host[RECORDING_BEFORE], *after = &r->host[RECORDING_AFTER];

	if (!r->has_context || r->context.host_bytes != BIG_BYTES || r->context.idle_ms != 100 || r->context.age_ms != 300 ||
	    r->context.messages != 4 || before->mem[70000] != 8 || before->mem[BIG_BYTES - 1] || memcmp(after->mem, big, BIG_BYTES))
		fail("host memory reads back differently");
	if (after->entry[3].match_bits != 77 || before->entry[3].segment[0].length != 16 || after->entry[0].state)
		fail("a matching entry reads back differently");
	if (r->events != 1 || strcmp(r->event[0], "message id 9 from 0.0.0.0 0 to 0 length 0") || r->events_lost != 6)
		fail("an event reads back differently");
}

static void check_whole(void)
{
	struct recording_packet packet;
	struct recording r;
	uint8_t frame[64];
	unsigned n = 0;
	uint64_t first = 0;

	if (recording__open(path, &r)) {
		fail("what was written is refused");
		recording__close(&r);
		return;
	}
	if (strcmp(r.info.handler, "apples") || strcmp(r.info.device, "v0") || strcmp(r.info.rule, "udp dport 9000") ||
	    r.info.packets != PACKETS || r.info.lost != 5 || r.info.duration_ns != 77 || r.info.hpus != 2 ||
	    r.info.counters[SPIN_REASON_SUCCESS] != 2 || r.info.counters[SPIN_REASON_SEGV] != 1 || r.object_bytes != 6 ||
	    memcmp(r.object, "object", 6))
		fail("the description reads back differently");
	if (r.symbols != 2 || r.symbol[1].bytes != BIG_BYTES || strcmp(r.symbol[1].name, "routes") ||
	    r.symbol[0].mem[RECORDING_BEFORE][0] != 1 || r.symbol[0].mem[RECORDING_AFTER][0] != 2 ||
	    r.symbol[1].mem[RECORDING_BEFORE][70000] != 8 || r.symbol[1].mem[RECORDING_BEFORE][BIG_BYTES - 1] ||
	    memcmp(r.symbol[1].mem[RECORDING_AFTER], big, BIG_BYTES))
		fail("memory reads back differently");
	check_host(&r);
	for (; recording__next(&r, &packet) == 1; n++) {
		frame_of(n, frame);
		first = n ? first : packet.time_ns;
		if (packet.bytes != 60 + n || packet.hpu != n % 2 || packet.time_ns - first != n * 1000 ||
		    memcmp(packet.frame, frame, packet.bytes))
			fail("a packet reads back differently");
	}
	if (n != PACKETS)
		fail("packets are missing");
	recording__close(&r);
}

static int write_bytes(const uint8_t *data, size_t bytes)
{
	FILE *f = fopen(path, "wb");
	int ok = f && fwrite(data, 1, bytes, f) == bytes;

	return f && !fclose(f) && ok ? 0 : -1;
}

/* Returns 1 if it is refused with a reason. An accepted file is read to its end. */
static int is_refused(const uint8_t *data, size_t bytes)
{
	struct recording_packet packet;
	struct recording r;
	int rc;

	if (write_bytes(data, bytes)) {
		puts("cannot write the damaged recording");
		exit(1);
	}
	engine_fail(0, "%s", "");
	rc = recording__open(path, &r);
	while (!rc && recording__next(&r, &packet) == 1)
		;
	recording__close(&r);
	return rc < 0 && strlen(engine_error()) > 30;
}

static void write_trailer(uint8_t *data, size_t bytes)
{
	uint64_t file_bytes = bytes;
	uint32_t crc;

	memcpy(data + bytes - 20, &file_bytes, 8);
	crc = (uint32_t)crc32_z(0, data, bytes - 8);
	memcpy(data + bytes - 8, &crc, 4);
}

static void damage(const uint8_t *good, size_t bytes)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	uint8_t *work = malloc(bytes);
	unsigned taken = 0;

	for (size_t at = 0; work && at < bytes; at++) {
		/* skips most of the large variable */
		if (at > 2000 && at + 2000 < bytes && at % 997)
			continue;
		memcpy(work, good, bytes);
		work[at] ^= flips[at % 3];
		if (!is_refused(work, bytes)) {
			printf("at byte %zu: ", at);
			fail("a changed byte is not noticed");
		}
		write_trailer(work, bytes);
		taken += !is_refused(work, bytes);
		if ((at % 4 == 0 || at < 500) && !is_refused(good, at)) {
			printf("at byte %zu: ", at);
			fail("a cut is not noticed");
		}
	}
	/* changed packets and memory are still valid; most other changes are not */
	if (!taken)
		fail("nothing was read behind the trailer");
	free(work);
}

/* Format of version 1: Custom Blocks with the enterprise number for examples. */
static void check_version_1(const uint8_t *good, size_t bytes)
{
	const uint32_t block = PCAPNG_CUSTOM, pen = RECORDING_PEN, version = 1;
	uint8_t *work = malloc(bytes);
	uint32_t head[5];

	if (!work)
		return;
	memcpy(work, good, bytes);
	for (size_t at = 0; at < bytes; at += head[1]) {
		memcpy(head, work + at, sizeof(head));
		if (head[0] != RECORDING_BLOCK)
			continue;
		memcpy(work + at, &block, 4);
		memcpy(work + at + 8, &pen, 4);
		if (head[4] == RECORDING_START)
			memcpy(work + at + 24, &version, 4);
	}
	write_trailer(work, bytes);
	if (write_bytes(work, bytes))
		fail("writing version 1");
	else
		check_whole();
	free(work);
}

int main(void)
{
	const struct recording_info info = { .handler = "apples", .device = "v0", .rule = "udp dport 9000" };
	struct stat st;
	uint8_t *good = NULL;
	FILE *f;

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/a", directory);
	big[70000] = 8;
	if (write_recording(&info)) {
		fail("writing");
	} else {
		check_whole();
		f = fopen(path, "rb");
		if (f && !fstat(fileno(f), &st) && (good = malloc((size_t)st.st_size)) &&
		    fread(good, 1, (size_t)st.st_size, f) == (size_t)st.st_size) {
			damage(good, (size_t)st.st_size);
			check_version_1(good, (size_t)st.st_size);
		} else {
			fail("reading what was written");
		}
		if (f)
			fclose(f);
		free(good);
	}
	unlink(path);
	if (rmdir(directory))
		fail("a file is left beside the recording");
	return failed;
}
