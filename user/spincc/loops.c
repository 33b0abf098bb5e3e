/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rewrites the loops over a payload (SPIN_FOR_EACH, here called walks) and SPIN_FOR in a handler's LLVM IR, so that the verifier
 * terminates on them. Called by build.c between clang's front end and its optimiser. It reads what clang 14 to 19 write without
 * optimisation: a local variable is an alloca with loads and stores. A walk has two nested loops (<spin/target/frame.h>): the outer one
 * takes the next chunk of the payload, the inner one the next piece of the chunk, for which it runs the handler's body.
 *
 * The verifier stops following a loop when it reaches a state that it has seen before. A variable that the body changes, like a minimum or
 * a count, starts with a known number. If the body has branches, each path leaves another number, and comparisons with it decide later
 * branches. Then no two iterations have the same state, and the verifier gives up after 1,000,000 instructions. Without CAP_PERFMON this
 * happens even without comparisons.
 *
 * So this file makes such a variable unknown to the verifier before each piece: it adds the zero `any & ~any`, which is computed once for
 * each chunk, as in spin_verifier_forget32(). The program's result does not change. A body without branches has only one path and is not
 * changed. In a SPIN_FOR the variables are made unknown before each iteration.
 *
 * Other loops of the handler are not changed: the verifier must know their counters.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/ir.h"
#include "user/spincc/loops.h"
#include "user/spincc/reach.h"

#define SLOTS_MAX      64 /* tracked variables of a function, one bit each; further ones are not changed */
#define NAME_BYTES     64
#define COUNT_VARIABLE "@spin_walks_count_ = "   /* <spin/target/frame.h> */
#define REACH_VARIABLE "@spin_payload_reach_ = " /* bpf/stream.h */
#define RUNTIME_STRUCT "%struct.spin_"           /* the walk's own state, which must stay known */

/* A variable: an alloca of an integer, or an integer field of a structure's alloca. */
struct slot {
	char place[NAME_BYTES];   /* the alloca, or the key of the field: "%acc" */
	char field[512];          /* of a structure: operands of the getelementptr; "": the alloca itself */
	char type[NAME_BYTES];    /* "i32" */
	char pointer[NAME_BYTES]; /* type of its pointer: "i32*", "ptr" */
};

/* The address of a variable. */
struct value {
	char name[NAME_BYTES];
	int slot; /* -1: not a tracked variable */
};

struct function {
	struct slot slot[SLOTS_MAX];
	unsigned slots;
	struct value *value;
	unsigned values, room;
	uint64_t changed; /* the slots that the current walk stores to */
	int branches;     /* the current walk has branches */
	uint64_t named;   /* declared in the source: variables that the compiler adds stay known */
	uint64_t hidden;  /* the slots that the current walk makes unknown */
};

static int is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-' || c == '$';
}

/* Copies the next "%name" after `at` to `name`. Returns what follows it, or NULL if there is none. Types also begin with %. */
static const char *next_name(const char *at, char name[NAME_BYTES])
{
	unsigned n = 0;

	at = strchr(at, '%');
	if (!at)
		return NULL;
	name[n++] = *at++;
	while (is_name(*at) && n < NAME_BYTES - 1)
		name[n++] = *at++;
	name[n] = '\0';
	return at;
}

static struct value *find_value(struct function *f, const char *name)
{
	for (unsigned i = f->values; i-- > 0;) /* the last values are looked up most often */
		if (!strcmp(f->value[i].name, name))
			return &f->value[i];
	return NULL;
}

static struct value *add_value(struct function *f, const char *name)
{
	struct value *v = find_value(f, name);

	if (v)
		return v;
	if (f->values == f->room) {
		struct value *more = realloc(f->value, (f->room + 256) * sizeof(*more));

		if (!more)
			return NULL;
		f->value = more;
		f->room += 256;
	}
	v = &f->value[f->values++];
	*v = (struct value){ .slot = -1 };
	snprintf(v->name, sizeof(v->name), "%s", name);
	return v;
}

static int is_integer(const char *type)
{
	return !strcmp(type, "i8") || !strcmp(type, "i16") || !strcmp(type, "i32") || !strcmp(type, "i64");
}

