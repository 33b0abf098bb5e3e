/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * State of handlers (variables that all HPUs share) with an initial value. machine_boots_and_recovers.c links it and checks that boot
 * copies both words to address 0x10080000 in L1.
 */
#include <stdint.h>

uint32_t spin_state[2] __attribute__((used, section(".spin_state"), aligned(8))) = { 0x11223344, 0x55667788 };
