/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_RECORDING_INTERNAL_H
#define USER_CONFORMANCE_RECORDING_INTERNAL_H

/*
 * Shared by the writer (write.c), the reader (read.c) and host.c of recordings, pcapng files of live traffic: blocks, their bounds, and the
 * checksum.
 */
#include <string.h>

#include "user/lib/atomic_file.h"

#include "user/conformance/recording/recording.h"

/* --- reading --- */

/* A block as read from the file. */
struct recording_block {
	uint32_t type, bytes; /* bytes: length of the body */
	const uint8_t *body;
};

static inline uint32_t recording__load32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* Returns -EINVAL with a reason that names the position in the file. */
int recording__damaged(const struct recording *r, const char *what);
/* Checks and stores one block; ignores blocks of other programs. Sets *ended at the END block. */
int recording__parse_custom(struct recording *r, const struct recording_block *b, int *ended);
/* Same for the kinds of blocks that host.c stores; returns 0 for others. */
int recording__parse_host(struct recording *r, uint32_t kind, const uint8_t *at, uint32_t bytes);
void recording__free_host(struct recording *r);
/* Checks a packet's block and sets *out. Returns 1 or a negative errno, as recording__next(). */
int recording__parse_packet(const struct recording *r, const struct recording_block *b, struct recording_packet *out);

/* --- writing --- */

/* A recording while it is written. */
struct recording_writer {
	struct atomic_file out;
	uint32_t crc;
	uint64_t bytes, packets;
	uint64_t realtime_ns; /* offset from CLOCK_MONOTONIC to the time since 1970 */
	uint8_t hpu_seen[SPIN_HPUS_MAX];
};

int recording__put(struct recording_writer *w, const void *data, size_t bytes);
int recording__put32(struct recording_writer *w, uint32_t value);
/* Writes bytes, padded with zeros to a multiple of 4. */
int recording__put_padded(struct recording_writer *w, const void *data, size_t bytes);
uint32_t recording__padding(size_t bytes);
/* Returns the number of bytes without trailing zeros. */
size_t recording__trimmed(const uint8_t *at, size_t bytes);
int recording__put_option(struct recording_writer *w, uint16_t code, const void *value, uint16_t bytes);
uint32_t recording__option_bytes(size_t bytes);
int recording__put_section(struct recording_writer *w);
int recording__put_interface(struct recording_writer *w, const char *device);
#define RECORDING_PIECE_BYTES 65536u /* maximum bytes of memory or object in one block */

/* Writes a local-use block: a struct, followed by `tail`. */
int recording__put_custom(struct recording_writer *w, enum recording_kind kind, const void *head, size_t head_bytes, const void *tail,
			  size_t tail_bytes);

#endif
