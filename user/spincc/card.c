/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --target nfp: reports what a card with hardware XDP does not support, with the handler's line. Called by build.c: on the IR of the
 * handler's file before the program for the card is compiled, then on that program's IR and object. The rules are in spin-handler(7).
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <linux/bpf.h>

#include <spin/offload.h>

#include "user/libspin/object/contract.h"
#include "user/spincc/card.h"
#include "user/spincc/ir.h"

#define NO_FETCH                                                                                                                        \
	"an atomic that tells what was there before, and a card's only add: cache lines, leases and locks that are taken by it cannot " \
	"offload; count with spin_add32 or spin_count, and leave the rest to the host"
#define NO_STORE  "a card's handlers write no memory, they count in it: use spin_add32 or spin_count, and let the host write the rest"
#define NO_HOST   "host memory, which a card's handlers do not reach; count in a table, or leave the packet to the host"
#define NO_SEND   "sends packets of its own, which a card's XDP cannot; answer with spin_reply, or leave it to the host"
#define NO_CLOCK  "the time, which a card does not tell its handlers; let the host write it, or what depends on it, into a table"
#define NO_HPU    "the number of the HPU, which a card does not tell; count with spin_add32 or spin_count, which all cores may do at once"
#define NO_BUFFER "a buffer of an HPU, which a card does not have: its handlers have their stack, and entries that the host writes"
#define NO_STREAM "a connection of TCP, which ends in the kernel and not on a card; leave TCP to the host"

/* Functions that a card does not support: name in the IR, name in the source, reason in the message. */
static const struct {
	const char *name, *shown, *reason;
} calls[] = {
	{ "spin_cas32", "spin_cas32", NO_FETCH },
	{ "spin_fadd32_", "spin_fadd32", NO_FETCH },
	{ "spin_try_lock_", "spin_try_lock", NO_FETCH },
	{ "spin_unlock_", "spin_unlock", NO_FETCH },
	{ "spin_lock_", "SPIN_LOCKED", NO_FETCH },
	{ "spin_read_lock_", "SPIN_READ_LOCKED", NO_FETCH },
	{ "spin_write_lock_", "SPIN_WRITE_LOCKED", NO_FETCH },
	{ "spin_store32", "spin_store32", NO_STORE },
	{ "spin_copy_", "spin_copy", NO_STORE },
	{ "spin_copy_nb_", "spin_copy_nb", NO_STORE },
	{ "spin_merge_", "SPIN_MERGE", NO_STORE },
	{ "spin_dma_to_host_", "spin_dma_to_host", NO_HOST },
	{ "spin_dma_from_host_", "spin_dma_from_host", NO_HOST },
	{ "spin_dma_cas64_", "spin_dma_cas64", NO_HOST },
	{ "spin_dma_fadd32_", "spin_dma_fadd32", NO_HOST },
	{ "spin_dma_fadd64_", "spin_dma_fadd64", NO_HOST },
	{ "spin_payload_to_host_", "spin_payload_to_host", NO_HOST },
	{ "spin_payload_from_host_", "spin_payload_from_host", NO_HOST },
	{ "spin_buffer_move_", "a transfer of a buffer", NO_HOST },
	{ "spin_buffer_move_nb_", "a transfer of a buffer", NO_HOST },
	{ "spin_ct_inc_", "spin_ct_inc", NO_HOST },
	{ "spin_ct_get_", "spin_ct_get", NO_HOST },
	{ "spin_ct_set_", "spin_ct_set", NO_HOST },
	{ "spin_work_push_", "spin_work", NO_HOST },
	{ "spin_forward_", "spin_forward", NO_SEND },
	{ "spin_put_payload_", "spin_put_payload", NO_SEND },
	{ "spin_put_from_device_", "spin_put_from_device", NO_SEND },
	{ "spin_put_from_buffer_", "spin_put_from_buffer", NO_SEND },
	{ "spin_clock_ns_", "spin_clock_ns", NO_CLOCK },
	{ "spin_clock_coarse_ns_", "spin_clock_coarse_ns", NO_CLOCK },
	{ "spin_my_hpu_", "spin_my_hpu", NO_HPU },
	{ "spin_num_hpus_", "spin_num_hpus", NO_HPU },
	{ "spin_reply_from_buffer_", "spin_reply_from_buffer", NO_BUFFER },
	{ "spin_deliver_from_buffer_", "spin_deliver_from_buffer", NO_BUFFER },
	{ "spin_connection_", "spin_connection", NO_STREAM },
	{ "spin_connections_missed_", "spin_connections_missed", NO_STREAM },
};

