/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_VERIFIER_H
#define USER_LIBSPIN_LOAD_VERIFIER_H

/* Turns the verifier's log into an error message. Shared with spincc, which knows more of the object. */
#include <stddef.h>

enum {
	VERIFIER_LOOP = 1 << 0,  /* the fault is a loop, not an instruction */
	VERIFIER_LIMIT = 1 << 3, /* a limit of the verifier, which bounded loops reach earlier */
	VERIFIER_WHOLE = 1 << 1, /* the fault is of the program as a whole: no instruction is to blame */
	VERIFIER_CLASS = 1 << 4, /* refused in the isolated class alone, by every kernel */
	VERIFIER_OLD = 1 << 2,   /* the kernel does not know an instruction: nobody is to blame */
};

struct verifier_rule {
	const char *complaint; /* part of the verifier's message */
	const char *reason;    /* what is wrong, and what to write instead */
	unsigned flags;
};
extern const struct verifier_rule verifier_rules[]; /* the first match counts; ends with a row of zeros */

struct verifier_refusal {
	char complaint[256];
	const struct verifier_rule *rule; /* NULL: unknown message */
	char file[128];                   /* the handler's, without its directory; "": the log has none */
	unsigned line;
	unsigned own;      /* 1: the instruction belongs to that line itself, not to an inlined function */
	char at_file[128]; /* the refused instruction's own line, of whatever file; "": the log has no files (before 6.8) */
	unsigned at_line;
	long instruction; /* where the verifier stopped; -1: nowhere */
};

/* 0: the log says nothing. */
int verifier__read(const char *log, struct verifier_refusal *out);
/* "a loop without ...; give it ...", or the verifier's own words; without a place. */
void verifier__reason(const struct verifier_refusal *refusal, char *out, size_t bytes);
/* 1 if a single instruction was refused, so that its source line can be named. */
int verifier__has_instruction(const struct verifier_refusal *refusal);
/* "kernel 6.1.0 refuses code of sPIN's own, parse.h:33 ...": for a refusal that is not a handler's fault. */
void verifier__own_fault(const struct verifier_refusal *refusal, char *out, size_t bytes);

#endif
