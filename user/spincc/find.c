/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds source lines in LLVM's IR or in the handler's text, for explain.c and pspin.c, which report compilers' and linkers' faults that
 * name no line. Only lines in the user's files count; 0 means not found.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/find.h"
#include "user/spincc/ir.h"

unsigned find__place(const struct spincc *s, const char *text, char name[PATH_MAX])
{
	for (const char *p = text; (p = strchr(p, ':')); p++) {
		const char *start = p;
		char path[PATH_MAX];

		if (!isdigit((unsigned char)p[1]) || p - text < 2 || p[-2] != '.' || !strchr("ch", p[-1]))
			continue;
		while (start > text && !isspace((unsigned char)start[-1]) && start[-1] != '[')
			start--;
		snprintf(path, sizeof(path), "%.*s", (int)(p - start), start);
		if (paths__user_name(s, path, name))
			return (unsigned)atoi(p + 1);
	}
	return 0;
}

unsigned find__last_line(const struct spincc *s)
{
	FILE *f = fopen(s->handler_path, "r");
	unsigned lines = 0;
	int c, last = '\n';

	while (f && (c = getc(f)) != EOF) {
		lines += c == '\n';
		last = c;
	}
	if (f)
		fclose(f);
	return lines + (last != '\n');
}

unsigned find__in_ir(const struct spincc *s, find_fn wanted, const char *name, char file[PATH_MAX])
{
	char path[PATH_MAX];
	unsigned found = 0;
	struct ir ir;

	temps__path(s, "handler.ll", path);
	if (ir__read(path, &ir))
		return 0;
	for (const char *line = ir__first(&ir); line && !found; line = ir__next(&ir, line))
		if (wanted(line, name))
			found = ir__source_line(s, &ir, ir__ref(&ir, line, "!dbg "), file);
	ir__free(&ir);
	return found;
}

int find__is_asm(const char *line, const char *name)
{
	(void)name;
	return strstr(line, "call ") && strstr(line, " asm ");
}

int find__is_call_of(const char *line, const char *name)
{
	char callee[128];

	return ir__callee(line, callee, sizeof(callee)) && !strcmp(callee, name);
}

int find__is_definition_of(const char *line, const char *name)
{
	const char *at = !strncmp(line, "define ", 7) ? strchr(line, '@') : NULL;

	return at && !strncmp(at + 1, name, strlen(name)) && at[1 + strlen(name)] == '(';
}

int find__has_text(const char *line, const char *text)
{
	return *line == ' ' && strstr(line, text);
}

/* Overwrites comments in a line with blanks. *inside: 1 if the line begins, and on return ends, inside a comment. */
static void blank_comments(char *line, int *inside)
{
	char quote = 0;

	for (char *c = line; *c && *c != '\n'; c++) {
		if (*inside) {
			*inside = strncmp(c, "*/", 2) != 0;
			if (!*inside)
				*c++ = ' ';
			*c = ' ';
		} else if (quote) {
			if (*c == '\\' && c[1] && c[1] != '\n')
				c++;
			else if (*c == quote)
				quote = 0;
		} else if (*c == '"' || *c == '\'') {
			quote = *c;
		} else if (!strncmp(c, "/*", 2)) {
			*inside = 1;
			*c++ = ' ';
			*c = ' ';
		} else if (!strncmp(c, "//", 2)) {
			*c = 0;
			return;
		}
	}
}

unsigned find__in_source(const struct spincc *s, const char *word)
{
	FILE *f = fopen(s->handler_path, "r");
	unsigned number = 0, found = 0;
	char *line = NULL;
	size_t bytes = 0;
	int inside = 0;

	while (f && !found && getline(&line, &bytes, f) > 0) {
		number++;
		blank_comments(line, &inside);
		found = strstr(line, word) ? number : 0;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Returns the size of a variable's type. For a typedef or qualifier the size is in the type that it refers to. */
static unsigned type_bytes(const struct ir *ir, const char *type)
{
	for (int depth = 0; type && depth < 16; depth++) {
		unsigned long bits = strstr(type, " size: ") ? strtoul(strstr(type, " size: ") + 7, NULL, 10) : 0;

		if (bits)
			return (unsigned)(bits / 8);
		type = ir__ref(ir, type, "baseType: ");
	}
	return 0;
}

/* Returns the variable that a line of IR declares, local or static, or NULL. */
static const char *variable_of(const struct ir *ir, const char *line, int local)
{
	const char *expression;

	if (local)
		return strstr(line, "@llvm.dbg.declare(") ? ir__ref(ir, line, ", metadata ") : NULL;
	expression = *line == '@' ? ir__ref(ir, line, "!dbg ") : NULL;
	return expression ? ir__ref(ir, expression, "var: ") : NULL;
}

unsigned find__largest(const struct spincc *s, int local, char file[PATH_MAX], char *what, size_t bytes)
{
	char path[PATH_MAX], name[128], in[PATH_MAX];
	unsigned largest = 0, found = 0;
	struct ir ir;

	snprintf(what, bytes, "variables take too much");
	temps__path(s, "handler.ll", path);
	if (ir__read(path, &ir))
		return 0;
	for (const char *line = ir__first(&ir); line; line = ir__next(&ir, line)) {
		const char *variable = variable_of(&ir, line, local);
		unsigned size = variable ? type_bytes(&ir, ir__ref(&ir, variable, "type: ")) : 0;
		unsigned at = size > largest ? ir__source_line(s, &ir, variable, in) : 0;

		if (!at)
			continue;
		largest = size;
		found = at;
		snprintf(file, PATH_MAX, "%s", in);
		ir__quoted(variable, "name: ", name, sizeof(name));
		snprintf(what, bytes, "'%s' takes %u bytes", name, size);
	}
	ir__free(&ir);
	return found;
}
