/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_TERMINAL_H
#define HWMODEL_TERMINAL_H

/*
 * Finds control characters, which a terminal obeys, in names from files that others may have made. Used by elf.c for symbols and by
 * user/lib/printable.c.
 */

/* Returns the bytes of the control character at `text` in ASCII or UTF-8, 1 or 2; 0 if another character is there, or the text ends. */
static inline unsigned hw_terminal__control_bytes(const char *text)
{
	const unsigned char c = (unsigned char)text[0], next = c ? (unsigned char)text[1] : 0;

	if (c == 0xc2 && next >= 0x80 && next < 0xa0)
		return 2;
	return (c && c < 0x20) || c == 0x7f;
}

#endif
