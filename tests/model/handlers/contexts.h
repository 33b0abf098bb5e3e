/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_CONTEXTS_H
#define TESTS_MODEL_HANDLERS_CONTEXTS_H

/* State of the handler contexts.c, which the tests of several contexts read. */
#include <stdint.h>

#ifndef MORE_WORDS
#define MORE_WORDS 1 /* how large the state is */
#endif

struct counts {
	uint32_t packets; /* that have been handled */
	uint32_t rounds;  /* of all of them */
	uint32_t more[MORE_WORDS];
};

#endif
