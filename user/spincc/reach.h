/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_REACH_H
#define USER_SPINCC_REACH_H

#include <stdint.h>

#include "user/spincc/ir.h"

#define REACH_ALL UINT32_MAX

/*
 * Returns how many bytes at the start of a packet's payload the handlers may look at, by unoptimised IR: 0, if they look at none; REACH_ALL
 * if an offset is not a constant, if they walk over the payload, or if the IR was not understood. Called by loops.c.
 */
uint32_t reach__of_handlers(const struct ir *ir);

#endif
