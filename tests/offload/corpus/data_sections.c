/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Variables and constants, which are maps with flags. */
/* expect: accept : KIND=0 */
/* expect: reject global-data : KIND=1 */
/* expect: reject global-data : KIND=2 */
/* expect: reject global-data : KIND=3 */
/* expect: reject global-data : KIND=4 */
#include "corpus.h"

#if KIND == 1
unsigned counter;
#elif KIND == 2
unsigned counter = 7;
#elif KIND == 3
const volatile unsigned limit = 7;
#endif

SEC("xdp") int prog(struct xdp_md *ctx)
{
#if KIND == 1 || KIND == 2
	return counter > 5 ? XDP_DROP : XDP_PASS;
#elif KIND == 3
	return limit > 5 ? XDP_DROP : XDP_PASS;
#elif KIND == 4
	bpf_printk("seen");
#endif
	return XDP_PASS;
}
