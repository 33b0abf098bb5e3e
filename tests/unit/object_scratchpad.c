/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the size of the scratchpad, the memory that handlers want for each message, which a .spin object contains. Impossible sizes must be
 * refused when libspin opens it, and so must a scratchpad without messages and a user header that is too long. Run by tests/run.
 */
#include <errno.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/damaged_object.h"

static struct spin_object *object;

static int with_scratchpad(size_t offset, uint32_t bytes)
{
	struct spin_object *changed;
	int err = damaged_open(object, offset, &bytes, sizeof(bytes), &changed);

	spin_object__close(changed);
	return err;
}

static int open_with(size_t field, size_t bytes, uint32_t value)
{
	struct spin_object *changed;
	int err = damaged_registration(object, field, bytes, value, &changed);

	spin_object__close(changed);
	return err;
}

static void expect_refused(int err, const char *reason)
{
	expect(-EINVAL, err, reason);
	expect_error_text(reason);
}

int main(void)
{
	const uint32_t sizes[] = { 0, 4, 7684, SPIN_SCRATCHPAD_MAX + 8, UINT32_MAX };
	size_t offset, bytes;

	object = built_open("msg_scratch");
	expect(32, spin_object__meta(object)->registration.scratchpad_bytes, "the size of msg_scratch's scratchpad");
	if (spin_elf__section(object->data, object->bytes, SPIN_SCRATCH_SECTION, &offset, &bytes) || bytes != 4)
		fail("the section");
	expect(0, with_scratchpad(offset, SPIN_SCRATCHPAD_MAX), "the largest scratchpad");
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		expect_refused(with_scratchpad(offset, sizes[i]), "scratchpad");
	expect_refused(open_with(REGISTERED(scratchpad_bytes), 8), "leave that to SPIN_SCRATCHPAD");
	expect_refused(open_with(REGISTERED(delivery), SPIN_DELIVER_STACK), "SPIN_DELIVER_ME");
	expect_refused(open_with(REGISTERED(delivery), 2), "delivery");
	expect(0, open_with(REGISTERED(user_header_bytes), SPIN_USER_HEADER_MAX), "the longest user header");
	expect_refused(open_with(REGISTERED(user_header_bytes), SPIN_USER_HEADER_MAX + 1), "user_header_bytes = 257: at most 256");
	spin_object__close(object);
	return 0;
}
