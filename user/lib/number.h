/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_NUMBER_H
#define USER_LIB_NUMBER_H

/* Reads a decimal or hexadecimal number that must be the whole text. Used wherever a command line or a file has a number. */
#include <stdint.h>

/* Converts text to a number from 0 to `most`, decimal or 0x hex. Signs and blanks are errors; 010 is ten. Returns 0 or -EINVAL. */
int number__read(const char *text, uint64_t most, uint64_t *out);

#endif