/* Variables that the runtime's macros define, by the start of their line in the IR. */
static const struct {
	const char *start, *shown, *reason;
} variables[] = {
	{ "@spin_puts_registered_ =", "SPIN_PUTS", NO_SEND },
	{ "@spin_work_registered_ =", "SPIN_WORK", NO_HOST },
	{ "@spin_buffer_", "SPIN_BUFFER or SPIN_REPLY", NO_BUFFER },
};

static int refuse(const char *file, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int refuse(const char *file, unsigned line, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%u: cannot offload: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

/* Returns the DIGlobalVariable of a global's line, or NULL. */
static const char *find_variable(const struct ir *ir, const char *line)
{
	const char *expression = ir__ref(ir, line, "!dbg ");

	return expression ? ir__ref(ir, expression, "var: ") : NULL;
}

static int check_calls(const struct spincc *s, const struct ir *ir)
{
	char callee[128], file[PATH_MAX];

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		if (*line != ' ' || !ir__callee(line, callee, sizeof(callee)))
			continue;
		for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
			unsigned at = strcmp(callee, calls[i].name) ? 0 : ir__source_line(s, ir, ir__ref(ir, line, "!dbg "), file);

			if (at)
				return refuse(file, at, "%s: %s", calls[i].shown, calls[i].reason);
		}
	}
	return 0;
}

static int check_variables(const struct spincc *s, const struct ir *ir)
{
	char file[PATH_MAX];

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		for (size_t i = 0; *line == '@' && i < sizeof(variables) / sizeof(variables[0]); i++) {
			const char *variable;
			unsigned at;

			if (strncmp(line, variables[i].start, strlen(variables[i].start)))
				continue;
			variable = find_variable(ir, line);
			at = variable ? ir__source_line(s, ir, variable, file) : 0;
			if (at)
				return refuse(file, at, "%s: %s", variables[i].shown, variables[i].reason);
		}
	}
	return 0;
}

static int check_registration(const struct spincc *s, const struct ir *ir)
{
	const char *meta = ir__find_prefix(ir, "@spin_meta_ ="), *variable = meta ? find_variable(ir, meta) : NULL;
	unsigned fields[REGISTERED_FIELDS];
	char file[PATH_MAX];
	unsigned at = variable ? ir__source_line(s, ir, variable, file) : 0;

	if (!at || check__read_registration(meta, fields))
		return 0;
	if (fields[REGISTERED_DELIVERY] == SPIN_DELIVER_ME)
		return refuse(
			file, at,
			"it takes messages (SPIN_DELIVER_ME): what is kept of each message, its window, the order of its handlers and "
			"its memory, a card's program cannot make; offload handlers of datagrams");
	if (fields[REGISTERED_DELIVERY] == SPIN_DELIVER_SEGMENTS)
		return refuse(
			file, at,
			"it takes TCP segments (SPIN_DELIVER_SEGMENTS): what is kept of each connection a card's program cannot make; "
			"offload handlers of datagrams");
	return 0;
}

/* --- state and tables ---------------------------------------------------------------------------- */

struct table {
	char name[128];
	unsigned entries, entry_bytes;
	int has_key;
};

/* Returns the struct that the array's elements have, without const and typedefs; NULL if they are not structs. */
static const char *element_type(const struct ir *ir, const char *variable)
{
	const char *type = ir__ref(ir, variable, "type: ");

	for (int depth = 0; type && depth < 8 && !strstr(type, "DW_TAG_structure_type"); depth++)
		type = ir__ref(ir, type, "baseType: ");
	return type;
}

static int first_is_key(const struct ir *ir, const char *type)
{
	const char *list = ir__ref(ir, type, "elements: "), *at = list ? strchr(list, '!') : NULL, *member;

	at = at ? strchr(at + 1, '!') : NULL; /* "!12 = !{!13, ..." */
	if (at && at[1] == '{')
		at = strchr(at + 1, '!');
	member = at ? ir__ref(ir, at, "") : NULL;
	return member && check__is_key(ir, member);
}

/* Reads a table from its global's line, "@routes = dso_local global [65536 x %struct.route] zeroinitializer, ...". -1: not a table. */
static int read_table(const struct ir *ir, const char *line, struct table *out)
{
	const char *variable = find_variable(ir, line), *array = strchr(line, '['), *type;

	snprintf(out->name, sizeof(out->name), "%.*s", (int)strcspn(line + 1, " "), line + 1);
	if (!variable || !array || !strncmp(line, "@spin_", 6) || !check__is_table(ir, out->name))
		return -1;
	type = element_type(ir, variable);
	if (!type)
		return -1;
	out->entries = (unsigned)strtoul(array + 1, NULL, 10);
	out->entry_bytes = ir__number(type, "size: ") / 8;
	out->has_key = first_is_key(ir, type);
	return 0;
}

