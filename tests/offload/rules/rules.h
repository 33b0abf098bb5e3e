/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the programs of tests/offload share: one rule of the NFP driver's each, as small as it can be. What the driver says of
 * them is in tests/offload/rules.expected.
 */
#ifndef TESTS_OFFLOAD_RULES_H
#define TESTS_OFFLOAD_RULES_H

#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define LICENSE char _license[] SEC("license") = "GPL"

/* The packet's first `bytes`, or the program ends. */
#define PACKET(ctx, bytes)                                             \
	({                                                             \
		__u8 *packet_ = (void *)(long)(ctx)->data;             \
                                                                       \
		if (packet_ + (bytes) > (__u8 *)(long)(ctx)->data_end) \
			return XDP_PASS;                               \
		packet_;                                               \
	})

#endif
