/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_NFP_H
#define USER_COST_COMPARE_NFP_H

/* The NFP's formula, by the properties of devices.def. Rates in million packets a second. */

/* Instructions of the card for a program of so many eBPF instructions, each of which runs once. */
double nfp__instructions(unsigned bpf_instructions);
/* The rate of one engine. wait_cycles: that a thread waits for memory for each packet, while others run. */
double nfp__engine_mpps(double instructions, double wait_cycles);

#endif
