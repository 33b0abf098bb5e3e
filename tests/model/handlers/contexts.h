/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_CONTEXTS_H
#define TESTS_MODEL_HANDLERS_CONTEXTS_H

/* State of the test handler contexts.c, read by tests/model/contexts_share_the_hpus.c. */
#include <stdint.h>

#ifndef MORE_WORDS
#define MORE_WORDS 1 /* pads the state */
#endif

struct counts {
	uint32_t packets; /* handled so far */
	uint32_t rounds;  /* sum over all packets */
	uint32_t more[MORE_WORDS];
};

#endif
