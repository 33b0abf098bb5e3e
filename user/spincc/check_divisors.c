/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds divisors that may be 0. Called by build.c. For them eBPF computes 0 (and x for x % 0), an HPU returns all ones, and a host kills
 * the process. clang decides: -fsanitize adds a test before each division, and the test remains if the optimiser cannot prove that the
 * divisor is not 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/ir.h"

static const char *const divisions[] = { " = udiv ", " = sdiv ", " = urem ", " = srem " };

static int has_variable_divisor(const struct spincc *s, const struct ir *ir, const char *line)
{
	char file[PATH_MAX];

	for (unsigned i = 0; i < sizeof(divisions) / sizeof(divisions[0]); i++) {
		const char *at = strstr(line, divisions[i]), *divisor = at ? strchr(at, ',') : NULL;

		if (divisor && !strncmp(divisor, ", %", 3) && ir__source_line(s, ir, ir__ref(ir, line, "!dbg "), file))
			return 1;
	}
	return 0;
}

int check__has_divisors(const struct spincc *s, const char *path)
{
	struct ir ir;
	int has = 0;

	if (ir__read(path, &ir))
		return 0; /* check__ir() has reported it */
	for (const char *line = ir__first(&ir); line && !has; line = ir__next(&ir, line))
		has = *line == ' ' && has_variable_divisor(s, &ir, line);
	ir__free(&ir);
	return has;
}

/*
 * Returns the place of the division's test. It is the first branch to the block with this label; several divisions may share
 * the block.
 */
static unsigned find_test_line(const struct spincc *s, const struct ir *ir, const char *function, const char *label, char file[PATH_MAX])
{
	char target[64];
	unsigned at;

	snprintf(target, sizeof(target), "label %%%.*s", (int)strcspn(label, ":"), label);
	for (const char *line = function; line && *line != '}'; line = ir__next(ir, line)) {
		const char *to = strstr(line, target);

		if (*line != ' ' || !to || !strchr(", ", to[strlen(target)]))
			continue;
		at = ir__source_line(s, ir, ir__ref(ir, line, "!dbg "), file);
		if (at)
			return at;
	}
	return 0;
}

int check__divisors(const struct spincc *s, const char *path)
{
	const char *function = NULL, *label = NULL;
	char file[PATH_MAX];
	unsigned at = 0;
	struct ir ir;

	if (ir__read(path, &ir))
		return 0; /* this clang does not emit such tests */
	for (const char *line = ir__first(&ir); line && !at; line = ir__next(&ir, line)) {
		if (!strncmp(line, "define ", 7))
			function = line;
		else if (*line && !strchr(" !@;}", *line) && strchr(line, ':'))
			label = line;
		else if (function && label && *line == ' ' && strstr(line, "call void @llvm.ubsantrap("))
			at = find_test_line(s, &ir, function, label, file);
	}
	if (at)
		fprintf(stderr,
			"%s:%u: the divisor may be 0, of which each target makes something else; test it first, as in "
			"if (!n) return SPIN_FAIL;\n",
			file, at);
	ir__free(&ir);
	return at ? -1 : 0;
}
