/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The code of one fused pair of instructions in exec.c. FIRST and SECOND are constants, so the compiler keeps one case of each switch.
 * Included by pairs.h once for each pair.
 */
PAIR_LABEL(FIRST, SECOND) : switch (PAIR_OPCODE(FIRST))
{
#define INSN(name, text, match, mask, fmt, cls, ...) \
	case RV32_OP_##name: {                       \
		__VA_ARGS__;                         \
	} break;
#include "hwmodel/core/isa.def"
default:
	break;
}
op++;
switch (PAIR_OPCODE(SECOND)) {
#include "hwmodel/core/isa.def"
#undef INSN
default:
	break;
}
NEXT();
#undef FIRST
#undef SECOND
