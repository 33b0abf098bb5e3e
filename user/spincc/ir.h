/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_IR_H
#define USER_SPINCC_IR_H

/* LLVM's intermediate language as text: so much of it as tells source lines. */
#include "user/spincc/spincc.h"

struct ir {
	char *text;        /* lines end with NUL; "" after the last */
	const char **meta; /* "!N = ..." by N; NULL: none */
	unsigned metas;
};

int ir__read(const char *path, struct ir *ir); /* -1: not there */
void ir__free(struct ir *ir);
const char *ir__first(const struct ir *ir);
const char *ir__next(const struct ir *ir, const char *line); /* NULL after the last */
/* The first line that begins so; NULL: none. */
const char *ir__starts(const struct ir *ir, const char *start);

/* The entry that `key` refers to ("!dbg ", "file: ") in a line; NULL: none. */
const char *ir__ref(const struct ir *ir, const char *line, const char *key);
/* A number after `key` ("line: "); 0: none. */
unsigned ir__number(const char *line, const char *key);
/* The text in quotes after `key`. */
void ir__quoted(const char *line, const char *key, char *out, size_t bytes);

/* Where in the user's files an entry (location, variable, subprogram) belongs. 0: nowhere there. */
unsigned ir__place(const struct spincc *s, const struct ir *ir, const char *entry, char name[PATH_MAX]);

/* The layout of the state or of a table, by its DIGlobalVariable: -1 after it was said what differs between targets. */
int check__fields(const struct spincc *s, const struct ir *ir, const char *variable);
/* A local variable or parameter, by its DILocalVariable: -1 after it was said that targets have it in two widths. */
int check__local(const struct spincc *s, const struct ir *ir, const char *variable);
/* What handlers call that is not for them. `messages`: they take some. -1 after it was said. */
int check__calls(const struct spincc *s, const struct ir *ir, int messages);
/* Warns of ports that are compared in the wrong byte order. */
void check__ports(const struct spincc *s, const struct ir *ir);
/* What is registered: -1 after it was said what is missing, too much, or not for these handlers. */
int check__registration(const struct spincc *s, const struct ir *ir);

/* What a call in this line calls: "memcpy"; an intrinsic's function. 0: no call, or not by name. */
int ir__callee(const char *line, char *out, size_t bytes);

#endif
