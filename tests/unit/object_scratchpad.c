/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A fat object says how large its handlers' scratchpad is; sizes that cannot be are refused, and so is one without
 * messages, and a user header that is too long.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <common/built.h>
#include <libspin/internal.h>
#include <libspin/seal.h>

static char path[] = "/tmp/spin-object-XXXXXX";

static void die(const char *what)
{
	printf("FAIL: %s (last sentence: %s)\n", what, spin_strerror_last());
	unlink(path);
	exit(1);
}

/* Opens the object with 32 bits at an offset replaced, sealed again. */
static int open_changed(const struct spin_object *good, size_t offset, uint32_t value, size_t value_bytes)
{
	uint8_t *copy = malloc(good->bytes + SPIN_SEAL_BYTES);
	FILE *f = fopen(path, "wb");
	struct spin_object *object;
	int err;

	if (!copy || !f)
		die("a changed object");
	memcpy(copy, good->data, good->bytes);
	memcpy(copy + offset, &value, value_bytes);
	spin_seal__make(copy, good->bytes, copy + good->bytes);
	if (fwrite(copy, 1, good->bytes + SPIN_SEAL_BYTES, f) != good->bytes + SPIN_SEAL_BYTES || fclose(f))
		die("writing a changed object");
	free(copy);
	err = spin_object__open(path, &object);
	spin_object__close(object);
	return err;
}

static void refused(int err, const char *says)
{
	if (err != -EINVAL || !strstr(spin_strerror_last(), says))
		die(says);
}

int main(void)
{
	const uint32_t sizes[] = { 0, 4, 7684, SPIN_SCRATCHPAD_MAX + 8, UINT32_MAX };
	size_t offset, bytes, meta_at, meta_bytes;
	struct spin_object *object;
	char name[512];
	int fd;

	if (built_object("msg_scratch", name, sizeof(name)) || spin_object__open(name, &object))
		die("msg_scratch");
	if (spin_object__meta(object)->registration.scratchpad_bytes != 32)
		die("the size of msg_scratch's scratchpad");
	if (spin_elf__section(object->data, object->bytes, SPIN_SCRATCH_SECTION, &offset, &bytes) || bytes != 4 ||
	    spin_elf__section(object->data, object->bytes, SPIN_META_SECTION, &meta_at, &meta_bytes))
		die("the sections");
	fd = mkstemp(path);
	if (fd < 0)
		die("a temporary file");
	close(fd);
	if (open_changed(object, offset, SPIN_SCRATCHPAD_MAX, 4))
		die("the largest scratchpad");
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		refused(open_changed(object, offset, sizes[i], 4), "scratchpad");
	meta_at += offsetof(struct spin_meta, registration);
	refused(open_changed(object, meta_at + offsetof(struct spin_registration, scratchpad_bytes), 8, 4),
		"leave that to SPIN_SCRATCHPAD");
	refused(open_changed(object, meta_at + offsetof(struct spin_registration, delivery), SPIN_DELIVER_STACK, 1),
		"SPIN_DELIVER_ME");
	refused(open_changed(object, meta_at + offsetof(struct spin_registration, delivery), 2, 1), "delivery");
	if (open_changed(object, meta_at + offsetof(struct spin_registration, user_header_bytes), SPIN_USER_HEADER_MAX, 2))
		die("the longest user header");
	refused(open_changed(object, meta_at + offsetof(struct spin_registration, user_header_bytes),
			     SPIN_USER_HEADER_MAX + 1, 2), "user_header_bytes = 257: at most 256");
	spin_object__close(object);
	unlink(path);
	return 0;
}
