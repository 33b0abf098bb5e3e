/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_UTF8_H
#define USER_LIB_UTF8_H

/*
 * Names of files and symbols may contain any bytes, but JSON, HTML and SVG are UTF-8. Their writers copy valid characters and replace
 * each other byte by the replacement character.
 */
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Returns the bytes of the first character of text, which must not be empty. Returns 0 if it is not valid UTF-8 or not allowed in XML. */
unsigned utf8__length(const char *text);

#endif
