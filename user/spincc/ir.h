/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_IR_H
#define USER_SPINCC_IR_H

/*
 * Reads LLVM IR as text, as far as spincc's checks of the handler (check_*.c, card.c) need it to find source lines, and declares the checks
 * that read it.
 */
#include "user/spincc/spincc.h"

/* A file of LLVM IR in memory. */
struct ir {
	char *text;        /* lines end with NUL; the text ends with an empty line */
	const char **meta; /* "!N = ..." by N; NULL: none */
	unsigned metas;
};

int ir__read(const char *path, struct ir *ir); /* -1: the file does not exist */
void ir__free(struct ir *ir);
const char *ir__first(const struct ir *ir);
const char *ir__next(const struct ir *ir, const char *line); /* NULL after the last line */
/* Returns the first line that begins with `start`, or NULL. */
const char *ir__find_prefix(const struct ir *ir, const char *start);

/* Returns the metadata entry that `key` refers to ("!dbg ", "file: ") in a line, or NULL. */
const char *ir__ref(const struct ir *ir, const char *line, const char *key);
/* Returns the number after `key` ("line: "), or 0. */
unsigned ir__number(const char *line, const char *key);
/* Copies the quoted text after `key`. */
void ir__quoted(const char *line, const char *key, char *out, size_t bytes);

/* Returns the line in the user's files of an entry (location, variable, subprogram), or 0. */
unsigned ir__source_line(const struct spincc *s, const struct ir *ir, const char *entry, char name[PATH_MAX]);

/*
 * Checks the layout of the state or of a table, by its DIGlobalVariable. Returns -1 after a message that says what differs
 * between targets.
 */
int check__fields(const struct spincc *s, const struct ir *ir, const char *variable);
/* Checks a local variable or parameter, by its DILocalVariable. Returns -1 after a message if its width differs between targets. */
int check__local(const struct spincc *s, const struct ir *ir, const char *variable);
/* Checks for calls that handlers must not make. `delivery`: enum spin_delivery, as registered. Returns -1 after a message. */
int check__calls(const struct spincc *s, const struct ir *ir, unsigned delivery);
/* Warns about ports that are compared in the wrong byte order. */
void check__ports(const struct spincc *s, const struct ir *ir);
/* Returns 1 if SPIN_TABLE or another macro for handler memory defined the global of this name. */
int check__is_table(const struct ir *ir, const char *name);
/* Returns 1 if the member, given by its DIDerivedType, was declared with SPIN_KEY. */
int check__is_key(const struct ir *ir, const char *member);
/* Indexes of the fields of SPIN_HANDLERS that are checked, in the order of struct spin_registration. */
enum registered {
	REGISTERED_HEADER,
	REGISTERED_PAYLOAD,
	REGISTERED_COMPLETION,
	REGISTERED_MESSAGE_COMPLETION,
	REGISTERED_DELIVERY = 6,
	REGISTERED_TAKES,
	REGISTERED_USER_HEADER,
	REGISTERED_PAYLOAD_ALIGNED,
	REGISTERED_BUDGET = 14,
	REGISTERED_FRAGMENTATION,
	REGISTERED_FIELDS
};
/* Reads these fields from the line of spin_meta_. Returns -1 if it has no registration. */
int check__read_registration(const char *meta, unsigned fields[REGISTERED_FIELDS]);
/* Checks the registration. Returns -1 after a message that says what is missing, superfluous, or does not fit the handlers. */
int check__registration(const struct spincc *s, const struct ir *ir);

/*
 * Copies the name of the function that this line calls ("memcpy", or an intrinsic's function). Returns 0 if it is not a call or
 * has no name.
 */
int ir__callee(const char *line, char *out, size_t bytes);

#endif
