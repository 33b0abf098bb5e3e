/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Returns the length of a valid UTF-8 character. Called by the writers of JSON, HTML and SVG. Returns 0 for anything else, and for
 * characters that XML forbids.
 */
#include <stdint.h>

#include "user/lib/utf8.h"

unsigned utf8__length(const char *text)
{
	/* for each length; smaller code points are overlong */
	static const uint32_t min_code_point[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *byte = (const unsigned char *)text;
	unsigned length = *byte < 0x80 ? 1 : *byte >> 5 == 6 ? 2 : *byte >> 4 == 14 ? 3 : *byte >> 3 == 30 ? 4 : 0;
	uint32_t code_point = length == 1 ? *byte : *byte & (0x7f >> length);

	for (unsigned i = 1; i < length; i++) {
		if (byte[i] >> 6 != 2)
			return 0;
		code_point = code_point << 6 | (byte[i] & 0x3f);
	}
	if (code_point < 0x20 && code_point != '\t' && code_point != '\n' && code_point != '\r')
		return 0;
	if (code_point < min_code_point[length] || code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000) ||
	    code_point == 0xfffe || code_point == 0xffff)
		return 0;
	return length;
}
