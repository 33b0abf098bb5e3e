/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Explains why the verifier refused a program. Called by libspin when a program does not load, and by spincc, which knows more about
 * the object. A handler is blamed only for an instruction on the path that the verifier followed.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/features.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/verifier.h"

void verifier__reason(const struct verifier_refusal *refusal, char *out, size_t bytes)
{
	char features[128], advice[300];

	if (refusal->rule && refusal->rule->flags & VERIFIER_OLD)
		snprintf(out, bytes, "kernel %s is too old for this program: it does not know %s, which these need: %s; %s",
			 kernel_feature__release(), refusal->rule->reason, kernel_feature__of_may_goto(features, sizeof(features)),
			 kernel_feature__advice(advice, sizeof(advice)));
	else if (refusal->rule)
		snprintf(out, bytes, "%s", refusal->rule->reason);
	else
		snprintf(out, bytes, "the verifier refuses: %s", refusal->complaint);
}

int verifier__has_instruction(const struct verifier_refusal *refusal)
{
	return refusal->instruction >= 0 && !(refusal->rule && refusal->rule->flags & (VERIFIER_LOOP | VERIFIER_WHOLE | VERIFIER_OLD));
}

void verifier__own_fault(const struct verifier_refusal *refusal, char *out, size_t bytes)
{
	char at[160] = "";

	if (refusal->at_line)
		snprintf(at, sizeof(at), " (%s:%u)", refusal->at_file, refusal->at_line);
	snprintf(out, bytes,
		 "kernel %s rejects code of sPIN's runtime%s: \"%s\"; this is a fault of sPIN, not of the handler: "
		 "please report it in the project's issue tracker, with what `spincc --verifier-log` prints",
		 kernel_feature__release(), at, refusal->complaint);
}

int spin_verifier__explain(const char *log, const char *handler, char *message, size_t message_bytes)
{
	struct verifier_refusal refusal;
	char reason[700];

	if (!verifier__read(log, &refusal))
		return 0;
	if (refusal.rule && refusal.rule->flags & VERIFIER_OLD) {
		/* the same for every handler, so its name is left out */
		verifier__reason(&refusal, message, message_bytes);
		return -ENOSYS;
	}
	if (!verifier__has_instruction(&refusal) || refusal.line) {
		verifier__reason(&refusal, reason, sizeof(reason));
		if (refusal.line)
			snprintf(message, message_bytes, "%s:%u: %s", refusal.file, refusal.line, reason);
		else
			snprintf(message, message_bytes, "%s: %s", handler, reason);
	} else if (refusal.at_line) {
		/* the verifier stopped before it reached a line of the handler */
		verifier__own_fault(&refusal, reason, sizeof(reason));
		snprintf(message, message_bytes, "%s: %s", handler, reason);
	} else {
		snprintf(message, message_bytes,
			 "%s: kernel %s refuses it: \"%s\"; compile it on this machine: spincc says whose "
			 "line that is",
			 handler, kernel_feature__release(), refusal.complaint);
	}
	return -EINVAL;
}

int spin_verifier__explain_own(const char *log, const char *what, char *message, size_t message_bytes)
{
	struct verifier_refusal refusal;
	char reason[700];

	if (!verifier__read(log, &refusal))
		return 0;
	if (refusal.rule && refusal.rule->flags & VERIFIER_OLD)
		verifier__reason(&refusal, reason, sizeof(reason));
	else
		verifier__own_fault(&refusal, reason, sizeof(reason));
	snprintf(message, message_bytes, "cannot load %s: %s", what, reason);
	return refusal.rule && refusal.rule->flags & VERIFIER_OLD ? -ENOSYS : -EINVAL;
}

int spin_verifier__may_be_guess(const char *log)
{
	struct verifier_refusal refusal;

	return verifier__read(log, &refusal) && !(refusal.rule && refusal.rule->flags & (VERIFIER_CLASS | VERIFIER_OLD));
}

int spin_verifier__is_null(const char *log)
{
	struct verifier_refusal refusal;

	return verifier__read(log, &refusal) && refusal.rule && refusal.rule->flags & VERIFIER_NULL;
}

int spin_verifier__is_limit(const char *log)
{
	struct verifier_refusal refusal;

	return verifier__read(log, &refusal) && refusal.rule && refusal.rule->flags & VERIFIER_LIMIT;
}

