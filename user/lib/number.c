/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Converts text to a number: decimal or 0x hex, and nothing else in the text. Called by the parsers of command lines and of spind's
 * configuration. Signs, blanks and numbers above the given maximum are errors.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "user/lib/number.h"

int number__read(const char *text, uint64_t most, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[0])) /* strtoull() accepts signs and blanks */
		return -EINVAL;
	errno = 0;
	*out = strtoull(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	return *end || errno || *out > most ? -EINVAL : 0;
}
