/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_FRAMING_H
#define NIC_FRAMING_H

/* How an offered frame lies in packet memory for an image that is not ours. */
#include <hwmodel/traffic.h>

#include "hwmodel/nic/inbound.h"

/*
 * Where its packet begins in the frame and how many bytes it has: in->ip_off, in->packet_bytes. SPIN_REASON_COUNT, or why
 * there is none.
 */
enum spin_reason framing__find(enum pspin_framing framing, const uint8_t *frame, size_t bytes, struct inbound *in);
/* The packet as the image wants it. */
void framing__place(enum pspin_framing framing, const uint8_t *frame, const struct inbound *in, uint8_t *to);

#endif