static int add_slot(struct function *f, const char *place, const char *field)
{
	struct slot *s;

	for (unsigned i = 0; i < f->slots; i++)
		if (!strcmp(f->slot[i].place, place) && !strcmp(f->slot[i].field, field))
			return (int)i;
	if (f->slots == SLOTS_MAX)
		return -1;
	s = &f->slot[f->slots];
	*s = (struct slot){ 0 };
	snprintf(s->place, sizeof(s->place), "%s", place);
	snprintf(s->field, sizeof(s->field), "%s", field);
	return (int)f->slots++;
}

/* Reads "%5 = alloca i32, align 4": the address of a variable. */
static void read_alloca(struct function *f, const char *name, const char *rest)
{
	char type[128];
	struct value *v;

	if (sscanf(rest, "alloca %127[^,]", type) != 1)
		return;
	v = add_value(f, name);
	if (v && *type != '[' && strncmp(type, RUNTIME_STRUCT, strlen(RUNTIME_STRUCT)))
		v->slot = add_slot(f, name, "");
}

/* Reads "call void @llvm.dbg.declare(metadata i32* %5, ...", "#dbg_declare(ptr %5, ...": the variable is in the source. */
static void read_declare(struct function *f, const char *line)
{
	const char *at = strstr(line, "dbg.declare(");
	char name[NAME_BYTES];
	const struct value *v;

	if (!at)
		at = strstr(line, "#dbg_declare(");
	while (at && (at = next_name(at, name)))
		if ((v = find_value(f, name)) && v->slot >= 0) {
			for (unsigned i = 0; i < f->slots; i++)
				if (!strcmp(f->slot[i].place, f->slot[v->slot].place))
					f->named |= UINT64_C(1) << i;
			return;
		}
}

/* Copies the name of the pointer at the end of a load or store, "..., i32* %5, align 4", and its type to `type`. */
static int pointer_of(const char *line, char name[NAME_BYTES], char type[NAME_BYTES])
{
	const char *end = strstr(line, ", align"), *comma;
	char text[512];

	if (!end || (size_t)(end - line) >= sizeof(text))
		return -1;
	snprintf(text, sizeof(text), "%.*s", (int)(end - line), line);
	comma = strrchr(text, ',');
	if (!comma || sscanf(comma, ", %63s %63s", type, name) != 2 || *name != '%')
		return -1;
	return 0;
}

/* Reads the address of an integer field of a structure: "getelementptr inbounds %struct.acc, %struct.acc* %5, i32 0, i32 1". */
static void read_field(struct function *f, const char *name, const char *rest)
{
	const char *operand = strchr(rest, ','), *at;
	char base[NAME_BYTES], field[512], debug[] = ", !dbg";
	const struct value *of;
	struct value *v;
	int n, structure, slot;

	if (!operand || !(at = next_name(operand, base)))
		return;
	if (!find_value(f, base)) /* the type of a typed pointer comes first */
		at = next_name(at, base);
	of = at ? find_value(f, base) : NULL;
	if (!of || of->slot < 0 || strchr(at, '%')) /* not a variable's address, or a computed index */
		return;
	structure = of->slot;
	n = (int)((at = strstr(rest, debug)) ? at - rest : (long)strlen(rest));
	if (n >= (int)sizeof(field))
		return;
	snprintf(field, sizeof(field), "%.*s", n, rest);
	slot = add_slot(f, f->slot[structure].place, field);
	v = add_value(f, name);
	if (!v || slot < 0)
		return;
	v->slot = slot;
	f->named |= (f->named >> structure & 1) << slot;
}

static void read_store(struct function *f, const char *rest)
{
	char type[NAME_BYTES], value[NAME_BYTES], pointer[NAME_BYTES], at[NAME_BYTES];
	const struct value *to;
	struct slot *s;

	if (sscanf(rest, "store %63s %63[^,]", type, value) != 2 || pointer_of(rest, at, pointer))
		return;
	to = find_value(f, at);
	if (!to || to->slot < 0 || !is_integer(type))
		return;
	s = &f->slot[to->slot];
	snprintf(s->type, sizeof(s->type), "%s", type);
	snprintf(s->pointer, sizeof(s->pointer), "%s", pointer);
	f->changed |= UINT64_C(1) << to->slot;
}

