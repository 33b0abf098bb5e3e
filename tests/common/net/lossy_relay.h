/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOSSY_RELAY_H
#define TESTS_COMMON_LOSSY_RELAY_H

/* The thread that moves the frames of one direction, rates and sockets given. */
#include "tests/common/net/lossy.h"

int lossy_relay__start(struct lossy_way *w);
/* After *w->stopping was set. */
void lossy_relay__join(struct lossy_way *w);

#endif
