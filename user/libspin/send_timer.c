/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <time.h>

#include "user/libspin/send.h"

/* Until a round trip is known; and limits: of a LAN's scheduling, and of a receiver that has no room. */
#define FIRST_NS 100000000u
#define LEAST_NS 5000000u
#define MOST_NS  1000000000u
#define LATELY   8u /* waits */

uint64_t send_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void send_timer__measured(struct send_timer *t, uint64_t round_trip_ns, uint64_t now_ns)
{
	uint64_t off = round_trip_ns > t->smoothed_ns ? round_trip_ns - t->smoothed_ns : t->smoothed_ns - round_trip_ns;

	if (!t->smoothed_ns) {
		t->variation_ns = round_trip_ns / 2;
		t->smoothed_ns = round_trip_ns + 1;
	} else {
		t->variation_ns = t->variation_ns - t->variation_ns / 4 + off / 4;
		t->smoothed_ns = t->smoothed_ns - t->smoothed_ns / 8 + round_trip_ns / 8 + 1;
	}
	t->backoff = 0;
	t->measured_ns = now_ns;
}

/*
 * Without this a way that is slower than the wait would have every packet sent twice, and never be measured. As
 * long as others are measured, the packet was lost.
 */
void send_timer__late(struct send_timer *t, unsigned waits, uint64_t now_ns)
{
	uint64_t lately_ns = LATELY * send_timer__wait_ns(t, 0);

	if (!t->fixed_ns && waits > t->backoff && now_ns - t->measured_ns > lately_ns)
		t->backoff = waits;
}

uint64_t send_timer__wait_ns(const struct send_timer *t, unsigned waits)
{
	uint64_t wait = t->fixed_ns ? t->fixed_ns : FIRST_NS, most = MOST_NS;

	if (!t->fixed_ns && t->smoothed_ns)
		wait = t->smoothed_ns + 4 * t->variation_ns;
	if (!t->fixed_ns && wait < LEAST_NS)
		wait = LEAST_NS;
	if (most < wait)
		most = wait;
	waits += t->backoff;
	return waits >= 16 || wait << waits > most ? most : wait << waits;
}
