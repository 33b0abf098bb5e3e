/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What handlers register, as far as it can be wrong: the compiler has not seen it, or another one has. */
#include <errno.h>
#include <string.h>

#include "user/libspin/internal.h"

static int damaged(const struct spin_object *obj, const char *what)
{
	return spin_fail(-EINVAL, "%s is damaged: %s; compile it again with spincc", obj->path, what);
}

/* The 32 bits of a section; 0 where there is none. `what`: if they cannot be that many. */
static int read_number(const struct spin_object *obj, const char *section, const char *what, uint32_t *out)
{
	size_t offset, bytes;

	*out = 0;
	if (spin_elf__section(obj->data, obj->bytes, section, &offset, &bytes))
		return damaged(obj, "its sections cannot be read");
	if (!bytes)
		return 0;
	if (bytes != sizeof(*out))
		return damaged(obj, what);
	memcpy(out, obj->data + offset, sizeof(*out));
	return *out ? 0 : damaged(obj, what);
}

static int read_scratchpad(struct spin_object *obj)
{
	static const char what[] = "the size of its scratchpad is none that there can be";
	struct spin_registration *reg = &obj->meta.registration;
	uint32_t bytes;
	int err;

	if (reg->scratchpad_bytes)
		return spin_fail(-EINVAL, "%s registers .scratchpad_bytes: leave that to SPIN_SCRATCHPAD(TYPE)", obj->path);
	err = read_number(obj, SPIN_SCRATCH_SECTION, what, &bytes);
	if (err)
		return err;
	if (bytes > SPIN_SCRATCHPAD_MAX || bytes % 8)
		return damaged(obj, what);
	if (bytes && reg->delivery != SPIN_DELIVER_ME)
		return spin_fail(-EINVAL,
				 "%s has a scratchpad, which is a message's: register .delivery = SPIN_DELIVER_ME, "
				 "or keep it in SPIN_STATE",
				 obj->path);
	reg->scratchpad_bytes = bytes;
	return 0;
}

static int read_puts(struct spin_object *obj)
{
	static const char what[] = "the number of packets that it sends for one is none that there can be";
	struct spin_registration *reg = &obj->meta.registration;
	uint32_t puts;
	int err;

	if (reg->puts)
		return spin_fail(-EINVAL, "%s registers .puts: leave that to SPIN_PUTS(n)", obj->path);
	err = read_number(obj, SPIN_PUTS_SECTION, what, &puts);
	if (err)
		return err;
	if (puts > SPIN_PUTS_MAX)
		return damaged(obj, what);
	reg->puts = (uint16_t)puts;
	return 0;
}

/* Requests that are no puts; behind read_puts(). */
static int check_takes(const struct spin_object *obj)
{
	const struct spin_registration *reg = &obj->meta.registration;

	if (reg->takes & ~(SPIN_TAKES_GET | SPIN_TAKES_ATOMIC | SPIN_TAKES_FETCH))
		return damaged(obj, "it takes requests that do not exist");
	if (reg->takes && reg->delivery != SPIN_DELIVER_ME)
		return spin_fail(-EINVAL, "%s registers .takes, which is for messages: register .delivery = SPIN_DELIVER_ME", obj->path);
	if (reg->takes & (SPIN_TAKES_GET | SPIN_TAKES_FETCH) && !reg->puts)
		return spin_fail(-EINVAL,
				 "%s takes gets, or atomics that fetch, whose answers are sent: say with SPIN_PUTS(n) how many "
				 "packets at most for one that came, the answer among them",
				 obj->path);
	return 0;
}

/* How long what handlers see is, and how it lies. */
static int check_pieces(const struct spin_object *obj)
{
	const struct spin_registration *reg = &obj->meta.registration;
	const unsigned unit = reg->fragmentation_bytes;

	if (reg->user_header_bytes > SPIN_USER_HEADER_MAX)
		return spin_fail(-EINVAL,
				 "%s registers .user_header_bytes = %u: at most %u; read the rest in the payload "
				 "handler",
				 obj->path, reg->user_header_bytes, SPIN_USER_HEADER_MAX);
	if (unit <= 1)
		return 0;
	if (unit & (unit - 1) || unit > SPIN_FRAGMENTATION_MAX)
		return spin_fail(-EINVAL, "%s registers .fragmentation_bytes = %u: a power of two, at most %u", obj->path, unit,
				 SPIN_FRAGMENTATION_MAX);
	if (reg->delivery != SPIN_DELIVER_ME)
		return spin_fail(-EINVAL,
				 "%s registers .fragmentation_bytes, which is for messages: register .delivery = "
				 "SPIN_DELIVER_ME, or look at the length of each datagram",
				 obj->path);
	if (reg->user_header_bytes % unit)
		return spin_fail(-EINVAL,
				 "%s registers .user_header_bytes = %u with .fragmentation_bytes = %u: what follows the user "
				 "header would not lie as promised; make it a multiple",
				 obj->path, reg->user_header_bytes, unit);
	return 0;
}

int object__registration(struct spin_object *obj)
{
	const struct spin_registration *reg = &obj->meta.registration;
	int err;

	if (reg->delivery != SPIN_DELIVER_STACK && reg->delivery != SPIN_DELIVER_ME)
		return damaged(obj, "it names a delivery that does not exist");
	if (reg->budget > SPIN_BUDGET_MAX)
		return spin_fail(-EINVAL, "%s registers .budget = %u: at most %u steps; more would keep an HPU from its packets", obj->path,
				 reg->budget, SPIN_BUDGET_MAX);
	err = check_pieces(obj);
	if (!err)
		err = read_scratchpad(obj);
	if (!err)
		err = read_puts(obj);
	return err ? err : check_takes(obj);
}
