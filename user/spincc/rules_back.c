/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What messages of the tools after clang's front end mean to a handler's author: gcc for rv32, its assembler and linker, and LLVM's eBPF
 * back end. Used by explain.c.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "user/spincc/rules.h"

#define SIGNED_DIVISION "signed division or modulo; eBPF divides unsigned numbers only: use uint32_t or uint64_t"
#define COUNT_BITS      "eBPF has no instruction that counts bits; count them in a loop with a constant bound"
#define COPY            "this copies or fills too much at once; write a loop with a constant bound"
#define ASSEMBLY        "inline assembly; a handler is plain C, which both eBPF and rv32 are made from"

/* clang-format off */
/* { text in the tool's message, what spincc prints for it, flags }; @: the name in quotes. The first row that matches applies. */
const struct rule rules_hpu[] = {
	{ "No such file or directory",
	  "this header is the system's, which no HPU has; include <spin/spin.h> and headers of your own", RULE_LAST },
	{ "'__int128' is not supported", "numbers of 128 bits; compute with two of uint64_t", RULE_LAST },
	{ "undefined reference to", NULL, RULE_FUNCTION },
	{ "multiple definition of", "@ is defined a second time, and the HPU's runtime has it; call it something else", RULE_IN_SOURCE |
	  RULE_LAST },
	{ "ld returned", NULL, RULE_SILENT }, /* the linker has given its reason before */
	{ " in 'asm'", ASSEMBLY, RULE_ASM },
	{ "Error: ", ASSEMBLY, RULE_ASM },
	{ "the handler's code exceeds",
	  "the handlers are too large for an HPU's 32 KiB of program memory; repeat less of the code", RULE_AT_END |
	  RULE_LAST },
	{ "spin: state in L1 exceeds", "@; state in L1 has 511 KiB: make it smaller, or leave it in L2", RULE_MEMORY |
	  RULE_LAST },
	{ "spin: state in L1 and memory of clusters exceed",
	  "@; state in L1 and SPIN_PER_CLUSTER have 511 KiB in each L1: make them smaller", RULE_MEMORY | RULE_LAST },
	{ "spin: state and data exceed", "@; an HPU has 1 MiB for state: make it smaller", RULE_MEMORY | RULE_LAST },
	{ "spin: tables exceed", "@; an HPU has 3 MiB for tables: make it smaller", RULE_MEMORY | RULE_LAST },
	{ " overlaps section .spin_tables", "@; an HPU has 3 MiB for tables: make it smaller", RULE_MEMORY | RULE_LAST },
	{ " overlaps section ", "@; an HPU has 1 MiB for state and 3 MiB for tables: make it smaller", RULE_MEMORY |
	  RULE_LAST },
	RULE_HPU_STACK,
	{ "[-Wuninitialized]", "@ is read before it has a value; initialise it", 0 },
	{ "[-Wmaybe-uninitialized]", "@ may be read before it has a value; initialise it", RULE_WARNING },
	{ "[-W", NULL, RULE_SILENT }, /* clang has reported the C already */
	{ 0 },
};

const struct rule rules_bpf[] = {
	{ "nsupport signed division", SIGNED_DIVISION, RULE_LAST },
	{ "nsupported signed division", SIGNED_DIVISION, RULE_LAST },
	{ "A call to built-in function", NULL, RULE_FUNCTION | RULE_LAST },
	{ "BPF stack limit", "@ of stack; handlers have about 256 in all: keep large variables in the state", RULE_STACK |
			     RULE_LAST },
	{ "too many args", "more than 5 arguments to a function that is not inlined; declare it static inline, or pass a "
			   "pointer to a struct", RULE_LAST },
	{ "pass by value", "a struct is passed by value to a function that is not inlined; pass a pointer to it, or declare "
			   "the function static inline", RULE_LAST },
	{ "StructRet", "a struct is returned by a function that is not inlined; declare it static inline, or fill one through "
		       "a pointer", RULE_DEFINED | RULE_LAST },
	{ "nsupported atomic operation", "atomics of another size than 32 bits; use spin_add32 and spin_cas32", RULE_LAST },
	{ "Atomic", "an atomic operation that eBPF does not have; use spin_add32, spin_cas32, spin_load32 and spin_store32",
	  RULE_LAST },
	{ "ATOMIC", "an atomic operation that eBPF does not have; use spin_add32, spin_cas32, spin_load32 and spin_store32",
	  RULE_LAST },
	{ "nsupported dynamic stack", "memory of variable size on the stack; write an array of its largest length", RULE_LAST },
	{ "= ctlz", COUNT_BITS, RULE_LAST },
	{ "= cttz", COUNT_BITS, RULE_LAST },
	{ "= ctpop", COUNT_BITS, RULE_LAST },
	{ "= brind", "a computed goto; use switch", RULE_SUSPECT | RULE_LAST },
	{ "Cannot select", "eBPF has no instruction for this; write it with unsigned numbers of at most 64 bits", RULE_SUSPECT |
	  RULE_LAST },
	{ "error in backend", "eBPF has no instruction for this; write it with unsigned numbers of at most 64 bits",
	  RULE_SUSPECT | RULE_LAST },
	{ "invalid register/token name", ASSEMBLY, RULE_ASM | RULE_LAST },
	{ "couldn't allocate", ASSEMBLY, RULE_ASM | RULE_LAST },
	{ "unknown register name", ASSEMBLY, RULE_ASM | RULE_LAST },
	{ "in asm", ASSEMBLY, RULE_ASM | RULE_LAST },
	{ "out of insn range", "the handlers are too large: a branch in eBPF reaches 32,767 instructions; repeat less of "
			       "the code", RULE_AT_END | RULE_LAST },
	{ "value too large", "the handlers are too large: a branch in eBPF reaches 32,767 instructions; repeat less of the "
			     "code", RULE_AT_END | RULE_LAST },
	{ "[-W", NULL, RULE_SILENT },
	{ "failed with exit code", "the compiler for eBPF crashed on this file; leave out one function after the other to find "
				   "out which one it is", RULE_SUSPECT | RULE_AT_END | RULE_LAST },
	{ "failed due to signal", "the compiler for eBPF crashed on this file; leave out one function after the other to find "
				  "out which one it is", RULE_SUSPECT | RULE_AT_END | RULE_LAST },
	{ 0 },
};

