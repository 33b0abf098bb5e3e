/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds the command lines of compilers and linkers and runs them, for each target of spincc: eBPF, rv32 (the NIC's processor), the host, a
 * card. Called by main.c. The handler's C is diagnosed once, by clang's front end; only the programs for rv32 compile the C again.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <spin/meta.h>

#include "user/libspin/internal.h"
#include "user/spincc/card.h"
#include "user/spincc/spincc.h"
#include "user/spincc/loops.h"

const char *build__tool(const char *variable, const char *name)
{
	const char *value = getenv(variable);

	return value && *value ? value : name;
}

void build__add_user_options(const struct spincc *s, struct command *c)
{
	/* gcc uses the last mapping that matches, so the general one comes first */
	if (s->directory[0] && s->directory[1]) /* "/" would be removed from every path */
		command__add(c, "-ffile-prefix-map=%s=.", s->directory);
	command__add(c, "-ffile-prefix-map=%s/=", s->root);
	command__add(c, "-fdiagnostics-color=never");
	for (unsigned i = 0; i < s->extra.count; i++)
		command__add(c, "%s", s->extra.items[i]);
}

/* Adds what all three compilers need: the handler, the API, the user's options. */
static void add_common(const struct spincc *s, struct command *c)
{
	command__add(c, "-I%s/handlers/include", s->root);
	command__add(c, "-I%s", s->root);
	command__add(c, "-DSPIN_HANDLER_FILE=\"%s\"", s->handler_path);
	build__add_user_options(s, c);
}

int build__run(struct spincc *s, struct command *c, enum stage stage)
{
	struct text output;
	int err = command__run(s, c, &output);

	if (err >= 0)
		err = explain(s, stage, &output, err);
	free(output.data);
	command__free(c);
	return err;
}

int build__host(struct spincc *s)
{
	struct command c = { 0 };
	char object[PATH_MAX];

	temps__path(s, "object", object);
	command__add(&c, "%s", build__tool("CC", "gcc"));
	/* -O1 -g1 takes less than half the time of -O2 -g. At -O1 gcc's -Wmaybe-uninitialized warns of variables that are set. */
	for (const char *const *w = (const char *const[]){ "-std=gnu11", "-O1", "-g1", "-Wall", "-Wno-maybe-uninitialized",
							   "-fno-strict-aliasing", "-fno-finite-loops", "-fPIC", "-shared", NULL };
	     *w; w++)
		command__add(&c, "%s", *w);
	add_common(s, &c);
	command__add(&c, "%s/bpf/context.host.c", s->root);
	command__add(&c, "-o");
	command__add(&c, "%s", object);
	return build__run(s, &c, STAGE_HOST);
}

static void add_rv32(const struct spincc *s, struct command *c)
{
	command__add(c, "%s", build__tool("RISCV_CC", "riscv64-unknown-elf-gcc"));
	command__add(c, "@%s/hwmodel/image/cflags", s->root);
	command__add(c, "-Wall");
	add_common(s, c);
	for (unsigned i = 0; i < s->hpu_flags.count; i++)
		command__add(c, "%s", s->hpu_flags.items[i]);
}

/* Reads the registration from its section in a compiled handler. The linker and the bounded variant depend on it. */
static int read_registration(const char *object, struct spin_registration *out, int *has_clusters)
{
	uint8_t *data = NULL;
	size_t bytes = 0, offset, meta_bytes;
	struct spin_meta meta = { 0 };
	FILE *f = fopen(object, "rb");
	int ok = 0;

	if (f && !fseek(f, 0, SEEK_END) && ftell(f) > 0) {
		bytes = (size_t)ftell(f);
		rewind(f);
		data = malloc(bytes);
		ok = data && fread(data, 1, bytes, f) == bytes &&
		     !spin_elf__section(data, bytes, SPIN_META_SECTION, &offset, &meta_bytes) && meta_bytes >= sizeof(meta) &&
		     offset <= bytes && sizeof(meta) <= bytes - offset;
		if (ok)
			memcpy(&meta, data + offset, sizeof(meta));
		if (ok && has_clusters)
			*has_clusters = !spin_elf__section(data, bytes, ".spin_clusters", &offset, &meta_bytes) ||
					!spin_elf__section(data, bytes, ".spin_hpus", &offset, &meta_bytes);
	}
	if (f)
		fclose(f);
	free(data);
	if (ok)
		*out = meta.registration;
	return ok ? 0 : -1;
}

/*
 * Compiles or assembles one file of the image. `object` is its name among the temporary files. `stage` says whether its C was
 * diagnosed before. `defines`: macros for the file; ends with NULL.
 */
static int build_object(struct spincc *s, const char *source, const char *object, enum stage stage, const char *const *defines)
{
	struct command c = { 0 };
	char path[PATH_MAX];

	temps__path(s, object, path);
	add_rv32(s, &c);
	command__add(&c, "-Wa,--debug-prefix-map=%s/=", s->root);
	if (s->directory[0] && s->directory[1])
		command__add(&c, "-Wa,--debug-prefix-map=%s=.", s->directory);
	for (; *defines; defines++)
		command__add(&c, "-D%s", *defines);
	command__add(&c, "-c");
	command__add(&c, "%s/hwmodel/image/%s", s->root, source);
	command__add(&c, "-o");
	command__add(&c, "%s", path);
	return build__run(s, &c, stage);
}

#define TOO_LARGE "exceeds PsPIN's program memory" /* in the message of the linker script pspin.ld */

/* Same return values as command__run(). The caller interprets `output`, the linker's messages. */
static int link_rv32(struct spincc *s, const char *elf, enum spin_placement where, struct text *output)
{
	struct command c = { 0 };
	int err;

	add_rv32(s, &c);
	command__add(&c, "-Wl,--gc-sections");
	command__add(&c, "-Wl,--build-id=none");
	if (where == SPIN_STATE_IN_L1)
		command__add(&c, "-Wl,--defsym=SPIN_STATE_IN_L1=1");
	command__add(&c, "-T%s/hwmodel/image/pspin.ld", s->root);
	command__add(&c, "%s/boot.o", s->temps);
	command__add(&c, "%s/entry.o", s->temps);
	command__add(&c, "-lgcc");
	command__add(&c, "-o");
	command__add(&c, "%s", elf);
	err = command__run(s, &c, output);
	command__free(&c);
	return err;
}

/* Links the entry points of all protocols; if the program is then too large, those of UDP only (HPU_UDP_ALONE in entry.c). */
static int link_program(struct spincc *s, const char *elf, enum spin_placement where)
{
	struct text output = { 0 };
	int err = link_rv32(s, elf, where, &output);

	if (err > 0 && output.data && strstr(output.data, TOO_LARGE)) {
		free(output.data);
		output = (struct text){ 0 };
		if (build_object(s, "entry.c", "entry.o", STAGE_HPU, (const char *const[]){ "HPU_UDP_ALONE", NULL }))
			return -1;
		err = link_rv32(s, elf, where, &output);
	}
	if (err >= 0)
		err = explain(s, STAGE_HPU, &output, err);
	free(output.data);
	return err;
}

int build__defines(const char *object, const char *name)
{
	int fd = open(object, O_RDONLY | O_CLOEXEC), found = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (!elf) {
		fprintf(stderr, "spincc: %s cannot be read: %s\n", object, fd < 0 ? strerror(errno) : elf_errmsg(-1));
		found = -1;
	}
	while (!found && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB || !(data = elf_getdata(scn, NULL)))
			continue;
		for (int i = 0; !found && gelf_getsym(data, i, &symbol); i++) {
			const char *have = elf_strptr(elf, header.sh_link, symbol.st_name);

			found = GELF_ST_TYPE(symbol.st_info) == STT_FUNC && have && !strcmp(have, name);
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/*
 * boot.S initializes only what the program uses. The linker drops functions that no handler calls, so only the linked program shows
 * whether it contains spin_change_ (hwmodel/image/exclusive.S). If it does, boot.S is built again to initialize that, and linked again.
 */
static int build_rv32(struct spincc *s, const char *elf, enum stage stage)
{
	const char *defines[3] = { NULL };
	struct spin_registration registration;
	int has_clusters = 0, is_exclusive;
	char object[PATH_MAX];

	temps__path(s, "entry.o", object);
	if (build_object(s, "entry.c", "entry.o", stage, defines))
		return -1;
	if (read_registration(object, &registration, &has_clusters)) {
		fprintf(stderr, "spincc: the rv32 program has no registration: is gcc for rv32 the one of packages.txt?\n");
		return -1;
	}
	if (has_clusters)
		defines[0] = "HPU_HAS_CLUSTERS";
	if (build_object(s, "boot.S", "boot.o", STAGE_HPU, defines) || link_program(s, elf, registration.state_placement))
		return -1;
	is_exclusive = build__defines(elf, "spin_change_");
	if (is_exclusive <= 0)
		return is_exclusive;
	defines[has_clusters] = "HPU_HAS_EXCLUSIVE";
	return build_object(s, "boot.S", "boot.o", STAGE_HPU, defines) || link_program(s, elf, registration.state_placement) ? -1 : 0;
}

int build__rv32(struct spincc *s)
{
	char object[PATH_MAX];

	temps__path(s, "object", object);
	return build_rv32(s, object, STAGE_HOST);
}

static const char *arch_macro(void)
{
	struct utsname name;

	if (uname(&name))
		return "x86";
	if (!strcmp(name.machine, "aarch64"))
		return "arm64";
	if (!strncmp(name.machine, "riscv", 5))
		return "riscv";
	if (!strncmp(name.machine, "ppc", 3))
		return "powerpc";
	if (!strcmp(name.machine, "s390x"))
		return "s390";
	return "x86";
}

/* Debian keeps <asm/types.h> in a directory that a BPF target does not search. */
static void add_system_headers(struct command *c)
{
	struct utsname name;

	if (!uname(&name))
		command__add(c, "-idirafter/usr/include/%s-linux-gnu", name.machine);
}

static void add_clang(const struct spincc *s, struct command *c)
{
	command__add(c, "%s", build__tool("CLANG", "clang"));
	command__add(c, "@%s/bpf/cflags", s->root);
	command__add(c, "-fno-crash-diagnostics"); /* without it a crash leaves files in /tmp */
}

/* Compiles one of the programs of bpf/ to LLVM IR. */
static void add_emit_ir(const struct spincc *s, struct command *c, const char *source, const char *ir)
{
	command__add(c, "-S");
	command__add(c, "-emit-llvm");
	command__add(c, "%s/bpf/%s", s->root, source);
	command__add(c, "-o");
	command__add(c, "%s", ir);
}

/* The context's program. */
static void add_ir(const struct spincc *s, struct command *c, const char *ir)
{
	add_emit_ir(s, c, "context.bpf.c", ir);
}

/* Same, but not optimised, for the steps that read and change the IR first. */
static void add_unoptimised(const struct spincc *s, struct command *c, const char *ir)
{
	command__add(c, "-Xclang");
	command__add(c, "-disable-llvm-passes");
	add_ir(s, c, ir);
}

static void add_from_ir(const struct spincc *s, struct command *c, const char *ir, const char *object)
{
	add_clang(s, c);
	command__add(c, "-x");
	command__add(c, "ir");
	command__add(c, "-c");
	command__add(c, "%s", ir);
	command__add(c, "-o");
	command__add(c, "%s", object);
}

/*
 * Builds the programs for kernels without may_goto (<spin/meta.h>). Types and lines are kept for the verifier. The C was
 * diagnosed before. If LLVM cannot compile them because the stack is too small, they are left out: such a handler needs Linux
 * 6.9.
 */
static int build_bounded(struct spincc *s, const char *object)
{
	struct command c = { 0 }, codegen = { 0 }, strip = { 0 };
	struct spin_registration registration;
	char entry[PATH_MAX], ir[PATH_MAX], walks[PATH_MAX];
	struct text output = { 0 };
	FILE *empty;
	int err;

	temps__path(s, "entry.o", entry); /* build_rv32() has created it */
	temps__path(s, "bounded.ll", ir);
	temps__path(s, "bounded_walks.ll", walks);
	if (read_registration(entry, &registration, NULL))
		return -1;
	add_clang(s, &c);
	command__add(&c, "-D__TARGET_ARCH_%s", arch_macro());
	add_system_headers(&c);
	add_common(s, &c);
	command__add(&c, "-w");
	command__add(&c, "-DSPIN_BOUNDED_LOOPS");
	if (registration.delivery == SPIN_DELIVER_ME)
		command__add(&c, "-DSPIN_BOUNDED_MESSAGES");
	add_unoptimised(s, &c, ir);
	err = build__run(s, &c, STAGE_BPF);
	if (err)
		return err;
	err = loops__write(s, ir, walks);
	if (!err) {
		output = (struct text){ 0 };
		add_from_ir(s, &codegen, walks, object);
		err = command__run(s, &codegen, &output);
		command__free(&codegen);
		free(output.data);
	}
	if (err) {
		empty = err > 0 ? fopen(object, "wb") : NULL;
		return empty ? fclose(empty) : -1;
	}
	command__add(&strip, "%s", build__tool("LLVM_STRIP", "llvm-strip"));
	command__add(&strip, "-g");
	command__add(&strip, "%s", object);
	return build__run(s, &strip, STAGE_BPF);
}

/* Checks the optimised IR: it keeps a test for 0 before each division whose divisor may be 0. */
static int check_divisors(struct spincc *s)
{
	struct command c = { 0 };
	struct text output = { 0 };
	char ir[PATH_MAX];
	int err;

	temps__path(s, "divisors.ll", ir);
	add_clang(s, &c);
	command__add(&c, "-D__TARGET_ARCH_%s", arch_macro());
	add_system_headers(&c);
	add_common(s, &c);
	command__add(&c, "-w");
	command__add(&c, "-Xclang");
	command__add(&c, "-fsanitize=integer-divide-by-zero");
	command__add(&c, "-Xclang");
	command__add(&c, "-fsanitize-trap=integer-divide-by-zero");
	add_ir(s, &c, ir);
	err = command__run(s, &c, &output);
	command__free(&c);
	free(output.data);
	return err < 0 ? -1 : err ? 0 : check__divisors(s, ir);
}

/*
 * Compiles the handler to LLVM IR. Only this step diagnoses the handler's C, before any code is generated. Later steps use the IR, so no
 * file is read twice.
 */
static int build_ir(struct spincc *s, const char *rv32, const char *bounded, const char *card, const char *ir)
{
	static const char *const strict[] = { "-Wvla", "-Walloca", "-Wcast-qual", "-Wassign-enum", NULL };
	struct command c = { 0 };
	int err;

	add_clang(s, &c);
	command__add(&c, "-D__TARGET_ARCH_%s", arch_macro());
	add_system_headers(&c);
	for (unsigned i = 0; strict[i]; i++)
		command__add(&c, "%s", strict[i]);
	add_common(s, &c);
	command__add(&c, "-DSPIN_RV32_IMAGE=\"%s\"", rv32);
	command__add(&c, "-DSPIN_BOUNDED_OBJECT=\"%s\"", bounded);
	if (card)
		command__add(&c, "-DSPIN_NFP_OBJECT=\"%s\"", card);
	add_unoptimised(s, &c, ir);
	err = build__run(s, &c, STAGE_FRONT);
	if (!err)
		err = check__ir(s, ir);
	return err || !check__has_divisors(s, ir) ? err : check_divisors(s);
}

/*
 * Builds the program for a card (<spin/offload.h>), with types and without debug information. `ir`: the IR of the handler's file, for
 * check__card(). -fno-jump-tables: a jump table would be read-only data, which a card's program cannot have.
 */
static int build_card(struct spincc *s, const char *ir, const char *object)
{
	struct command c = { 0 }, codegen = { 0 }, strip = { 0 };
	char optimised[PATH_MAX];

	temps__path(s, "nfp.ll", optimised);
	add_clang(s, &c);
	command__add(&c, "-D__TARGET_ARCH_%s", arch_macro());
	add_system_headers(&c);
	add_common(s, &c);
	command__add(&c, "-w");
	command__add(&c, "-fno-jump-tables");
	command__add(&c, "-DSPIN_NFP_");
	if (check__card(s, ir, &c)) {
		command__free(&c);
		return -1;
	}
	add_emit_ir(s, &c, "nfp.bpf.c", optimised);
	if (build__run(s, &c, STAGE_FRONT) || check__card_stores(s, optimised))
		return -1;
	add_from_ir(s, &codegen, optimised, object);
	if (build__run(s, &codegen, STAGE_BPF) || check__card_object(s, object))
		return -1;
	command__add(&strip, "%s", build__tool("LLVM_STRIP", "llvm-strip"));
	command__add(&strip, "-g");
	command__add(&strip, "%s", object);
	return build__run(s, &strip, STAGE_BPF);
}

/*
 * Without CAP_PERFMON the verifier also follows the wrong side of a test of a pointer that it knows to be NULL, as a processor may in
 * speculation, and before Linux 6.17 it rejects the use of the pointer there. So the optimiser must separate the path on which the pointer
 * is NULL, however much code that duplicates (example: tests/handlers/datagrams/returns.c), and the code generator must not join the paths
 * again. Not for handlers of messages, which load only as trusted: handlers/strided_ddt.c would become too large for the verifier.
 */
static void add_separate_paths(struct command *c)
{
	command__add(c, "-mllvm");
	command__add(c, "-jump-threading-threshold=200");
	command__add(c, "-mllvm");
	command__add(c, "-enable-tail-merge=false");
}

static int build_bpf(struct spincc *s, const char *ir)
{
	struct spin_registration registration;
	struct command c = { 0 };
	char object[PATH_MAX], walks[PATH_MAX], entry[PATH_MAX];

	temps__path(s, "object", object);
	temps__path(s, "walks.ll", walks);
	temps__path(s, "entry.o", entry);
	if (read_registration(entry, &registration, NULL) || loops__write(s, ir, walks))
		return -1;
	add_from_ir(s, &c, walks, object);
	if (registration.delivery != SPIN_DELIVER_ME)
		add_separate_paths(&c);
	return build__run(s, &c, STAGE_BPF);
}

int build__fat(struct spincc *s)
{
	char elf[PATH_MAX], bounded[PATH_MAX], card[PATH_MAX], ir[PATH_MAX], object[PATH_MAX];
	const int offloads = !strcmp(s->target, "nfp");

	temps__path(s, "rv32.elf", elf);
	temps__path(s, "nfp.o", card);
	temps__path(s, "bounded.o", bounded);
	temps__path(s, "handler.ll", ir);
	temps__path(s, "object", object);
	return build_ir(s, elf, bounded, offloads ? card : NULL, ir) || (offloads && build_card(s, ir, card)) ||
			       build_rv32(s, elf, STAGE_HPU) || build_bounded(s, bounded) || build_bpf(s, ir) || check__object(s, object)
		       ? -1
		       : 0;
}
