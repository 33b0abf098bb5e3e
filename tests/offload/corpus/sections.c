/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sections of programs, and what they return. */
/* expect: accept : NAME="xdp" CODE=XDP_PASS */
/* expect: accept : NAME="xdp" CODE=XDP_DROP */
/* expect: accept : NAME="xdp" CODE=XDP_TX */
/* expect: accept : NAME="xdp" CODE=XDP_ABORTED */
/* expect: warn return-code : NAME="xdp" CODE=XDP_REDIRECT */
/* expect: warn return-code : NAME="xdp" CODE=77 */
/* expect: reject prog-frags : NAME="xdp.frags" CODE=XDP_PASS */
/* expect: reject prog-kind : NAME="xdp/devmap" CODE=XDP_PASS */
/* expect: reject prog-kind : NAME="xdp/cpumap" CODE=XDP_PASS */
#include "corpus.h"

SEC(NAME) int prog(struct xdp_md *ctx)
{
	return CODE;
}