const struct rule rules_suspect[] = {
	{ "blockaddress(", "a computed goto; use switch", 0 },
	{ "@llvm.frameaddress", "the address of a stack frame, which eBPF does not have; do without", 0 },
	{ "@llvm.returnaddress", "the address to return to, which eBPF does not have; do without", 0 },
	{ " sdiv ", SIGNED_DIVISION, 0 },
	{ " srem ", SIGNED_DIVISION, 0 },
	{ "@llvm.memcpy.", COPY, 0 },
	{ "@llvm.memmove.", COPY, 0 },
	{ "@llvm.memset.", COPY, 0 },
	{ 0 },
};
/* clang-format on */

static int starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static int ends(const char *name, const char *with)
{
	size_t length = strlen(name), want = strlen(with);

	return length >= want && !strcmp(name + length - want, with);
}

/* Returns 1 for functions of libgcc and compiler-rt on float and double: __addsf3, __floatunsidf, __fixdfsi. */
static int is_float_helper(const char *name)
{
	static const char *const kinds[] = { "sf", "df", "sf2", "df2", "sf3", "df3", "tf", "tf2", "tf3" };

	if (!starts(name, "__"))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (ends(name, kinds[i]))
			return 1;
	return starts(name, "__fix") || starts(name, "__float");
}

/* "__atomic_fetch_add_8": the size in bytes is the last part of the name. */
static int has_other_size(const char *name)
{
	const char *last = strrchr(name, '_');
	unsigned long bytes = strtoul(last + 1, NULL, 10);

	return bytes && bytes != 4;
}

const char *rules__function(const char *name)
{
	static const char *const math[] = { "sqrt", "pow", "exp", "log", "sin", "cos", "floor", "ceil", "fmod" };

	if (starts(name, "bpf_"))
		return "@ is eBPF's own, which an HPU does not have; call nothing but the functions of <spin/spin.h> and your own";
	if (ends(name, "memmove"))
		return "there is no function @; use __builtin_memcpy of a constant length where the two places do not overlap, and a "
		       "loop with a constant bound where they do";
	if (ends(name, "memcpy") || ends(name, "memset"))
		return "@ of a length that is not constant, or too long to be written out; write a loop with a constant bound, "
		       "or __builtin_memcpy with a constant length";
	if (ends(name, "malloc") || ends(name, "calloc") || ends(name, "realloc") || ends(name, "free"))
		return "@: handlers have no heap; keep memory in the struct of SPIN_STATE or in a SPIN_TABLE";
	if (ends(name, "printf") || starts(name, "put"))
		return "@: handlers cannot print; count in the state, and read it with spinctl";
	if (is_float_helper(name))
		return "floating point; compute with integers, scaled by a power of two";
	for (size_t i = 0; i < sizeof(math) / sizeof(math[0]); i++)
		if (!strcmp(name, math[i]))
			return "@ computes in floating point; compute with integers, scaled by a power of two";
	if (starts(name, "__atomic_") || starts(name, "__sync_"))
		return has_other_size(name) ? "atomics of another size than 32 bits; use spin_add32 and spin_cas32"
					    : "an atomic operation that eBPF does not have; use spin_add32, spin_cas32, spin_load32 "
					      "and spin_store32";
	if (ends(name, "ti3") || ends(name, "ti2"))
		return "numbers of 128 bits; compute with two of uint64_t";
	return "there is no function @; handlers have no C library: call those of <spin/spin.h> and your own";
}
