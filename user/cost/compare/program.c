/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads an eBPF program from an object: instructions, relocations, data and maps. Called by the devices of --compare that work on eBPF.
 * Invariant: all that an instruction names is checked here against the file and against the memories.
 */
#include <errno.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "user/cost/compare/program.h"

#define LOAD_64    (BPF_LD | BPF_IMM | BPF_DW)
#define CALL       (BPF_JMP | BPF_CALL)
#define MEMORY_MAX (256u << 20) /* of one map: more is not needed to follow packets */

/* A section with code, and where it is in the array. */
struct function_section {
	size_t section;
	unsigned at, count;
};

struct reading {
	struct bpf_code *code;
	Elf *elf;
	Elf_Data *symbols;
	size_t symbol_count, symbol_names, names;
	struct function_section sections[8];
	unsigned section_count;
	const struct bpf_object *object;
	char *why;
	size_t why_bytes;
};

static int refuse(const struct reading *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->why, r->why_bytes, format, args);
	va_end(args);
	return -EINVAL;
}

static const char *section_name(const struct reading *r, size_t i, GElf_Shdr *header)
{
	Elf_Scn *scn = elf_getscn(r->elf, i);
	const char *name = scn && gelf_getshdr(scn, header) ? elf_strptr(r->elf, r->names, header->sh_name) : NULL;

	return name ? name : "";
}

static int find_symbols(struct reading *r)
{
	GElf_Shdr header;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(r->elf, &r->names))
		return refuse(r, "it has no section names");
	while ((scn = elf_nextscn(r->elf, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB && header.sh_entsize) {
			r->symbols = elf_getdata(scn, NULL);
			r->symbol_count = header.sh_size / header.sh_entsize;
			r->symbol_names = header.sh_link;
		}
	return r->symbols ? 0 : refuse(r, "it has no symbols");
}

/* Appends a code section to the array. Returns where it is there, or -1 after a reason. */
static int add_section(struct reading *r, size_t section)
{
	Elf_Scn *scn = elf_getscn(r->elf, section);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	struct bpf_insn *more;
	unsigned count, at = r->code->count;

	for (unsigned i = 0; i < r->section_count; i++)
		if (r->sections[i].section == section)
			return (int)r->sections[i].at;
	if (!data || !data->d_buf || data->d_size % sizeof(struct bpf_insn) || data->d_size > (8u << 20) ||
	    r->section_count == sizeof(r->sections) / sizeof(r->sections[0])) {
		refuse(r, "section %zu is not a section of code", section);
		return -1;
	}
	count = (unsigned)(data->d_size / sizeof(struct bpf_insn));
	more = realloc(r->code->insns, ((size_t)at + count + 1) * sizeof(*more));
	if (!more) {
		refuse(r, "no memory");
		return -1;
	}
	r->code->insns = more;
	memcpy(more + at, data->d_buf, data->d_size);
	r->code->count += count;
	r->sections[r->section_count++] = (struct function_section){ section, at, count };
	return (int)at;
}

/* The memory of a name: made at its first use of libbpf's map. Returns its number, or -1 after a reason. */
static int add_memory(struct reading *r, const char *name, int is_map)
{
	struct bpf_code *code = r->code;
	struct bpf_code_memory *m = &code->memory[code->memories];
	const struct bpf_map *map = NULL, *each;
	const void *initial = NULL;
	size_t bytes = 0;

	for (unsigned i = 0; i < code->memories; i++)
		if (!strcmp(code->memory[i].name, name))
			return (int)i;
	bpf_object__for_each_map(each, r->object) {
		const char *map_name = bpf_map__name(each);
		size_t length = strlen(map_name), want = strlen(name);

		/* libbpf calls the map of a data section by the object's name and the section's */
		if (is_map ? !strcmp(map_name, name) : length >= want && !strcmp(map_name + length - want, name))
			map = each;
	}
	if (!map || code->memories == BPF_CODE_MEMORIES || strlen(name) >= sizeof(m->name)) {
		refuse(r, "it names %s, which is not a map or data of it", name);
		return -1;
	}
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->is_map = is_map;
	m->type = bpf_map__type(map);
	m->key_bytes = bpf_map__key_size(map);
	m->value_bytes = bpf_map__value_size(map);
	m->entries = bpf_map__max_entries(map);
	m->is_read_only = !strncmp(name, ".rodata", 7);
	if (!is_map) {
		initial = bpf_map__initial_value((struct bpf_map *)map, &bytes);
	} else if (m->type == BPF_MAP_TYPE_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_ARRAY) {
		bytes = (size_t)((m->value_bytes + 7) & ~7u) * m->entries;
	}
	if (bytes > MEMORY_MAX)
		bytes = 0;
	m->bytes = bytes ? calloc(1, bytes) : NULL;
	if (bytes && !m->bytes) {
		refuse(r, "no memory for %s", name);
		return -1;
	}
	if (initial && m->bytes)
		memcpy(m->bytes, initial, bytes);
	m->count = bytes;
	return (int)code->memories++;
}

static int relocate_load(struct reading *r, struct bpf_insn *insn, const GElf_Sym *sym, const char *symbol_name)
{
	GElf_Shdr header = { 0 };
	const char *section = section_name(r, sym->st_shndx, &header);
	const int is_map = !strcmp(section, ".maps");
	const uint32_t addend = (uint32_t)insn->imm;
	int memory;

	if (!r->object)
		return 0;
	memory = add_memory(r, is_map ? symbol_name : section, is_map);
	if (memory < 0)
		return -EINVAL;
	insn->src_reg = is_map ? BPF_PSEUDO_MAP_FD : BPF_PSEUDO_MAP_VALUE;
	insn->imm = memory;
	insn[1].imm = is_map ? 0 : (int32_t)((uint32_t)sym->st_value + addend);
	return 0;
}

static int relocate_call(struct reading *r, unsigned at, const GElf_Sym *sym)
{
	int base = add_section(r, sym->st_shndx);
	struct bpf_insn *insn = &r->code->insns[at];
	int64_t target;

	if (base < 0)
		return -EINVAL;
	/* of a section symbol, the function is where imm says; else at the symbol */
	target = base + (int64_t)(sym->st_value / sizeof(*insn)) + (GELF_ST_TYPE(sym->st_info) == STT_SECTION ? insn->imm + 1 : 0);
	insn->imm = (int32_t)(target - at - 1);
	return 0;
}

static int relocate(struct reading *r, const struct function_section *of, const GElf_Rel *rel)
{
	unsigned at = (unsigned)(rel->r_offset / sizeof(struct bpf_insn));
	const char *name;
	GElf_Sym sym;

	if (rel->r_offset % sizeof(struct bpf_insn) || at >= of->count || !gelf_getsym(r->symbols, (int)GELF_R_SYM(rel->r_info), &sym))
		return refuse(r, "a relocation is outside its section");
	at += of->at;
	name = elf_strptr(r->elf, r->symbol_names, sym.st_name);
	if (r->code->insns[at].code == LOAD_64 && at + 1 < of->at + of->count)
		return relocate_load(r, &r->code->insns[at], &sym, name ? name : "");
	if (r->code->insns[at].code == CALL)
		return relocate_call(r, at, &sym);
	return refuse(r, "a relocation is of an instruction that cannot have one");
}

/* Sections are appended while this runs, and get their turn. */
static int relocate_all(struct reading *r)
{
	for (unsigned i = 0; i < r->section_count; i++) {
		const struct function_section of = r->sections[i];
		Elf_Scn *scn = NULL;
		GElf_Shdr header;

		while ((scn = elf_nextscn(r->elf, scn))) {
			Elf_Data *data;

			if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_REL || header.sh_info != of.section || !header.sh_entsize)
				continue;
			data = elf_getdata(scn, NULL);
			for (size_t n = 0; data && n < header.sh_size / header.sh_entsize; n++) {
				GElf_Rel rel;

				if (!gelf_getrel(data, (int)n, &rel) || relocate(r, &of, &rel))
					return r->why[0] ? -EINVAL : refuse(r, "its relocations cannot be read");
			}
		}
	}
	return 0;
}

