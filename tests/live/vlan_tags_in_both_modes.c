/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests frames with no, one and two VLAN tags over a veth, in native and generic mode, of UDP and of an Ethernet type that is not IP. The
 * context's handler must run, and its reply must reach the other end with the tags of the request. A tap there shows what arrives. Uses a
 * namespace of its own. Run by tests/run.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_ether.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/net/slow.h"
#include "user/conformance/template/template.h"
#include <kvstore.h>

#define KEY        5
#define TIMEOUT_US (5000000 * slow_factor())

static struct {
	const uint8_t *want;
	uint32_t bytes;
	int seen, other;
} tapped;

static void die(const char *what)
{
	printf("FAIL: %s\n", what);
	exit(1);
}

static void make(struct template *t, const char *tags, const char *rest)
{
	char lines[512], *save = NULL;

	snprintf(lines, sizeof(lines), "eth 02:00:00:00:00:01 > 02:00:00:00:00:02;%s%s", tags, rest);
	template_start(t);
	for (char *line = strtok_r(lines, ";", &save); line; line = strtok_r(NULL, ";", &save))
		if (template_line(t, line) != 1)
			die(engine_error());
	if (template_finish(t))
		die(engine_error());
}

static struct spin_ctx *attach_to(struct spin_nic *nic, const char *handler, const char *text)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse(text, &rule) ||
	    spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__attach(ctx))
		die(spin_strerror_last());
	spin_object__close(object);
	return ctx;
}

static struct spin_ctx *attach(const char *handler, const char *ifname, const char *text, enum spin_mode mode)
{
	struct spin_nic *nic;
	struct spin_ctx *ctx;

	if (spin_nic__open(ifname, &nic) || spin_nic__set_mode(nic, mode))
		die(spin_strerror_last());
	ctx = attach_to(nic, handler, text);
	if (spin_nic__mode(nic, NULL) != mode)
		die("attached in another mode than asked");
	spin_nic__close(nic);
	return ctx;
}

static void on_packet(void *arg, const struct spin_tapped *p)
{
	(void)arg;
	if (p->frame_bytes == tapped.bytes && !memcmp(p->frame, tapped.want, tapped.bytes))
		tapped.seen++;
	else
		tapped.other++;
}

static void send_frame(const struct template *t)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("c0"), .sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));

	if (fd < 0 || sendto(fd, t->frame, t->bytes, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)t->bytes)
		die("cannot send a frame");
	close(fd);
}

/* Sends one request and checks its reply in the other direction. */
static void check_reply(const char *tags, enum spin_mode mode, struct spin_ctx *peer, struct spin_ctx *store,
			const struct template *request, struct template *reply)
{
	uint64_t packets[SPIN_REASON_COUNT];

	memcpy(reply->frame, request->frame + 6, 6);
	memcpy(reply->frame + 6, request->frame, 6);
	tapped.want = reply->frame;
	tapped.bytes = reply->bytes;
	tapped.seen = tapped.other = 0;
	if (spin_ctx__tap(peer, 65536))
		die(spin_strerror_last());
	send_frame(request);
	for (int waited = 0; !tapped.seen && !tapped.other && waited < TIMEOUT_US; waited += 10000) {
		usleep(10000);
		if (spin_ctx__tapped(peer, on_packet, NULL) < 0)
			die(spin_strerror_last());
	}
	spin_ctx__counters(store, packets);
	printf("%-8s tags '%s': %llu replied, %d arrived as expected, %d otherwise, %llu not tapped\n", spin_mode_name(mode), tags,
	       (unsigned long long)packets[SPIN_REASON_REPLIED], tapped.seen, tapped.other, (unsigned long long)spin_ctx__tap_lost(peer));
	if (packets[SPIN_REASON_REPLIED] != 1)
		die("the handler did not reply");
	if (tapped.seen != 1 || tapped.other || spin_ctx__tap_lost(peer))
		die("the reply did not arrive as it should");
	spin_ctx__destroy(store);
	spin_ctx__destroy(peer);
}

static void test_ip(const char *tags, enum spin_mode mode)
{
	struct spin_ctx *peer = attach("deliver", "c0", "udp sport 9000", SPIN_MODE_NATIVE);
	struct spin_ctx *store = attach("kvstore", "s0", "udp dport 9000", mode);
	struct template request, reply;
	struct kv_cache *cache;
	size_t bytes;

	if (spin_ctx__symbol(store, "spin_state", (void **)&cache, &bytes))
		die(spin_strerror_last());
	cache->set[KEY].line[0] = (struct kv_line){ .tag = 4 | KV_VALID, .key = KEY, .value = { 1, 2, 3 } };
	make(&request, tags, "ip4 10.0.0.1 > 10.0.0.2;udp 4000 > 9000;be16 1 0;be32 1 5 0;fill 32 0");
	make(&reply, tags, "ip4 10.0.0.2 > 10.0.0.1 ttl 64;udp 9000 > 4000;be16 3 1;be32 1 5 0;le32 1 2 3 0 0 0 0 0");
	check_reply(tags, mode, peer, store, &request, &reply);
}

/* Uses a local experimental Ethernet type (IEEE 802). The handler stores at the requested offset, and replies with 50 bytes. */
static void test_ether_type(const char *tags, enum spin_mode mode)
{
	struct spin_ctx *peer = attach("deliver", "c0", "ether 0x88b5", SPIN_MODE_NATIVE);
	struct spin_ctx *store = attach("rewrite", "s0", "ether 0x88b5", mode);
	struct spin_ctx *other = attach_to(spin_ctx__nic(store), "deliver", "ether 0x88b6");
	struct template request, reply;
	uint64_t packets[SPIN_REASON_COUNT];
	uint32_t type_at = 12;

	make(&request, tags, "hex 0101;be16 50 20 0;be32 0xabcd0000;fill 50 7");
	make(&reply, tags, "hex 0101;be16 50 20 0;be32 0xabcd0000;fill 8 7;hex abcd;fill 28 7");
	for (const char *at = tags; *at; at++)
		type_at += *at == ';' ? 4 : 0;
	for (unsigned i = 0; i < 2; i++)
		request.frame[type_at + i] = reply.frame[type_at + i] = i ? 0xb5 : 0x88;
	check_reply(tags, mode, peer, store, &request, &reply);
	spin_ctx__counters(other, packets);
	if (counts_sum(packets))
		die("a context of another type has the frame");
	spin_ctx__destroy(other);
}

int main(void)
{
	static const char *const tags[] = { "", "vlan 5;", "qinq 7;vlan 5;" };

	if (geteuid() || unshare(CLONE_NEWNET)) {
		printf("skip: namespaces and XDP need root\n");
		return 77;
	}
	if (system("ip link add c0 type veth peer name s0 && ip link set c0 up && ip link set s0 up"))
		die("no veth");
	for (enum spin_mode mode = SPIN_MODE_NATIVE; mode <= SPIN_MODE_GENERIC; mode++) {
		for (unsigned i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
			test_ip(tags[i], mode);
			test_ether_type(tags[i], mode);
		}
	}
	return 0;
}
