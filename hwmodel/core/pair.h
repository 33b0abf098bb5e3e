/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The code of one fused pair: two instructions that the simulated core runs in one dispatch. Each switch has the code of all rows of
 * isa.def. FIRST and SECOND are constants, so the compiler keeps one case of each. Included by pairs.h, once for each pair, in the middle
 * of exec__run() (exec.c).
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
