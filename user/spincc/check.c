/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds what compilers accept but a handler must not use, because a target (eBPF, rv32, the host) does not support it or the application
 * would not see it. Called by build.c. It reads LLVM's IR before any optimisation, so the result does not depend on the optimiser.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/ir.h"

static int refuse(const char *file, unsigned line, const char *reason, const char *name)
{
	fprintf(stderr, "%s:%u: ", file, line);
	/* cppcheck-suppress wrongPrintfScanfArgNum ; some reasons have no name in them */
	fprintf(stderr, reason, name);
	fputc('\n', stderr);
	return -1;
}

static const char number_reason[] =
	"a pointer made of a number: addresses and eBPF's helper numbers are one target's own; call the functions of "
	"<spin/spin.h>";

int check__is_table(const struct ir *ir, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		if (strncmp(line, "@llvm.global.annotations ", 25))
			continue;
		for (const char *at = line + 1; (at = strchr(at, '@')); at++)
			if (!strncmp(at + 1, name, length) && strchr(" ,)}", at[length + 1]))
				return 1;
	}
	return 0;
}

/* Only the state and tables may have static storage: the host sees, keeps and replays nothing else. */
static int check_global(const struct spincc *s, const struct ir *ir, const char *line)
{
	const char *expression = ir__ref(ir, line, "!dbg ");
	const char *variable = expression ? ir__ref(ir, expression, "var: ") : NULL;
	char name[128], symbol[128], file[PATH_MAX];
	unsigned at;

	if (variable && (!strncmp(line, "@spin_state =", 13) || !strncmp(line, "@spin_buffer_", 13)))
		return check__fields(s, ir, variable);
	if (!variable || !strncmp(line, "@spin_scratchpads_ =", 20)) /* SPIN_SCRATCHPAD makes it in the handler's file */
		return 0;
	ir__quoted(variable, "name: ", name, sizeof(name));
	at = ir__source_line(s, ir, variable, file);
	if (!at)
		return 0;
	snprintf(symbol, sizeof(symbol), "%.*s", (int)strcspn(line + 1, " "), line + 1);
	if (strstr(line, "inttoptr (i"))
		return refuse(file, at, number_reason, NULL);
	if (strstr(line, "blockaddress("))
		return refuse(file, at, "a computed goto; use switch", NULL);
	if (strstr(line, "section \".maps"))
		return refuse(file, at,
			      "'%s' is a map of eBPF, which an HPU does not have; use SPIN_TABLE or the struct of "
			      "SPIN_STATE",
			      name);
	if (strstr(line, " constant "))
		return 0;
	if (check__is_table(ir, symbol))
		return check__fields(s, ir, variable);
	return refuse(file, at,
		      "'%s' is a variable outside the state, where the host would not see it; put it into the "
		      "struct of SPIN_STATE, or make it const",
		      name);
}

struct function {
	const char *define; /* its first line */
	char name[128];
	int state; /* 0: not visited, 1: being visited, 2: done */
};

struct functions {
	const struct spincc *s;
	const struct ir *ir;
	struct function *rows;
	unsigned count;
};

/* Visits a function and those that it calls, depth first. A call of a function that is being visited closes a cycle. */
static int visit(struct functions *all, struct function *f)
{
	char callee[128], file[PATH_MAX];

	f->state = 1;
	for (const char *line = f->define; line && *line != '}'; line = ir__next(all->ir, line)) {
		if (line == f->define || !ir__callee(line, callee, sizeof(callee)))
			continue;
		for (unsigned i = 0; i < all->count; i++) {
			struct function *to = &all->rows[i];
			unsigned at;

			if (strcmp(to->name, callee))
				continue;
			at = to->state == 1 ? ir__source_line(all->s, all->ir, ir__ref(all->ir, line, "!dbg "), file) : 0;
			if (at)
				return refuse(file, at,
					      "this call of '%s' leads back here: handlers have no recursion; write "
					      "a loop with a constant bound",
					      callee);
			if (!to->state && visit(all, to))
				return -1;
		}
	}
	f->state = 2;
	return 0;
}

/* The call graph of the user's functions must not have a cycle. */
static int check_recursion(const struct spincc *s, const struct ir *ir)
{
	struct functions all = { .s = s, .ir = ir };
	char file[PATH_MAX];
	int err = 0;

	for (const char *line = ir__first(ir); line && !err; line = ir__next(ir, line)) {
		const char *subprogram = !strncmp(line, "define ", 7) ? ir__ref(ir, line, "!dbg ") : NULL, *at;
		struct function *rows;

		unsigned defined = subprogram ? ir__source_line(s, ir, subprogram, file) : 0;

		if (!defined || !(at = strchr(line, '@')))
			continue;
		if (strstr(line, " section \"")) {
			err = refuse(file, defined,
				     "a function in a section of its own, as eBPF programs are; register it with "
				     "SPIN_HANDLERS",
				     NULL);
			break;
		}
		rows = realloc(all.rows, (all.count + 1) * sizeof(*rows));
		if (!rows)
			break;
		all.rows = rows;
		rows[all.count] = (struct function){ .define = line };
		snprintf(rows[all.count++].name, sizeof(rows->name), "%.*s", (int)strcspn(at + 1, "("), at + 1);
	}
	for (unsigned i = 0; i < all.count && !err; i++)
		err = all.rows[i].state ? 0 : visit(&all, &all.rows[i]);
	free(all.rows);
	return err;
}

int check__ir(struct spincc *s, const char *path)
{
	char file[PATH_MAX];
	struct ir ir;
	int err = 0;

	if (ir__read(path, &ir)) {
		fprintf(stderr, "spincc: cannot read what clang wrote: is CLANG a clang?\n");
		return -1;
	}
	for (const char *line = ir__first(&ir); line && !err; line = ir__next(&ir, line)) {
		unsigned at = 0;

		if (*line == '@')
			err = check_global(s, &ir, line);
		else if (*line == '!' && strstr(line, " = !DILocalVariable("))
			err = check__local(s, &ir, line);
		else if (*line == ' ' && strstr(line, "inttoptr (i"))
			at = ir__source_line(s, &ir, ir__ref(&ir, line, "!dbg "), file);
		if (at)
			err = refuse(file, at, number_reason, NULL);
		else if (*line == ' ' && strstr(line, "@llvm.va_start(") &&
			 (at = ir__source_line(s, &ir, ir__ref(&ir, line, "!dbg "), file)))
			err = refuse(file, at, "variable arguments, which eBPF does not have; pass an array and its length", NULL);
	}
	if (!err)
		err = check__registration(s, &ir);
	if (!err)
		check__ports(s, &ir);
	if (!err)
		err = check_recursion(s, &ir);
	ir__free(&ir);
	return err;
}
