/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOSSY_RELAY_H
#define TESTS_COMMON_LOSSY_RELAY_H

/*
 * The thread that forwards one direction of a bad link (lossy.h): it loses, duplicates and reorders frames. Started by lossy.c, which sets
 * rates and sockets before.
 */
#include "tests/common/net/lossy.h"

int lossy_relay__start(struct lossy_direction *w);
/* Call after *w->stopping was set. */
void lossy_relay__join(struct lossy_direction *w);

#endif
