/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_RINGED_H
#define TESTS_COMMON_RINGED_H

/*
 * A context with a ring on the far end of a veth pair, frames that are sent to it from the near end, and what its ring has received. The
 * calling thread is in the far end's namespace. What goes wrong ends the test as failed.
 */
#include <spin/libspin_ring.h>

#include "tests/common/net/pair.h"

#define RINGED_PORT 9000

struct ringed {
	struct pair pair;
	struct spin_nic *nic; /* of the far end */
	struct spin_ctx *ctx;
	struct spin_ring *ring;
	int packet_socket; /* on the near end */
};

/* Opens the pair and the interface alone. */
void ringed__open(struct ringed *r, enum spin_mode mode);
/* Creates and attaches a context of a built handler, without a ring. */
struct spin_ctx *ringed__context(struct ringed *r, const char *handler, const char *rule, const struct spin_ctx_opts *opts);
struct spin_ring *ringed__ring(struct spin_ctx *ctx, const struct spin_ring_opts *opts);
/* Both, in the struct: the handler `returns`, for datagrams to RINGED_PORT. */
void ringed__start(struct ringed *r, const struct spin_ring_opts *opts);
/* Destroys what is in the struct. */
void ringed__close(struct ringed *r);

/* Sends a frame from the near end as it is. */
void ringed__send(const struct ringed *r, const void *frame, uint32_t bytes);

/*
 * A datagram of IPv4 to RINGED_PORT, with that number in it, whose bytes follow from the number: `bytes` of payload, at least 12. The handler
 * `returns` passes it, or drops it. Returns the frame's length.
 */
uint32_t ringed__datagram(uint8_t *frame, uint64_t number, uint32_t bytes, int dropped);
/* Sends datagrams with the numbers from `first` on. */
void ringed__send_datagrams(const struct ringed *r, uint64_t first, uint64_t count, uint32_t bytes);

/* For spin_ring__receive(): each packet is a whole datagram of above, with a higher number than the one before. arg: struct ringed_seen. */
struct ringed_seen {
	uint64_t count, next;
};
void ringed__look(void *arg, const struct spin_ring_packet *packets, unsigned count);

/* Waits until the context has counted so many packets, whatever their reason. */
void ringed__wait(const struct spin_ctx *ctx, uint64_t packets);
/* Receives until `seen` has so many in all, and looks at each. */
void ringed__receive(struct spin_ring *ring, struct ringed_seen *seen, uint64_t count);
/* Fails unless the ring's counts are these. */
void ringed__expect(const struct spin_ring *ring, uint64_t delivered, uint64_t received, uint64_t lost, uint64_t unbound);

#endif
