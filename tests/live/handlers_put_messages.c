/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests puts: messages that handlers send into another host's memory. For each packet they put three messages of one packet, to three
 * addresses, and at the end one of 1 MiB from host memory. All must arrive at a context on the other end, which acknowledges them. The
 * sender of the triggering messages must get its acknowledgements too. Packets that were parked (kept until their message's first packet is
 * handled) must trigger their puts as well. A put that no context takes must be reported. Run by tests/run.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/attached.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>
#include "tests/handlers/sending/fan_out.h"

#define HOST_BYTES (1u << 20)
#define STRIDE     256u
#define PACKETS    40u
#define PARKED     12u
#define EACH       3u
#define PUT_PORT   9331
#define MARK       99u /* match bits of puts from host memory */
#define TIMEOUT_MS (15000u * slow_factor())

static struct pair pair;
static struct spin_ctx *putter, *taker;
static struct fan_out *state;
static struct {
	unsigned small[EACH], large, large_bytes, failed;
} received;
static unsigned failures;

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, spin_strerror_last());
	exit(1);
}

static void check(const char *mode, const char *what, uint64_t want, uint64_t got)
{
	if (want == got)
		return;
	printf("FAIL: %s: %s: %llu instead of %llu\n", mode, what, (unsigned long long)got, (unsigned long long)want);
	failures++;
}

static struct spin_ctx *attach(const char *handler, const char *dev, const char *rule_text, const struct spin_message_opts *message,
			       enum spin_mode mode)
{
	struct spin_ctx *ctx;

	if (attached__open(&ctx, handler, dev, rule_text, message, mode))
		die(handler);
	return ctx;
}

static void on_taken(void *arg, const struct spin_event *e)
{
	(void)arg;
	if (e->type != SPIN_EVENT_MESSAGE)
		return;
	if (e->match_bits < EACH && e->length == 8) {
		received.small[e->match_bits]++;
	} else if (e->match_bits == MARK && e->hdr_data == 7) {
		received.large++;
		received.large_bytes = e->length;
	}
}

static void on_put(void *arg, const struct spin_event *e)
{
	(void)arg;
	received.failed += e->type == SPIN_EVENT_PUT_FAILED && e->match_bits == MARK && e->length == HOST_BYTES && e->src_port == PUT_PORT;
}

static unsigned small(void)
{
	return received.small[0] + received.small[1] + received.small[2];
}

/* Waits until the counts are reached or the time is over, and a little longer to detect excess ones. */
static void wait_for(unsigned puts, unsigned large, unsigned failed)
{
	for (unsigned ms = 0, more = 0; ms < TIMEOUT_MS && more < 3; ms += 20) {
		spin_ctx__events(taker, on_taken, NULL);
		spin_ctx__events(putter, on_put, NULL);
		more += small() >= puts && received.large >= large && received.failed >= failed;
		poll(NULL, 0, 20);
	}
}

static uint64_t acknowledged(void)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(putter, packets);
	return packets[SPIN_REASON_ACKNOWLEDGED];
}

static void send_message(const char *mode)
{
	const struct spin_send_opts opts = { .bytes = sizeof(opts), .payload_bytes = STRIDE };
	static const uint8_t data[PACKETS * STRIDE];
	struct spin_send_report report = { 0 };
	struct spin_sender *sender;

	if (spin_sender__open(FAR_ADDR, NULL, &opts, &sender))
		die("sender");
	if (spin_sender__send(sender, data, sizeof(data), NULL, &report))
		die("the message is not acknowledged");
	check(mode, "acknowledged packets of the message", PACKETS, report.acknowledged);
	spin_sender__close(sender);
}

/* Sends the last packet first: all packets except that with offset 0 are parked. */
static void send_backwards(const char *mode)
{
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	const struct timeval wait = slow_wait(2000);
	struct {
		struct spin_slmp slmp;
		uint8_t payload[STRIDE];
	} packet = { 0 };
	static uint32_t id = 77000;
	unsigned acks = 0;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, FAR_ADDR, &far.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (fd < 0 || connect(fd, (struct sockaddr *)&far, sizeof(far)))
		die("no socket");
	id++;
	for (unsigned i = PARKED; i-- > 0;) {
		packet.slmp.flags = htons(SPIN_SLMP_SYN | (i + 1 == PARKED ? SPIN_SLMP_EOM : 0));
		packet.slmp.message_id = htonl(id);
		packet.slmp.offset = htonl(i * STRIDE);
		if (send(fd, &packet, sizeof(packet), 0) != sizeof(packet))
			die("cannot send");
	}
	while (acks < PARKED && recv(fd, &packet, sizeof(packet), 0) == sizeof(struct spin_slmp))
		acks++;
	check(mode, "acknowledgements of packets sent backwards", PARKED, acks);
	close(fd);
}

