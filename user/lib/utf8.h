/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_UTF8_H
#define USER_LIB_UTF8_H

/*
 * Names of files and symbols may be any bytes, but JSON, HTML and SVG are UTF-8. Their writers copy valid characters, and write the
 * replacement character for each other byte.
 */
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* How many bytes the character takes that text, which is not empty, begins with. 0: none that XML may hold begins there. */
unsigned utf8__length(const char *text);

#endif
