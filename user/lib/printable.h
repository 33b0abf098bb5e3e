/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_PRINTABLE_H
#define USER_LIB_PRINTABLE_H

/* Makes untrusted text (names in files, sources of handlers) safe for a message on a terminal. Used wherever such text is printed. */
#include <stddef.h>

/* Returns the length in bytes of the control character (UTF-8) at `text`; 0 for other characters, newline and tab. */
unsigned terminal_control_bytes(const char *text);

/* Replaces each such character, and the end of a line, with '?': for names, and other text of one line. NULL is no text. */
void replace_terminal_controls(char *text);

/* Returns 1 if all bytes are printable ASCII. */
int is_printable(const char *text, size_t bytes);

/* Copies text to `to`. A byte that is not printable ASCII becomes \xNN. Text that does not fit is cut off. */
void printable(char *to, size_t bytes, const char *text);

#endif
