/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_FIND_H
#define USER_SPINCC_FIND_H

/*
 * Finds the line of a fault in the user's files, for compilers and linkers that do not report one. Called by explain.c and pspin.c, which
 * print the faults. The functions return a line, or 0 if not found.
 */
#include "user/spincc/spincc.h"

/* Finds the first place like "file.c:12" in a text that is in the user's files. */
unsigned find__place(const struct spincc *s, const char *text, char file[PATH_MAX]);
/* Finds the first line of the handler's IR that `wanted` accepts and that is in the user's files. */
typedef int (*find_fn)(const char *line, const char *what);
unsigned find__in_ir(const struct spincc *s, find_fn wanted, const char *what, char file[PATH_MAX]);
int find__is_asm(const char *line, const char *unused);
int find__is_call_of(const char *line, const char *name);
int find__is_definition_of(const char *line, const char *name);
int find__has_text(const char *line, const char *text);
/* Finds the first line of the handler's file with the word outside comments. For code outside functions, which is not in the IR. */
unsigned find__in_source(const struct spincc *s, const char *word);
unsigned find__last_line(const struct spincc *s);
/* Finds the largest variable, local or static, and writes "'name' takes N bytes" to `what`. */
unsigned find__largest(const struct spincc *s, int local, char file[PATH_MAX], char *what, size_t bytes);

#endif
