/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the lines of a vector (a test as text) that describe SLMP, the message protocol over UDP: its header, and the extension of a put
 * (a message that writes to the receiver's memory). Called by template.c, which builds the frame from such lines.
 */
#include <errno.h>
#include <string.h>

#include <spin/slmp.h>

#include "user/conformance/template/template.h"
#include "user/conformance/template/number.h"

static const struct {
	const char *name;
	uint16_t flag;
} flags[] = {
	{ "SYN", SPIN_SLMP_SYN },
	{ "EOM", SPIN_SLMP_EOM },
	{ "ACK", SPIN_SLMP_ACK },
	{ "PUT", SPIN_SLMP_PUT },
};

static void add_flag(uint8_t *slmp, uint16_t flag)
{
	slmp[0] |= (uint8_t)(flag >> 8);
	slmp[1] |= (uint8_t)flag;
}

static int find_flag(const char *word)
{
	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (!strcmp(word, flags[i].name))
			return flags[i].flag;
	return 0;
}

/* slmp [SYN] [EOM] [ACK] [PUT] [flags N] [id N] [off N] */
int template_slmp(struct template *t, char **word, int words)
{
	uint8_t slmp[sizeof(struct spin_slmp)] = { 0 };

	if (t->udp_at < 0)
		return engine_fail(-EINVAL, "`slmp` must follow `udp`");
	for (int i = 1; i < words; i++) {
		int flag = find_flag(word[i]);

		if (flag) {
			add_flag(slmp, (uint16_t)flag);
			continue;
		}
		if (i + 1 == words)
			return engine_fail(-EINVAL, "write: slmp [SYN] [EOM] [NAME VALUE]...");
		if (template_store(template_slmp_fields, "slmp", word[i], word[i + 1], slmp))
			return -EINVAL;
		t->slmp_flags_given |= !strcmp(word[i], "flags");
		i++;
	}
	t->slmp_at = (int)t->bytes;
	return template_append(t, slmp, sizeof(slmp));
}

/* put [len N] [match N] [data N] [off N] [op N] [version N] [unused N] */
int template_put(struct template *t, char **word, int words)
{
	uint8_t put[sizeof(struct spin_slmp_put)] = {
		SPIN_SLMP_OP_PUT, SPIN_SLMP_VERSION, 0, 0, 0xff, 0xff, 0xff, 0xff, /* length unknown */
	};

	if (t->slmp_at < 0)
		return engine_fail(-EINVAL, "`put` must follow `slmp`");
	if (!(words % 2))
		return engine_fail(-EINVAL, "write: put [NAME VALUE]...");
	for (int i = 1; i < words; i += 2)
		if (template_store(template_put_fields, "put", word[i], word[i + 1], put))
			return -EINVAL;
	if (!t->slmp_flags_given)
		add_flag(t->frame + t->slmp_at, SPIN_SLMP_PUT);
	return template_append(t, put, sizeof(put));
}
