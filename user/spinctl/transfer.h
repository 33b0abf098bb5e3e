/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_TRANSFER_H
#define USER_SPINCTL_TRANSFER_H

/*
 * Files of any length in messages: spinctl send cuts them, spinctl recv puts them together. All messages are puts (struct
 * spin_slmp_put); their match bits have the highest bit set, which no other message to spinctl recv has:
 *
 *	open   TRANSFER_OPEN       data: struct transfer_open
 *	piece  TRANSFER_PIECE | id data: bytes of the file; hdr_data: where they begin in it
 *	end    TRANSFER_END | id   data: struct transfer_end
 *
 * The id is a random number of 32 bits. Each message is sent when the one before has been acknowledged. Pieces are in
 * order and leave no gap; they have any length up to that of `open`, also 0: that tells that the sender is there, where
 * the file comes from a pipe. `end` is acknowledged when all pieces are in the file. A receiver that is not ready
 * for a message has no entry for it, and does not acknowledge it: the sender tries again.
 */
#include <stddef.h>
#include <stdint.h>

#define TRANSFER_BIT   0x8000000000000000ull
#define TRANSFER_OPEN  0x8000000100000000ull
#define TRANSFER_PIECE 0x8000000200000000ull
#define TRANSFER_END   0x8000000300000000ull

#define TRANSFER_VERSION     1u
#define TRANSFER_UNKNOWN     UINT64_MAX /* bytes of what comes from a pipe */
#define TRANSFER_PATIENCE_MS 30000u     /* a sender waits so long for a receiver that writes to its disk */

/* All big-endian. */
struct transfer_open {
	uint32_t version, id;
	uint64_t bytes;       /* of the file, or TRANSFER_UNKNOWN */
	uint32_t piece_bytes; /* of the longest piece */
	uint32_t unused;      /* 0 */
};

struct transfer_end {
	uint64_t bytes, digest;
};

_Static_assert(sizeof(struct transfer_open) == 24 && sizeof(struct transfer_end) == 16, "wire formats have no padding");

/*
 * Of all bytes in their order, for damage, not against forgery: for each word of 8 bytes, little-endian, the last one
 * filled up with zeros, value = (rotate_left(value, 27) ^ word) * 0x9e3779b97f4a7c15, from 0; then once more with the count of bytes.
 */
struct transfer_digest {
	uint64_t value, bytes;
	uint8_t rest[8]; /* bytes % 8 of them wait for others */
};

void transfer_digest__add(struct transfer_digest *d, const void *data, size_t bytes);
uint64_t transfer_digest__value(const struct transfer_digest *d);

#endif
