/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads LLVM's textual IR as far as the checks need it: lines, metadata by number, the source location of an instruction. Called by
 * check_*.c, card.c, find.c and loops.c.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/ir.h"

static int index_metadata(struct ir *ir)
{
	for (int pass = 0; pass < 2; pass++) {
		for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
			unsigned id;

			if (line[0] != '!' || !isdigit((unsigned char)line[1]))
				continue;
			id = (unsigned)atoi(line + 1);
			if (pass && id < ir->metas)
				ir->meta[id] = line;
			else if (!pass && id >= ir->metas)
				ir->metas = id + 1;
		}
		if (!pass && !(ir->meta = calloc(ir->metas + 1, sizeof(*ir->meta))))
			return -1;
	}
	return 0;
}

int ir__read(const char *path, struct ir *ir)
{
	FILE *f = fopen(path, "r");
	long bytes;
	int ok = 0;

	*ir = (struct ir){ 0 };
	if (f && !fseek(f, 0, SEEK_END) && (bytes = ftell(f)) > 0) {
		rewind(f);
		ir->text = calloc(1, (size_t)bytes + 2);
		ok = ir->text && fread(ir->text, 1, (size_t)bytes, f) == (size_t)bytes;
	}
	if (f)
		fclose(f);
	if (ok) {
		for (char *p = ir->text; (p = strchr(p, '\n')); p++) {
			while (p[1] == '\n')
				*p++ = ' '; /* an empty line would be the end */
			*p = '\0';
		}
		ok = !index_metadata(ir);
	}
	if (!ok)
		ir__free(ir);
	return ok ? 0 : -1;
}

void ir__free(struct ir *ir)
{
	free(ir->text);
	free(ir->meta);
	*ir = (struct ir){ 0 };
}

const char *ir__first(const struct ir *ir)
{
	return ir->text && *ir->text ? ir->text : NULL;
}

const char *ir__next(const struct ir *ir, const char *line)
{
	(void)ir;
	line += strlen(line) + 1;
	return *line ? line : NULL;
}

const char *ir__find_prefix(const struct ir *ir, const char *start)
{
	const char *line = ir__first(ir);

	while (line && strncmp(line, start, strlen(start)))
		line = ir__next(ir, line);
	return line;
}

const char *ir__ref(const struct ir *ir, const char *line, const char *key)
{
	const char *at = strstr(line, key);
	unsigned id;

	if (!at || at[strlen(key)] != '!')
		return NULL;
	id = (unsigned)atoi(at + strlen(key) + 1);
	return id < ir->metas ? ir->meta[id] : NULL;
}

unsigned ir__number(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 0;
}

void ir__quoted(const char *line, const char *key, char *out, size_t bytes)
{
	const char *at = strstr(line, key);

	at = at ? at + strlen(key) : "";
	if (*at == '"')
		at++;
	snprintf(out, bytes, "%.*s", (int)strcspn(at, "\""), at);
}

/* A lexical block with text of another file has a file entry. Other blocks use the file of their scope. */
static const char *file_of(const struct ir *ir, const char *entry)
{
	const char *file = ir__ref(ir, entry, "file: ");

	for (int depth = 0; !file && entry && depth < 64; depth++) {
		entry = ir__ref(ir, entry, "scope: ");
		file = entry ? ir__ref(ir, entry, "file: ") : NULL;
	}
	return file;
}

unsigned ir__source_line(const struct spincc *s, const struct ir *ir, const char *entry, char name[PATH_MAX])
{
	for (int depth = 0; entry && depth < 64; depth++) {
		const char *file = file_of(ir, entry);
		char path[PATH_MAX] = "";

		if (file)
			ir__quoted(file, "filename: ", path, sizeof(path));
		if (*path && paths__user_name(s, path, name))
			return ir__number(entry, "line: ");
		entry = ir__ref(ir, entry, "inlinedAt: ");
	}
	return 0;
}

int ir__callee(const char *line, char *out, size_t bytes)
{
	const char *call = strstr(line, "call "), *at, *open;

	if (!call || strstr(line, " asm ") || !(at = strchr(call, '@')))
		return 0;
	open = strchr(call, '(');
	/* in a call through a pointer the parenthesis of its type, or a register, comes before any name */
	if (!open || (open < at && strncmp(open - 1, " (", 2)))
		return 0;
	at++;
	if (!strncmp(at, "llvm.", 5))
		at += 5;
	snprintf(out, bytes, "%.*s", (int)strcspn(at, "(. \""), at);
	return 1;
}
