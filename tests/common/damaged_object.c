/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens a compiled handler (.spin file) with changed bytes. Such a file ends with a trailer, its length and checksum; this writes a new
 * one, so that libspin's checks after the trailer's are reached. Used by tests in tests/unit and tests/live.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/libspin/object/trailer.h"

#include "tests/common/expect.h"
#include "tests/common/damaged_object.h"

int damaged_open(const struct spin_object *good, size_t offset, const void *value, size_t bytes, struct spin_object **out)
{
	char path[] = "/tmp/spin-object-XXXXXX";
	uint8_t *copy = malloc(good->bytes + SPIN_TRAILER_BYTES);
	int fd = mkstemp(path), err;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");

	if (!copy || !f)
		fail("a changed object");
	memcpy(copy, good->data, good->bytes);
	memcpy(copy + offset, value, bytes);
	spin_trailer__make(copy, good->bytes, copy + good->bytes);
	if (fwrite(copy, 1, good->bytes + SPIN_TRAILER_BYTES, f) != good->bytes + SPIN_TRAILER_BYTES || fclose(f))
		fail("writing a changed object");
	free(copy);
	err = spin_object__open(path, out);
	unlink(path);
	return err;
}

int damaged_registration(const struct spin_object *good, size_t field, size_t bytes, uint32_t value, struct spin_object **out)
{
	size_t at, meta_bytes;

	if (spin_elf__section(good->data, good->bytes, SPIN_META_SECTION, &at, &meta_bytes) || meta_bytes < sizeof(struct spin_meta))
		fail("what is registered");
	return damaged_open(good, at + offsetof(struct spin_meta, registration) + field, &value, bytes, out);
}
