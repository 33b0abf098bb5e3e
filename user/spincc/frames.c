/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the handler's source line of an instruction in the BPF object, for verify.c and the checks (card.c, check_object.c). For inlined
 * functions DWARF records the call site; BTF, and therefore the verifier's log, does not.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "user/spincc/spincc.h"

static unsigned number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) ? 0 : (unsigned)value;
}

/* Returns the innermost call in a function's tree that covers the address and is in the user's files. */
static unsigned innermost_call(const struct spincc *s, Dwarf_Die *parent, Dwarf_Files *files, Dwarf_Addr pc, char name[PATH_MAX],
			       unsigned found)
{
	Dwarf_Die child;

	if (dwarf_child(parent, &child))
		return found;
	do {
		int tag = dwarf_tag(&child);
		const char *file;

		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, pc) <= 0)
			continue;
		if (tag == DW_TAG_inlined_subroutine) {
			unsigned line = number(&child, DW_AT_call_line);

			file = dwarf_filesrc(files, number(&child, DW_AT_call_file), NULL, NULL);
			if (line && file && paths__user_name(s, file, name))
				found = line;
		}
		return innermost_call(s, &child, files, pc, name, found);
	} while (!dwarf_siblingof(&child, &child));
	return found;
}

/* Returns 1 if the instruction belongs to a user function, or to a function that the user's code calls. */
static int has_user_frame(const struct spincc *s, Dwarf_Die *parent, Dwarf_Files *files, Dwarf_Addr pc)
{
	char name[PATH_MAX];
	Dwarf_Die child;

	if (dwarf_child(parent, &child))
		return 0;
	do {
		int tag = dwarf_tag(&child);
		const char *called_in, *defined_in;

		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, pc) <= 0)
			continue;
		if (tag == DW_TAG_inlined_subroutine) {
			called_in = dwarf_filesrc(files, number(&child, DW_AT_call_file), NULL, NULL);
			defined_in = dwarf_decl_file(&child);
			if ((called_in && paths__user_name(s, called_in, name)) || (defined_in && paths__user_name(s, defined_in, name)))
				return 1;
		}
		return has_user_frame(s, &child, files, pc);
	} while (!dwarf_siblingof(&child, &child));
	return 0;
}

/*
 * Returns the line of the instruction itself, if it is in the user's files. Programs of one unit have the same addresses, each
 * in its own section, so lines of other programs are mixed in. Takes the nearest preceding user's line within NEAR_BYTES.
 */
static unsigned own_line(const struct spincc *s, Dwarf_Die *unit, Dwarf_Addr pc, char name[PATH_MAX])
{
	enum { NEAR_BYTES = 4 * 8 };
	Dwarf_Addr best = 0;
	Dwarf_Lines *lines;
	unsigned found = 0;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;
		const char *file;
		int number;

		if (!line || dwarf_lineaddr(line, &addr) || addr > pc || pc - addr > NEAR_BYTES || (found && addr <= best))
			continue;
		file = dwarf_linesrc(line, NULL, NULL);
		if (file && paths__user_name(s, file, name) && !dwarf_lineno(line, &number) && number > 0) {
			best = addr;
			found = (unsigned)number;
		}
	}
	return found;
}

/* Examines the function that contains the instruction. */
typedef unsigned (*query_fn)(const struct spincc *s, Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Files *files, Dwarf_Addr pc,
			     char name[PATH_MAX]);

/* Finds the function of a program that contains the instruction, and returns what fn returns for it; 0: not found. */
static unsigned query(const struct spincc *s, const char *object, const char *program, long instruction, query_fn fn, char name[PATH_MAX])
{
	Dwarf_Addr pc = (Dwarf_Addr)instruction * 8;
	int fd = open(object, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	Dwarf_Off offset = 0, next;
	unsigned result = 0;
	size_t header;

	/* not relocated: an address is an offset in its function's section, and each program has its own section */
	while (dwarf && !result && !dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit, child;
		Dwarf_Files *files;

		if (dwarf_offdie(dwarf, offset + header, &unit) && !dwarf_getsrcfiles(&unit, &files, NULL) && !dwarf_child(&unit, &child)) {
			do {
				const char *function = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;

				if (function && !strcmp(function, program) && dwarf_haspc(&child, pc) > 0)
					result = fn(s, &unit, &child, files, pc, name);
			} while (!result && !dwarf_siblingof(&child, &child));
		}
		offset = next;
	}
	if (dwarf)
		dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	return result;
}

static unsigned query_line(const struct spincc *s, Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Files *files, Dwarf_Addr pc,
			   char name[PATH_MAX])
{
	unsigned line = innermost_call(s, function, files, pc, name, 0);

	return line ? line : own_line(s, unit, pc, name);
}

unsigned frames__line(const struct spincc *s, const char *object, const char *program, long instruction, char name[PATH_MAX])
{
	return query(s, object, program, instruction, query_line, name);
}

static unsigned query_runtime(const struct spincc *s, Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Files *files, Dwarf_Addr pc,
			      char name[PATH_MAX])
{
	(void)unit;
	(void)name;
	return !has_user_frame(s, function, files, pc);
}

int frames__is_runtime_code(const struct spincc *s, const char *object, const char *program, long instruction)
{
	return (int)query(s, object, program, instruction, query_runtime, NULL);
}
