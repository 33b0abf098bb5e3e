/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Validates an object's ELF file before libbpf, which trusts it, reads it: sections must lie inside the file, names inside their table,
 * symbols and relocations inside sections. Called by object.c.
 */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "user/libspin/internal.h"

struct check {
	const char *path;
	Elf *elf;
	size_t bytes, sections;
};

static int fail_damaged(const struct check *c, const char *what)
{
	return spin_fail(-EINVAL, "%s is damaged: %s; compile it again with spincc", c->path, what);
}

static int section_at(const struct check *c, size_t i, Elf_Scn **scn, GElf_Shdr *header)
{
	*scn = elf_getscn(c->elf, i);
	return *scn && gelf_getshdr(*scn, header) ? 0 : -EINVAL;
}

static int check_symbols(const struct check *c, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	if (!data || header->sh_entsize != gelf_fsize(c->elf, ELF_T_SYM, 1, EV_CURRENT))
		return fail_damaged(c, "its symbol table is invalid");
	for (size_t i = 0; i < count; i++) {
		GElf_Shdr section;
		Elf_Scn *section_scn;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			return fail_damaged(c, "a symbol lies outside its table");
		if (sym.st_name && !elf_strptr(c->elf, header->sh_link, sym.st_name))
			return fail_damaged(c, "a symbol has no name");
		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE)
			continue;
		if (section_at(c, sym.st_shndx, &section_scn, &section))
			return fail_damaged(c, "a symbol belongs to no section");
		if (sym.st_value > section.sh_size || sym.st_size > section.sh_size - sym.st_value)
			return fail_damaged(c, "a symbol reaches beyond its section");
	}
	return 0;
}

static int check_relocations(const struct check *c, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0, symbols;
	GElf_Shdr target, table;
	Elf_Scn *other;

	if (!data || header->sh_entsize != gelf_fsize(c->elf, ELF_T_REL, 1, EV_CURRENT) ||
	    section_at(c, header->sh_info, &other, &target) || section_at(c, header->sh_link, &other, &table) ||
	    table.sh_type != SHT_SYMTAB || !table.sh_entsize)
		return fail_damaged(c, "its relocations are invalid");
	symbols = table.sh_size / table.sh_entsize;
	for (size_t i = 0; i < count; i++) {
		GElf_Rel rel;

		if (!gelf_getrel(data, (int)i, &rel) || GELF_R_SYM(rel.r_info) >= symbols || target.sh_size < 4 ||
		    rel.r_offset > target.sh_size - 4)
			return fail_damaged(c, "a relocation leads nowhere");
	}
	return 0;
}

static int check_section(const struct check *c, size_t i, size_t names)
{
	GElf_Shdr header;
	Elf_Scn *scn;

	if (section_at(c, i, &scn, &header))
		return fail_damaged(c, "a section header cannot be read");
	if (header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL &&
	    (header.sh_offset > c->bytes || header.sh_size > c->bytes - header.sh_offset))
		return fail_damaged(c, "a section reaches beyond the end of the file");
	if (header.sh_size > 1u << 30)
		return fail_damaged(c, "a section is larger than 1 GiB");
	if (!elf_strptr(c->elf, names, header.sh_name))
		return fail_damaged(c, "a section has no name");
	if (header.sh_link >= c->sections)
		return fail_damaged(c, "a section refers to one that is not there");
	switch (header.sh_type) {
	case SHT_SYMTAB:
		return check_symbols(c, scn, &header);
	case SHT_REL:
		return check_relocations(c, scn, &header);
	default:
		return 0;
	}
}

static int check_all(struct check *c, int machine)
{
	size_t names;
	GElf_Ehdr header;
	int err = 0;

	if (elf_kind(c->elf) != ELF_K_ELF || !gelf_getehdr(c->elf, &header) || header.e_machine != machine || header.e_type != ET_REL ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return spin_fail(-EINVAL,
				 "%s is not a fat object: it is not a BPF object file; make one with "
				 "`spincc handler.c -o handler.spin`",
				 c->path);
	if (elf_getshdrnum(c->elf, &c->sections) || elf_getshdrstrndx(c->elf, &names) || !c->sections)
		return fail_damaged(c, "it has no section table");
	for (size_t i = 1; !err && i < c->sections; i++)
		err = check_section(c, i, names);
	return err;
}

int spin_elf__check(const char *path, const uint8_t *data, size_t bytes, int machine)
{
	struct check c = { .path = path, .bytes = bytes };
	int err;

	elf_version(EV_CURRENT);
	c.elf = elf_memory((char *)data, bytes);
	if (!c.elf)
		return spin_fail(-EINVAL,
				 "%s is not a fat object: it is not an ELF file; make one with "
				 "`spincc handler.c -o handler.spin`",
				 path);
	err = check_all(&c, machine);
	elf_end(c.elf);
	return err;
}

int spin_elf__section(const uint8_t *data, size_t bytes, const char *name, size_t *offset, size_t *section_bytes)
{
	Elf *elf = elf_memory((char *)data, bytes);
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	*offset = *section_bytes = 0;
	if (!elf)
		return -EINVAL;
	if (elf_getshdrstrndx(elf, &names)) {
		elf_end(elf);
		return -EINVAL;
	}
	while ((scn = elf_nextscn(elf, scn))) {
		const char *have;

		if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
			continue;
		have = elf_strptr(elf, names, header.sh_name);
		if (have && !strcmp(have, name)) {
			*offset = header.sh_offset;
			*section_bytes = header.sh_size;
			break;
		}
	}
	elf_end(elf);
	return 0;
}