/* The program: a function's symbol of that name, or the function at the start of section "xdp". */
static int find_program(struct reading *r, const char *name, size_t *section, unsigned *first, unsigned *count)
{
	GElf_Shdr header;
	GElf_Sym sym;

	for (size_t i = 0; i < r->symbol_count; i++) {
		const char *symbol;

		if (!gelf_getsym(r->symbols, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		symbol = elf_strptr(r->elf, r->symbol_names, sym.st_name);
		if (name ? !symbol || strcmp(symbol, name) : sym.st_value || strcmp(section_name(r, sym.st_shndx, &header), "xdp"))
			continue;
		*section = sym.st_shndx;
		*first = (unsigned)(sym.st_value / sizeof(struct bpf_insn));
		*count = (unsigned)(sym.st_size / sizeof(struct bpf_insn));
		return 0;
	}
	return refuse(r, "it has no program %s", name ? name : "in section xdp");
}

/* The program comes first in the array, at instruction 0: its section is cut to it. */
static int read_program(struct reading *r, const char *name)
{
	size_t section = 0;
	unsigned first = 0, count = 0;

	if (find_symbols(r) || find_program(r, name, &section, &first, &count) || add_section(r, section) < 0)
		return -EINVAL;
	if (first || !count || count > r->code->count)
		return refuse(r, "its program does not begin its section");
	if (relocate_all(r))
		return -EINVAL;
	return 0;
}

int bpf_code__read(struct bpf_code *code, const void *elf, size_t bytes, const char *name, const struct bpf_object *object, char *why,
		   size_t why_bytes)
{
	struct reading r = { .code = code, .object = object, .why = why, .why_bytes = why_bytes };
	int err;

	*code = (struct bpf_code){ 0 };
	*why = 0;
	elf_version(EV_CURRENT);
	r.elf = elf_memory((char *)elf, bytes);
	err = r.elf ? read_program(&r, name) : refuse(&r, "it is not an ELF file");
	elf_end(r.elf);
	if (err)
		bpf_code__free(code);
	return err;
}

void bpf_code__free(struct bpf_code *code)
{
	for (unsigned i = 0; i < code->memories; i++)
		free(code->memory[i].bytes);
	free(code->insns);
	*code = (struct bpf_code){ 0 };
}

struct bpf_code_memory *bpf_code__memory(struct bpf_code *code, const char *name)
{
	for (unsigned i = 0; i < code->memories; i++)
		if (!strcmp(code->memory[i].name, name))
			return &code->memory[i];
	return NULL;
}
