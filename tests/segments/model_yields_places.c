/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens more TCP connections than the modelled NIC has places for (SPIN_CONNECTIONS_MAX). A new one must take the place of one that is
 * over, or else of an unproven one (fewer than SPIN_PROVEN_PACKETS accepted segments) with the fewest. If all are proven, a new one must be
 * dropped as NO_MPQ, but if they all are of one source and it is of another, one of them yields. Run by tests/run.
 */
#include "tests/segments/model.h"

#define PLACES SPIN_CONNECTIONS_MAX

static struct pspin *nic;

static enum spin_reason send(uint16_t port, uint32_t seq, uint8_t flags, uint32_t bytes)
{
	const struct segment_spec s = { .port = port, .seq = seq, .flags = flags, .bytes = bytes };

	return segments__send(nic, &s).reason;
}

/* Opens a connection of that port, and returns the number that it gets. */
static uint32_t open_connection(uint16_t port)
{
	const uint32_t before = segments__count(nic).headers;

	CHECK(send(port, 100, SYN, 0) == SPIN_REASON_PROCEEDED && segments__count(nic).headers == before + 1, "a connection begins");
	return segments__count(nic).header_connection;
}

/* Adds to a connection's accepted segments. */
static void prove(uint16_t port, unsigned segments)
{
	while (segments--)
		CHECK(send(port, 101, ACK, 0) == SPIN_REASON_PROCEEDED, "an acknowledgement passes");
}

int main(void)
{
	struct rig_file image = segments__build("seg_count");
	struct segment_spec other = { .port = 1, .seq = 100, .flags = SYN, .is_ip6 = 1 };
	const uint16_t first = 1000, last = (uint16_t)(first + PLACES - 1), more = (uint16_t)(last + 1);

	nic = segments__open(image, seg_count_registration);
	for (unsigned i = 0; i < PLACES; i++)
		CHECK(open_connection((uint16_t)(first + i)) == i, "each connection has a number of its own");

	/* the fewest segments: one more than each of the others has, but for one */
	for (unsigned i = 0; i < PLACES; i++)
		if (i != 7)
			prove((uint16_t)(first + i), 1);
	CHECK(open_connection(more) == 7, "the one with the fewest segments yields");
	CHECK(send((uint16_t)(first + 7), 101, ACK, 0) == SPIN_REASON_PROCEEDED, "it is forgotten:");
	CHECK(open_connection((uint16_t)(first + 7)) == 7, "it begins again, and the newest one yields");

	/* one that is over comes before those */
	CHECK(send((uint16_t)(first + 9), 101, FIN, 0) == SPIN_REASON_PROCEEDED && segments__count(nic).completions == 1,
	      "a connection ends");
	CHECK(open_connection(more) == 9, "its place is taken");
	CHECK(send((uint16_t)(first + 9), 101, FIN, 0) == SPIN_REASON_PROCEEDED && segments__count(nic).completions == 1,
	      "it is forgotten");

	for (unsigned i = 0; i < PLACES; i++)
		prove((uint16_t)(i == 9 ? more : first + i), SPIN_PROVEN_PACKETS);
	CHECK(send(50, 100, SYN, 0) == SPIN_REASON_NO_MPQ, "proven ones do not yield");
	CHECK(send(50, 100, ACK, 5) == SPIN_REASON_NO_MPQ, "nor for a connection without SYN");
	CHECK(send(50, 100, ACK, 0) == SPIN_REASON_PROCEEDED && send(50, 100, RST, 0) == SPIN_REASON_PROCEEDED,
	      "segments that begin none pass");
	CHECK(pspin__count(nic, SPIN_REASON_NO_MPQ) == 2, "the dropped ones are counted");
	CHECK(send((uint16_t)(first + 20), 101, ACK, 5) == SPIN_REASON_SUCCESS, "those that are open go on");
	CHECK(send((uint16_t)(first + 30), 900, SYN, 0) == SPIN_REASON_PROCEEDED && segments__count(nic).header_connection == 30,
	      "and begin again in their own place");
	CHECK(send((uint16_t)(first + 31), 101, RST, 0) == SPIN_REASON_PROCEEDED && open_connection(50) == 31, "a reset frees a place");

	prove(50, SPIN_PROVEN_PACKETS);
	prove((uint16_t)(first + 30), SPIN_PROVEN_PACKETS);
	CHECK(send(51, 100, SYN, 0) == SPIN_REASON_NO_MPQ, "all are proven again, and of one source");
	CHECK(segments__send(nic, &other).reason == SPIN_REASON_PROCEEDED && segments__count(nic).header_connection == 7,
	      "to another source the one with the fewest segments yields");
	other.port = 2;
	CHECK(segments__send(nic, &other).reason == SPIN_REASON_PROCEEDED && segments__count(nic).header_connection == 7,
	      "the next of that source takes the same place, while it is unproven");
	for (unsigned i = 0; i < SPIN_PROVEN_PACKETS; i++) {
		const struct segment_spec s = { .port = 2, .seq = 101, .flags = ACK, .is_ip6 = 1 };

		CHECK(segments__send(nic, &s).reason == SPIN_REASON_PROCEEDED, "an acknowledgement passes");
	}
	other.port = 3;
	CHECK(segments__send(nic, &other).reason == SPIN_REASON_NO_MPQ && send(51, 100, SYN, 0) == SPIN_REASON_NO_MPQ,
	      "with proven connections of two sources no place is left");
	pspin__close(nic);
	free(image.data);
	return failures != 0;
}
