/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. The interface is deleted while a
 * context has a ring on it. Packets received before must still be readable, no more may arrive, spin_ctx__alive() must report it, and
 * everything must close as usual. Run by tests/run.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/ring_fixture.h"

#define WAITING 20

static struct ring_fixture r;

static void gone(struct ringed_seen *seen)
{
	struct pollfd fd = { .fd = spin_ring__fd(r.ring), .events = POLLIN };
	struct spin_ring *none;

	expect(-ENODEV, spin_ctx__alive(r.ctx), "the context");
	expect_error_text("has gone away");
	expect(WAITING, spin_ring__receive(r.ring, ringed__check_packets, seen), "packets that waited");
	expect(0, spin_ring__receive(r.ring, ringed__check_packets, seen), "packets of an interface that is not there");
	expect(0, poll(&fd, 1, 0), "polling an empty ring: a loop around it would not sleep");
	ring_fixture__expect(r.ring, WAITING, WAITING, 0, 0);
	spin_ring__destroy(r.ring);
	expect(-ENODEV, spin_ring__create(r.ctx, NULL, &none), "a ring of an interface that is not there");
	expect_error_text("or gone");
	r.ring = NULL;
}

int main(void)
{
	struct ringed_seen seen = { 0 };

	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	ring_fixture__start(&r, NULL);
	ring_fixture__send_datagrams(&r, 0, WAITING, 100);
	ring_fixture__wait(r.ctx, WAITING);
	netns_shell("ip link delete " FAR_DEV);
	gone(&seen);
	ring_fixture__close(&r);
	return 0;
}
