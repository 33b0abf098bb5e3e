/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Renames a function of a BPF object before libbpf reads it, so that `bpftool prog` shows the context's name (rename.h). Called by
 * load/context.c for contexts of an interface. Only a copy is changed.
 */
#include <ctype.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/load/rename.h"

void rename__fit(const char *from, char to[RENAME_BYTES])
{
	size_t at = 0;

	for (; at < RENAME_BYTES - 1 && from[at]; at++)
		to[at] = (char)(isalnum((unsigned char)from[at]) || from[at] == '.' ? from[at] : '_');
	to[at] = '\0';
}

/* Offsets in the file: of the symbols, and of the header of the section with their names. */
struct symbols {
	size_t at, count, names_header_at;
	Elf64_Shdr names;
};

/* Finds the symbol table and its names. Returns 0 if there is none, or if it lies outside the file. */
static int find_symbols(const uint8_t *elf, size_t bytes, struct symbols *out)
{
	Elf64_Shdr section;
	Elf64_Ehdr header;

	if (bytes < sizeof(header))
		return 0;
	memcpy(&header, elf, sizeof(header));
	if (header.e_shentsize != sizeof(section) || header.e_shoff > bytes || header.e_shnum > (bytes - header.e_shoff) / sizeof(section))
		return 0;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		memcpy(&section, elf + header.e_shoff + i * sizeof(section), sizeof(section));
		if (section.sh_type != SHT_SYMTAB || section.sh_link >= header.e_shnum || section.sh_offset > bytes ||
		    section.sh_size > bytes - section.sh_offset)
			continue;
		out->at = section.sh_offset;
		out->count = section.sh_size / sizeof(Elf64_Sym);
		out->names_header_at = header.e_shoff + section.sh_link * sizeof(section);
		memcpy(&out->names, elf + out->names_header_at, sizeof(out->names));
		return out->names.sh_offset <= bytes && out->names.sh_size <= bytes - out->names.sh_offset;
	}
	return 0;
}

/* Returns the offset of the symbol's st_name in the file; 0 if there is no such function, or if another symbol has the new name. */
static size_t find_function(const uint8_t *elf, const struct symbols *symbols, const char *symbol, const char *name)
{
	const char *names = (const char *)elf + symbols->names.sh_offset;
	size_t found = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		const size_t at = symbols->at + i * sizeof(Elf64_Sym);
		Elf64_Sym sym;

		memcpy(&sym, elf + at, sizeof(sym));
		if (sym.st_name >= symbols->names.sh_size || !memchr(names + sym.st_name, '\0', symbols->names.sh_size - sym.st_name))
			continue;
		if (!strcmp(names + sym.st_name, name))
			return 0;
		if (ELF64_ST_TYPE(sym.st_info) == STT_FUNC && !strcmp(names + sym.st_name, symbol))
			found = at + offsetof(Elf64_Sym, st_name);
	}
	return found;
}

void *rename__function(const void *elf, size_t bytes, const char *symbol, const char *name, size_t *out_bytes)
{
	struct symbols symbols;
	size_t at, end = (bytes + 7) / 8 * 8;
	Elf64_Word st_name;
	uint8_t *copy;

	if (!*name || !strncmp(name, "spin_", 5) || !find_symbols(elf, bytes, &symbols) || symbols.names.sh_size > UINT32_MAX - 1)
		return NULL;
	at = find_function(elf, &symbols, symbol, name);
	if (!at)
		return NULL;
	copy = calloc(1, end + symbols.names.sh_size + strlen(name) + 1);
	if (!copy)
		return NULL;
	/* append a longer string table */
	memcpy(copy, elf, bytes);
	memcpy(copy + end, copy + symbols.names.sh_offset, symbols.names.sh_size);
	memcpy(copy + end + symbols.names.sh_size, name, strlen(name) + 1);
	st_name = (Elf64_Word)symbols.names.sh_size;
	memcpy(copy + at, &st_name, sizeof(st_name));
	symbols.names.sh_offset = end;
	symbols.names.sh_size += strlen(name) + 1;
	memcpy(copy + symbols.names_header_at, &symbols.names, sizeof(symbols.names));
	*out_bytes = end + symbols.names.sh_size;
	return copy;
}