static int check_memory(const struct spincc *s, const struct ir *ir, struct command *defines)
{
	unsigned long entries = SPIN_REASON_COUNT + 1;
	unsigned maps = 2, at;
	char file[PATH_MAX];

	for (const char *line = ir__first(ir); line; line = ir__next(ir, line)) {
		const char *variable = *line == '@' ? find_variable(ir, line) : NULL, *type;
		struct table table;

		if (!variable)
			continue;
		at = ir__source_line(s, ir, variable, file);
		if (!strncmp(line, "@spin_state =", 13)) {
			type = element_type(ir, variable);
			if (at && type && ir__number(type, "size: ") / 8 > SPIN_NFP_VALUE_MAX)
				return refuse(
					file, at,
					"the state has %u bytes, and what a card keeps in one place at most %u: keep it in a SPIN_TABLE, or in a "
					"smaller struct",
					ir__number(type, "size: ") / 8, SPIN_NFP_VALUE_MAX);
			continue;
		}
		if (read_table(ir, line, &table))
			continue;
		if (table.entry_bytes > SPIN_NFP_VALUE_MAX)
			return refuse(file, at, "an entry of %s has %u bytes, on a card at most %u: split the table", table.name,
				      table.entry_bytes, SPIN_NFP_VALUE_MAX);
		entries += table.entries;
		maps++;
		if (entries > SPIN_NFP_ENTRIES_MAX || maps > SPIN_NFP_MAPS_MAX)
			return refuse(file, at,
				      "with %s there are %lu entries in %u tables, on a card at most %u in %u: make tables smaller",
				      table.name, entries, maps, SPIN_NFP_ENTRIES_MAX, SPIN_NFP_MAPS_MAX);
		command__add(defines, "-Dspin_nfp_kind_%s=%s", table.name, table.has_key ? "SPIN_NFP_HASH_" : "SPIN_NFP_ARRAY_");
	}
	return 0;
}

int check__card(const struct spincc *s, const char *path, struct command *defines)
{
	struct ir ir;
	int err;

	if (ir__read(path, &ir))
		return -1;
	err = check_registration(s, &ir);
	if (!err)
		err = check_calls(s, &ir);
	if (!err)
		err = check_variables(s, &ir);
	if (!err)
		err = check_memory(s, &ir, defines);
	ir__free(&ir);
	return err;
}

/* --- stores to map values, in the optimised IR of the program for the card ------------------------- */

#define MAP_POINTERS_MAX 4096 /* further ones are not followed */

struct map_pointers {
	unsigned number[MAP_POINTERS_MAX]; /* of SSA names "%12" that point into a map's value */
	unsigned count;
};

static int is_map_pointer(const struct map_pointers *v, unsigned number)
{
	for (unsigned i = 0; i < v->count; i++)
		if (v->number[i] == number)
			return 1;
	return 0;
}

/* Returns 1 if the text up to `end` names one of the values. */
static int uses_map_pointer(const struct map_pointers *v, const char *text, const char *end)
{
	for (const char *at = text; (at = strchr(at, '%')) && (!end || at < end); at++)
		if (at[1] >= '0' && at[1] <= '9' && is_map_pointer(v, (unsigned)strtoul(at + 1, NULL, 10)))
			return 1;
	return 0;
}

/* Returns 1 if the result of the line "  %12 = ..." points into a map's value. */
static int yields_map_pointer(const struct map_pointers *v, const char *line)
{
	const char *result = strstr(line, " = ");

	if (!result)
		return 0;
	result += 3;
	if (strstr(result, "call ") && strstr(result, "inttoptr (i64 1 to "))
		return 1;
	if (!strncmp(result, "getelementptr ", 14) || !strncmp(result, "bitcast ", 8) || !strncmp(result, "phi ", 4) ||
	    !strncmp(result, "select ", 7))
		return uses_map_pointer(v, result, strstr(result, ", !dbg"));
	return strstr(result, "call ") && strstr(result, " asm sideeffect \"\", \"=r,0\"") && uses_map_pointer(v, result, NULL);
}

static void find_map_pointers(const struct ir *ir, const char *function, struct map_pointers *v)
{
	unsigned before;

	v->count = 0;
	do {
		before = v->count;
		for (const char *line = function; line && *line != '}'; line = ir__next(ir, line)) {
			unsigned number = !strncmp(line, "  %", 3) ? (unsigned)strtoul(line + 3, NULL, 10) : 0;

			if (number && v->count < MAP_POINTERS_MAX && !is_map_pointer(v, number) && yields_map_pointer(v, line))
				v->number[v->count++] = number;
		}
	} while (v->count != before);
}

