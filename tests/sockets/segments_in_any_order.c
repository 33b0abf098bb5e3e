/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers on a TCP socket (tests/handlers/streams/lines.c) with a peer whose segments the test builds, on a TUN device: lost,
 * duplicated, in any order, overlapping, and with all ways to begin and end a connection. Handlers must begin and end once and see the same
 * bytes as the socket. A flood of SYNs must not take anything from them. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_tun.h>

#include "tests/common/built.h"
#include "tests/common/net/lines.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/net/netns.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include "tests/common/spind.h"
#include <spin/libspin_socket.h>

#define PORT         7118
#define STREAM_BYTES 40000

static struct spind spind;
static struct lines *state;
static int tun, listener;
static uint64_t seed = 3;
static uint16_t port = 1000; /* the peer's port in the current connection */
static uint32_t isn, server_next;

/* --- segments --- */

static uint32_t add_words(uint32_t sum, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i + 1 < count; i += 2)
		sum += (uint32_t)at[i] << 8 | at[i + 1];
	return count % 2 ? sum + ((uint32_t)at[count - 1] << 8) : sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

/* `at` counts from the first byte of the stream. options: TCP options, a multiple of four bytes. */
static void send_segment(unsigned flags, uint32_t at, const void *data, size_t bytes, const void *options, size_t option_bytes)
{
	uint8_t packet[2048] = { 0 };
	struct iphdr *ip = (struct iphdr *)packet;
	struct tcphdr *tcp = (struct tcphdr *)(ip + 1);
	const size_t header = sizeof(*tcp) + option_bytes, total = sizeof(*ip) + header + bytes;

	*ip = (struct iphdr){ .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP, .tot_len = htons((uint16_t)total) };
	ip->saddr = inet_addr("10.77.0.2");
	ip->daddr = inet_addr("10.77.0.1");
	ip->check = fold(add_words(0, ip, sizeof(*ip)));
	tcp->source = htons(port);
	tcp->dest = htons(PORT);
	tcp->seq = htonl(isn + at + !(flags & TH_SYN));
	tcp->ack_seq = htonl(server_next);
	tcp->doff = header / 4;
	tcp->th_flags = (uint8_t)flags;
	tcp->window = htons(65535);
	memcpy(tcp + 1, options, option_bytes);
	memcpy((uint8_t *)(tcp + 1) + option_bytes, data, bytes);
	tcp->check = fold(add_words(add_words(IPPROTO_TCP + (uint32_t)(header + bytes), &ip->saddr, 8), tcp, header + bytes));
	if (write(tun, packet, total) != (ssize_t)total)
		die("cannot write to the TUN device: %s", strerror(errno));
}

static void send_data(unsigned flags, uint32_t at, const void *data, size_t bytes)
{
	send_segment(TH_ACK | flags, at, data, bytes, "", 0);
}

/* Reads what the server has sent; the SYN among it tells the server's initial sequence number. Returns 1 if something arrived. */
static int read_answers(int wait_ms)
{
	struct pollfd wait = { .fd = tun, .events = POLLIN };
	uint8_t packet[2048];
	int came = 0;

	while (poll(&wait, 1, wait_ms) > 0) {
		ssize_t got = read(tun, packet, sizeof(packet));
		const struct iphdr *ip = (const struct iphdr *)packet;
		const struct tcphdr *tcp = (const struct tcphdr *)(packet + ip->ihl * 4u);

		wait_ms = 0;
		if (got < 40 || ip->version != 4 || ip->protocol != IPPROTO_TCP || tcp->dest != htons(port))
			continue;
		if (tcp->th_flags & TH_SYN) {
			server_next = ntohl(tcp->seq) + 1;
			came = 1;
		}
	}
	return came;
}

