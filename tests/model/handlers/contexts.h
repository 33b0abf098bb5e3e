/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_CONTEXTS_H
#define TESTS_MODEL_HANDLERS_CONTEXTS_H

/* State of contexts.c, read by the tests of several contexts. */
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