static void fill(uint8_t *memory, unsigned seed)
{
	for (uint32_t i = 0; i < HOST_BYTES; i++)
		memory[i] = (uint8_t)((i * 2654435761u >> 13) + seed);
}

static void set_up(uint32_t host_bytes, const char *last_target)
{
	static const char *const targets[] = { NEAR_ADDR, "10.78.0.11", "10.78.0.12" };

	memset(&received, 0, sizeof(received));
	for (unsigned i = 0; i < EACH; i++)
		inet_pton(AF_INET, targets[i], &state->target[i]);
	inet_pton(AF_INET, last_target, &state->target[3]);
	state->count = EACH;
	state->bytes = 8;
	state->port = htons(PUT_PORT);
	state->host_bytes = host_bytes;
}

static void run_mode(enum spin_mode mode)
{
	const struct spin_message_opts takes = { .host_bytes = 2 * HOST_BYTES, .put = 1 }, puts = { .host_bytes = HOST_BYTES };
	const char *name = spin_mode_name(mode);
	struct spin_put_stats stats;
	void *memory, *from, *addr;
	uint64_t before;
	size_t bytes;

	taker = attach("msg_default", NEAR_DEV, "udp dport 9331", &takes, mode);
	netns_enter(pair.far_ns);
	putter = attach("msg_fan", FAR_DEV, "udp dport 9330", &puts, mode);
	netns_enter(pair.near_ns);
	if (spin_ctx__symbol(putter, "spin_state", &addr, &bytes) || bytes != sizeof(*state) ||
	    spin_ctx__host_memory(putter, &from, &bytes) || spin_ctx__host_memory(taker, &memory, &bytes))
		die("memory");
	state = addr;
	fill(from, mode);

	set_up(HOST_BYTES, NEAR_ADDR);
	send_message(name);
	wait_for(PACKETS * EACH, 1, 0);
	for (unsigned i = 0; i < EACH; i++)
		check(name, "puts to one target", PACKETS, received.small[i]);
	check(name, "puts from host memory", 1, received.large);
	check(name, "bytes put from host memory", HOST_BYTES, received.large_bytes);
	check(name, "host memory is the same", 0, memcmp(memory, from, HOST_BYTES) != 0);
	check(name, "acknowledgements of puts", PACKETS * EACH, acknowledged());

	before = acknowledged();
	set_up(0, NEAR_ADDR);
	send_backwards(name);
	wait_for(PARKED * EACH, 0, 0);
	check(name, "puts of parked packets", PARKED * EACH, small());
	check(name, "acknowledgements of those", PARKED * EACH, acknowledged() - before);

	set_up(HOST_BYTES, "10.78.0.99");
	send_message(name);
	wait_for(PACKETS * EACH, 0, 1);
	check(name, "puts beside one that fails", PACKETS * EACH, small());
	check(name, "failed puts that were told", 1, received.failed);

	if (spin_ctx__put_stats(putter, &stats) || spin_ctx__alive(putter) != 1)
		die("stats");
	check(name, "lost packets", 0, stats.lost_queue + stats.lost_copy + stats.lost_way);
	check(name, "puts from host memory that it counts", 1, stats.puts);
	check(name, "failed puts that it counts", 1, stats.puts_failed);
	/* the count of copies includes acknowledgements that were sent with them */
	check(name, "packets of handlers that it counts", 1, stats.returned + stats.copied + stats.sent >= (2 * PACKETS + PARKED) * EACH);
	spin_ctx__destroy(putter);
	spin_ctx__destroy(taker);
}

int main(void)
{
	pair__open(&pair);
	close(pair.pass); /* the context that takes the puts replaces it */
	pair.pass = -1;
	netns_shell("for i in 11 12; do ip addr add 10.78.0.$i/24 dev " NEAR_DEV "; done");
	run_mode(SPIN_MODE_NATIVE);
	run_mode(SPIN_MODE_GENERIC);
	pair__close(&pair);
	return failures != 0;
}
