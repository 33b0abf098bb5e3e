/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_WAITS_H
#define TESTS_MODEL_HANDLERS_WAITS_H

/* State of the handler waits.c: which command each wait was for. */
#include <spin/spin.h>

#define WAITS_MORE 7u               /* under way at once: more than slots */
#define WAITS_SAID (WAITS_MORE + 3) /* of each task */

struct waits {
	uint32_t done;
};

#endif
