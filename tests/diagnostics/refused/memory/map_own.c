/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an eBPF map. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct {
	int (*type)[1];
	int (*max_entries)[64];
	uint32_t *key, *value;
} own __attribute__((section(".maps"), used)); // compiler: 'own' is a map of eBPF, which an HPU does not have; use SPIN_TABLE or the struct of SPIN_STATE

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(map_own, .payload = f);
