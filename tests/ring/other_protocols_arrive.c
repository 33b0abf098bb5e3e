/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. Contexts that take TCP segments,
 * ICMP, ICMPv6 and frames with an Ethernet type of their own: the frame must arrive as it was sent, with the right payload offset. A
 * datagram must arrive as its handler has rewritten it. Run by tests/run.
 */
#include <stdio.h>
#include <string.h>

#include <spin/spin.h>

#include "tests/common/expect.h"
#include "tests/common/ring_fixture.h"
#include "user/conformance/template/template.h"

static const struct kind {
	const char *handler, *rule, *lines; /* lines: before the payload */
	uint32_t payload_at, payload_bytes, ip_version, src_port, dst_port;
} kinds[] = {
	{ "every_nth", "icmp", "eth 02:00:00:00:78:02 > 02:00:00:00:78:01;ip4 10.78.0.2 > 10.78.0.1;icmp 8 0", 34, 20, 4 },
	{ "every_nth", "icmp6", "eth 02:00:00:00:78:02 > 02:00:00:00:78:01;ip6 fd78::2 > fd78::1;icmp 128 0", 54, 20, 6 },
	{ "every_nth", "ether 88b5", "eth 02:00:00:00:78:02 > 02:00:00:00:78:01 type 0x88b5", 14, 12, 0 },
	{ "seg_rewrite", "tcp", "eth 02:00:00:00:78:02 > 02:00:00:00:78:01;ip4 10.78.0.2 > 10.78.0.1;tcp 4000 > 9000 seq 7", 54, 12, 4,
	  4000, 9000 },
	{ "seg_rewrite", "tcp",
	  "eth 02:00:00:00:78:02 > 02:00:00:00:78:01;ip6 fd78::2 > fd78::1;tcp 4000 > 9000 opt 0101080a0000000100000002", 86, 12, 6, 4000,
	  9000 },
};

static struct template sent;

static void on_packets(void *arg, const struct spin_ring_packet *p, unsigned count)
{
	const struct kind *kind = arg;

	expect(1, count, "packets at a time");
	expect(sent.bytes, p->frame_bytes, "bytes of the frame");
	expect(0, memcmp(sent.frame, p->frame, p->frame_bytes), "difference of the frames");
	expect(kind->payload_at, p->payload_at, "where the payload is");
	expect(kind->payload_bytes, p->payload_bytes, "bytes of the payload");
	expect(kind->ip_version, p->ip_version, "IP version");
	expect(kind->src_port, p->src_port, "source port");
	expect(kind->dst_port, p->dst_port, "destination port");
}

static void make(const struct kind *kind)
{
	char lines[256], *save = NULL;

	snprintf(lines, sizeof(lines), "%s;text twelve_bytes", kind->lines);
	template_start(&sent);
	for (char *line = strtok_r(lines, ";", &save); line; line = strtok_r(NULL, ";", &save))
		if (template_line(&sent, line) != 1)
			fail(engine_error());
	if (template_finish(&sent))
		fail(engine_error());
}

static void on_rewritten(void *arg, const struct spin_ring_packet *p, unsigned count)
{
	expect(1, count, "packets at a time");
	expect(7000, p->dst_port, "the port that the handler has written");
	expect(*(const uint32_t *)arg, p->frame_bytes, "bytes of the frame");
}

/* A datagram that handlers/filtering.c steers to another port. */
static void rewritten(struct ring_fixture *r)
{
	uint8_t frame[256];
	uint32_t bytes = ring_fixture__datagram(frame, 1, 50, 0);

	r->ctx = ring_fixture__context(r, "filtering", "udp dport 9000", NULL);
	expect(0, spin_ctx__table_insert(r->ctx, "routes", "src=" NEAR_ADDR " port=7000"), "an entry");
	r->ring = ring_fixture__ring(r->ctx, NULL);
	ring_fixture__send(r, frame, bytes);
	ring_fixture__wait(r->ctx, 1);
	expect(1, spin_ring__receive(r->ring, on_rewritten, &bytes), "a datagram");
}

int main(void)
{
	struct ring_fixture r;

	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		r.ctx = ring_fixture__context(&r, kinds[i].handler, kinds[i].rule, NULL);
		r.ring = ring_fixture__ring(r.ctx, NULL);
		make(&kinds[i]);
		ring_fixture__send(&r, sent.frame, sent.bytes);
		ring_fixture__wait(r.ctx, 1);
		expect(1, spin_ring__receive(r.ring, on_packets, (void *)&kinds[i]), kinds[i].rule);
		ring_fixture__expect(r.ring, 1, 1, 0, 0);
		spin_ctx__destroy(r.ctx);
	}
	rewritten(&r);
	ring_fixture__close(&r);
	return 0;
}
