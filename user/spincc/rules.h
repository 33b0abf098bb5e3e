/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_RULES_H
#define USER_SPINCC_RULES_H

/* What tools say, and what it means for someone who writes a handler. Data only; explain.c applies it. */

enum {
	RULE_AT_END = 1 << 0,     /* something is missing: the place is the handler file's last line */
	RULE_SILENT = 1 << 1,     /* nothing that a user need know */
	RULE_WARNING = 1 << 2,    /* say so, and go on */
	RULE_FUNCTION = 1 << 3,   /* about a function that handlers cannot call: rules__function() */
	RULE_ASM = 1 << 4,        /* the place is where the handler has inline assembly */
	RULE_STACK = 1 << 5,      /* the place is the largest local variable; @: "'name' takes N bytes" */
	RULE_LAST = 1 << 6,       /* what follows is its consequence */
	RULE_MEMORY = 1 << 8,     /* the same of variables that last */
	RULE_DEFINED = 1 << 9,    /* the place is where the function is defined that the tool names: "in function f " */
	RULE_SUSPECT = 1 << 10,   /* rules_suspect may know more */
	RULE_IN_SOURCE = 1 << 11, /* where the tool names no place, it is the first line that has the quoted name */
	RULE_STRING = 1 << 7,     /* the reason is the last "string" in what the tool said */
};

/* The first row whose pattern occurs counts; the table ends with a row of zeros. */
struct rule {
	const char *pattern;
	const char *reason; /* what is wrong; what to write instead. @: the first quoted name. NULL: the tool's words */
	unsigned flags;
};

/* gcc's -Wstack-usage, which hwmodel/image/cflags makes an error. */
#define RULE_HPU_STACK                                                                                                       \
	{                                                                                                                    \
		"stack usage is ", "@ of stack; an HPU has 1 KiB: keep large variables in the state", RULE_STACK | RULE_LAST \
	}

extern const struct rule rules_front[], rules_hpu[], rules_bpf[], rules_pspin[];

/* Where a tool names no place, the first line of the handler's IR that has this. */
extern const struct rule rules_suspect[];
/* The user's line has this, whatever the front end says of it. */
extern const struct rule rules_source[];

/* Why a handler cannot call this, and what to do instead; @: the name. */
const char *rules__function(const char *name);

#endif
