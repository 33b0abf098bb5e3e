/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_RULES_H
#define USER_SPINCC_RULES_H

/*
 * Messages of compilers and linkers, and what they mean to a handler's author. The tables in rules_*.c are data only; explain.c applies
 * them to the tools' output.
 */

enum {
	RULE_AT_END = 1 << 0,     /* something is missing: the place is the last line of the handler's file */
	RULE_SILENT = 1 << 1,     /* not reported to the user */
	RULE_WARNING = 1 << 2,    /* report it and continue */
	RULE_FUNCTION = 1 << 3,   /* about a function that handlers cannot call: rules__function() */
	RULE_ASM = 1 << 4,        /* the place is the handler's inline assembly */
	RULE_STACK = 1 << 5,      /* the place is the largest local variable; @: "'name' takes N bytes" */
	RULE_LAST = 1 << 6,       /* messages that follow are consequences */
	RULE_MEMORY = 1 << 8,     /* same as RULE_STACK for static variables */
	RULE_DEFINED = 1 << 9,    /* the place is the definition of the function that the tool names: "in function f " */
	RULE_SUSPECT = 1 << 10,   /* rules_suspect may have a better reason */
	RULE_IN_SOURCE = 1 << 11, /* if the tool names no place, use the first line that has the quoted name */
	RULE_STRING = 1 << 7,     /* the reason is the last "string" in the tool's message */
};

/* The first row whose pattern occurs applies. The table ends with a row of zeros. */
struct rule {
	const char *pattern;
	const char *reason; /* what is wrong, and what to write instead. @: the first quoted name. NULL: the tool's own words */
	unsigned flags;
};

/* Stack usage is an error: hwmodel/image/cflags enables gcc's -Wstack-usage. */
#define RULE_HPU_STACK                                                                                                       \
	{                                                                                                                    \
		"stack usage is ", "@ of stack; an HPU has 1 KiB: keep large variables in the state", RULE_STACK | RULE_LAST \
	}

extern const struct rule rules_front[], rules_hpu[], rules_bpf[], rules_pspin[];

/* Rules for messages without a place: the first line of the handler's IR that has this pattern. */
extern const struct rule rules_suspect[];
/* Rules for the user's source line; they apply whatever the front end says about it. */
extern const struct rule rules_source[];

/* Says why a handler cannot call this, and what to do instead. @: the name. */
const char *rules__function(const char *name);

#endif
