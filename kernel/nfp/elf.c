/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads untrusted ELF files. Called by object.c, spinctl check and spinctl cost. Headers and symbols are copied once, with their bounds
 * checked, and nothing is read beyond `bytes`. libelf is not used: it repairs what libbpf would refuse.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/elf.h"

#define SECTIONS_MAX   4096u
#define SYMBOLS_MAX    65536u
#define NAME_BYTES_MAX 4096u /* so that reading a name takes no time that grows with the file */

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

/* --- what is at an offset of a section --- */

/* Of several places with the same section and offset the first one in the file counts. */
static int compare_places(const void *a, const void *b)
{
	const struct nfp_elf_place *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void sort_places(struct nfp_elf_places *places)
{
	if (places->count)
		qsort(places->place, places->count, sizeof(*places->place), compare_places);
}

/* Returns the symbol of the first place at an offset; -1 if there is none. Binary search: an object may ask for each of its instructions. */
static int64_t symbol_at(const struct nfp_elf_places *places, uint32_t section, uint64_t offset)
{
	const struct nfp_elf_place wanted = { .section = section, .offset = offset };
	uint32_t low = 0, high = places->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (compare_places(&places->place[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == places->count || places->place[low].section != section || places->place[low].offset != offset)
		return -1;
	return places->place[low].symbol;
}

static int index_functions(struct nfp_elf *elf)
{
	struct nfp_elf_places *to = &elf->functions;

	to->place = calloc(elf->symbol_count + 1u, sizeof(*to->place));
	if (!to->place)
		return -ENOMEM;
	for (uint32_t i = 1; i < elf->symbol_count; i++) {
		const Elf64_Sym *s = &elf->symbols[i];

		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC)
			to->place[to->count++] = (struct nfp_elf_place){ s->st_value, s->st_shndx, i, i };
	}
	sort_places(to);
	return 0;
}

/* Returns the relocations of section `i` if they are of code, or NULL. */
static const uint8_t *code_relocations(const struct nfp_elf *elf, unsigned i, size_t *count)
{
	const Elf64_Shdr *s = &elf->sections[i];
	const uint8_t *at;
	size_t bytes;

	if (s->sh_type != SHT_REL || !nfp_elf__is_code(elf, s->sh_info))
		return NULL;
	at = nfp_elf__bytes(elf, i, &bytes);
	*count = bytes / sizeof(Elf64_Rel);
	return at;
}

static int index_relocations(struct nfp_elf *elf)
{
	struct nfp_elf_places *to = &elf->relocations;
	size_t count, all = 0;

	for (unsigned i = 1; i < elf->section_count; i++) {
		if (!code_relocations(elf, i, &count))
			continue;
		all += count;
		if (count > NFP_ELF_RELOCATIONS_MAX || all > NFP_ELF_RELOCATIONS_MAX)
			return -E2BIG;
	}
	to->place = calloc(all + 1, sizeof(*to->place));
	if (!to->place)
		return -ENOMEM;
	for (unsigned i = 1; i < elf->section_count; i++) {
		const uint8_t *at = code_relocations(elf, i, &count);

		for (size_t n = 0; at && n < count; n++) {
			Elf64_Rel r;

			memcpy(&r, at + n * sizeof(r), sizeof(r));
			to->place[to->count] =
				(struct nfp_elf_place){ r.r_offset, elf->sections[i].sh_info, to->count, (uint32_t)ELF64_R_SYM(r.r_info) };
			to->count++;
		}
	}
	sort_places(to);
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
	if (!err)
		err = index_functions(elf);
	if (!err)
		err = index_relocations(elf);
	if (err)
		nfp_elf__close(elf);
	return err;
}

void nfp_elf__close(struct nfp_elf *elf)
{
	free((void *)elf->sections);
	free((void *)elf->symbols);
	free(elf->functions.place);
	free(elf->relocations.place);
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

/* The string at an offset of a string section, if it ends inside the section and is no longer than a name may be. */
static const char *string(const struct nfp_elf *elf, unsigned section, uint64_t offset)
{
	size_t bytes;
	const char *text = nfp_elf__bytes(elf, section, &bytes);

	if (!text || offset >= bytes)
		return "";
	bytes -= offset;
	if (!memchr(text + offset, 0, bytes < NAME_BYTES_MAX ? bytes : NAME_BYTES_MAX))
		return "";
	return text + offset;
}

int nfp_elf__is_code(const struct nfp_elf *elf, unsigned section)
{
	return section < elf->section_count && (elf->sections[section].sh_flags & SHF_EXECINSTR);
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

int64_t nfp_elf__relocation(const struct nfp_elf *elf, unsigned of, uint64_t offset)
{
	const int64_t symbol = symbol_at(&elf->relocations, of, offset);

	return symbol < elf->symbol_count ? symbol : -1;
}

int64_t nfp_elf__function(const struct nfp_elf *elf, unsigned section, uint64_t offset)
{
	return symbol_at(&elf->functions, section, offset);
}
