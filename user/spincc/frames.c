/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which line of the handler an instruction belongs to: of functions that were
 * inlined DWARF keeps where they were called from, which BTF, and so the
 * verifier's log, does not.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "spincc.h"

static unsigned number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) ? 0 : (unsigned)value;
}

/* The innermost call in a function's tree that covers an address and stands in the user's files. */
static unsigned innermost_call(const struct spincc *s, Dwarf_Die *parent, Dwarf_Files *files, Dwarf_Addr pc,
			       char name[PATH_MAX], unsigned found)
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
			if (line && file && paths__users(s, file, name))
				found = line;
		}
		return innermost_call(s, &child, files, pc, name, found);
	} while (!dwarf_siblingof(&child, &child));
	return found;
}

/* Of the code's own line, if that is the user's. */
static unsigned own_line(const struct spincc *s, Dwarf_Die *unit, Dwarf_Addr pc, char name[PATH_MAX])
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, pc);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number = 0;

	return file && paths__users(s, file, name) && !dwarf_lineno(line, &number) && number > 0 ? (unsigned)number : 0;
}

unsigned frames__line(const struct spincc *s, const char *object, const char *program, long instruction,
		      char name[PATH_MAX])
{
	Dwarf_Addr pc = (Dwarf_Addr)instruction * 8;
	int fd = open(object, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	Dwarf_Off offset = 0, next;
	unsigned line = 0;
	size_t header;

	/* not relocated: an address is an offset in its function's section, and each program has its own */
	while (dwarf && !line && !dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit, child;
		Dwarf_Files *files;

		if (dwarf_offdie(dwarf, offset + header, &unit) && !dwarf_getsrcfiles(&unit, &files, NULL) &&
		    !dwarf_child(&unit, &child)) {
			do {
				const char *function = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;

				if (function && !strcmp(function, program) && dwarf_haspc(&child, pc) > 0) {
					line = own_line(s, &unit, pc, name);
					if (!line)
						line = innermost_call(s, &child, files, pc, name, 0);
				}
			} while (!line && !dwarf_siblingof(&child, &child));
		}
		offset = next;
	}
	if (dwarf)
		dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	return line;
}