static int begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* Reads one instruction of a walk. The walk's own branches depend on return values, so comparisons belong to the handler. */
static void read_instruction(struct function *f, const char *line)
{
	char name[NAME_BYTES];
	const char *rest = line + strspn(line, " "), *is;

	f->branches |= begins(rest, "switch ");
	if (begins(rest, "store "))
		read_store(f, rest);
	is = *rest == '%' ? next_name(rest, name) : NULL;
	if (!is || !begins(is, " = "))
		return;
	f->branches |= begins(is + 3, "icmp ");
	if (begins(is + 3, "getelementptr "))
		read_field(f, name, is + 3);
}

/* Returns the last line of the loop whose head has this label: the last branch to it. NULL if it is not a loop. */
static const char *end_of_loop(const struct ir *ir, const char *line, const char *label)
{
	const char *end = NULL;
	char branch[NAME_BYTES + 8];
	size_t bytes = (size_t)snprintf(branch, sizeof(branch), "label %%%s", label);

	for (; line && *line != '}'; line = ir__next(ir, line)) {
		const char *at = strstr(line, branch);

		if (at && !is_name(at[bytes]) && strstr(line, "br "))
			end = line;
	}
	return end;
}

/* Writes, before the chunk, instructions that compute a zero of each type. To the verifier its value is unknown. */
static void write_zero(FILE *out, const struct function *f, uint64_t which, unsigned walk)
{
	fprintf(out, "  %%spin.any.%u = load volatile i32, %s @spin_any, align 4\n", walk,
		strchr(f->slot[__builtin_ctzll(which)].pointer, '*') ? "i32*" : "ptr");
	fprintf(out, "  %%spin.not.%u = xor i32 %%spin.any.%u, -1\n", walk, walk);
	fprintf(out, "  %%spin.hid.%u = call i32 asm sideeffect \"\", \"=r,0\"(i32 %%spin.not.%u)\n", walk, walk);
	fprintf(out, "  %%spin.i32.%u = and i32 %%spin.any.%u, %%spin.hid.%u\n", walk, walk, walk);
	fprintf(out, "  %%spin.low.%u = zext i32 %%spin.i32.%u to i64\n", walk, walk);
	fprintf(out, "  %%spin.high.%u = shl i64 %%spin.low.%u, 32\n", walk, walk);
	fprintf(out, "  %%spin.i64.%u = or i64 %%spin.high.%u, %%spin.low.%u\n", walk, walk, walk);
	fprintf(out, "  %%spin.i16.%u = trunc i32 %%spin.i32.%u to i16\n", walk, walk);
	fprintf(out, "  %%spin.i8.%u = trunc i32 %%spin.i32.%u to i8\n", walk, walk);
}

/* Writes, before the piece, the additions of that zero to the variables. */
static void write_forget(FILE *out, const struct function *f, uint64_t which, unsigned walk)
{
	for (unsigned i = 0; i < f->slots; i++) {
		const struct slot *s = &f->slot[i];
		char at[NAME_BYTES];

		if (!(which >> i & 1))
			continue;
		snprintf(at, sizeof(at), "%s", s->place);
		if (*s->field) {
			snprintf(at, sizeof(at), "%%spin.at.%u.%u", walk, i);
			fprintf(out, "  %s = %s\n", at, s->field);
		}
		fprintf(out, "  %%spin.was.%u.%u = load %s, %s %s, align 1\n", walk, i, s->type, s->pointer, at);
		fprintf(out, "  %%spin.is.%u.%u = add %s %%spin.was.%u.%u, %%spin.%s.%u\n", walk, i, s->type, walk, i, s->type, walk);
		fprintf(out, "  store %s %%spin.is.%u.%u, %s %s, align 1\n", s->type, walk, i, s->pointer, at);
	}
}

/* Reads the walk, starting at the line that requests its next chunk. */
static void read_walk(const struct ir *ir, struct function *f, const char *line, const char *label)
{
	const char *end = *label ? end_of_loop(ir, line, label) : NULL;

	f->hidden = f->changed = 0;
	f->branches = 0;
	for (const char *at = line; end && at != end; at = ir__next(ir, at))
		read_instruction(f, at);
	if (f->branches)
		f->hidden = f->changed & f->named;
}

/* Reads "18:     ; preds = ..." or "for.cond:", which begin a block. */
static int read_label(const char *line, char label[NAME_BYTES])
{
	unsigned n = 0;

	while (n < NAME_BYTES - 1 && is_name(line[n]))
		n++;
	if (!n || line[n] != ':')
		return 0;
	snprintf(label, NAME_BYTES, "%.*s", (int)n, line);
	return 1;
}

