/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. Impossible rings must be refused
 * with an errno and the reason, and leave the context as it was: wrong options (-EINVAL, -E2BIG), zero-copy on veth (-EOPNOTSUPP), another
 * network namespace (-ENODEV), contexts of messages or spread over CPUs (-EOPNOTSUPP), queues that another ring or process has (-EBUSY), a
 * second ring (-EALREADY), too little locked memory (-ENOBUFS). Run by tests/run.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xdp/xsk.h>

#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/ring_fixture.h"
#include <spin/libspin_message.h>

static struct ring_fixture r;

static void expect_refused(int err, struct spin_ctx *ctx, const struct spin_ring_opts *opts, const char *text)
{
	struct spin_ring *ring;

	expect(err, spin_ring__create(ctx, opts, &ring), text);
	expect(1, ring == NULL, "no ring");
	expect_error_text(text);
}

static void options(void)
{
	struct spin_ring_opts opts = { .bytes = 4 };

	expect_refused(-EINVAL, r.ctx, &opts, "set bytes");
	opts = (struct spin_ring_opts){ .bytes = sizeof(opts), .frames = 100 };
	expect_refused(-EINVAL, r.ctx, &opts, "power of two");
	opts.frames = SPIN_RING_FRAMES_MAX * 2;
	expect_refused(-EINVAL, r.ctx, &opts, "power of two");
	opts = (struct spin_ring_opts){ .bytes = sizeof(opts), .frame_bytes = 1024 };
	expect_refused(-EINVAL, r.ctx, &opts, "2048 or 4096");
	opts = (struct spin_ring_opts){ .bytes = sizeof(opts), .mode = 7 };
	expect_refused(-EINVAL, r.ctx, &opts, "no mode 7");
	opts = (struct spin_ring_opts){ .bytes = sizeof(opts), .first_queue = 4 };
	expect_refused(-EINVAL, r.ctx, &opts, "no queue 4");
	opts.queues = 1;
	expect_refused(-EINVAL, r.ctx, &opts, "queue 4");
	opts = (struct spin_ring_opts){ .bytes = sizeof(opts), .queues = 65 };
	expect_refused(-E2BIG, r.ctx, &opts, "queues 0 to 63");
	opts = (struct spin_ring_opts){ .bytes = sizeof(opts), .first_queue = ~0u, .queues = 2 };
	expect_refused(-E2BIG, r.ctx, &opts, "queues");
	opts = (struct spin_ring_opts){ .bytes = sizeof(opts), .mode = SPIN_RING_ZERO_COPY };
	expect_refused(-EOPNOTSUPP, r.ctx, &opts, "has no zero-copy");
}

static void other_namespace(void)
{
	netns_enter(r.pair.near_ns);
	expect_refused(-ENODEV, r.ctx, NULL, "network namespace");
	netns_enter(r.pair.far_ns);
}

/* Contexts that cannot have a ring. */
static void contexts(void)
{
	struct spin_ctx_opts spread = { .bytes = sizeof(spread), .hpus = SPIN_HPUS_SPREAD };
	struct spin_ctx *ctx = ring_fixture__context(&r, "msg_default", "udp dport 9330", NULL);
	struct spin_nic *far = r.nic;

	expect_refused(-EOPNOTSUPP, ctx, NULL, "matching entries");
	spin_ctx__destroy(ctx);
	ctx = ring_fixture__context(&r, "returns", "udp dport 9001", &spread);
	expect_refused(-EOPNOTSUPP, ctx, NULL, "spread over CPUs");
	spin_ctx__destroy(ctx);
	expect(0, spin_nic__open_offline(&r.nic), "no interface");
	ctx = ring_fixture__context(&r, "returns", "udp dport 9001", NULL);
	expect_refused(-EINVAL, ctx, NULL, "no interface");
	spin_ctx__destroy(ctx);
	spin_nic__close(r.nic);
	r.nic = far;
}

