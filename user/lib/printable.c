/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes untrusted text safe for a terminal. Called where a message or a report quotes text from a file.
 */
#include <stdio.h>

#include <hwmodel/terminal.h>

#include "user/lib/printable.h"

unsigned terminal_control_bytes(const char *text)
{
	return *text == '\n' || *text == '\t' ? 0 : hw_terminal__control_bytes(text);
}

void replace_terminal_controls(char *text)
{
	char *to = text;

	if (!text)
		return;
	while (*text) {
		const unsigned control_bytes = *text == '\n' ? 1 : terminal_control_bytes(text);

		*to++ = control_bytes ? '?' : *text;
		text += control_bytes ? control_bytes : 1;
	}
	*to = 0;
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
