/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Converts compiler output to one line per fault in the user's file. Compilers also report consequences of a fault: lines
 * outside the user's files are dropped if any line is inside. Called by build.c after each command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/find.h"
#include "user/spincc/rules.h"

#define FAULTS_MAX 5 /* reported per command; further ones are mostly consequences */

struct fault {
	char file[PATH_MAX];
	unsigned line; /* 0: not in the user's files */
	char reason[512];
	int warning;
};

struct faults {
	struct fault rows[FAULTS_MAX];
	unsigned count;
	int ended; /* 1: what follows is a consequence of an earlier fault */
	/* the user's line that includes the reported file */
	char includer[PATH_MAX];
	unsigned includer_line;
};

/* Copies 'name' or `name' from a tool's message. */
static void quoted_name(const char *message, char *out, size_t bytes)
{
	const char *open = strpbrk(message, "'`");

	out[0] = '\0';
	if (open)
		snprintf(out, bytes, "%.*s", (int)strcspn(open + 1, "'`"), open + 1);
}

/* Copies the reason, with the name in place of @. */
static void substitute_name(char *out, size_t bytes, const char *reason, const char *name, const char *quote)
{
	const char *at = strchr(reason, '@');

	if (at)
		snprintf(out, bytes, "%.*s%s%s%s%s", (int)(at - reason), reason, quote, name, quote, at + 1);
	else
		snprintf(out, bytes, "%s", reason);
}

/* Copies the tool's own message, for rules without a reason. */
static void copy_message(char *out, size_t bytes, const char *message, unsigned flags)
{
	const char *end = message + strlen(message), *quote = strrchr(message, '"'), *open = quote, *start = message;

	if (flags & RULE_STRING)
		while (open && open > message && *--open != '"')
			;
	if (flags & RULE_STRING && open && open < quote) {
		snprintf(out, bytes, "%.*s", (int)(quote - open - 1), open + 1);
		return;
	}
	if (end > message && end[-1] == ']' && strstr(message, " [-W"))
		end = strstr(message, " [-W");
	/* clang 16 and later print the string without quotes after the requirement: failed due to requirement 'x < 4': string */
	for (const char *at = message; flags & RULE_STRING && (at = strstr(at, "': ")); at += 3)
		start = at + 3;
	snprintf(out, bytes, "%.*s", (int)(end - start), start);
}

static int is_known(const struct faults *all, const struct fault *fault)
{
	for (unsigned i = 0; i < all->count; i++)
		if (all->rows[i].warning && !fault->warning)
			;
		else if (!strcmp(all->rows[i].reason, fault->reason) ||
			 (fault->line && all->rows[i].line == fault->line && !strcmp(all->rows[i].file, fault->file)))
			return 1;
	return 0;
}

/* Finds the place by the rule if the tool does not name it. The name for the reason goes into `name`. */
static void find_by_rule(const struct spincc *s, const struct rule **rule, const char *whole, struct fault *fault, char *name, size_t bytes)
{
	unsigned flags = (*rule)->flags;
	const char *function;

	if (flags & RULE_SUSPECT && !fault->line)
		for (const struct rule *r = rules_suspect; r->pattern && !fault->line; r++) {
			fault->line = find__in_ir(s, find__has_text, r->pattern, fault->file);
			if (fault->line)
				*rule = r;
		}
	if (flags & RULE_FUNCTION && !fault->line)
		fault->line = find__in_ir(s, find__is_call_of, name, fault->file);
	if (flags & RULE_ASM) {
		fault->line = find__in_ir(s, find__is_asm, NULL, fault->file);
		if (!fault->line && (fault->line = find__in_source(s, "asm")))
			snprintf(fault->file, sizeof(fault->file), "%s", s->handler);
	}
	if (flags & RULE_DEFINED && !fault->line && (function = strstr(whole, "in function "))) {
		function += strlen("in function ");
		snprintf(name, bytes, "%.*s", (int)strcspn(function, " "), function);
		fault->line = find__in_ir(s, find__is_definition_of, name, fault->file);
	}
	if (flags & (RULE_STACK | RULE_MEMORY))
		fault->line = find__largest(s, flags & RULE_STACK, fault->file, name, bytes);
	if (!fault->line && flags & RULE_IN_SOURCE && *name && (fault->line = find__in_source(s, name)))
		snprintf(fault->file, sizeof(fault->file), "%s", s->handler);
	if (!fault->line && flags & (RULE_AT_END | RULE_FUNCTION)) {
		fault->line = find__last_line(s);
		snprintf(fault->file, sizeof(fault->file), "%s", s->handler);
	}
}

static const struct rule *match(const struct rule *rules, const char *text)
{
	while (rules->pattern && !strstr(text, rules->pattern))
		rules++;
	return rules;
}

/* Returns the rule for the handler's own source line, or `otherwise`. */
static const struct rule *match_source(const struct spincc *s, const struct fault *fault, const struct rule *otherwise)
{
	for (const struct rule *r = rules_source; r->pattern && fault->line; r++)
		if (!strcmp(fault->file, s->handler) && find__in_source(s, r->pattern) == fault->line)
			return r;
	return otherwise;
}

static const char system_header[] = "this header is the system's, which no HPU has; include <spin/spin.h> and headers of your own";

/*
 * Translates one message of a tool to a line about the user's source, by the tool's rules. One that does not concern the user is dropped.
 */
