/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_RING_FIXTURE_H
#define TESTS_COMMON_RING_FIXTURE_H

/*
 * For tests/ring: an attached handler with a ring (packets straight to the application, past the host's stack) on the far end of a veth
 * pair, frames that are sent to it from the near end, and checks of what its ring receives. The calling thread is in the far end's
 * namespace. Failures end the test.
 */
#include <spin/libspin_ring.h>

#include "tests/common/net/pair.h"

#define RING_FIXTURE_PORT 9000

struct ring_fixture {
	struct pair pair;
	struct spin_nic *nic; /* of the far end */
	struct spin_ctx *ctx;
	struct spin_ring *ring;
	int packet_socket; /* on the near end */
};

/* Opens only the pair and the interface. */
void ring_fixture__open(struct ring_fixture *r, enum spin_mode mode);
/* Creates and attaches a context of a built handler, without a ring. */
struct spin_ctx *ring_fixture__context(struct ring_fixture *r, const char *handler, const char *rule, const struct spin_ctx_opts *opts);
struct spin_ring *ring_fixture__ring(struct spin_ctx *ctx, const struct spin_ring_opts *opts);
/* Creates context and ring, in the struct: the handler `returns`, for datagrams to RING_FIXTURE_PORT. */
void ring_fixture__start(struct ring_fixture *r, const struct spin_ring_opts *opts);
/* Destroys everything in the struct. */
void ring_fixture__close(struct ring_fixture *r);

/* Sends a frame unchanged from the near end. */
void ring_fixture__send(const struct ring_fixture *r, const void *frame, uint32_t bytes);

/*
 * Builds an IPv4 datagram to RING_FIXTURE_PORT with `bytes` of payload, at least 12. It carries `number`, and the rest of the payload is derived
 * from it. The handler `returns` passes it, or drops it if `dropped`. Returns the frame's length.
 */
uint32_t ring_fixture__datagram(uint8_t *frame, uint64_t number, uint32_t bytes, int dropped);
/* Sends `count` datagrams, numbered from `first` on. */
void ring_fixture__send_datagrams(const struct ring_fixture *r, uint64_t first, uint64_t count, uint32_t bytes);

/*
 * Callback for spin_ring__receive(): each packet must be a whole datagram of ring_fixture__datagram(), with a higher number than the one
 * before. arg: struct ringed_seen.
 */
struct ringed_seen {
	uint64_t count, next;
};
void ringed__check_packets(void *arg, const struct spin_ring_packet *packets, unsigned count);

/* Waits until the context has counted this many packets, for any reason. */
void ring_fixture__wait(const struct spin_ctx *ctx, uint64_t packets);
/* Receives until `seen` has counted `count` packets in all, and checks each. */
void ring_fixture__receive(struct spin_ring *ring, struct ringed_seen *seen, uint64_t count);
/* Fails unless the ring's counters have these values. */
void ring_fixture__expect(const struct spin_ring *ring, uint64_t delivered, uint64_t received, uint64_t lost, uint64_t unbound);

#endif
