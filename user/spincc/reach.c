/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds how many bytes at the start of a packet's payload a handler may look at (reach.h). A stream of TCP is copied for its handlers
 * (bpf/stream.h), and what they cannot look at need not be: for a handler that counts bytes, copying is most of its cost.
 *
 * It follows the calls from the functions that are registered. SPIN_GET is a call of spin_payload_at_() with an offset and a size
 * (<spin/target/frame.h>), which must be constants. Each other function that takes the payload's or the frame's address from the runtime's
 * structures may look anywhere.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/reach.h"

#define NAME_BYTES    128
#define FUNCTIONS_MAX 4096
#define PAYLOAD_AT    "spin_payload_at_"
#define HANDLERS      "@spin_handlers_ = "
#define REACH_LIMIT   4096u /* more is not worth it */
#define MEMBERS_MAX   3u

struct function {
	const char *define; /* its first line */
	char name[NAME_BYTES];
	enum { NOT_CALLED, CALLED, READ } state; /* by handlers */
};

/* A member whose address leads to payload: its structure, and its index there. */
struct member {
	char type[64];
	unsigned index;
};

struct reach {
	const struct ir *ir;
	struct function *function;
	unsigned functions;
	struct member member[MEMBERS_MAX];
	uint32_t bytes;
};

/* Copies the name after '@'. Returns 0 if it does not fit. */
static int copy_name(const char *at, char name[NAME_BYTES])
{
	size_t bytes = strcspn(at, "(), \"*}");

	if (!bytes || bytes >= NAME_BYTES)
		return 0;
	memcpy(name, at, bytes);
	name[bytes] = '\0';
	return 1;
}

static int list_functions(struct reach *r)
{
	r->function = calloc(FUNCTIONS_MAX, sizeof(*r->function));
	if (!r->function)
		return -1;
	for (const char *line = ir__first(r->ir); line; line = ir__next(r->ir, line)) {
		const char *at = strncmp(line, "define ", 7) ? NULL : strchr(line, '@');

		if (!at)
			continue;
		if (r->functions == FUNCTIONS_MAX || !copy_name(at + 1, r->function[r->functions].name))
			return -1;
		r->function[r->functions++].define = line;
	}
	return 0;
}

/* Marks a function as called. One that is only declared is a helper or an intrinsic, which is judged by its arguments. */
static void mark(struct reach *r, const char *name)
{
	for (unsigned i = 0; i < r->functions; i++)
		if (!strcmp(r->function[i].name, name) && r->function[i].state == NOT_CALLED)
			r->function[i].state = CALLED;
}

/*
 * Finds the index of a member of a structure by the debug information, whose list of members has the order of the type. Returns -1 if there
 * is none.
 */
static int index_of(const struct ir *ir, const char *type, const char *member)
{
	char wanted[96], name[96];

	snprintf(wanted, sizeof(wanted), "name: \"%s\"", type);
	snprintf(name, sizeof(name), "name: \"%s\"", member);
	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		const char *list = strstr(line, "!DICompositeType(") && strstr(line, wanted) ? ir__ref(ir, line, "elements: ") : NULL;
		int index = 0;

		for (list = list ? strchr(list, '{') : NULL; list && (list = strchr(list, '!')); list++, index++) {
			unsigned id = (unsigned)atoi(list + 1);

			if (id < ir->metas && ir->meta[id] && strstr(ir->meta[id], name))
				return index;
		}
	}
	return -1;
}

/* Finds the members by which code reaches payload: of a packet, and the frame in its view. */
static int find_members(struct reach *r)
{
	static const struct {
		const char *type, *member;
	} wanted[MEMBERS_MAX] = { { "spin_packet", "payload" }, { "spin_packet", "start" }, { "spin_view", "data" } };

	for (unsigned i = 0; i < MEMBERS_MAX; i++) {
		int index = index_of(r->ir, wanted[i].type, wanted[i].member);

		if (index < 0)
			return -1;
		snprintf(r->member[i].type, sizeof(r->member[i].type), "%%struct.%s,", wanted[i].type);
		r->member[i].index = (unsigned)index;
	}
	return 0;
}

