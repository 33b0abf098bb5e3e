/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes untrusted text safe for a terminal. Called where a message or a report quotes text from a file.
 */
#include <stdio.h>

#include "user/lib/printable.h"

int is_terminal_control(const char *text)
{
	const unsigned char c = (unsigned char)text[0], next = (unsigned char)text[1];

	/* the last: U+0080 to U+009F */
	return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

void replace_terminal_controls(char *text)
{
	for (; text && *text; text++)
		if (is_terminal_control(text) || *text == '\n')
			*text = '?';
}

int is_printable(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			return 0;
	return 1;
}

void printable(char *to, size_t bytes, const char *text)
{
	size_t at = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		int plain = is_printable(text, 1);

		if (at + (plain ? 1 : 4) >= bytes)
			break;
		at += (size_t)snprintf(to + at, bytes - at, plain ? "%c" : "\\x%02x", c);
	}
	to[at] = '\0';
}