/* Writes a line without the debug records of local variables: nothing reads them, and they take a third of clang's time. */
static void write_line(FILE *out, const char *line)
{
	if (!begins(line, "  call void @llvm.dbg.") && !begins(line, "    #dbg_"))
		fprintf(out, "%s\n", line);
}

/* Copies a function, with changes in its loops over payload. *from is its first line, then its last. */
static void write_function(const struct ir *ir, FILE *out, struct function *f, const char **from, unsigned *walks)
{
	char label[NAME_BYTES] = "", name[NAME_BYTES];
	const char *line = *from;

	f->slots = f->values = 0;
	f->hidden = f->named = 0;
	for (; line && *line != '}'; line = ir__next(ir, line)) {
		const char *is = begins(line, "  %") ? next_name(line, name) : NULL;

		read_label(line, label);
		if (is && begins(is, " = alloca "))
			read_alloca(f, name, is + 3);
		read_declare(f, line);
		if (is && strstr(is, "@spin_walk_chunk_(")) {
			read_walk(ir, f, line, label);
			if (f->hidden)
				write_zero(out, f, f->hidden, ++*walks);
		} else if (is && strstr(is, "@spin_walk_piece_(") && f->hidden) {
			write_forget(out, f, f->hidden, *walks);
		} else if (is && strstr(is, "@spin_for_step_(")) {
			read_walk(ir, f, line, label);
			if (f->hidden) {
				write_zero(out, f, f->hidden, ++*walks);
				write_forget(out, f, f->hidden, *walks);
			}
		}
		write_line(out, line);
	}
	*from = line;
}

/* Returns 1 if the handler takes locks or has SPIN_WHILE or SPIN_FOR loops. Both use a step of the budget in each iteration. */
static int uses_step_budget(const struct ir *ir)
{
	for (const char *line = ir__first(ir); line; line = ir__next(ir, line))
		if (begins(line, "define ") && strstr(line, "@spin_step_("))
			return 1;
	return 0;
}

/* Writes the definition of a variable, "@name = internal global i32 0, align 4", with another value. */
static void write_value(FILE *out, const char *line, uint32_t value)
{
	const char *zero = strstr(line, "i32 0");

	if (zero)
		fprintf(out, "%.*si32 %u%s\n", (int)(zero - line), line, value, zero + strlen("i32 0"));
	else
		write_line(out, line);
}

static int write_all(const struct ir *ir, uint32_t reach, FILE *out)
{
	struct function f = { 0 };
	unsigned walks = 0;

	/* a runtime that does not define spin_any does not need this change */
	int has_any = ir__find_prefix(ir, "@spin_any = ") != NULL;

	const char *counts = uses_step_budget(ir) ? ir__find_prefix(ir, COUNT_VARIABLE) : NULL;
	const char *reaches = reach == REACH_ALL ? NULL : ir__find_prefix(ir, REACH_VARIABLE);

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		if (line == counts || line == reaches) {
			write_value(out, line, line == counts ? 1 : reach + 1);
			continue;
		}
		if (has_any && begins(line, "define "))
			write_function(ir, out, &f, &line, &walks);
		if (!line)
			break;
		write_line(out, line);
	}
	free(f.value);
	return ferror(out) ? -1 : 0;
}

int loops__write(const struct spincc *s, const char *from, const char *to)
{
	uint32_t reach;
	struct ir ir;
	FILE *out;
	int err;

	if (ir__read(from, &ir)) {
		fprintf(stderr, "spincc: cannot read %s: %s\n", from, strerror(errno));
		return -1;
	}
	reach = reach__of_handlers(&ir);
	if (s->verbose && reach != REACH_ALL && ir__find_prefix(&ir, REACH_VARIABLE))
		fprintf(stderr, "spincc: the handlers look at the first %u bytes of a payload\n", reach);
	out = fopen(to, "w");
	err = out ? write_all(&ir, reach, out) : -1;
	if (out && fclose(out))
		err = -1;
	if (err)
		fprintf(stderr, "spincc: cannot write %s: %s\n", to, strerror(errno));
	ir__free(&ir);
	return err;
}
