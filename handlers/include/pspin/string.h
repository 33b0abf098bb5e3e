/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_STRING_H
#define PSPIN_STRING_H

/*
 * <string.h> for handler files written for PsPIN's own runtime (`spincc --api pspin`): the functions that these use, as in C.
 * hwmodel/image/pspin implements them: memcpy and memset in boot.S, the others in stdio.c.
 */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t bytes);

#endif
