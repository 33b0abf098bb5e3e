/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* As many maps as the card has, and one more. None has to be used. */
/* expect: accept : LAST=0 */
/* expect: reject map-count : LAST=1 */
#include "corpus.h"

/* clang-format off */
#define MAP(n)                                    \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, 1);           \
		__uint(key_size, 4);              \
		__uint(value_size, 4);            \
	} map##n SEC(".maps");
#define MAPS4(n)  MAP(n##0) MAP(n##1) MAP(n##2) MAP(n##3)
#define MAPS16(n) MAPS4(n##0) MAPS4(n##1) MAPS4(n##2) MAPS4(n##3)
#define MAPS64(n) MAPS16(n##0) MAPS16(n##1) MAPS16(n##2) MAPS16(n##3)
MAPS64(_0) MAPS64(_1)
#if LAST
MAP(_last)
#endif
	/* clang-format on */

	SEC("xdp") int prog(struct xdp_md *ctx)
{
	return XDP_PASS;
}
