/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks sections, symbols, relocations and instructions of an object's ELF file against what spincc generates. Called by contract__check()
 * before libbpf opens the file. What libbpf does with an instruction follows from its bytes and its relocation. Both are checked in every
 * function, even if no program calls it.
 */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "user/libspin/object/contract.h"
#include "user/libspin/object/line_info.h"
#include "user/libspin/internal.h"

/* Missing in elf.h and bpf.h of Debian 12. */
#define RELOCATION_64   1  /* R_BPF_64_64: a map or a variable, for a 64-bit load */
#define RELOCATION_CALL 10 /* R_BPF_64_32 */
#define LOAD_64         (BPF_LD | BPF_IMM | BPF_DW)
#define CALL            (BPF_JMP | BPF_CALL)
#define MAY_GOTO        (BPF_JMP | 0xe0)
#define LOAD_SIGNED     0x80 /* BPF_MEMSX */

#define SECTIONS_MAX     256 /* spincc makes about 40 */
#define SECTION_NAME_MAX 128

/* No bpf_loop, callbacks, timers, or helpers that read kernel memory. */
/* clang-format off */
static const uint32_t helpers[] = {
	BPF_FUNC_map_lookup_elem, BPF_FUNC_get_smp_processor_id, BPF_FUNC_tail_call, BPF_FUNC_redirect, BPF_FUNC_redirect_map,
	BPF_FUNC_xdp_adjust_tail, BPF_FUNC_fib_lookup, BPF_FUNC_jiffies64, BPF_FUNC_ringbuf_output, BPF_FUNC_ringbuf_reserve,
	BPF_FUNC_ringbuf_submit, BPF_FUNC_ringbuf_discard, BPF_FUNC_check_mtu, BPF_FUNC_xdp_get_buff_len,
	BPF_FUNC_xdp_load_bytes, BPF_FUNC_xdp_store_bytes, BPF_FUNC_ringbuf_query,
	BPF_FUNC_get_socket_cookie, BPF_FUNC_skb_load_bytes, BPF_FUNC_skb_store_bytes, BPF_FUNC_ktime_get_ns,
	BPF_FUNC_ktime_get_coarse_ns, BPF_FUNC_get_prandom_u32,
};
/* clang-format on */

/* With handlers of TCP segments, except in the program of streams: the state of the kernel's socket of a connection. */
static const uint32_t segment_helpers[] = { BPF_FUNC_skc_lookup_tcp, BPF_FUNC_sk_release };

/* The helpers among the first ones that a card's firmware supports or the driver leaves to the host. */
static const uint32_t card_helpers[] = { BPF_FUNC_map_lookup_elem, BPF_FUNC_get_prandom_u32, BPF_FUNC_xdp_adjust_tail };

/* Helper names by number, as in <linux/bpf.h>. */
static const char *const helper_names[] = {
#define NAME_(name) #name
	__BPF_FUNC_MAPPER(NAME_)
#undef NAME_
};

#define STREAM_SECTION "?sk_skb/stream_verdict"
static const char *const code_sections[] = { ".text", "xdp", "?xdp", STREAM_SECTION };
static const char *const data_sections[] = { ".data", ".data.me", ".bss", ".rodata" };

struct code {
	const struct contract_file *file;
	Elf *elf;
	size_t sections, names;
	Elf_Data *symbols;
	size_t symbol_count, symbol_names;
};

static int is_in(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, list[i]))
			return 1;
	return 0;
}

#define IS_IN(name, list) is_in(name, list, sizeof(list) / sizeof((list)[0]))

static int is_code(const char *name)
{
	return IS_IN(name, code_sections);
}

/* Constants may have their own sections: .rodata.str1.1, .rodata.cst16. */
static int is_data(const char *name)
{
	return IS_IN(name, data_sections) || !strncmp(name, ".rodata.", 8);
}

/* Sections that libbpf skips, or reads for types and lines. */
static int is_description(const char *name)
{
	static const char *const others[] = { ".maps", "license", ".BTF", ".BTF.ext", ".comment", ".note.GNU-stack", ".eh_frame" };

	return IS_IN(name, others) || !strncmp(name, ".debug_", 7) || !strncmp(name, ".spin.", 6);
}

