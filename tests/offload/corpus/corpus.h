/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What programs of the corpus share. Each .c file is several programs: a line `expect: VERDICT : DEFINES` for each. */
#ifndef CORPUS_H
#define CORPUS_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define barrier(x) asm volatile("" : "+r"(x))
#define PACKET(ctx)                                                  \
	unsigned char *data = (unsigned char *)(long)(ctx)->data;    \
	unsigned char *end = (unsigned char *)(long)(ctx)->data_end; \
	if (data + 64 > end)                                         \
	return XDP_DROP

char _license[] SEC("license") = "GPL";

#endif