/*
 * Parsing the verifier's log. It has "; text @ file.c:12" before the instructions
 * of that line, "12: (61) r1 = ..." for each instruction, "from 7 to 12: ..." where
 * it returns to a branch, and ends with the complaint and lines of statistics.
 */

/* How many lines back to search for a loop's own line. */
#define LOOP_LINES_MAX 4096

/* Returns the start of the line that ends at `end`. */
static const char *line_before(const char *log, const char *end)
{
	while (end > log && end[-1] != '\n')
		end--;
	return end;
}

static const char *previous_line_end(const char *log, const char *line)
{
	return line > log ? line - 1 : NULL;
}

/* Returns the number of "12: (61) ..."; -1: another line. */
static long instruction_of(const char *line)
{
	char *after;
	long n;

	if (!isdigit((unsigned char)*line))
		return -1;
	n = strtol(line, &after, 10);
	return !strncmp(after, ": (", 3) ? n : -1;
}

static int line_contains(const char *line, size_t length, const char *text)
{
	const char *hit = strstr(line, text);

	return hit && hit < line + length;
}

/* Returns 1 if a line of the verifier's log does not say what is wrong. */
static int is_noise(const char *line, size_t length)
{
	static const char *const noise[] = { "processed ", "verification time", "stack depth", "max_states", "libbpf: ", "-- ",
					     "cur state:", "old state:",        "from ",       ";",          "0: R1=ctx" };

	/* these may end the line of the instruction at which the limit was reached */
	if (line_contains(line, length, "BPF program is too large") || line_contains(line, length, "jumps is too complex"))
		return 0;
	/* the preceding line says which access */
	if (!length || line_contains(line, length, " offset is outside of the packet") || instruction_of(line) >= 0)
		return 1;
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (!strncmp(line, noise[i], strlen(noise[i])))
			return 1;
	return 0;
}

/* Finds the complaint: the last line with content. */
static int find_complaint(const char *log, struct verifier_refusal *out)
{
	const char *end = log + strlen(log);

	while (end) {
		const char *line = line_before(log, end);
		size_t length = (size_t)(end - line);

		if (!is_noise(line, length)) {
			snprintf(out->complaint, sizeof(out->complaint), "%.*s", (int)length, line);
			return 1;
		}
		end = previous_line_end(log, line);
	}
	return 0;
}

/* Parses "; text @ file.c:12": the file's name without its directory. Returns 0 if the line has none. */
static int source_line(const char *line, const char *end, char *file, size_t bytes, unsigned *number)
{
	const char *at = NULL, *colon;

	if (*line != ';')
		return 0;
	for (const char *p = line; p + 3 < end; p++)
		if (!strncmp(p, " @ ", 3))
			at = p + 3;
	if (!at || !(colon = memchr(at, ':', (size_t)(end - at))) || atoi(colon + 1) <= 0)
		return 0;
	snprintf(file, bytes, "%.*s", (int)(colon - at), at);
	*number = (unsigned)atoi(colon + 1);
	return 1;
}

/* Names of the runtime's files (Makefile), and of libbpf's. The verifier's log has no directories. */
static const char *const runtime_files[] = {
#include "runtime_files.inc"
	"bpf_helpers.h",
	"bpf_endian.h",
	"bpf_core_read.h",
};

static int is_runtime_file(const char *file)
{
	for (size_t i = 0; i < sizeof(runtime_files) / sizeof(runtime_files[0]); i++)
		if (!strcmp(file, runtime_files[i]))
			return 1;
	return 0;
}

/* Returns 1 if the line is the handler's. Headers of the handler with the name of one of the runtime's count as the runtime's. */
static int is_handler_line(const char *line, const char *end, struct verifier_refusal *out)
{
	char file[sizeof(out->file)];
	unsigned number;

	if (!source_line(line, end, file, sizeof(file), &number))
		return 0;
	if (!out->at_line) {
		memcpy(out->at_file, file, sizeof(file));
		out->at_line = number;
	}
	if (is_runtime_file(file))
		return 0;
	memcpy(out->file, file, sizeof(file));
	out->line = number;
	return 1;
}

