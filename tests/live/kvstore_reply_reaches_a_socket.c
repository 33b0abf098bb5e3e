/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests kvstore (handlers that answer GETs from a cache in front of a server) on a veth, with ordinary UDP sockets as clients over IPv4,
 * IPv6 and a VLAN. A GET of a cached key must be answered, with a checksum that the client's kernel accepts. A GET of another key must
 * reach the server with a lease, which names the cache line that the server may fill. It must make no difference whether the sender
 * computes the checksum or leaves it to the interface. A request with a wrong checksum must not be answered. Uses namespaces of its own.
 * Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <kvstore.h>

#include "tests/common/built.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include <spin/libspin.h>

#define PORT   9000
#define TRIES  20 /* of half a second each: a busy machine may lose a datagram */
#define CACHED 7  /* the key whose value is cached */

union address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

static const char *const server_address[] = { "10.9.0.1", "fd09::1", "10.9.5.1" };
static int networks = 3; /* 2 without the VLAN */

static int server_ns, client_ns, server_fd;
static struct spin_ctx *ctx;
static struct kv_cache *cache;
static uint32_t next_key = 1000, next_id;

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("FAIL: ");
	vprintf(format, args);
	printf("\n");
	exit(1);
}

static void make_network(void)
{
	char command[128];

	server_ns = netns_new();
	client_ns = netns_new();
	snprintf(command, sizeof(command), "ip link add c0 type veth peer name s0 netns /proc/%d/fd/%d", getpid(), server_ns);
	netns_shell(command);
	/* XDP does not see a tag that the device stripped from the frame */
	netns_shell("ip link set lo up && ip link set c0 up && ethtool -K c0 gro on && ethtool -K c0 txvlan off");
	netns_shell("ip addr add 10.9.0.2/24 dev c0 && ip addr add fd09::2/64 dev c0 nodad");
	if (system("ip link add link c0 name c0.5 type vlan id 5 2>/dev/null")) {
		printf("this kernel has no VLAN interfaces: not tested over one\n");
		networks = 2;
	} else {
		netns_shell("ip addr add 10.9.5.2/24 dev c0.5 && ip link set c0.5 up");
	}
	netns_enter(server_ns);
	netns_shell("ip link set lo up && ip link set s0 up");
	netns_shell("ip addr add 10.9.0.1/24 dev s0 && ip addr add fd09::1/64 dev s0 nodad");
	if (networks == 3)
		netns_shell("ip link add link s0 name s0.5 type vlan id 5 && ip addr add 10.9.5.1/24 dev s0.5 && ip link set s0.5 up");
}

static int open_socket(int family, int type, int protocol)
{
	struct timeval wait = slow_wait(500);
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		die("cannot open a socket");
	return fd;
}

static void open_server(void)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	char path[512];
	size_t bytes;
	void *state;

	server_fd = open_socket(AF_INET6, SOCK_DGRAM, 0);
	if (bind(server_fd, (struct sockaddr *)&any, sizeof(any)))
		die("cannot bind the server's socket");
	if (built_object("kvstore", path, sizeof(path)))
		die("%s", engine_error());
	if (spin_object__open(path, &object) || spin_nic__open("s0", &nic) || spin_rule__parse("udp dport 9000", &rule) ||
	    spin_ctx__create(nic, object, &rule, &ctx) || spin_ctx__symbol(ctx, "spin_state", &state, &bytes) || spin_ctx__attach(ctx))
		die("%s", spin_strerror_last());
	if (bytes != sizeof(*cache))
		die("the cache is another's");
	cache = state;
	spin_nic__close(nic);
	spin_object__close(object);
	for (uint32_t i = 0; i < KV_WORDS; i++)
		cache->set[CACHED].line[2].value[i] = 0x01020304 * (i + 1);
	cache->set[CACHED].line[2].key = CACHED;
	cache->set[CACHED].line[2].tag = 1 << 2 | KV_VALID;
}

/* A veth accepts XDP_TX frames only if it has a program itself: this one matches nothing. */
static void open_peer(void)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *peer;
	char path[512];

	netns_enter(client_ns);
	if (built_object("filtering", path, sizeof(path)))
		die("%s", engine_error());
	if (spin_object__open(path, &object) || spin_nic__open("c0", &nic) || spin_rule__parse("udp dport 1", &rule) ||
	    spin_ctx__create(nic, object, &rule, &peer) || spin_ctx__attach(peer))
		die("%s", spin_strerror_last());
	netns_enter(server_ns);
}

static int open_client(const char *to)
{
	union address a = { .ip4 = { .sin_family = AF_INET, .sin_port = htons(PORT) } };
	int fd;

	if (inet_pton(AF_INET, to, &a.ip4.sin_addr) != 1) {
		a.ip6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
		inet_pton(AF_INET6, to, &a.ip6.sin6_addr);
	}
	netns_enter(client_ns);
	fd = open_socket(a.any.sa_family, SOCK_DGRAM, 0);
	if (connect(fd, &a.any, sizeof(a)))
		die("connect to %s", to);
	netns_enter(server_ns);
	return fd;
}

static struct kv_message get(uint32_t key)
{
	return (struct kv_message){ .op = spin_hton16(KV_GET), .id = ++next_id, .key = spin_hton32(key) };
}

static uint64_t count(enum spin_reason reason)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	return packets[reason];
}

/* Returns 1 if the answer to this GET is there and correct. */
static int answered(int fd, const struct kv_message *asked)
{
	struct kv_message m;

	while (recv(fd, &m, sizeof(m), 0) == sizeof(m)) {
		if (m.id != asked->id)
			continue; /* answer to an earlier GET */
		if (m.op != spin_hton16(KV_REPLY) || m.found != spin_hton16(1) || m.key != asked->key ||
		    memcmp(m.value, cache->set[CACHED].line[2].value, sizeof(m.value)))
			die("the answer is wrong");
		return 1;
	}
	return 0;
}

