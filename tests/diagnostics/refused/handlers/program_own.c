/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a function in a section of its own. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static int g(void *c) { (void)c; return 2; }
__attribute__((section("xdp"), used)) static int other(void *ctx) { return g(ctx); } // compiler: a function in a section of its own, as eBPF programs are; register it with SPIN_HANDLERS

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(program_own, .payload = f);