static const char *section_name(const struct code *c, size_t i, GElf_Shdr *header)
{
	Elf_Scn *scn = elf_getscn(c->elf, i);
	const char *name;

	*header = (GElf_Shdr){ 0 };
	name = scn && gelf_getshdr(scn, header) ? elf_strptr(c->elf, c->names, header->sh_name) : NULL;
	return name ? name : "";
}

/* Returns the name of the function that contains a byte of a section, and sets *from to its first byte. */
static const char *function_at(const struct code *c, size_t section, uint64_t offset, uint64_t *from)
{
	GElf_Sym sym;

	*from = 0;
	for (size_t i = 0; i < c->symbol_count; i++) {
		const char *name;

		if (!gelf_getsym(c->symbols, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx != section ||
		    offset < sym.st_value || offset - sym.st_value >= sym.st_size)
			continue;
		*from = sym.st_value;
		name = elf_strptr(c->elf, c->symbol_names, sym.st_name);
		return name ? name : "?";
	}
	return "?";
}

/* Refuses the file for an instruction: the message also names its function and, if the object has line information, file and line. */
static int __attribute__((format(printf, 4, 5))) refuse_at(const struct code *c, size_t section, size_t at, const char *format, ...)
{
	const uint64_t offset = at * sizeof(struct bpf_insn);
	const uint8_t *data = c->file->data;
	struct line_info info = { 0 };
	char what[200], line[128] = "";
	const char *function;
	size_t btf_at, ext_at;
	GElf_Shdr header;
	va_list args;
	uint64_t from;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	function = function_at(c, section, offset, &from);
	if (!spin_elf__section(data, c->file->bytes, ".BTF", &btf_at, &info.btf_bytes) &&
	    !spin_elf__section(data, c->file->bytes, ".BTF.ext", &ext_at, &info.ext_bytes)) {
		info.btf = data + btf_at;
		info.ext = data + ext_at;
		line_info__find(&info, section_name(c, section, &header), from, offset, line, sizeof(line));
	}
	return contract__refuse(c->file, "%s in %.60s%s%s", what, function, line[0] ? " at " : "", line);
}

/*
 * libbpf uses the last section of a name and libspin's own readers use the first, so each name may occur only once. Names may be long and
 * overlap in their table, so only their beginnings are compared.
 */
static int check_names(const struct code *c)
{
	const char *name[SECTIONS_MAX];
	GElf_Shdr header;

	if (c->sections > SECTIONS_MAX)
		return contract__refuse(c->file, "%zu sections (at most %u)", c->sections, SECTIONS_MAX);
	for (size_t i = 1; i < c->sections; i++) {
		name[i] = section_name(c, i, &header);
		for (size_t k = 1; *name[i] && k < i; k++)
			if (!strncmp(name[i], name[k], SECTION_NAME_MAX))
				return contract__refuse(c->file, "two sections \"%.60s\"", name[i]);
	}
	return 0;
}

static int check_section(const struct code *c, size_t i)
{
	GElf_Shdr header;
	const char *name = section_name(c, i, &header);

	if ((header.sh_type != SHT_PROGBITS && header.sh_type != SHT_NOBITS) || !header.sh_size)
		return 0;
	if (header.sh_flags & SHF_EXECINSTR ? is_code(name) : (is_data(name) && !c->file->card) || is_description(name))
		return 0;
	return contract__refuse(c->file, "a section \"%.60s\"", name);
}

/* Finds the first instruction that refers to a symbol. Returns 0 if there is none. */
static int find_reference(const struct code *c, size_t symbol, size_t *section, size_t *at)
{
	for (size_t i = 1; i < c->sections; i++) {
		Elf_Scn *scn = elf_getscn(c->elf, i);
		GElf_Shdr header, target;
		Elf_Data *data;
		GElf_Rel rel;

		if (!scn || !gelf_getshdr(scn, &header) || header.sh_type != SHT_REL || !is_code(section_name(c, header.sh_info, &target)))
			continue;
		data = elf_getdata(scn, NULL);
		for (int k = 0; data && gelf_getrel(data, k, &rel); k++)
			if (GELF_R_SYM(rel.r_info) == symbol) {
				*section = header.sh_info;
				*at = rel.r_offset / sizeof(struct bpf_insn);
				return 1;
			}
	}
	return 0;
}

static int check_symbol(const struct code *c, size_t i)
{
	static const char foreign[] = "a reference to %.80s, a function or variable of the kernel's (a kfunc, a ksym)";
	size_t section, at;
	const char *name;
	GElf_Sym sym;

	if (!gelf_getsym(c->symbols, (int)i, &sym))
		return 0;
	/* libbpf takes a function from wherever its symbol points, so it must point to a checked instruction */
	if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && (sym.st_value | sym.st_size) % sizeof(struct bpf_insn))
		return contract__refuse(c->file, "a function that does not begin or end with an instruction");
	if (sym.st_shndx != SHN_UNDEF)
		return 0;
	name = sym.st_name ? elf_strptr(c->elf, c->symbol_names, sym.st_name) : NULL;
	if (!name || !*name)
		return 0;
	return find_reference(c, i, &section, &at) ? refuse_at(c, section, at, foreign, name) : contract__refuse(c->file, foreign, name);
}