/* "  store i32 %4, i32* %7, align 4, !dbg !9": what is stored comes first, then where. */
static int is_store(const struct map_pointers *v, const char *line)
{
	const char *where = strncmp(line, "  store ", 8) ? NULL : strchr(line, ',');

	return where && uses_map_pointer(v, where, strstr(where, ", align"));
}

int check__card_stores(const struct spincc *s, const char *path)
{
	static struct map_pointers map_pointers;
	char file[PATH_MAX];
	struct ir ir;
	int err = 0;

	if (ir__read(path, &ir))
		return -1;
	for (const char *line = ir__first(&ir); line && !err; line = ir__next(&ir, line)) {
		if (strncmp(line, "define ", 7))
			continue;
		find_map_pointers(&ir, line, &map_pointers);
		for (const char *in = line; in && *in != '}' && !err; in = ir__next(&ir, in)) {
			unsigned at = is_store(&map_pointers, in) ? ir__source_line(s, &ir, ir__ref(&ir, in, "!dbg "), file) : 0;

			if (at)
				err = refuse(file, at, "a store to the state or a table: %s", NO_STORE);
		}
	}
	ir__free(&ir);
	return err;
}

/* --- the object ------------------------------------------------------------------------------------ */

#define CALL (BPF_JMP | BPF_CALL)

/* Returns why the driver's verifier or JIT refuses this instruction, or NULL. */
static const char *refusal_reason(const struct bpf_insn *i)
{
	const uint8_t operation = BPF_OP(i->code), class = BPF_CLASS(i->code);
	const int is_alu = class == BPF_ALU || class == BPF_ALU64;

	if (class == BPF_ST)
		return "the compiler stores a constant with an instruction that the card's JIT does not have; use clang 17 or older, or newer without "
		       "-mcpu=v4";
	if (i->code == CALL && !i->src_reg && !contract__card_has_helper((uint32_t)i->imm))
		return "a helper of the kernel that the card does not have; call what <spin/spin.h> has";
	if (is_alu && operation == BPF_MOD)
		return "a remainder whose divisor is not constant, and the card divides by constants only";
	if (is_alu && operation == BPF_DIV && BPF_SRC(i->code) == BPF_X)
		return "a divisor that is not constant, and the card divides by constants only";
	if (class == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC && i->imm != BPF_ADD)
		return NO_FETCH;
	return NULL;
}

static int check_code(struct spincc *s, const char *object, const Elf_Data *data, int is_program)
{
	char file[PATH_MAX];
	unsigned line;

	for (size_t at = 0; at + sizeof(struct bpf_insn) <= data->d_size; at += sizeof(struct bpf_insn)) {
		struct bpf_insn instruction;
		const char *reason;

		memcpy(&instruction, (const char *)data->d_buf + at, sizeof(instruction));
		reason = refusal_reason(&instruction);
		if (instruction.code == (BPF_LD | BPF_IMM | BPF_DW))
			at += sizeof(instruction);
		if (!reason)
			continue;
		line = is_program ? frames__line(s, object, SPIN_NFP_PROGRAM, (long)(at / sizeof(instruction)), file) : 0;
		if (line)
			return refuse(file, line, "%s", reason);
		fprintf(stderr, "spincc: %s: cannot offload: %s\n", s->handler, reason);
		return -1;
	}
	return 0;
}

static int is_memory(const char *name)
{
	return !strncmp(name, ".rodata", 7) || !strncmp(name, ".data", 5) || !strncmp(name, ".bss", 4);
}

int check__card_object(struct spincc *s, const char *object)
{
	int fd = open(object, O_RDONLY | O_CLOEXEC), err = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (elf)
		elf_getshdrstrndx(elf, &names);
	while (elf && !err && (scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		Elf_Data *data;

		if (name && header.sh_flags & SHF_ALLOC && header.sh_size && is_memory(name)) {
			fprintf(stderr,
				"spincc: %s: cannot offload: a constant or variable in memory (%s), and a card's programs have entries of tables "
				"alone; write constants as code, or let the host fill a SPIN_TABLE with them\n",
				s->handler, name);
			err = -1;
		} else if (name && header.sh_flags & SHF_EXECINSTR && (data = elf_getdata(scn, NULL))) {
			err = check_code(s, object, data, !strcmp(name, "xdp"));
		}
	}
	if (!elf) {
		fprintf(stderr, "spincc: %s: the program for the card cannot be read back\n", s->handler);
		err = -1;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return err;
}
