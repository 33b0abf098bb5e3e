/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes without a meaning of their own, compared by rows. */
#include <stdio.h>
#include <string.h>

#include "user/conformance/difference.h"

#define ROW_BYTES 16
#define ROWS_MAX  8

static size_t in_row(size_t bytes, size_t from)
{
	size_t rest = from >= bytes ? 0 : bytes - from;

	return rest < ROW_BYTES ? rest : ROW_BYTES;
}

static void hex_of(const uint8_t *at, size_t bytes, char hex[3 * ROW_BYTES + 1])
{
	hex[0] = '\0';
	for (size_t i = 0; i < bytes; i++)
		snprintf(hex + 3 * i, 4, "%02x%s", at[i], i + 1 < bytes ? " " : "");
}

void differences_bytes(struct differences *d, const char *name, const uint8_t *want, size_t want_bytes, const uint8_t *got,
		       size_t got_bytes)
{
	char a[3 * ROW_BYTES + 1], b[3 * ROW_BYTES + 1], what[48];
	unsigned rows = 0;

	if (want_bytes == got_bytes && !memcmp(want, got, want_bytes))
		return;
	for (size_t from = 0; from < want_bytes || from < got_bytes; from += ROW_BYTES) {
		size_t in_want = in_row(want_bytes, from), in_got = in_row(got_bytes, from);

		if (in_want == in_got && !memcmp(want + from, got + from, in_want))
			continue;
		if (rows++ >= ROWS_MAX) {
			d->left_out++;
			continue;
		}
		hex_of(want + from, in_want, a);
		hex_of(got + from, in_got, b);
		snprintf(what, sizeof(what), "%s +0x%04zx", name, from);
		differences_add(d, what, b, a);
		if (d->count)
			d->list[d->count - 1].is_bytes = 1;
	}
}