/* With CO-RE, libbpf would change instructions after they were checked. */
static int check_core(const struct code *c)
{
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t header_bytes, func_at, func_bytes, line_at, line_bytes, core_at, core_bytes;
	} ext;
	size_t offset, bytes;

	if (spin_elf__section(c->file->data, c->file->bytes, ".BTF.ext", &offset, &bytes) || bytes < sizeof(ext))
		return 0;
	memcpy(&ext, c->file->data + offset, sizeof(ext));
	if (ext.header_bytes >= sizeof(ext) && ext.core_bytes)
		return contract__refuse(c->file, "CO-RE relocations (of .BTF.ext)");
	return 0;
}

/* The relocation of each instruction of a section: the name of the target section; NULL: none. */
struct targets {
	const char **section;
	size_t count;
};

/* Records what section an instruction refers to. Only the two relocations that spincc's code needs are accepted. */
static int record_relocation(const struct code *c, size_t section, const GElf_Rel *rel, const struct bpf_insn *insns, struct targets *t)
{
	size_t at = rel->r_offset / sizeof(*insns);
	GElf_Shdr header;
	const char *to;
	GElf_Sym sym;
	int fits;

	if (rel->r_offset % sizeof(*insns) || at >= t->count || t->section[at] ||
	    !gelf_getsym(c->symbols, (int)GELF_R_SYM(rel->r_info), &sym) || sym.st_shndx >= c->sections)
		return contract__refuse(c->file, "a relocation that is not the compiler's");
	to = section_name(c, sym.st_shndx, &header);
	if (insns[at].code == LOAD_64 && is_code(to))
		return refuse_at(c, section, at, "the address of a function, as callbacks have it,");
	if (insns[at].code == CALL)
		fits = GELF_R_TYPE(rel->r_info) == RELOCATION_CALL && insns[at].src_reg == BPF_PSEUDO_CALL && !strcmp(to, ".text");
	else
		fits = GELF_R_TYPE(rel->r_info) == RELOCATION_64 && insns[at].code == LOAD_64 && (is_data(to) || !strcmp(to, ".maps"));
	if (!fits)
		return refuse_at(c, section, at, "a relocation of instruction %zu to section \"%.60s\"", at, to);
	t->section[at] = to;
	return 0;
}

static int record_relocations(const struct code *c, size_t section, const struct bpf_insn *insns, struct targets *t)
{
	int err = 0;

	for (size_t i = 1; i < c->sections && !err; i++) {
		Elf_Scn *scn = elf_getscn(c->elf, i);
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Rel rel;

		if (!scn || !gelf_getshdr(scn, &header) || header.sh_type != SHT_REL || header.sh_info != section)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t k = 0; data && k < header.sh_size / header.sh_entsize && !err; k++)
			err = gelf_getrel(data, (int)k, &rel) ? record_relocation(c, section, &rel, insns, t) : -EINVAL;
	}
	return err;
}

