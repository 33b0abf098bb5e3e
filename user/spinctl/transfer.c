/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Computes the digest of a file that is sent in pieces (transfer.h has the formula). Sender (send/) and receiver (recv/) each compute it
 * piece by piece. The receiver discards a file whose digest is not the sender's.
 */
#include <endian.h>
#include <string.h>

#include "user/spinctl/transfer.h"

static uint64_t mix(uint64_t value, uint64_t word)
{
	return ((value << 27 | value >> 37) ^ word) * 0x9e3779b97f4a7c15u;
}

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return le64toh(word);
}

void transfer_digest__add(struct transfer_digest *d, const void *data, size_t bytes)
{
	size_t have = d->bytes % 8, part = 0;
	const uint8_t *at = data;

	if (have) {
		part = bytes < 8 - have ? bytes : 8 - have;
		memcpy(d->rest + have, at, part);
		if (have + part == 8)
			d->value = mix(d->value, word_at(d->rest));
	}
	d->bytes += bytes;
	for (at += part, bytes -= part; bytes >= 8; at += 8, bytes -= 8)
		d->value = mix(d->value, word_at(at));
	if (bytes)
		memcpy(d->rest, at, bytes);
}

uint64_t transfer_digest__value(const struct transfer_digest *d)
{
	uint8_t last[8] = { 0 };
	uint64_t value = d->value;

	if (d->bytes % 8) {
		memcpy(last, d->rest, d->bytes % 8);
		value = mix(value, word_at(last));
	}
	return mix(value, d->bytes);
}