/* Opens a connection; the SYN is sent `times` times. */
static int connect_peer(unsigned times)
{
	int fd;

	port++;
	isn = (uint32_t)random_next(&seed);
	server_next = 0;
	for (unsigned i = 0; i < times; i++)
		send_segment(TH_SYN, 0, "", 0, "", 0);
	for (int tries = 0; !read_answers(1000); tries++) {
		if (tries == 5)
			die("no answer to a SYN");
		send_segment(TH_SYN, 0, "", 0, "", 0);
	}
	send_data(0, 0, "", 0);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		die("cannot accept: %s", strerror(errno));
	return fd;
}

/* Reads to the end of the stream; the handlers' view of the last connection must be the same. */
static void check_stream(const char *what, int fd, const uint8_t *sent, size_t bytes, uint32_t begun_before)
{
	uint8_t expected[STREAM_BYTES], got[STREAM_BYTES + 1];
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	uint32_t hash;
	size_t have = 0;

	memcpy(expected, sent, bytes);
	hash = lines__transform(expected, bytes);
	while (poll(&wait, 1, 3000) > 0) {
		ssize_t n = recv(fd, got + have, sizeof(got) - have, 0);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	if (have != bytes || memcmp(got, expected, bytes))
		die("%s: %zu of %zu bytes are read, or others", what, have, bytes);
	lines__wait_for(what, &state->ended, begun_before + 1);
	if (state->begun != begun_before + 1)
		die("%s: %u header handlers", what, state->begun - begun_before);
	for (unsigned i = 0; i < LINES_CONNECTIONS; i++)
		if (state->connection[i].length == bytes && state->connection[i].hash == hash)
			break;
		else if (i == LINES_CONNECTIONS - 1)
			die("%s: the handlers have seen other bytes", what);
	close(fd);
	read_answers(0);
	printf("ok: %s\n", what);
}

/* --- cases --- */

/* Sends pieces of up to 1000 bytes that overlap their neighbours, in any order within 16 of them, some of them twice. */
static void send_scrambled(const uint8_t *bytes, size_t count)
{
	struct piece {
		uint32_t at, bytes;
	} pieces[32];
	size_t at = 0;

	while (at < count) {
		unsigned n = 0;

		for (; n < 16 && at < count; n++) {
			const uint32_t step = 1 + random_below(&seed, 600), back = random_below(&seed, 300);

			pieces[n].at = (uint32_t)(at > back ? at - back : 0);
			at = at + step < count ? at + step : count;
			pieces[n].bytes = (uint32_t)at - pieces[n].at;
		}
		for (unsigned i = 0; i < 12; i++)
			pieces[n + i % 16] = pieces[random_below(&seed, n)];
		n += 12;
		for (unsigned i = n; i-- > 1;) {
			const unsigned k = random_below(&seed, i + 1);
			const struct piece was = pieces[i];

			pieces[i] = pieces[k];
			pieces[k] = was;
		}
		for (unsigned i = 0; i < n; i++)
			send_data(0, pieces[i].at, bytes + pieces[i].at, pieces[i].bytes);
		read_answers(0);
	}
}

static void check_scrambled(void)
{
	uint8_t sent[STREAM_BYTES];
	const uint32_t begun = state->begun;
	int fd = connect_peer(5);

	lines__fill(&seed, sent, sizeof(sent));
	send_scrambled(sent, sizeof(sent));
	send_data(TH_FIN, sizeof(sent), "", 0);
	check_stream("segments in any order, SYN five times", fd, sent, sizeof(sent), begun);
}

static void check_early_fin(void)
{
	static const uint8_t sent[] = "one\ntwo\nthree\n";
	const uint32_t begun = state->begun;
	int fd = connect_peer(1);

	send_data(TH_FIN, 8, sent + 8, 6);
	send_data(0, 4, sent + 4, 4);
	usleep(50000);
	if (state->ended != begun)
		die("a stream ends before its bytes are there");
	send_data(0, 0, sent, 4);
	check_stream("FIN before the bytes", fd, sent, 14, begun);
}

/* The first bytes arrive with the acknowledgement of the handshake, and with FIN. */
static void check_all_at_once(void)
{
	static const uint8_t sent[] = "all at once\n";
	const uint32_t begun = state->begun;
	int fd;

	port++;
	isn = 0xfffffff8; /* also makes the sequence numbers wrap */
	send_segment(TH_SYN, 0, "", 0, "", 0);
	read_answers(1000);
	send_data(TH_FIN | TH_PUSH, 0, sent, 12);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		die("cannot accept: %s", strerror(errno));
	check_stream("bytes and FIN with the handshake", fd, sent, 12, begun);
}

/* Data in the SYN: a server that requires no cookie accepts it. */
static void check_fast_open(void)
{
	static const uint8_t sent[] = "fast\nopen\n", option[] = { 34, 2, 1, 1 };
	const uint32_t begun = state->begun;
	int fd;

	port++;
	isn = (uint32_t)random_next(&seed);
	server_next = 0;
	send_segment(TH_SYN, 0, sent, 5, option, sizeof(option));
	read_answers(1000);
	send_data(0, 5, sent + 5, 5);
	send_data(TH_FIN, 10, "", 0);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		die("cannot accept: %s", strerror(errno));
	check_stream("fast open", fd, sent, 10, begun);
}

static void check_reset(void)
{
	const uint32_t begun = state->begun;
	int fd = connect_peer(1);

	send_data(0, 0, "some", 4);
	send_segment(TH_RST | TH_ACK, 4, "", 0, "", 0);
	lines__wait_for("a reset", &state->ended, begun + 1);
	close(fd);
	printf("ok: reset\n");
}

/* Half-open connections must not use any of the handlers' connection slots. */
static void check_flood(void)
{
	static const uint8_t sent[] = "after the flood\n";
	const uint32_t begun = state->begun;
	int fd;

	for (unsigned i = 0; i < 20000; i++) {
		port = (uint16_t)(2000 + i);
		isn = (uint32_t)random_next(&seed);
		send_segment(TH_SYN, 0, "", 0, "", 0);
		if (i % 64 == 0)
			read_answers(0);
	}
	read_answers(0);
	port = 50000;
	fd = connect_peer(1);
	send_data(0, 0, sent, 16);
	send_data(TH_FIN, 16, "", 0);
	check_stream("a flood of SYN", fd, sent, 16, begun);
}

static void check_cookies(void)
{
	static const uint8_t sent[] = "with a cookie\n";
	const uint32_t begun = state->begun;
	int fd;

	netns_shell("echo 2 >/proc/sys/net/ipv4/tcp_syncookies"); /* for every SYN */
	port = 51000;
	fd = connect_peer(3);
	send_data(0, 0, sent, 14);
	send_data(TH_FIN, 14, "", 0);
	check_stream("SYN cookies", fd, sent, 14, begun);
}

/* --- */

static void open_tun(void)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = "t0" };

	tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (tun < 0 || ioctl(tun, TUNSETIFF, &request)) {
		printf("skip: this machine has no TUN devices: %s\n", strerror(errno));
		exit(77);
	}
	netns_shell("ip link set lo up; ip link set t0 up; ip addr add 10.77.0.1/24 dev t0");
}

int main(void)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts) };
	struct spin_object *obj;
	struct spin_ctx *ctx;

	setvbuf(stdout, NULL, _IOLBF, 0);
	netns_new();
	open_tun();
	spind__start(&spind, "");
	obj = built_open("lines");
	netns_shell("echo 1538 >/proc/sys/net/ipv4/tcp_fastopen"); /* 0x602: servers, without cookies, all listening sockets */
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	udp_hosts__bind(listener, "10.77.0.1", PORT);
	if (listen(listener, 64))
		die("cannot listen: %s", strerror(errno));
	opts.broker = spind.socket;
	if (spin_socket__attach(listener, obj, &opts, &ctx))
		die("%s", spin_strerror_last());
	state = lines__state(ctx);
	check_scrambled();
	check_early_fin();
	check_all_at_once();
	check_reset();
	check_fast_open();
	check_cookies();
	check_flood();
	spin_ctx__destroy(ctx);
	spin_object__close(obj);
	spind__cleanup(&spind);
	return 0;
}