static void add_fault(const struct spincc *s, struct faults *all, const struct rule *rules, const char *message, const char *whole,
		      int is_error)
{
	const struct rule *rule = match(rules, message);
	struct fault fault = { .warning = !is_error };
	char name[192];

	if (rule->flags & RULE_SILENT || (!rule->pattern && !is_error && !strstr(message, "[-W")))
		return;
	if (rule->pattern)
		fault.warning = !!(rule->flags & RULE_WARNING);
	fault.line = find__place(s, whole, fault.file);
	if (!fault.line && !is_error)
		return; /* internal to the runtime */
	if (!fault.line && all->includer_line && strncmp(whole, s->root, strlen(s->root))) {
		/* in a header that the user includes but did not write for handlers */
		fault.line = all->includer_line;
		snprintf(fault.file, sizeof(fault.file), "%s", all->includer);
		snprintf(fault.reason, sizeof(fault.reason), "%s", system_header);
		all->ended = 1;
	}
	quoted_name(message, name, sizeof(name));
	if (rules == rules_front && is_error)
		rule = match_source(s, &fault, rule);
	find_by_rule(s, &rule, whole, &fault, name, sizeof(name));
	if (fault.reason[0])
		;
	else if (rule->flags & RULE_FUNCTION)
		substitute_name(fault.reason, sizeof(fault.reason), rules__function(name), name, "'");
	else if (rule->reason)
		substitute_name(fault.reason, sizeof(fault.reason), rule->reason, name,
				rule->flags & (RULE_STACK | RULE_MEMORY) ? "" : "'");
	else
		copy_message(fault.reason, sizeof(fault.reason), message, rule->flags);
	if (!is_known(all, &fault) && all->count < FAULTS_MAX)
		all->rows[all->count++] = fault;
	all->ended |= !fault.warning && (rule->flags & RULE_LAST || rules == rules_bpf);
}

/* Processes one line of a tool's output. */
static void process_line(const struct spincc *s, struct faults *all, const struct rule *rules, const char *line)
{
	const char *error = strstr(line, "error: "), *warning = strstr(line, "warning: ");
	const char *from = strstr(line, "In file included from ");
	char name[PATH_MAX];
	unsigned at;

	if (from) {
		if (!strstr(line, "context.bpf.c") && (at = find__place(s, line, name))) {
			all->includer_line = at;
			snprintf(all->includer, sizeof(all->includer), "%s", name);
		} else if (strstr(line, "context.bpf.c")) {
			all->includer_line = 0; /* a new include stack */
		}
		return;
	}
	if (strstr(line, "note: ")) {
		/* gcc reports the macro's own line first, and the line that uses it in a note */
		struct fault *last = all->count ? &all->rows[all->count - 1] : NULL;

		if (last && !last->line && strstr(line, "in expansion of macro"))
			last->line = find__place(s, line, last->file);
		return;
	}
	if (error) {
		add_fault(s, all, rules, error + strlen("error: "), line, 1);
	} else if (warning) {
		add_fault(s, all, rules, warning + strlen("warning: "), line, 0);
	} else if (rules != rules_front) {
		/* linkers, assemblers and back ends have no fixed format, but source lines are not messages */
		if (match(rules, line)->pattern && line[0] != ' ' && line[0] != '\t')
			add_fault(s, all, rules, line, line, 1);
	}
}

/* Prints errors, or warnings if there are none. Faults without a place are printed only if no error has one. */
static int print_faults(struct spincc *s, const struct faults *all, int failed)
{
	unsigned errors = 0, with_place = 0;

	for (unsigned i = 0; i < all->count; i++) {
		errors += !all->rows[i].warning;
		with_place += !all->rows[i].warning && all->rows[i].line;
	}
	for (unsigned i = 0; i < all->count; i++) {
		const struct fault *f = &all->rows[i];
		int again = 0;

		if ((errors && f->warning) || (with_place && !f->line))
			continue;
		for (unsigned n = 0; f->warning && n < s->warned_count; n++)
			again |= s->warned[n] == f->line;
		if (again)
			continue;
		if (f->warning && s->warned_count < sizeof(s->warned) / sizeof(s->warned[0]))
			s->warned[s->warned_count++] = f->line;
		if (f->line)
			fprintf(stderr, "%s:%u: %s%s\n", f->file, f->line, f->warning ? "warning: " : "", f->reason);
		else
			fprintf(stderr, "spincc: %s: %s\n", s->handler, f->reason);
	}
	if (failed && !errors)
		fprintf(stderr,
			"spincc: %s: the compiler failed and gave no reason that is known here; see it with "
			"--verifier-log\n",
			s->handler);
	return errors || failed ? -1 : 0;
}

int explain(struct spincc *s, enum stage stage, const struct text *output, int failed)
{
	static const struct rule *const rules[] = {
		[STAGE_FRONT] = rules_front, [STAGE_HPU] = rules_hpu,     [STAGE_BPF] = rules_bpf,
		[STAGE_HOST] = rules_front,  [STAGE_PSPIN] = rules_pspin,
	};
	struct faults *all = calloc(1, sizeof(*all));
	int err = failed ? -1 : 0;

	if (!all)
		return -1;
	for (char *line = output->data, *next; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!all->ended || strstr(line, "note: in expansion of macro")) /* the note may have the line of the last fault */
			process_line(s, all, rules[stage], line);
	}
	if (all->count || failed)
		err = print_faults(s, all, failed);
	free(all);
	return err;
}
