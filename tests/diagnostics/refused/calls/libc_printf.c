/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: printf(): handlers cannot print. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

int printf(const char *format, ...);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	printf("%u\n", p->length); // compiler: 'printf': handlers cannot print; count in the state, and read it with spinctl
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(libc_printf, .payload = f);
