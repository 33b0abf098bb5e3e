/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds calls through pointers in the compiled object. Called by build.c. A call that the compiler has resolved is fine; the others
 * become an instruction that the kernel does not support.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <gelf.h>

#include "user/spincc/spincc.h"

#define CALL_BY_REGISTER 0x8d /* opcode BPF_JMP | BPF_CALL | BPF_X */

/* Returns the function at an offset in a section. */
static const char *function_at(Elf *elf, size_t section, size_t offset)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB || !(data = elf_getdata(scn, NULL)))
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++)
			if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx == section && offset >= symbol.st_value &&
			    offset - symbol.st_value < symbol.st_size)
				return elf_strptr(elf, header.sh_link, symbol.st_name);
	}
	return NULL;
}

static int refuse(struct spincc *s, const char *object, const char *function, size_t instruction)
{
	static const char reason[] = "a call through a pointer; call functions by name, and choose between them with switch";
	char name[PATH_MAX];
	unsigned line = function ? frames__line(s, object, function, (long)instruction, name) : 0;

	if (line)
		fprintf(stderr, "%s:%u: %s\n", name, line, reason);
	else
		fprintf(stderr, "spincc: %s: %s\n", s->handler, reason);
	return -1;
}

int check__object(struct spincc *s, const char *object)
{
	int fd = open(object, O_RDONLY | O_CLOEXEC), err = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	while (elf && !err && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_EXECINSTR) || !(data = elf_getdata(scn, NULL)))
			continue;
		for (size_t i = 0; !err && i + 8 <= data->d_size; i += 8)
			if (((const unsigned char *)data->d_buf)[i] == CALL_BY_REGISTER)
				err = refuse(s, object, function_at(elf, elf_ndxscn(scn), i), i / 8);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return err;
}