static void expect_hit(const char *to, const char *how)
{
	int fd = open_client(to), try = 0, done = 0;

	for (; !done && try < TRIES; try++) {
		struct kv_message m = get(CACHED);

		if (send(fd, &m, sizeof(m), 0) != sizeof(m))
			die("%s, %s: cannot send", to, how);
		done = answered(fd, &m);
	}
	close(fd);
	if (!done)
		die("%s, %s: no answer from the cache", to, how);
}

/* The lease that arrives must name a line that waits for this key. */
static void expect_miss(const char *to)
{
	int fd = open_client(to), try = 0, done = 0;
	uint32_t key = next_key++;

	for (; !done && try < TRIES; try++) {
		struct kv_message m = get(key);
		const struct kv_line *line;

		if (send(fd, &m, sizeof(m), 0) != sizeof(m))
			die("%s: cannot send", to);
		while (!done && recv(server_fd, &m, sizeof(m), 0) == sizeof(m)) {
			if (m.key == spin_hton32(CACHED))
				die("%s: what the cache has was asked of the server", to);
			if (m.key != spin_hton32(key))
				continue;
			line = &cache->set[key % KV_SETS].line[m.lease & (KV_WAYS - 1)];
			if (m.lease < 4 || line->key != key || line->tag != ((m.lease & ~KV_STATE_MASK) | KV_PENDING))
				die("%s: the server has no good lease", to);
			done = 1;
		}
	}
	close(fd);
	if (!done)
		die("%s: the request did not reach the server", to);
}

/* Checks Udp and Udp6 in the client's namespace. */
static void no_checksum_errors(void)
{
	FILE *from;
	char text[256];
	int seen = 0;

	netns_enter(client_ns);
	from = popen("nstat -asz UdpInCsumErrors Udp6InCsumErrors 2>&1", "re");
	while (from && fgets(text, sizeof(text), from))
		if (strstr(text, "InCsumErrors")) {
			unsigned long long n = 1;

			seen++;
			if (sscanf(text, "%*s %llu", &n) != 1 || n)
				die("the client's kernel found a wrong checksum: %s", text);
		}
	if (!from || pclose(from) || seen != 2)
		die("nstat does not tell the checksum errors");
	netns_enter(server_ns);
}

/* A request over IPv4 as the UDP datagram of a raw socket. `wrong` is added to the checksum. */
struct raw {
	uint16_t sport, dport, length, checksum;
	struct kv_message message;
};

static uint16_t raw_checksum(const struct raw *d, const char *from, const char *to)
{
	uint32_t sum = htons(IPPROTO_UDP) + d->length;
	const uint16_t *word = (const uint16_t *)d;
	struct in_addr a, b;

	inet_pton(AF_INET, from, &a);
	inet_pton(AF_INET, to, &b);
	sum += (a.s_addr & 0xffff) + (a.s_addr >> 16) + (b.s_addr & 0xffff) + (b.s_addr >> 16);
	for (size_t i = 0; i < sizeof(*d) / 2; i++)
		sum += word[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum ? (uint16_t)~sum : 0xffff;
}

static void raw_request(uint16_t wrong)
{
	struct sockaddr_in own, to = { .sin_family = AF_INET };
	int fd = open_client("10.9.0.1"), raw, try = 0, done = 0;
	uint64_t replied = count(SPIN_REASON_REPLIED), refused = count(SPIN_REASON_UDP_CHECKSUM);
	socklen_t bytes = sizeof(own);

	netns_enter(client_ns);
	raw = open_socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
	netns_enter(server_ns);
	inet_pton(AF_INET, "10.9.0.1", &to.sin_addr);
	if (getsockname(fd, (struct sockaddr *)&own, &bytes))
		die("getsockname");
	for (; !done && try < TRIES; try++) {
		struct raw d = { own.sin_port, htons(PORT), htons(sizeof(d)), 0, get(CACHED) };

		d.checksum = raw_checksum(&d, "10.9.0.2", "10.9.0.1") ^ wrong;
		if (sendto(raw, &d, sizeof(d), 0, (struct sockaddr *)&to, sizeof(to)) != sizeof(d))
			die("cannot send by a raw socket");
		done = answered(fd, &d.message);
		if (wrong && done)
			die("a request with a wrong checksum was answered");
		if (wrong)
			done = count(SPIN_REASON_UDP_CHECKSUM) > refused;
	}
	close(raw);
	close(fd);
	if (!done || (wrong ? count(SPIN_REASON_REPLIED) != replied : count(SPIN_REASON_UDP_CHECKSUM) != refused))
		die("a raw request with a %s checksum is counted wrong", wrong ? "wrong" : "right");
}

static void on_client(const char *command)
{
	netns_enter(client_ns);
	netns_shell(command);
	netns_enter(server_ns);
}

int main(void)
{
	struct kv_message m;

	make_network();
	open_server();
	open_peer();
	for (int i = 0; i < networks; i++) {
		expect_hit(server_address[i], "checksum left to the interface");
		expect_miss(server_address[i]);
	}
	on_client("ethtool -K c0 tx off >/dev/null");
	for (int i = 0; i < networks; i++) {
		expect_hit(server_address[i], "checksum computed by the sender");
		expect_miss(server_address[i]);
	}
	raw_request(0);
	raw_request(0x1234);
	no_checksum_errors();
	if (recv(server_fd, &m, sizeof(m), MSG_DONTWAIT) > 0 && m.key == spin_hton32(CACHED))
		die("what the cache has was asked of the server");
	spin_ctx__destroy(ctx);
	return 0;
}
