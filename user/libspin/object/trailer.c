/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The trailer at the end of an object file: magic, length, CRC-32. Written by spincc, checked by spin_object__open() before anything else,
 * so a damaged or truncated file is refused.
 */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "user/libspin/object/trailer.h"

/* Little-endian, like the rest of the object. */
struct trailer {
	char magic[8];
	uint64_t bytes; /* size of the file before the trailer */
	uint32_t crc;   /* CRC-32 of that file */
	uint32_t check; /* CRC-32 of the fields above */
};

_Static_assert(sizeof(struct trailer) == SPIN_TRAILER_BYTES, "the trailer is a file format");

static const char magic[8] = "SPINSEAL";

static uint32_t checksum(const void *data, size_t bytes)
{
	return (uint32_t)crc32_z(0, data, bytes);
}

void spin_trailer__make(const void *data, size_t bytes, uint8_t out[SPIN_TRAILER_BYTES])
{
	struct trailer trailer = { .bytes = bytes, .crc = checksum(data, bytes) };

	memcpy(trailer.magic, magic, sizeof(magic));
	trailer.check = checksum(&trailer, offsetof(struct trailer, check));
	memcpy(out, &trailer, sizeof(trailer));
}

long spin_trailer__check(const void *data, size_t bytes)
{
	struct trailer trailer;

	if (bytes < sizeof(trailer))
		return 0;
	memcpy(&trailer, (const char *)data + bytes - sizeof(trailer), sizeof(trailer));
	if (memcmp(trailer.magic, magic, sizeof(magic)))
		return 0;
	if (trailer.check != checksum(&trailer, offsetof(struct trailer, check)) || trailer.bytes != bytes - sizeof(trailer) ||
	    trailer.crc != checksum(data, (size_t)trailer.bytes))
		return -EINVAL;
	return (long)trailer.bytes;
}