/* Only code may be relocated: relocations of maps would fill them, and libbpf does not read relocations with addends. */
static int check_relocation_target(const struct code *c, size_t i)
{
	GElf_Shdr header, target;
	const char *to;

	section_name(c, i, &header);
	if (header.sh_type != SHT_REL && header.sh_type != SHT_RELA)
		return 0;
	to = section_name(c, header.sh_info, &target);
	if (header.sh_type == SHT_REL && (is_code(to) || !strcmp(to, ".BTF") || !strcmp(to, ".BTF.ext") || !strncmp(to, ".debug_", 7)))
		return 0;
	return contract__refuse(c->file, "relocations of section \"%.60s\"", to);
}

static int contains_id(uint32_t id, const uint32_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return 1;
	return 0;
}

int contract__card_has_helper(uint32_t id)
{
	return contains_id(id, card_helpers, sizeof(card_helpers) / sizeof(card_helpers[0]));
}

static int has_helper(const struct code *c, uint32_t id, const char *section)
{
	if (c->file->card)
		return contract__card_has_helper(id);
	if (contains_id(id, helpers, sizeof(helpers) / sizeof(helpers[0])))
		return 1;
	return c->file->segments && strcmp(section, STREAM_SECTION) &&
	       contains_id(id, segment_helpers, sizeof(segment_helpers) / sizeof(segment_helpers[0]));
}

static int check_call(const struct code *c, const struct bpf_insn *insn, const char *target, size_t section, size_t at)
{
	uint32_t id = (uint32_t)insn->imm;
	GElf_Shdr header;

	if (insn->src_reg == BPF_PSEUDO_CALL) /* the compiler has resolved a call within the section */
		return target || !strcmp(section_name(c, section, &header), ".text") ? 0 : refuse_at(c, section, at, "a call of a program");
	if (insn->src_reg)
		return refuse_at(c, section, at, "a call of a kernel function (kfunc)");
	if (has_helper(c, id, section_name(c, section, &header)))
		return 0;
	if (id < sizeof(helper_names) / sizeof(helper_names[0]))
		return refuse_at(c, section, at, "a call of bpf_%s()", helper_names[id]);
	return refuse_at(c, section, at, "a call of helper %u", id);
}

/*
 * Returns 0 for loads and stores that clang does not generate for handlers. Load-acquire and store-release (Linux 6.15) have the class of
 * atomics; the analysis of the stack (work_stack.c) does not know them.
 */
static int is_access(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LDX:
		return BPF_MODE(insn->code) == BPF_MEM || BPF_MODE(insn->code) == LOAD_SIGNED;
	case BPF_ST:
		return BPF_MODE(insn->code) == BPF_MEM;
	case BPF_STX:
		break;
	default:
		return 1;
	}
	if (BPF_MODE(insn->code) == BPF_MEM)
		return 1;
	if (BPF_MODE(insn->code) != BPF_ATOMIC || (BPF_SIZE(insn->code) != BPF_W && BPF_SIZE(insn->code) != BPF_DW))
		return 0;
	switch (insn->imm) {
	case BPF_ADD:
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
	case BPF_ADD | BPF_FETCH:
	case BPF_AND | BPF_FETCH:
	case BPF_OR | BPF_FETCH:
	case BPF_XOR | BPF_FETCH:
	case BPF_XCHG:
	case BPF_CMPXCHG:
		return 1;
	default:
		return 0;
	}
}

/* Checks one instruction; `target`: where its relocation leads. */
static int check_instruction(const struct code *c, const struct bpf_insn *insn, const char *target, size_t section, size_t at)
{
	unsigned class = BPF_CLASS(insn->code);

	if (insn->code == CALL)
		return check_call(c, insn, target, section, at);
	if (!is_access(insn))
		return refuse_at(c, section, at, "an access to memory (code %#x, number %#x)", insn->code, (uint32_t)insn->imm);
	if (class == BPF_LD && insn->code != LOAD_64)
		return refuse_at(c, section, at, "an access to packets of sockets (code %#x)", insn->code);
	if (insn->code == LOAD_64 && insn->src_reg) /* allowed only with a relocation, by which libbpf fills it */
		return refuse_at(c, section, at, "a file descriptor, or an address of the kernel's,");
	if (insn->code == MAY_GOTO && (c->file->bounded || c->file->card || insn->src_reg))
		return refuse_at(c, section, at, "a may_goto");
	if ((class == BPF_JMP || class == BPF_JMP32) &&
	    (BPF_OP(insn->code) == BPF_CALL || (BPF_OP(insn->code) == BPF_JA && BPF_SRC(insn->code) == BPF_X)))
		return refuse_at(c, section, at, "a call or jump through a register");
	if (class == BPF_ALU64 && BPF_OP(insn->code) == BPF_MOV && BPF_SRC(insn->code) == BPF_X && insn->off == 1)
		return refuse_at(c, section, at, "a cast of address spaces");
	return 0;
}