/* Another process has the queue: here an AF_XDP socket that this library does not know. */
static void foreign_socket(void)
{
	static uint8_t memory[64 * 4096] __attribute__((aligned(4096)));
	const struct xsk_socket_config config = { .rx_size = 64,
						  .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
						  .bind_flags = XDP_COPY };
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion, rx;
	struct xsk_socket *socket;
	struct xsk_umem *umem;

	expect(0, xsk_umem__create(&umem, memory, sizeof(memory), &fill, &completion, NULL), "memory");
	expect(0, xsk_socket__create(&socket, FAR_DEV, 1, umem, &rx, NULL, &config), "a socket");
	expect_refused(-EBUSY, r.ctx, NULL, "queue 1 of " FAR_DEV " has an AF_XDP socket already");
	xsk_socket__delete(socket);
	xsk_umem__delete(umem);
}

static void queues(void)
{
	struct spin_ring_opts last = { .bytes = sizeof(last), .first_queue = 3, .queues = 1 };
	struct spin_ctx *other = ring_fixture__context(&r, "returns", "udp dport 9001", NULL);
	struct spin_ring *ring;

	r.ring = ring_fixture__ring(other, &last);
	expect_refused(-EBUSY, r.ctx, NULL, "go to the ring of returns");
	expect_refused(-EBUSY, r.ctx, &last, "queue 3");
	expect_refused(-EALREADY, other, NULL, "has a ring already");
	last = (struct spin_ring_opts){ .bytes = sizeof(last), .queues = 3 };
	expect(0, spin_ring__create(r.ctx, &last, &ring), "the other queues");
	spin_ring__destroy(ring);
	spin_ring__destroy(r.ring);
	r.ring = ring_fixture__ring(r.ctx, NULL);
	spin_ctx__destroy(other);
}

/* A process whose locked memory is limited, as one that has only CAP_BPF, CAP_NET_ADMIN and CAP_NET_RAW. */
static void locked_memory(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct had[2], fewer[2];
	const struct spin_ring_opts few = { .bytes = sizeof(few), .queues = 1, .frames = 16 };
	const struct rlimit limit = { 4 << 20, 4 << 20 };

	if (syscall(SYS_capget, &head, had) || setrlimit(RLIMIT_MEMLOCK, &limit))
		fail("capabilities");
	fewer[0] = had[0];
	fewer[1] = had[1];
	fewer[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &head, fewer))
		fail("a capability less");
	expect_refused(-ENOBUFS, r.ctx, NULL, "raise `ulimit -l`, or take fewer frames");
	spin_ring__destroy(ring_fixture__ring(r.ctx, &few));
	if (syscall(SYS_capset, &head, had))
		fail("the capability again");
}

static void generic_mode(void)
{
	const struct spin_ring_opts opts = { .bytes = sizeof(opts), .mode = SPIN_RING_ZERO_COPY };
	const char *reason;

	ring_fixture__open(&r, SPIN_MODE_GENERIC);
	r.ctx = ring_fixture__context(&r, "returns", "udp dport 9000", NULL);
	expect_refused(-EOPNOTSUPP, r.ctx, &opts, "generic mode");
	r.ring = ring_fixture__ring(r.ctx, NULL);
	expect(SPIN_RING_COPY, spin_ring__mode(r.ring, &reason), "the mode");
	if (!reason)
		fail("AUTO says why it copies");
	ring_fixture__close(&r);
}

int main(void)
{
	const struct spin_ring_opts copy = { .bytes = sizeof(copy), .mode = SPIN_RING_COPY };
	struct ringed_seen seen = { 0 };
	const char *reason;

	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	r.ctx = ring_fixture__context(&r, "returns", "udp dport 9000", NULL);
	options();
	other_namespace();
	contexts();
	foreign_socket();
	locked_memory();
	queues();
	expect(SPIN_RING_COPY, spin_ring__mode(r.ring, &reason), "the mode");
	if (!reason)
		fail("AUTO says why it copies");
	ring_fixture__send_datagrams(&r, 0, 10, 50);
	ring_fixture__receive(r.ring, &seen, 10);
	expect(-EINVAL, spin_ring__receive_queue(r.ring, 4, ringed__check_packets, &seen), "a queue that it does not have");
	expect(-EINVAL, spin_ring__queue_fd(r.ring, 4), "its descriptor");
	spin_ring__destroy(r.ring);
	r.ring = ring_fixture__ring(r.ctx, &copy);
	expect(SPIN_RING_COPY, spin_ring__mode(r.ring, &reason), "the mode");
	if (reason)
		fail("a reason is given though copies were asked for");
	ring_fixture__close(&r);
	generic_mode();
	return 0;
}
