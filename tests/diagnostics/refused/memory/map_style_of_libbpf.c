/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an eBPF map as libbpf declares it. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct { __uint(type, 1); } m SEC(".maps"); // compiler: sections and maps are eBPF's own, which an HPU does not have; use SPIN_TABLE or the struct of SPIN_STATE

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(map_style_of_li, .payload = f);
