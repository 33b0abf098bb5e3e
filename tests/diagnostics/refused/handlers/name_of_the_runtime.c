/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a variable with a name of the HPU's runtime. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n; };
SPIN_STATE(struct tally);

const uint32_t spin_runtime_[] = { 1, 2, 3 }; // compiler: 'spin_runtime_' is defined a second time, and the HPU's runtime has it; call it something else

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n += spin_runtime_[p->length % 3];
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(runtimes, .payload = f);
