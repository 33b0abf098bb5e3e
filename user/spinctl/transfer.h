/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_TRANSFER_H
#define USER_SPINCTL_TRANSFER_H

/*
 * Transfers files of any length in messages: spinctl send cuts a file into pieces, spinctl recv reassembles it. All messages are
 * puts: they write to the receiver's memory (struct spin_slmp_put). Their match bits have the highest bit set, which no other message
 * to spinctl recv has:
 *
 * open   TRANSFER_OPEN       data: struct transfer_open
 * piece  TRANSFER_PIECE | id data: bytes of the file; hdr_data: their offset in the file
 * end    TRANSFER_END | id   data: struct transfer_end
 *
 * The id is a random 32-bit number. Each message is sent when the previous one has been acknowledged. Pieces are in order,
 * without gaps. A piece has at most the length that `open` announces, and may be empty: an empty piece tells the receiver that
 * the sender is alive while it reads from a pipe. `end` is acknowledged when all pieces are in the file. A receiver that is not
 * ready for a message has no entry for it and does not acknowledge it, so the sender retries.
 */
#include <stddef.h>
#include <stdint.h>

#define TRANSFER_BIT   0x8000000000000000ull
#define TRANSFER_OPEN  0x8000000100000000ull
#define TRANSFER_PIECE 0x8000000200000000ull
#define TRANSFER_END   0x8000000300000000ull

#define TRANSFER_VERSION     1u
#define TRANSFER_UNKNOWN     UINT64_MAX /* the length of data from a pipe is unknown */
#define TRANSFER_PATIENCE_MS 30000u     /* how long a sender waits for a receiver that writes to its disk */

/* The data of `open`. Big-endian. */
struct transfer_open {
	uint32_t version, id;
	uint64_t bytes;       /* length of the file, or TRANSFER_UNKNOWN */
	uint32_t piece_bytes; /* longest piece */
	uint32_t unused;      /* must be 0 */
};

/* The data of `end`. Big-endian. */
struct transfer_end {
	uint64_t bytes, digest;
};

_Static_assert(sizeof(struct transfer_open) == 24 && sizeof(struct transfer_end) == 16, "wire formats have no padding");

/*
 * Digest over all bytes in order. It detects damage, not forgery. It starts at 0. For each little-endian 8-byte word, the last one
 * padded with zeros: value = (rotate_left(value, 27) ^ word) * 0x9e3779b97f4a7c15. The number of bytes is added as a final word.
 */
struct transfer_digest {
	uint64_t value, bytes;
	uint8_t rest[8]; /* bytes % 8 bytes that do not fill a word yet */
};

void transfer_digest__add(struct transfer_digest *d, const void *data, size_t bytes);
uint64_t transfer_digest__value(const struct transfer_digest *d);

#endif
