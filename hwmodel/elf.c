/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads an ELF32 RISC-V executable in memory: segments and symbols. Called by hpu-run, the NIC (nic/open.c) and the tools. Every offset
 * and size is checked before use, so a damaged file gives an error.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/elf.h>
#include <hwmodel/terminal.h>

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

struct hw_elf {
	const uint8_t *data;
	size_t len;
	uint32_t entry;
	struct hw_elf_segment *segments;
	unsigned segment_count;
	uint32_t symbols_at, symbol_count; /* file offset of Elf32_Sym */
	uint32_t strings_at, strings_bytes;
};

static int refuse(char *err, size_t err_bytes, const char *reason)
{
	if (err && err_bytes)
		snprintf(err, err_bytes, "%s", reason);
	return -EINVAL;
}

static int is_in_file(const struct hw_elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->len && bytes <= elf->len - offset;
}

/* Copies, since the file may be unaligned in memory. */
static int read_at(const struct hw_elf *elf, uint64_t offset, void *to, size_t bytes)
{
	if (!is_in_file(elf, offset, bytes))
		return -EINVAL;
	memcpy(to, elf->data + offset, bytes);
	return 0;
}

static int read_header(struct hw_elf *elf, Elf32_Ehdr *h, char *err, size_t err_bytes)
{
	if (read_at(elf, 0, h, sizeof(*h)) < 0 || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(err, err_bytes, "not an ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS32 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_RISCV)
		return refuse(err, err_bytes, "not a 32-bit little-endian RISC-V ELF file; build with -march=rv32imac -mabi=ilp32");
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return refuse(err, err_bytes, "not a linked executable; link it statically");
	if (h->e_phnum && h->e_phentsize != sizeof(Elf32_Phdr))
		return refuse(err, err_bytes, "program headers of an unknown size");
	elf->entry = h->e_entry;
	return 0;
}

static int read_segments(struct hw_elf *elf, const Elf32_Ehdr *h, char *err, size_t err_bytes)
{
	elf->segments = calloc(h->e_phnum ? h->e_phnum : 1u, sizeof(*elf->segments));
	if (!elf->segments)
		return -ENOMEM;
	for (unsigned i = 0; i < h->e_phnum; i++) {
		struct hw_elf_segment *s = &elf->segments[elf->segment_count];
		Elf32_Phdr p;

		if (read_at(elf, (uint64_t)h->e_phoff + i * sizeof(p), &p, sizeof(p)) < 0)
			return refuse(err, err_bytes, "program headers outside of the file");
		if (p.p_type == PT_INTERP)
			return refuse(err, err_bytes, "dynamically linked; link it with -static");
		if (p.p_type != PT_LOAD || p.p_memsz == 0)
			continue;
		if (!is_in_file(elf, p.p_offset, p.p_filesz))
			return refuse(err, err_bytes, "a segment lies outside of the file (truncated?)");
		if (p.p_filesz > p.p_memsz || (uint64_t)p.p_vaddr + p.p_memsz > UINT64_C(1) << 32)
			return refuse(err, err_bytes, "a segment with an impossible size");
		s->vaddr = p.p_vaddr;
		s->paddr = p.p_paddr;
		s->data = elf->data + p.p_offset;
		s->file_bytes = p.p_filesz;
		s->mem_bytes = p.p_memsz;
		s->flags = p.p_flags & (HW_ELF_R | HW_ELF_W | HW_ELF_X);
		elf->segment_count++;
	}
	if (!elf->segment_count)
		return refuse(err, err_bytes, "no PT_LOAD segment: nothing to load");
	return 0;
}

/* A file without valid symbols is treated as stripped. */
static void find_symbols(struct hw_elf *elf, const Elf32_Ehdr *h)
{
	for (unsigned i = 0; i < h->e_shnum && h->e_shentsize == sizeof(Elf32_Shdr); i++) {
		Elf32_Shdr s, strings;

		if (read_at(elf, (uint64_t)h->e_shoff + i * sizeof(s), &s, sizeof(s)) < 0)
			return;
		if (s.sh_type != SHT_SYMTAB)
			continue;
		if (s.sh_entsize != sizeof(Elf32_Sym) || !is_in_file(elf, s.sh_offset, s.sh_size) || s.sh_link >= h->e_shnum ||
		    read_at(elf, (uint64_t)h->e_shoff + (uint64_t)s.sh_link * sizeof(s), &strings, sizeof(strings)) < 0 ||
		    strings.sh_type != SHT_STRTAB || !strings.sh_size || !is_in_file(elf, strings.sh_offset, strings.sh_size) ||
		    elf->data[strings.sh_offset + strings.sh_size - 1] != '\0')
			continue;
		elf->symbols_at = s.sh_offset;
		elf->symbol_count = s.sh_size / sizeof(Elf32_Sym);
		elf->strings_at = strings.sh_offset;
		elf->strings_bytes = strings.sh_size;
		return;
	}
}

int hw_elf__open(struct hw_elf **out, const void *data, size_t len, char *err, size_t err_bytes)
{
	struct hw_elf *elf = calloc(1, sizeof(*elf));
	Elf32_Ehdr header;
	int result = -ENOMEM;

	*out = NULL;
	if (elf) {
		elf->data = data;
		elf->len = len;
		result = read_header(elf, &header, err, err_bytes);
	}
	if (!result)
		result = read_segments(elf, &header, err, err_bytes);
	if (result) {
		if (result == -ENOMEM)
			refuse(err, err_bytes, "out of memory");
		hw_elf__close(elf);
		return result;
	}
	find_symbols(elf, &header);
	*out = elf;
	return 0;
}

void hw_elf__close(struct hw_elf *elf)
{
	if (!elf)
		return;
	free(elf->segments);
	free(elf);
}

uint32_t hw_elf__entry(const struct hw_elf *elf)
{
	return elf->entry;
}

int hw_elf__segment(const struct hw_elf *elf, unsigned i, struct hw_elf_segment *out)
{
	if (i >= elf->segment_count)
		return -ENOENT;
	*out = elf->segments[i];
	return 0;
}

/* Returns the name of symbol i and fills *sym; NULL if it does not name an address of the program. */
static const char *symbol(const struct hw_elf *elf, uint32_t i, Elf32_Sym *sym)
{
	unsigned type;

	memcpy(sym, elf->data + elf->symbols_at + (size_t)i * sizeof(*sym), sizeof(*sym));
	type = ELF32_ST_TYPE(sym->st_info);
	if (sym->st_shndx == SHN_UNDEF || sym->st_name >= elf->strings_bytes || type == STT_FILE || type == STT_SECTION)
		return NULL;
	return (const char *)elf->data + elf->strings_at + sym->st_name;
}

int hw_elf__symbol(const struct hw_elf *elf, const char *name, uint32_t *addr, uint32_t *size_bytes)
{
	int found = -ENOENT;

	for (uint32_t i = 0; i < elf->symbol_count; i++) {
		Elf32_Sym sym;
		const char *text = symbol(elf, i, &sym);
		int local;

		if (!text || strcmp(text, name) != 0)
			continue;
		local = ELF32_ST_BIND(sym.st_info) == STB_LOCAL;
		if (local && !found)
			continue;
		found = 0;
		if (addr)
			*addr = sym.st_value;
		if (size_bytes)
			*size_bytes = sym.st_size;
		if (!local)
			break;
	}
	return found;
}

/* Returns the index of the segment that holds addr; -1 if none. */
static int segment_of(const struct hw_elf *elf, uint32_t addr)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		if (addr - elf->segments[i].vaddr < elf->segments[i].mem_bytes)
			return (int)i;
	}
	return -1;
}

static int has_control(const char *text)
{
	while (*text && !hw_terminal__control_bytes(text))
		text++;
	return *text != 0;
}

const char *hw_elf__symbol_at(const struct hw_elf *elf, uint32_t addr, uint32_t *start)
{
	int segment = segment_of(elf, addr);
	const char *best = NULL;
	uint32_t best_at = 0;
	int best_sized = 0;

	for (uint32_t i = 0; i < elf->symbol_count && segment >= 0; i++) {
		Elf32_Sym sym;
		const char *text = symbol(elf, i, &sym);
		int sized;

		/* $x and $d mark code and data; .L labels are the compiler's */
		if (!text || !*text || *text == '$' || *text == '.' || sym.st_shndx == SHN_ABS || sym.st_value > addr ||
		    segment_of(elf, sym.st_value) != segment)
			continue;
		if (sym.st_size && addr - sym.st_value >= sym.st_size)
			continue;
		sized = sym.st_size != 0;
		if (best && (sym.st_value < best_at || (sym.st_value == best_at && sized <= best_sized)))
			continue;
		if (has_control(text))
			continue;
		best = text;
		best_at = sym.st_value;
		best_sized = sized;
	}
	if (best && start)
		*start = best_at;
	return best;
}
