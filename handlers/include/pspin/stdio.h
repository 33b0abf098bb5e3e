/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_STDIO_H
#define PSPIN_STDIO_H

/*
 * <stdio.h> for handler files written for PsPIN's own runtime (`spincc --api pspin`). Output goes to PsPIN's output register, one store per
 * character. The model discards it but counts the time. printf is as in C, except that a floating-point number is printed as "?" (stdio.c
 * in hwmodel/image/pspin).
 */
#include <stddef.h>

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int puts(const char *text);
int putchar(int c);

#endif
