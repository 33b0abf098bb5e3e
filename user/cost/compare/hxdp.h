/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_HXDP_H
#define USER_COST_COMPARE_HXDP_H

/* hXDP's processor, by the properties of devices.def; for tests and for tests/accuracy/hxdp, too. */
#include "user/cost/compare/vliw.h"

/* Cycles of a packet. undrained: exits without an action in them, for which the pipeline drains. */
double hxdp__cycles(double rows, double undrained, double helper_calls);
/* vliw__compile() for hXDP's lanes. */
int hxdp__compile(struct vliw *v, const struct bpf_insn *insns, unsigned count, unsigned without);

#endif
