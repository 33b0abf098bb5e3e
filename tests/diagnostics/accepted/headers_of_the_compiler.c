/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: headers of the compiler (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n, words[16];
};
SPIN_STATE(struct tally);

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	bool large = p->length > UINT16_MAX / 2;

	state->n = large ? INT_MAX : offsetof(struct tally, words);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(headers_of_the_, .payload = f);
