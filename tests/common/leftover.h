/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_LEFTOVER_H
#define TESTS_LEFTOVER_H

/* What killed processes may have left in the kernel. */
#include <stdint.h>

/* Maps with values of so many bytes, on the whole machine: a size that nobody else has tells a test's own apart. */
unsigned leftover__maps(uint32_t value_bytes);
/* 1: an interface of the thread's namespace has an XDP program. */
int leftover__program(const char *dev);

#endif