/*
 * libbpf copies a function's bytes and fills both halves of a relocated 64-bit load. If a function ended between the halves, libbpf would
 * write beyond its copy. The second half has the code 0, which no instruction has.
 */
static int check_functions(const struct code *c, size_t section, const struct bpf_insn *insns, size_t count)
{
	GElf_Sym sym;

	for (size_t i = 0; i < c->symbol_count; i++) {
		size_t from, to;

		if (!gelf_getsym(c->symbols, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx != section)
			continue;
		from = sym.st_value / sizeof(*insns);
		to = (sym.st_value + sym.st_size) / sizeof(*insns);
		if (to > count || (from < count && !insns[from].code) || (to < count && !insns[to].code))
			return contract__refuse(c->file, "a function that does not begin or end with an instruction");
	}
	return 0;
}

static int check_instructions(const struct code *c, size_t section)
{
	Elf_Data *data = elf_getdata(elf_getscn(c->elf, section), NULL);
	size_t count = data ? data->d_size / sizeof(struct bpf_insn) : 0;
	struct targets t = { .count = count };
	struct bpf_insn *insns;
	int err;

	if (!count || data->d_size % sizeof(*insns))
		return contract__refuse(c->file, "code that is not eBPF");
	insns = malloc(data->d_size);
	t.section = calloc(count, sizeof(*t.section));
	err = insns && t.section ? 0 : spin_fail(-ENOMEM, "no memory to open %s", c->file->path);
	if (!err) {
		memcpy(insns, data->d_buf, data->d_size);
		err = record_relocations(c, section, insns, &t);
	}
	for (size_t i = 0; i < count && !err; i++) {
		err = check_instruction(c, &insns[i], t.section[i], section, i);
		if (!err && insns[i].code == LOAD_64 && (++i == count || insns[i].code))
			err = refuse_at(c, section, i - 1, "half a load of 64 bits");
	}
	if (!err)
		err = check_functions(c, section, insns, count);
	free(t.section);
	free(insns);
	return err;
}

/* Names and sections first: the checks of instructions rely on them. */
static int check_all(struct code *c)
{
	GElf_Shdr header;
	int err;

	if (elf_getshdrnum(c->elf, &c->sections) || elf_getshdrstrndx(c->elf, &c->names))
		return -EINVAL;
	for (size_t i = 1; i < c->sections; i++) {
		section_name(c, i, &header);
		if (header.sh_type != SHT_SYMTAB)
			continue;
		if (c->symbols)
			return contract__refuse(c->file, "two symbol tables");
		c->symbols = elf_getdata(elf_getscn(c->elf, i), NULL);
		c->symbol_count = header.sh_size / sizeof(Elf64_Sym);
		c->symbol_names = header.sh_link;
	}
	if (!c->symbols)
		return contract__refuse(c->file, "no symbol table");
	err = check_names(c);
	if (!err)
		err = check_core(c);
	for (size_t i = 1; i < c->sections && !err; i++) {
		err = check_section(c, i);
		if (!err)
			err = check_relocation_target(c, i);
	}
	for (size_t i = 0; i < c->symbol_count && !err; i++)
		err = check_symbol(c, i);
	for (size_t i = 1; i < c->sections && !err; i++)
		if (is_code(section_name(c, i, &header)) && header.sh_type == SHT_PROGBITS && header.sh_size)
			err = check_instructions(c, i);
	return err;
}

int contract__check_code(const struct contract_file *file)
{
	struct code c = { .file = file };
	int err;

	elf_version(EV_CURRENT);
	c.elf = elf_memory((char *)file->data, file->bytes);
	if (!c.elf)
		return spin_fail(-EINVAL, "%s is damaged: it is not an ELF file; compile it again with spincc", file->path);
	err = check_all(&c);
	elf_end(c.elf);
	return err;
}