/* Is this "%5 = getelementptr inbounds %struct.spin_packet, ptr %3, i32 0, i32 3, !dbg !7" for one of the members? */
static int takes_member(const struct reach *r, const char *line)
{
	const char *at = strstr(line, " = getelementptr ");

	for (unsigned i = 0; at && i < MEMBERS_MAX; i++) {
		const char *type = strstr(at, r->member[i].type), *index = type ? strstr(type, ", i32 0, i32 ") : NULL;

		if (type && (!index || strtoul(index + strlen(", i32 0, i32 "), NULL, 10) == r->member[i].index))
			return 1;
	}
	return 0;
}

/* Reads the last argument before `end`, "i32 noundef 12". Returns NULL if it is not a constant, else where the argument begins. */
static const char *constant_before(const char *start, const char *end, uint32_t *value)
{
	const char *at = end;

	while (at > start && isdigit((unsigned char)at[-1]))
		at--;
	if (at == end || at == start || at[-1] != ' ' || end - at > 9)
		return NULL;
	*value = (uint32_t)strtoul(at, NULL, 10);
	while (at > start && *at != ',')
		at--;
	return *at == ',' ? at : NULL;
}

/* Reads offset and size of "call ptr @spin_payload_at_(ptr noundef %4, i32 noundef %6, i32 noundef 0, i32 noundef 12)". */
static void read_payload_at(struct reach *r, const char *line)
{
	const char *start = strstr(line, "@" PAYLOAD_AT "("), *end = start ? strchr(start, ')') : NULL;
	uint32_t off = 0, size = 0;

	end = end ? constant_before(start, end, &size) : NULL;
	end = end ? constant_before(start, end, &off) : NULL;
	if (!end || off > REACH_LIMIT || size > REACH_LIMIT - off)
		r->bytes = REACH_ALL;
	else if (r->bytes < off + size)
		r->bytes = off + size;
}

/*
 * Is this the call of a kernel's helper? "call ptr inttoptr (i64 1 to ptr)(...", or through a pointer: "%5 = load ptr, ptr @bpf_...",
 * "call ptr %5(...".
 */
static int is_helper(const struct reach *r, const struct function *f, const char *call)
{
	const char *open = strchr(strstr(call, "call "), '(');
	char is[64];
	size_t bytes;

	if (strstr(call, " inttoptr (i64 "))
		return 1;
	while (open && open > call && open[-1] == ' ') /* of the function's type */
		open = strchr(open + 1, '(');
	if (!open)
		return 0;
	for (bytes = 0; open - bytes > call && open[-1 - (ptrdiff_t)bytes] != ' '; bytes++)
		;
	snprintf(is, sizeof(is), "  %.*s = load ", (int)bytes, open - bytes);
	for (const char *line = f->define; line != call; line = ir__next(r->ir, line))
		if (!strncmp(line, is, strlen(is)))
			return strstr(line, " @bpf_") != NULL;
	return 0;
}

static void read_function(struct reach *r, const struct function *f)
{
	char callee[NAME_BYTES];

	if (!strcmp(f->name, PAYLOAD_AT))
		return;
	for (const char *line = f->define; line && *line != '}' && r->bytes != REACH_ALL; line = ir__next(r->ir, line)) {
		if (takes_member(r, line))
			r->bytes = REACH_ALL;
		if (!strstr(line, "call ") || strstr(line, " asm ") || line == f->define)
			continue;
		if (!ir__callee(line, callee, sizeof(callee)))
			r->bytes = is_helper(r, f, line) ? r->bytes : REACH_ALL;
		else if (!strcmp(callee, PAYLOAD_AT))
			read_payload_at(r, line);
		else
			mark(r, callee);
	}
}

/* Marks what the handlers call, until nothing new is found or something has an unknown reach. */
static void follow(struct reach *r)
{
	const char *registered = ir__find_prefix(r->ir, HANDLERS);
	char name[NAME_BYTES];

	if (!registered) {
		r->bytes = REACH_ALL;
		return;
	}
	for (const char *at = registered + strlen(HANDLERS); (at = strchr(at, '@')); at++)
		if (copy_name(at + 1, name))
			mark(r, name);
	for (int found = 1; found && r->bytes != REACH_ALL;) {
		found = 0;
		for (unsigned i = 0; i < r->functions; i++) {
			if (r->function[i].state != CALLED)
				continue;
			r->function[i].state = READ;
			found = 1;
			read_function(r, &r->function[i]);
		}
	}
}

uint32_t reach__of_handlers(const struct ir *ir)
{
	struct reach r = { .ir = ir };

	if (list_functions(&r) || find_members(&r))
		r.bytes = REACH_ALL;
	else
		follow(&r);
	free(r.function);
	return r.bytes;
}
