/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether packets may go in trains. Where nothing cuts a train before the receiver's XDP program (generic mode on a
 * loopback interface or a veth) it comes as one datagram, which no receiver of SLMP can take: what goes in trains is lost
 * there. So they are tried with two packets, and used once a packet of a train was acknowledged. The first packet of
 * a message goes alone, and no train before it was taken: a receiver would take its length for that of all packets. What was
 * lost goes alone, too.
 */
#include "user/libspin/send.h"

#define LOST_MOST 128u  /* packets of trains, one after the other: the way has changed */
#define TRY_AGAIN 2048u /* packets later: those that were tried may have been lost as any other */

unsigned send_trains__next(struct send_trains *t, int is_open, unsigned space)
{
	if (!is_open || space < 2)
		return 0;
	if (t->state == SEND_TRAINS_PROVEN)
		return space;
	if (t->state == SEND_TRAINS_TRIED)
		return 0;
	if (t->wait) {
		t->wait--;
		return 0;
	}
	t->state = SEND_TRAINS_TRIED;
	return 2;
}

void send_trains__acknowledged(struct send_trains *t)
{
	t->state = SEND_TRAINS_PROVEN;
	t->lost = 0;
}

void send_trains__lost(struct send_trains *t)
{
	if (t->state == SEND_TRAINS_PROVEN && ++t->lost < LOST_MOST)
		return;
	t->state = SEND_TRAINS_UNKNOWN;
	t->wait = TRY_AGAIN;
	t->lost = 0;
}

void send_trains__start(struct send_trains *t)
{
	if (t->state == SEND_TRAINS_TRIED) /* the message ended before anything was known */
		t->state = SEND_TRAINS_UNKNOWN;
}
