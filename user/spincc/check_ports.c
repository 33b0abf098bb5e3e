/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Warns if a port in network byte order (big-endian) is compared with a plain number. Called by check.c. 9000 instead of
 * spin_hton16(9000) is port 10275 on every target. Follows the value through conversions and local variables of one function. The IR is
 * not optimised, so the comparison is as in the source.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/ir.h"

#define PORT_VALUES_MAX 64u /* values that hold a port; if a function has more, they are not followed */

struct ports {
	char name[PORT_VALUES_MAX][24]; /* "%12" */
	unsigned count;
};

static const char *const sources[] = { "spin_src_port_", "spin_dst_port_" };
static const char *const conversions[] = { " = zext i16 ", " = load i16, " };

static void read_name(const char *at, char out[24])
{
	at += strcspn(at, "%"); /* after a type, which differs between LLVM versions: "i16* %3", "ptr %3" */
	snprintf(out, 24, "%.*s", (int)strcspn(at, " ,)"), at);
}

static int find(const struct ports *p, const char *at)
{
	char name[24];

	read_name(at, name);
	for (unsigned i = 0; i < p->count; i++)
		if (!strcmp(p->name[i], name))
			return (int)i;
	return -1;
}

static void add(struct ports *p, const char *at)
{
	if (find(p, at) < 0 && p->count < PORT_VALUES_MAX)
		read_name(at, p->name[p->count++]);
}

static void forget(struct ports *p, const char *at)
{
	int i = find(p, at);

	if (i >= 0)
		memmove(p->name[i], p->name[i + 1], (--p->count - (unsigned)i) * sizeof(p->name[0]));
}

/* Updates the set of values that hold a port, by one instruction. */
static void track(struct ports *p, const char *line)
{
	const char *result = strchr(line, '%'), *at = strstr(line, " store i16 "), *to;
	char callee[128];

	if (at && (to = strchr(at, ',')))
		at[strlen(" store i16 ")] == '%' && find(p, at) >= 0 ? add(p, to) : forget(p, to);
	for (unsigned i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++)
		if ((at = strstr(line, conversions[i])) && find(p, at + strlen(conversions[i])) >= 0)
			add(p, result);
	if (!ir__callee(line, callee, sizeof(callee)))
		return;
	for (unsigned i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(callee, sources[i]) && strstr(line, " = "))
			add(p, result);
}

/* Returns the non-zero number that a port is compared with, or 0. `line` is the comparison or a switch. */
static unsigned compared_number(const struct ir *ir, const struct ports *p, const char *line)
{
	const char *at = strstr(line, " = icmp ");
	unsigned number = 0;

	/* "%20 = icmp eq i32 %19, 53", or "i32 53, %19": find() checks the first name */
	if (at && (at = strstr(at, " i32 ")) && find(p, at) >= 0) {
		at += 5;
		if (*at == '%' && !(at = strchr(at, ' ')))
			return 0;
		return (unsigned)strtoul(at, NULL, 10); /* 0 for a name */
	}
	at = strstr(line, " switch i32 ");
	if (!at || find(p, at + strlen(" switch i32 ")) < 0)
		return 0;
	for (line = ir__next(ir, line); line && !number && (at = strstr(line, "    i32 ")); line = ir__next(ir, line))
		number = (unsigned)strtoul(at + 8, NULL, 10);
	return number;
}

/* The location of a switch follows its cases. */
static const char *location_of(const struct ir *ir, const char *line)
{
	const char *entry = NULL;

	for (; line && *line != '}' && !(entry = ir__ref(ir, line, "!dbg ")); line = ir__next(ir, line))
		;
	return entry;
}

void check__ports(const struct spincc *s, const struct ir *ir)
{
	struct ports ports = { .count = 0 };
	char file[PATH_MAX];

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		unsigned number, at;

		if (*line == '}')
			ports.count = 0;
		if (*line != ' ')
			continue;
		track(&ports, line);
		number = ports.count ? compared_number(ir, &ports, line) : 0;
		at = number ? ir__source_line(s, ir, location_of(ir, line), file) : 0;
		if (at)
			fprintf(stderr,
				"%s:%u: warning: a port in network byte order is compared with %u as it stands; write "
				"spin_hton16(%u)\n",
				file, at, number, number);
	}
}
