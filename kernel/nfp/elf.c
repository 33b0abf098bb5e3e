/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads untrusted ELF files. Called by object.c. Headers and symbols are copied once, with their bounds checked, and nothing is read beyond
 * `bytes`. libelf is not used: it repairs what libbpf would refuse.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/elf.h"

#define SECTIONS_MAX 4096u
#define SYMBOLS_MAX  65536u

static int is_inside(const struct nfp_elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->bytes && bytes <= elf->bytes - offset;
}

static void *copy_range(const struct nfp_elf *elf, uint64_t offset, uint64_t bytes)
{
	void *to = calloc(1, bytes ? bytes : 1);

	if (to)
		memcpy(to, elf->data + offset, bytes);
	return to;
}

static int read_symbols(struct nfp_elf *elf)
{
	for (unsigned i = 1; i < elf->section_count; i++) {
		const Elf64_Shdr *s = &elf->sections[i];

		if (s->sh_type != SHT_SYMTAB)
			continue;
		if (s->sh_entsize != sizeof(Elf64_Sym) || !is_inside(elf, s->sh_offset, s->sh_size) ||
		    s->sh_size / sizeof(Elf64_Sym) > SYMBOLS_MAX || s->sh_link >= elf->section_count)
			return -EINVAL;
		elf->symbol_count = (unsigned)(s->sh_size / sizeof(Elf64_Sym));
		elf->symbol_names = s->sh_link;
		elf->symbols = copy_range(elf, s->sh_offset, elf->symbol_count * sizeof(Elf64_Sym));
		return elf->symbols ? 0 : -ENOMEM;
	}
	return 0;
}

int nfp_elf__open(struct nfp_elf *elf, const void *data, size_t bytes)
{
	Elf64_Ehdr header;
	int err;

	*elf = (struct nfp_elf){ .data = data, .bytes = bytes };
	if (bytes < sizeof(header))
		return -EINVAL;
	memcpy(&header, data, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_shentsize != sizeof(Elf64_Shdr) || !header.e_shnum || header.e_shnum > SECTIONS_MAX ||
	    header.e_shstrndx >= header.e_shnum || !is_inside(elf, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
		return -EINVAL;
	elf->machine = header.e_machine;
	elf->section_count = header.e_shnum;
	elf->names = header.e_shstrndx;
	elf->sections = copy_range(elf, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
	if (!elf->sections)
		return -ENOMEM;
	err = read_symbols(elf);
	if (err)
		nfp_elf__close(elf);
	return err;
}

void nfp_elf__close(struct nfp_elf *elf)
{
	free((void *)elf->sections);
	free((void *)elf->symbols);
	*elf = (struct nfp_elf){ 0 };
}

const void *nfp_elf__bytes(const struct nfp_elf *elf, unsigned section, size_t *bytes)
{
	const Elf64_Shdr *s;

	*bytes = 0;
	if (!section || section >= elf->section_count)
		return NULL;
	s = &elf->sections[section];
	if (s->sh_type == SHT_NOBITS || !is_inside(elf, s->sh_offset, s->sh_size))
		return NULL;
	*bytes = s->sh_size;
	return elf->data + s->sh_offset;
}

/* The string at an offset of a string section, if it ends inside the section. */
static const char *string(const struct nfp_elf *elf, unsigned section, uint64_t offset)
{
	size_t bytes;
	const char *text = nfp_elf__bytes(elf, section, &bytes);

	if (!text || offset >= bytes || !memchr(text + offset, 0, bytes - offset))
		return "";
	return text + offset;
}

const char *nfp_elf__section_name(const struct nfp_elf *elf, unsigned section)
{
	return section < elf->section_count ? string(elf, elf->names, elf->sections[section].sh_name) : "";
}

const char *nfp_elf__symbol_name(const struct nfp_elf *elf, unsigned symbol)
{
	return symbol < elf->symbol_count ? string(elf, elf->symbol_names, elf->symbols[symbol].st_name) : "";
}

unsigned nfp_elf__find(const struct nfp_elf *elf, const char *name)
{
	for (unsigned i = 1; i < elf->section_count; i++)
		if (!strcmp(nfp_elf__section_name(elf, i), name))
			return i;
	return 0;
}

int nfp_elf__relocation(const struct nfp_elf *elf, unsigned of, unsigned i, Elf64_Rel *out)
{
	for (unsigned s = 1; s < elf->section_count; s++) {
		size_t bytes;
		const uint8_t *at;

		if (elf->sections[s].sh_type != SHT_REL || elf->sections[s].sh_info != of)
			continue;
		at = nfp_elf__bytes(elf, s, &bytes);
		if (!at)
			continue;
		if (i < bytes / sizeof(*out)) {
			memcpy(out, at + (size_t)i * sizeof(*out), sizeof(*out));
			return 0;
		}
		i -= (unsigned)(bytes / sizeof(*out));
	}
	return -1;
}
