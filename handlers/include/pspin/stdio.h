/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_STDIO_H
#define PSPIN_STDIO_H

/*
 * What is printed goes to PsPIN's output register, a store for each character, and is lost in the model; the time it takes is
 * counted. printf as in C, but that a floating-point number is taken and printed as a ?. (stdio.c of hwmodel/image/pspin)
 */
#include <stddef.h>

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int puts(const char *text);
int putchar(int c);

#endif
