/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_PRINTABLE_H
#define USER_LIB_PRINTABLE_H

/* Bytes of a file that might be anything, for a message on a terminal. */
#include <stddef.h>

/* Copies text; what is not a printable ASCII character becomes \xNN, what does not fit is left out. */
void printable(char *to, size_t bytes, const char *text);

#endif
