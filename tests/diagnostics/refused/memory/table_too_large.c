/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a table of 64 MiB; an HPU has 3 MiB for all. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct row {
	SPIN_KEY(uint32_t, key);
	SPIN_COUNTER(count);
	SPIN_READ_ONLY(uint32_t, words[14]);
};
SPIN_TABLE(rows, struct row, 1048576); // compiler: 'rows' takes 67108864 bytes; an HPU has 3 MiB for tables: make it smaller

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct row *row = SPIN_AT(rows, state->n);

	if (row)
		spin_count(&row->count, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(table_too_large, .payload = f);
