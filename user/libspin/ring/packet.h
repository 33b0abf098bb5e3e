/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_RING_PACKET_H
#define USER_LIBSPIN_RING_PACKET_H

/*
 * Finds payload and addresses in a frame that an AF_XDP socket has received, as handlers have left it. Called by queue.c for each packet
 * before it is given to the application.
 */
#pragma GCC visibility push(default)
#include <spin/libspin_ring.h>
#pragma GCC visibility pop

/* Sets all fields but `queue`. Reads nothing beyond the frame, whatever its headers say. */
void ring_packet__read(struct spin_ring_packet *packet, uint8_t *frame, uint32_t bytes);

#endif
