/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a memcpy of 2048 bytes between table entries. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct big { uint8_t b[2048]; };
struct two { struct big a, b; };
SPIN_TABLE(bigs, struct two, 1);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	__builtin_memcpy((void *)&bigs[0].a, &bigs[0].b, 2048); // compiler: this copies or fills too much at once; write a loop with a constant bound
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(copy_too_large, .payload = f);
