/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_WAITS_H
#define TESTS_MODEL_HANDLERS_WAITS_H

/* State of the test handler waits.c, watched by tests/model/waits_are_for_the_right_command.c: the command whose wait returned last. */
#include <spin/spin.h>

#define WAITS_MORE 7u               /* in flight at once: more than there are slots */
#define WAITS_SAID (WAITS_MORE + 3) /* values stored by each task */

struct waits {
	uint32_t done;
};

#endif
