/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_VERIFIER_H
#define USER_LIBSPIN_LOAD_VERIFIER_H

/*
 * Turns the log of the kernel's verifier into an error message: what is wrong in the handler, and what to write instead. Called by libspin
 * when a program does not load, and by spincc, which knows more about the object.
 */
#include <stddef.h>

enum {
	VERIFIER_LOOP = 1 << 0,  /* the fault is a loop, not an instruction */
	VERIFIER_LIMIT = 1 << 3, /* a limit of the verifier, which bounded loops reach earlier */
	VERIFIER_WHOLE = 1 << 1, /* the program as a whole is at fault, not an instruction */
	VERIFIER_CLASS = 1 << 4, /* refused only in the isolated class, by every kernel */
	VERIFIER_OLD = 1 << 2,   /* the kernel does not know an instruction; not the handler's fault */
	VERIFIER_NULL = 1 << 5,  /* a pointer that is NULL is used */
};

/* A message of the verifier, and what it means to the author of a handler. */
struct verifier_rule {
	const char *complaint; /* part of the verifier's message */
	const char *reason;    /* what is wrong, and what to write instead */
	unsigned flags;
};
extern const struct verifier_rule verifier_rules[]; /* the first match applies; ends with a row of zeros */

/* What a log says: why a program was refused, and at which line of the handler. */
struct verifier_refusal {
	char complaint[256];
	const struct verifier_rule *rule; /* NULL: unknown message */
	char file[128];                   /* the handler's file, without its directory; "": the log has none */
	unsigned line;
	unsigned own;      /* 1: the instruction belongs to that line itself, not to an inlined function */
	char at_file[128]; /* the refused instruction's own line, in any file; "": the log has no files (before 6.8) */
	unsigned at_line;
	long instruction; /* where the verifier stopped; -1: unknown */
};

/* Returns 0 if the log says nothing. */
int verifier__read(const char *log, struct verifier_refusal *out);
/* Writes "a loop without ...; give it ...", or the verifier's own words, without a source line. */
void verifier__reason(const struct verifier_refusal *refusal, char *out, size_t bytes);
/* Returns 1 if a single instruction was refused, so that its source line can be named. */
int verifier__has_instruction(const struct verifier_refusal *refusal);
/* Writes "kernel 6.1.0 rejects code of sPIN's runtime, parse.h:33 ...", for a refusal that is not the handler's fault. */
void verifier__own_fault(const struct verifier_refusal *refusal, char *out, size_t bytes);

#endif
