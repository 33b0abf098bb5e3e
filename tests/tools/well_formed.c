/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * well_formed json|xml FILE: checks that FILE is one JSON document (RFC 8259), or XML whose elements are nested and closed, with quoted
 * attributes; a DOCTYPE and the content of <style> are not checked. Exits with 0, or with 1 and the line of the first error. Used by tests
 * in tests/cost and tests/cli on what spinctl writes.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text, *at;
static char open_tags[256][32];
static unsigned depth;

static int bad(const char *what)
{
	unsigned line = 1;

	for (const char *c = text; c < at; c++)
		line += *c == '\n';
	fprintf(stderr, "line %u: %s before '%.40s'\n", line, what, at);
	return -1;
}

static void blanks(void)
{
	at += strspn(at, " \t\r\n");
}

static int json_string(void)
{
	if (*at++ != '"')
		return bad("no string");
	while (*at != '"') {
		if ((unsigned char)*at < 0x20)
			return bad("a control character in a string");
		if (*at++ != '\\')
			continue;
		if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
			at += 5;
		else if (*at && strchr("\"\\/bfnrt", *at))
			at++;
		else
			return bad("no escape");
	}
	at++;
	return 0;
}

static int json_number(void)
{
	at += *at == '-';
	if (!isdigit((unsigned char)*at) || (*at == '0' && isdigit((unsigned char)at[1])))
		return bad("no number");
	at += strspn(at, "0123456789");
	if (*at == '.') {
		if (!isdigit((unsigned char)*++at))
			return bad("no fraction");
		at += strspn(at, "0123456789");
	}
	if (*at == 'e' || *at == 'E') {
		at += 1 + (at[1] == '+' || at[1] == '-');
		if (!isdigit((unsigned char)*at))
			return bad("no exponent");
		at += strspn(at, "0123456789");
	}
	return 0;
}

static int json_value(unsigned level)
{
	static const char *const words[] = { "true", "false", "null" };
	char close;

	blanks();
	if (level > 100)
		return bad("nested too deep");
	for (unsigned i = 0; i < 3; i++)
		if (!strncmp(at, words[i], strlen(words[i]))) {
			at += strlen(words[i]);
			return 0;
		}
	if (*at == '"')
		return json_string();
	if (*at != '{' && *at != '[')
		return json_number();
	close = *at++ == '{' ? '}' : ']';
	blanks();
	if (*at == close)
		return at++, 0;
	while (1) {
		blanks();
		if (close == '}' && (json_string() || (blanks(), *at++ != ':')))
			return bad("no member");
		if (json_value(level + 1))
			return -1;
		blanks();
		if (*at == close)
			return at++, 0;
		if (*at++ != ',')
			return bad("no comma");
	}
}

static int json(void)
{
	if (json_value(0))
		return -1;
	blanks();
	return *at ? bad("more than a document") : 0;
}

static int xml_attributes(void)
{
	while (1) {
		blanks();
		if (*at == '>' || (*at == '/' && at[1] == '>'))
			return 0;
		if (!isalpha((unsigned char)*at))
			return bad("no attribute");
		at += strcspn(at, "= \n>");
		if (*at++ != '=' || *at++ != '"')
			return bad("no quoted value");
		at += strcspn(at, "\"<");
		if (*at++ != '"')
			return bad("a value without its end");
	}
}

static int xml_close(const char *name, size_t length)
{
	if (!depth || strlen(open_tags[depth - 1]) != length || strncmp(open_tags[depth - 1], name, length))
		return bad("a tag closes what is not open");
	depth--;
	return 0;
}

static int xml_tag(void)
{
	int is_close = at[1] == '/';
	const char *name = at + 1 + is_close;
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	if (!length || length >= sizeof(open_tags[0]))
		return bad("no tag");
	at = name + length;
	if (is_close)
		return *at++ != '>' ? bad("no end of a tag") : xml_close(name, length);
	if (xml_attributes())
		return -1;
	if (*at == '/')
		return at += 2, 0;
	at++;
	if (length == 2 && !strncmp(name, "br", 2))
		return 0;
	if (depth == sizeof(open_tags) / sizeof(open_tags[0]))
		return bad("nested too deep");
	snprintf(open_tags[depth++], sizeof(open_tags[0]), "%.*s", (int)length, name);
	if (length == 5 && !strncmp(name, "style", 5) && !(at = strstr(name, "</style>"))) {
		at = name;
		return bad("no end of the style");
	}
	return 0;
}

static int xml(void)
{
	if (!strncmp(at, "<!DOCTYPE html>", 15))
		at += 15;
	while (*at) {
		if (*at == '&' && strspn(at + 1, "#abcdefghijklmnopqrstuvwxyz0123456789") + 1 != strcspn(at, ";"))
			return bad("a bare &");
		if (*at != '<')
			at++;
		else if (xml_tag())
			return -1;
	}
	return depth ? bad("a tag is not closed") : 0;
}

int main(int argc, char **argv)
{
	FILE *from = argc == 3 ? fopen(argv[2], "r") : NULL;
	size_t bytes = 0, got;
	char *all = malloc(1);

	if (!from || !all || (strcmp(argv[1], "json") && strcmp(argv[1], "xml"))) {
		fprintf(stderr, "usage: well_formed json|xml FILE\n");
		return 2;
	}
	do {
		all = realloc(all, bytes + 65537);
		if (!all)
			return 2;
		bytes += got = fread(all + bytes, 1, 65536, from);
		all[bytes] = '\0';
	} while (got);
	fclose(from);
	text = at = all;
	if (strlen(all) != bytes)
		return fprintf(stderr, "a zero byte\n"), 1;
	return (strcmp(argv[1], "json") ? xml() : json()) ? 1 : 0;
}
