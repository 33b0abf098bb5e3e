/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. What handlers deliver must arrive
 * through the ring once, in order and unchanged: datagrams of many lengths, of both IP versions, with and without VLAN tags, with padding.
 * What they drop must not arrive, and a packet with a wrong checksum must go to the host. In native and generic mode, trusted and isolated.
 * Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <spin/spin.h>

#include "tests/common/expect.h"
#include "tests/common/ring_fixture.h"
#include "user/conformance/template/template.h"

#define DATAGRAMS 3000

static const struct kind {
	const char *lines; /* between Ethernet and payload */
	uint32_t payload_at, ip_version;
	enum spin_reason reason;
	uint8_t header_rc;
} kinds[] = {
	{ "ip4 10.78.0.2 > 10.78.0.1;udp 4001 > 9000", 42, 4, SPIN_REASON_SUCCESS, SPIN_HEADER_PROCESS_DATA },
	{ "ip4 10.78.0.2 > 10.78.0.1;udp 4001 > 9000 sum none", 42, 4, SPIN_REASON_SUCCESS, SPIN_HEADER_PROCESS_DATA },
	{ "ip6 fd78::2 > fd78::1;udp 4001 > 9000", 62, 6, SPIN_REASON_SUCCESS, SPIN_HEADER_PROCESS_DATA },
	{ "vlan 5;ip4 10.78.0.2 > 10.78.0.1;udp 4001 > 9000", 46, 4, SPIN_REASON_SUCCESS, SPIN_HEADER_PROCESS_DATA },
	{ "vlan 5;vlan 6;ip6 fd78::2 > fd78::1;udp 4001 > 9000", 70, 6, SPIN_REASON_SUCCESS, SPIN_HEADER_PROCESS_DATA },
	{ "ip4 10.78.0.2 > 10.78.0.1;udp 4001 > 9000 sum wrong", 42, 4, SPIN_REASON_UDP_CHECKSUM, SPIN_HEADER_PROCESS_DATA },
	{ "ip4 10.78.0.2 > 10.78.0.1;udp 4001 > 9000", 42, 4, SPIN_REASON_PROCEEDED, SPIN_HEADER_PROCEED },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The packet that is expected next. */
struct awaited {
	const struct template *sent;
	const struct kind *kind;
	unsigned received;
};

static void on_packets(void *arg, const struct spin_ring_packet *p, unsigned count)
{
	struct awaited *a = arg;

	expect(1, count, "packets at a time");
	expect(a->sent->bytes, p->frame_bytes, "bytes of the frame");
	expect(0, memcmp(a->sent->frame, p->frame, p->frame_bytes), "difference of the frames");
	expect(a->kind->ip_version, p->ip_version, "IP version");
	expect(a->kind->payload_at, p->payload_at, "where the payload is");
	expect(9, p->payload_bytes, "bytes of the payload");
	expect(4001, p->src_port, "source port");
	expect(9000, p->dst_port, "destination port");
	if (p->ip_version == 4)
		expect(inet_addr("10.78.0.2"), p->src_addr[0], "source");
	else
		expect((long long)htonl(0xfd780000), p->src_addr[0], "source");
	a->received++;
}

/* Builds a packet with nine bytes of payload, and padding. */
static void make(struct template *t, const struct kind *kind)
{
	char lines[256], *save = NULL;

	snprintf(lines, sizeof(lines), "eth 02:00:00:00:78:02 > 02:00:00:00:78:01;%s;hex %02x%02x%02x004142434445", kind->lines,
		 kind->header_rc, SPIN_SUCCESS, SPIN_COMPLETION_SUCCESS);
	template_start(t);
	for (char *line = strtok_r(lines, ";", &save); line; line = strtok_r(NULL, ";", &save))
		if (template_line(t, line) != 1)
			fail(engine_error());
	if (template_finish(t) || t->bytes > sizeof(t->frame) - 60)
		fail(engine_error());
	while (t->bytes < 60) /* padding, as a network card adds it */
		t->frame[t->bytes++] = 0xee;
}

static void each_kind(struct ring_fixture *r)
{
	static struct template t;

	for (unsigned i = 0; i < KINDS; i++) {
		struct awaited a = { &t, &kinds[i], 0 };
		uint64_t before[SPIN_REASON_COUNT], after[SPIN_REASON_COUNT], all = 0;

		make(&t, &kinds[i]);
		spin_ctx__counters(r->ctx, before);
		for (int k = 0; k < SPIN_REASON_COUNT; k++)
			all += before[k];
		ring_fixture__send(r, t.frame, t.bytes);
		ring_fixture__wait(r->ctx, all + 1);
		spin_ctx__counters(r->ctx, after);
		expect(1, (long long)(after[kinds[i].reason] - before[kinds[i].reason]), spin_reason_name(kinds[i].reason));
		spin_ring__receive(r->ring, on_packets, &a);
		expect(kinds[i].reason != SPIN_REASON_UDP_CHECKSUM, a.received, kinds[i].lines);
	}
}

/* Sends many datagrams, of which every third is dropped. */
static void many(struct ring_fixture *r, uint64_t before)
{
	struct ringed_seen seen = { 0 };
	uint64_t packets[SPIN_REASON_COUNT], sent = 0, delivered;
	uint8_t frame[2048];

	for (uint64_t i = 0; i < DATAGRAMS; i++) {
		uint32_t bytes = ring_fixture__datagram(frame, i, 12 + (uint32_t)(i * 37 % 1460), i % 3 == 2);

		ring_fixture__send(r, frame, bytes);
		sent += i % 3 != 2;
	}
	ring_fixture__wait(r->ctx, before + DATAGRAMS);
	ring_fixture__receive(r->ring, &seen, sent);
	spin_ctx__counters(r->ctx, packets);
	expect((long long)(DATAGRAMS - sent), (long long)packets[SPIN_REASON_DROPPED], "dropped by the handler");
	delivered = packets[SPIN_REASON_SUCCESS] + packets[SPIN_REASON_PROCEEDED];
	ring_fixture__expect(r->ring, delivered, delivered, 0, 0);
	expect((long long)(sent + KINDS - 1), (long long)delivered, "delivered by the handler");
	expect(0, spin_ring__receive(r->ring, ringed__check_packets, &seen), "packets that are left");
}

int main(void)
{
	static const struct {
		enum spin_mode mode;
		enum spin_class class;
	} ways[] = { { SPIN_MODE_NATIVE, SPIN_CLASS_TRUSTED },
		     { SPIN_MODE_GENERIC, SPIN_CLASS_TRUSTED },
		     { SPIN_MODE_NATIVE, SPIN_CLASS_ISOLATED } };

	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = ways[i].class };
		struct ring_fixture r;

		ring_fixture__open(&r, ways[i].mode);
		r.ctx = ring_fixture__context(&r, "returns", "udp dport 9000", &opts);
		r.ring = ring_fixture__ring(r.ctx, NULL);
		expect(ways[i].mode, spin_nic__mode(r.nic, NULL), "the mode");
		each_kind(&r);
		many(&r, KINDS);
		ring_fixture__close(&r);
		printf("%s, %s: ok\n", spin_mode_name(ways[i].mode), spin_class_name(ways[i].class));
	}
	return 0;
}
