/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "user/libspin/seal.h"

/* Little-endian, as the rest of the object. */
struct seal {
	char magic[8];
	uint64_t bytes; /* of the file before it */
	uint32_t crc;   /* CRC-32 of those */
	uint32_t check; /* CRC-32 of the fields above */
};

_Static_assert(sizeof(struct seal) == SPIN_SEAL_BYTES, "the seal is a file format");

static const char magic[8] = "SPINSEAL";

static uint32_t checksum(const void *data, size_t bytes)
{
	return (uint32_t)crc32_z(0, data, bytes);
}

void spin_seal__make(const void *data, size_t bytes, uint8_t out[SPIN_SEAL_BYTES])
{
	struct seal seal = { .bytes = bytes, .crc = checksum(data, bytes) };

	memcpy(seal.magic, magic, sizeof(magic));
	seal.check = checksum(&seal, offsetof(struct seal, check));
	memcpy(out, &seal, sizeof(seal));
}

long spin_seal__check(const void *data, size_t bytes)
{
	struct seal seal;

	if (bytes < sizeof(seal))
		return 0;
	memcpy(&seal, (const char *)data + bytes - sizeof(seal), sizeof(seal));
	if (memcmp(seal.magic, magic, sizeof(magic)))
		return 0;
	if (seal.check != checksum(&seal, offsetof(struct seal, check)) || seal.bytes != bytes - sizeof(seal) ||
	    seal.crc != checksum(data, (size_t)seal.bytes))
		return -EINVAL;
	return (long)seal.bytes;
}