static int is_loop(const char *line, const char *end)
{
	static const char *const words[] = { "for (", "for(", "while (", "while(", "SPIN_FOR_EACH", "do {", "goto " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (line_contains(line, (size_t)(end - line), words[i]))
			return 1;
	return 0;
}

/*
 * Finds a loop without a keyword (goto) by the handler's lines on the verifier's path, read backwards: the loop is closed when the last
 * line occurs again after others, and begins at the lowest line number between.
 */
struct cycle {
	unsigned first;
	int has_others, is_closed;
};

static void follow_cycle(struct cycle *cycle, const struct verifier_refusal *last, const struct verifier_refusal *line)
{
	if (cycle->is_closed || strcmp(line->file, last->file))
		return;
	if (line->line != last->line)
		cycle->has_others = 1;
	else if (cycle->has_others)
		cycle->is_closed = 1;
	if (!cycle->first || line->line < cycle->first)
		cycle->first = line->line;
}

/*
 * Finds the handler's line that the verifier complains about: searches the log backwards along the path that the verifier followed, and
 * skips other paths from the same branch. want_loop: the line that begins the loop around it.
 */
static void find_source_line(const char *log, int want_loop, struct verifier_refusal *out)
{
	const char *end = log + strlen(log);
	struct verifier_refusal last = { .line = 0 };
	struct cycle cycle = { 0 };
	long branch = -1;
	unsigned lines = 0, sources = 0;

	while (end) {
		const char *line = line_before(log, end);
		long at = instruction_of(line);

		sources += branch < 0 && *line == ';';
		if (branch >= 0 && at == branch)
			branch = -1;
		if (branch < 0 && at >= 0 && out->instruction < 0)
			out->instruction = at;
		if (branch < 0 && !strncmp(line, "from ", 5))
			branch = atol(line + 5);
		else if (branch < 0 && is_handler_line(line, end, out)) {
			out->own = sources == 1;
			if (!want_loop || is_loop(line, end))
				return;
			if (!last.line)
				last = *out;
			follow_cycle(&cycle, &last, out);
		}
		if (want_loop && ++lines > LOOP_LINES_MAX)
			break;
		end = previous_line_end(log, line);
	}
	memcpy(out->file, last.file, sizeof(out->file));
	out->line = cycle.is_closed ? cycle.first : last.line;
}

int verifier__read(const char *log, struct verifier_refusal *out)
{
	*out = (struct verifier_refusal){ .instruction = -1 };
	if (!find_complaint(log, out))
		return 0;
	for (const struct verifier_rule *rule = verifier_rules; rule->complaint && !out->rule; rule++)
		if (strstr(out->complaint, rule->complaint))
			out->rule = rule;
	find_source_line(log, out->rule && out->rule->flags & VERIFIER_LOOP, out);
	return 1;
}

/*
 * What the verifier's complaints mean to the author of a handler, from specific
 * to general. The texts are those of kernel/bpf/verifier.c.
 */

#define NULL_POINTER "a pointer is used that may be NULL; test what SPIN_GET, SPIN_AT or SPIN_FIND gave before using it"
#define BEYOND_PACKET                                                                                                      \
	"this goes beyond what was tested of the packet; give SPIN_GET a type that covers all that is used, or walk with " \
	"SPIN_FOR_EACH"
#define BEYOND_ARRAY "the index may be beyond the array; take SPIN_AT(array, i) and test it for NULL, or mask i with a power of two"
#define BEYOND_LOCAL                                                                                                 \
	"the index may be beyond a local array, or of an element without a value; mask it with a power of two, and " \
	"initialise the array"
#define NO_END \
	"the verifier cannot prove that this loop ends; write SPIN_FOR(v, i, from, to), or give it a constant bound, and leave it by break"
#define AS_NUMBER "a pointer is used as a number; keep offsets and indices, not pointers"
#define TOO_DEEP  "calls are nested too deep; write a loop in place of recursion, and declare functions static inline"
#define ALIGN     "the address is not a multiple of the access's size; let the type align the data, or go byte by byte"
#define INDIRECT  "a call through a pointer; call functions by name, and choose between them with switch"

/* clang-format off */
const struct verifier_rule verifier_rules[] = {
	{ "unknown opcode e5", "may_goto", VERIFIER_OLD },

	/* refused in the isolated class only */
	{ "pointer comparison prohibited", "pointers are compared; compare offsets or indices", VERIFIER_CLASS },
	{ "different maps, paths or scalars",
	  "the index differs between the ways to here, as a loop's counter does; write #pragma unroll before the loop, and a "
	  "constant bound", VERIFIER_CLASS },
	{ "pointer -= pointer", "the difference of two pointers; compute with offsets or indices", VERIFIER_CLASS },
	{ "with mixed signed bounds", "the bounds of an index are not known; make it unsigned and mask it", VERIFIER_CLASS },
	{ "same insn cannot be used with different pointers",
	  "one access through pointers of different kinds; use each in a branch of its own", VERIFIER_CLASS },
	{ "beyond pointer bounds", "the index may be beyond the array, as the CPU speculates; mask it with a power of two", VERIFIER_CLASS },
	{ "variable stack access prohibited", "a local array is indexed with a variable; keep the array in the state", VERIFIER_CLASS },
	{ "prohibited for !root",
	  "this computes a pointer from a variable offset; take SPIN_AT or SPIN_GET; in a loop write #pragma unroll before it",
	  0 },
	{ "leaks addr", "a pointer is stored where the host could read it; store an offset or an index", VERIFIER_CLASS },
	{ "leak pointer", "a pointer is stored where the host could read it; store an offset or an index", VERIFIER_CLASS },
	{ "attempt to corrupt spilled", "part of a pointer on the stack is overwritten; keep pointers in variables of their "
					"own", VERIFIER_CLASS },

	{ "pkt pointer and register with unbounded", BEYOND_PACKET, 0 },
	{ "invalid access to packet", BEYOND_PACKET, 0 },
	{ "infinite loop", NO_END, VERIFIER_LOOP },
	{ "back-edge", NO_END, VERIFIER_LOOP },
	{ "jumps is too complex", NO_END, VERIFIER_LOOP | VERIFIER_LIMIT },
	{ "too large", "the paths through this loop take more than the verifier's 1,000,000 steps; give it a smaller constant "
		       "bound, or fewer branches", VERIFIER_LOOP | VERIFIER_LIMIT },
	{ "too many states", NO_END, VERIFIER_LOOP },
	{ "frames is too deep", TOO_DEEP, VERIFIER_WHOLE },
	{ "call stack", TOO_DEEP, VERIFIER_WHOLE },
	{ "combined stack size", "too much stack; handlers have about 256 bytes in all: keep large variables in the state",
	  VERIFIER_WHOLE | VERIFIER_LIMIT },
	{ "unknown opcode 8d", INDIRECT, 0 },
	{ "unknown opcode 8c", INDIRECT, 0 },
	{ "misaligned", ALIGN, 0 },
	{ "or_null'", NULL_POINTER, VERIFIER_NULL },
	{ "invalid mem access 'scalar'", NULL_POINTER, VERIFIER_NULL },
	{ "invalid mem access 'inv'", NULL_POINTER, VERIFIER_NULL }, /* before Linux 5.18 */
	{ "!read_ok", "a variable is read before it has a value; initialise it", 0 },
	{ "read-only", "constants cannot be written; put what changes into the struct of SPIN_STATE", 0 },
	{ "rdonly", "constants cannot be written; put what changes into the struct of SPIN_STATE", 0 },
	{ "write into map forbidden", "constants cannot be written; put what changes into the struct of SPIN_STATE", 0 },
	{ "from stack", BEYOND_LOCAL, 0 },
	{ "to stack", BEYOND_LOCAL, 0 },
	{ "stack type", BEYOND_LOCAL, 0 },
	{ "stack", BEYOND_LOCAL, 0 },
	{ "invalid access to map value", BEYOND_ARRAY, 0 },
	{ "outside of the allowed memory range", BEYOND_ARRAY, 0 },
	{ "unbounded memory access", BEYOND_ARRAY, 0 },
	{ "min value is negative", BEYOND_ARRAY, 0 },
	{ "with unbounded min value", BEYOND_ARRAY, 0 },
	{ "pointer arithmetic", AS_NUMBER, 0 },
	{ "operator prohibited", AS_NUMBER, 0 },
	{ "partial copy of pointer", AS_NUMBER, 0 },
	{ "value is outside of the array", BEYOND_ARRAY, 0 },
	{ 0 },
};
/* clang-format on */
