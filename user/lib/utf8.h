/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_UTF8_H
#define USER_LIB_UTF8_H

/*
 * Names of files and symbols are any bytes; JSON, HTML and SVG are UTF-8. Who writes those writes what is a character in both,
 * and the replacement character for each other byte.
 */
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* How many bytes the character takes that text, which is not empty, begins with. 0: none that XML may hold begins there. */
unsigned utf8__length(const char *text);

#endif
