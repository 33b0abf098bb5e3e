/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOSSY_RELAY_H
#define TESTS_COMMON_LOSSY_RELAY_H

/* The relay thread of one direction. The caller sets rates and sockets. */
#include "tests/common/net/lossy.h"

int lossy_relay__start(struct lossy_direction *w);
/* Call after *w->stopping was set. */
void lossy_relay__join(struct lossy_direction *w);

#endif
