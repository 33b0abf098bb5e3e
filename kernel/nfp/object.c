/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the XDP programs and maps of a BPF object, and links each program as libbpf does: functions of .text are appended in the order of
 * their first call. Called by check.c, spinctl check and spinctl cost. The file is not trusted.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/object.h"

static int refuse(char *reason, size_t bytes, int err, const char *format, ...) __attribute__((format(printf, 4, 5)));
static int refuse(char *reason, size_t bytes, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, bytes, format, args);
	va_end(args);
	return err;
}

/* --- maps --- */

static struct nfp_map *add_map(struct nfp_object *o, const char *name)
{
	struct nfp_map *more;

	if (o->map_count >= NFP_MAPS_MAX)
		return NULL;
	more = realloc(o->maps, (o->map_count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	o->maps = more;
	o->maps[o->map_count] = (struct nfp_map){ 0 };
	snprintf(o->maps[o->map_count].name, sizeof(o->maps[0].name), "%s", name);
	return &o->maps[o->map_count++];
}

static int is_data_section(const char *name)
{
	return !strcmp(name, ".data") || !strcmp(name, ".bss") || !strcmp(name, ".rodata") || !strncmp(name, ".data.", 6) ||
	       !strncmp(name, ".bss.", 5) || !strncmp(name, ".rodata.", 8);
}

/* Adds a map for each section of variables, as libbpf does. */
static int add_data_maps(struct nfp_object *o)
{
	for (unsigned i = 1; i < o->elf.section_count; i++) {
		const Elf64_Shdr *s = &o->elf.sections[i];
		struct nfp_map *map;

		if (!s->sh_size || !(s->sh_flags & SHF_ALLOC) || !is_data_section(nfp_elf__section_name(&o->elf, i)))
			continue;
		map = add_map(o, nfp_elf__section_name(&o->elf, i));
		if (!map)
			return -ENOMEM;
		map->is_data = 1;
		map->is.type = BPF_MAP_TYPE_ARRAY;
		map->is.key_bytes = 4;
		map->is.value_bytes = s->sh_size > UINT32_MAX ? UINT32_MAX : (uint32_t)s->sh_size;
		map->is.entries = 1;
		map->is.flags = BPF_F_MMAPABLE;
	}
	return 0;
}

static int add_maps(struct nfp_object *o, char *reason, size_t bytes)
{
	unsigned section = nfp_elf__find(&o->elf, ".maps");

	if (nfp_elf__find(&o->elf, "maps"))
		return refuse(reason, bytes, -EINVAL,
			      "its maps are of the old kind, in the section \"maps\"; define them in SEC(\".maps\")");
	for (unsigned i = 1; section && i < o->elf.symbol_count; i++) {
		const Elf64_Sym *symbol = &o->elf.symbols[i];
		const char *name = nfp_elf__symbol_name(&o->elf, i);
		struct nfp_map *map;

		if (symbol->st_shndx != section || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
			continue;
		map = add_map(o, name);
		if (!map)
			return refuse(reason, bytes, -ENOMEM, "it has more than %u maps", NFP_MAPS_MAX);
		if (!o->has_btf || nfp_btf__map(&o->btf, name, &map->is))
			return refuse(reason, bytes, -EINVAL, "its BTF does not define the map %.60s; compile with -g", name);
	}
	return add_data_maps(o);
}

/* Index of the map that a symbol belongs to; -1 if none. */
static int map_of_symbol(const struct nfp_object *o, unsigned symbol)
{
	const Elf64_Sym *s = &o->elf.symbols[symbol];
	const char *section = nfp_elf__section_name(&o->elf, s->st_shndx);
	const char *name = is_data_section(section) ? section : nfp_elf__symbol_name(&o->elf, symbol);

	if (!is_data_section(section) && strcmp(section, ".maps"))
		return -1;
	for (unsigned i = 0; i < o->map_count; i++)
		if (!strcmp(o->maps[i].name, name) && o->maps[i].is_data == is_data_section(section))
			return (int)i;
	return -1;
}

/* --- programs --- */

static int is_xdp(const char *section)
{
	section += *section == '?'; /* '?': not loaded unless requested */
	return !strcmp(section, "xdp") || !strncmp(section, "xdp/", 4) || !strncmp(section, "xdp.", 4) || !strncmp(section, "xdp_", 4);
}

/* The state of linking. */
struct linker {
	const struct nfp_object *object;
	struct nfp_code *code;
	struct {
		uint32_t section, offset, at;
	} functions[NFP_FUNCTIONS_MAX];
	unsigned function_count;
};

/* Appends a function's instructions. Returns 0, -EINVAL or -ENOMEM. */
static int append(struct linker *l, const Elf64_Sym *function)
{
	struct nfp_code *code = l->code;
	size_t bytes;
	const uint8_t *text = nfp_elf__bytes(&l->object->elf, function->st_shndx, &bytes);
	uint32_t count;
	void *more;

	if (!text || function->st_value > bytes || function->st_size > bytes - function->st_value || function->st_value % 8 ||
	    function->st_size % 8 || !function->st_size || function->st_size / 8 > NFP_INSNS_MAX - code->count ||
	    l->function_count >= NFP_FUNCTIONS_MAX)
		return -EINVAL;
	count = (uint32_t)(function->st_size / 8);
	more = realloc(code->insns, (code->count + count) * sizeof(*code->insns));
	if (!more)
		return -ENOMEM;
	code->insns = more;
	more = realloc(code->origins, (code->count + count) * sizeof(*code->origins));
	if (!more)
		return -ENOMEM;
	code->origins = more;
	more = realloc(code->starts_function, code->count + count);
	if (!more)
		return -ENOMEM;
	code->starts_function = more;
	memset(code->starts_function + code->count, 0, count);
	memcpy(code->insns + code->count, text + function->st_value, count * sizeof(*code->insns));
	for (uint32_t i = 0; i < count; i++)
		code->origins[code->count + i] = (struct nfp_origin){ function->st_shndx, (uint32_t)function->st_value + i * 8 };
	code->starts_function[code->count] =
		ELF64_ST_BIND(function->st_info) == STB_LOCAL || ELF64_ST_VISIBILITY(function->st_other) == STV_HIDDEN ? NFP_STATIC
														       : NFP_GLOBAL;
	l->functions[l->function_count].section = function->st_shndx;
	l->functions[l->function_count].offset = (uint32_t)function->st_value;
	l->functions[l->function_count].at = code->count;
	l->function_count++;
	code->count += count;
	return 0;
}

static int link_function(struct linker *l, uint32_t from, unsigned depth);

/* Resolves a call (or the address of a callback) to a function, and appends the function if it is not there yet. */
static int link_call(struct linker *l, uint32_t at, unsigned depth)
{
	struct bpf_insn *insn = &l->code->insns[at];
	const struct nfp_origin *origin = &l->code->origins[at];
	uint32_t section = origin->section, target;
	uint64_t offset = origin->offset_bytes + ((uint64_t)(int64_t)insn->imm + 1) * 8;
	const struct nfp_elf *elf = &l->object->elf;
	int64_t symbol = nfp_elf__relocation(elf, section, origin->offset_bytes);
	int err;

	if (symbol >= 0) {
		const Elf64_Sym *s = &elf->symbols[symbol];

		section = s->st_shndx;
		offset = s->st_value;
		if (ELF64_ST_TYPE(s->st_info) == STT_SECTION)
			offset = insn->code == (BPF_JMP | BPF_CALL) ? ((uint64_t)(int64_t)insn->imm + 1) * 8 : (uint64_t)(int64_t)insn->imm;
	}
	for (unsigned i = 0; i < l->function_count; i++)
		if (l->functions[i].section == section && l->functions[i].offset == offset) {
			insn->imm = (int32_t)(l->functions[i].at - at - 1);
			return 0;
		}
	symbol = nfp_elf__function(elf, section, offset);
	if (symbol < 0 || depth > 64) {
		l->code->cannot_link = "a call of something that is not a function of the object";
		return 0;
	}
	target = l->code->count;
	err = append(l, &elf->symbols[symbol]);
	if (err)
		return err;
	l->code->insns[at].imm = (int32_t)(target - at - 1);
	return link_function(l, target, depth + 1);
}

/* Resolves a 64-bit load: of a map, a variable, a function or a number. What cannot be resolved is noted in `cannot_link`. */
static int link_load(struct linker *l, uint32_t at, unsigned depth)
{
	struct bpf_insn *insn = &l->code->insns[at];
	const struct nfp_origin *origin = &l->code->origins[at];
	const int64_t of = nfp_elf__relocation(&l->object->elf, origin->section, origin->offset_bytes);
	const Elf64_Sym *symbol;
	int map;

	if (of < 0) {
		if (insn->src_reg) /* a descriptor or an address in the file itself */
			l->code->cannot_link = "a load of a map, a variable or a function without a relocation";
		return 0; /* a number */
	}
	symbol = &l->object->elf.symbols[of];
	map = map_of_symbol(l->object, (unsigned)of);
	if (map >= 0) {
		insn->src_reg = l->object->maps[map].is_data ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
		insn[1].imm = (int32_t)((uint32_t)insn->imm + (uint32_t)symbol->st_value);
		insn->imm = map;
		return 0;
	}
	if (symbol->st_shndx < l->object->elf.section_count && l->object->elf.sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR) {
		insn->src_reg = BPF_PSEUDO_FUNC;
		return link_call(l, at, depth);
	}
	l->code->cannot_link = "the address of something that is neither a map nor a variable of the object";
	return 0;
}

/* Links the instructions of the function that was appended last, which starts at `from`. */
static int link_function(struct linker *l, uint32_t from, unsigned depth)
{
	uint32_t end = l->code->count;
	int err = 0;

	for (uint32_t i = from; i < end && !err; i++) {
		const struct bpf_insn *insn = &l->code->insns[i];

		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW)) {
			if (i + 1 >= end)
				return -EINVAL;
			err = link_load(l, i, depth);
			i++;
		} else if (insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL) {
			err = link_call(l, i, depth);
		}
	}
	return err;
}

/* Adds the program that begins at this symbol, with the functions that it calls. */
static int add_program(struct nfp_object *o, unsigned symbol)
{
	const Elf64_Sym *function = &o->elf.symbols[symbol];
	const char *section = nfp_elf__section_name(&o->elf, function->st_shndx);
	struct linker *l;
	struct nfp_code *more;
	int err;

	if (o->program_count >= NFP_PROGRAMS_MAX)
		return -EINVAL;
	more = realloc(o->programs, (o->program_count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	o->programs = more;
	more = &o->programs[o->program_count++];
	*more = (struct nfp_code){ 0 };
	snprintf(more->name, sizeof(more->name), "%s", nfp_elf__symbol_name(&o->elf, symbol));
	snprintf(more->section, sizeof(more->section), "%s", section);
	section += *section == '?';
	more->is_frags = !strncmp(section, "xdp.frags", 9);
	more->is_for_map = strstr(section, "devmap") || strstr(section, "cpumap");
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->object = o;
	l->code = more;
	err = append(l, function);
	if (!err)
		err = link_function(l, 0, 0);
	free(l);
	return err;
}

static int add_programs(struct nfp_object *o, char *reason, size_t bytes)
{
	for (unsigned i = 1; i < o->elf.symbol_count; i++) {
		const Elf64_Sym *symbol = &o->elf.symbols[i];
		int err;

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
		    !is_xdp(nfp_elf__section_name(&o->elf, symbol->st_shndx)) || !nfp_elf__is_code(&o->elf, symbol->st_shndx))
			continue;
		err = add_program(o, i);
		if (err)
			return refuse(reason, bytes, err, "the code of %.60s is damaged, or too large", nfp_elf__symbol_name(&o->elf, i));
	}
	if (!o->program_count)
		return refuse(reason, bytes, -EINVAL, "it has no XDP program, which would be a function of the section \"xdp\"");
	return 0;
}

int nfp_object__open(struct nfp_object *o, const void *data, size_t bytes, char *reason, size_t reason_bytes)
{
	size_t length;
	const void *section;
	int err;

	*o = (struct nfp_object){ 0 };
	err = nfp_elf__open(&o->elf, data, bytes);
	if (err == -E2BIG)
		return refuse(reason, reason_bytes, err, "its code has more than %u relocations; split it into several objects",
			      NFP_ELF_RELOCATIONS_MAX);
	if (err || o->elf.machine != EM_BPF) {
		nfp_elf__close(&o->elf);
		return refuse(reason, reason_bytes, err ? err : -EINVAL,
			      "it is not a BPF object, or damaged; compile it with `clang -target bpf -g -O2 -c`");
	}
	section = nfp_elf__bytes(&o->elf, nfp_elf__find(&o->elf, ".BTF"), &length);
	if (section) {
		err = nfp_btf__open(&o->btf, section, length);
		if (err) {
			err = refuse(reason, reason_bytes, err, "its BTF is damaged; compile it again");
			goto close;
		}
		o->has_btf = 1;
		o->ext = nfp_elf__bytes(&o->elf, nfp_elf__find(&o->elf, ".BTF.ext"), &o->ext_bytes);
	}
	err = add_maps(o, reason, reason_bytes);
	if (!err)
		err = add_programs(o, reason, reason_bytes);
	if (!err)
		return 0;
close:
	nfp_object__close(o);
	return err;
}

void nfp_object__close(struct nfp_object *o)
{
	for (unsigned i = 0; i < o->program_count; i++) {
		free(o->programs[i].insns);
		free(o->programs[i].origins);
		free(o->programs[i].starts_function);
	}
	free(o->programs);
	free(o->maps);
	nfp_btf__close(&o->btf);
	nfp_elf__close(&o->elf);
	*o = (struct nfp_object){ 0 };
}

void nfp_object__line(const struct nfp_object *o, const struct nfp_code *code, uint32_t insn, char *to, size_t to_bytes)
{
	const struct nfp_origin *origin;

	*to = 0;
	if (!o->has_btf || insn >= code->count)
		return;
	origin = &code->origins[insn];
	nfp_btf__line(&o->btf, o->ext, o->ext_bytes, nfp_elf__section_name(&o->elf, origin->section), origin->offset_bytes, to, to_bytes);
}
