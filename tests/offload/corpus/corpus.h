/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Included by all programs of the corpus, the XDP programs that the checker of NFP cards (spinctl check --target nfp) is tested with. Each
 * .c file is several programs: one for each line `expect: VERDICT [RULE] [on KERNEL] : MACROS`, compiled with those macros. VERDICT:
 * accept, warn (loads, with a caveat), reject, or unknown (the checker cannot tell). RULE: the row of kernel/nfp/rules.h that is reported.
 * With `on KERNEL` the other kernel accepts. tests/offload/checker_knows_each_rule.sh compares the checker's verdicts with these lines,
 * checker_agrees_with_the_driver.sh with the driver's own.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

/* barrier: hides the value of x from the compiler. PACKET: data and end, with 64 bytes tested, else the packet is dropped. */
#define barrier(x) asm volatile("" : "+r"(x))
#define PACKET(ctx)                                                  \
	unsigned char *data = (unsigned char *)(long)(ctx)->data;    \
	unsigned char *end = (unsigned char *)(long)(ctx)->data_end; \
	if (data + 64 > end)                                         \
	return XDP_DROP

char _license[] SEC("license") = "GPL";

#endif
