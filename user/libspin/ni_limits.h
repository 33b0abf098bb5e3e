/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_NI_LIMITS_H
#define USER_LIBSPIN_NI_LIMITS_H

/*
 * Sizes that fit into the memory of PsPIN's processors (HPUs) and into a frame's buffer, and the check of the capabilities that an
 * application asks for. Used by limits.c, ctx.c, load/context.c and hpu/memory.c.
 */
#include "user/libspin/internal.h"

#pragma GCC visibility push(default)
#include <spin/libspin_hpu.h>
#pragma GCC visibility pop

/* What an HPU image can hold; spincc refuses more (hwmodel/image/pspin.ld; PsPIN: 4 MiB of L2 handler memory). */
#define SPIN_STATE_MAX       (1u << 20) /* bytes of state */
#define SPIN_HANDLER_MEM_MAX (4u << 20) /* of state and tables */

/* An IP packet that always lies in one buffer; the limit where frames in several buffers are not copied. */
#define NI_LINEAR_BYTES_MAX 3500u

/* Returns -ENOTSUP with a reason if contexts with this delivery on nic (NULL: none) lack one of these capabilities. */
int capabilities__check(struct spin_nic *nic, enum spin_delivery delivery, uint32_t wanted);

#endif
