/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that spin_sender__send(), libspin's sender of messages over UDP, does not send beyond its window, retransmit too often, accept
 * forged acknowledgements, or wait forever. Also checks its messages on failure. Run by tests/run.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slmp_receiver.h"
#include <spin/libspin.h>
#include <spin/libspin_send.h>
#include <spin/message.h>

#define BYTES (2000u * 1456u)

static uint8_t data[BYTES];
static struct slmp_receiver receiver;
static struct spin_send_report report;

static struct spin_sender *to_port(unsigned port, struct spin_send_opts opts)
{
	struct spin_sender *s;
	char text[8];

	opts.bytes = sizeof(opts);
	snprintf(text, sizeof(text), "%u", port);
	expect(0, spin_sender__open("127.0.0.1", text, &opts, &s), "open");
	return s;
}

/* Starts a receiver, sends a message, and stores the receiver's view after both have ended. */
static int try(struct slmp_receiver kind, struct spin_send_opts opts, uint32_t bytes,
	       int (*progress)(void *arg, const struct spin_send_report *so_far))
{
	struct spin_sender *s;
	int err;

	slmp_receiver__free(&receiver);
	receiver = kind;
	receiver.family = AF_INET;
	receiver.bytes_max = BYTES;
	receiver.expect_bytes = bytes;
	if (slmp_receiver__start(&receiver))
		fail("no receiver");
	s = to_port(receiver.port, opts);
	if (progress)
		spin_sender__on_progress(s, progress, &receiver);
	err = spin_sender__send(s, data, bytes, NULL, &report);
	spin_sender__close(s);
	slmp_receiver__stop(&receiver);
	if (receiver.complaint[0])
		fail(receiver.complaint);
	return err;
}

static const struct spin_send_opts brief = { .window = 48, .timeout_ms = 400, .resend_ms = 20 };

static void no_answer(void)
{
	const struct slmp_message *m = receiver.message;

	expect(-ETIMEDOUT, try((struct slmp_receiver){ .every = 1, .mute = 1 }, brief, BYTES, NULL), "no answer");
	expect_error_text("not even of the first packet");
	expect(48, (int)m->packets, "different packets sent without an acknowledgement");
	/* retransmissions after 20, 40, 80 and 160 ms */
	if (m->first_came < 2 || m->first_came > 5)
		fail("a packet is not sent again with waits that double");
	expect(0, (int)report.acknowledged, "acknowledged without an acknowledgement");
	expect((int)report.sent, (int)receiver.datagrams, "datagrams sent, as reported");
}

static void forged(void)
{
	struct slmp_receiver kind = { .every = 1, .mute = 1, .link = { .junk = 100 } };

	expect(-ETIMEDOUT, try(kind, brief, BYTES, NULL), "forged answers only");
	expect(0, (int)report.acknowledged, "acknowledged by forgery");
	expect(48, (int)receiver.message[0].packets, "packets sent after forged answers");
}

static void one_is_missing(void)
{
	struct slmp_receiver kind = { .every = 1, .mute_offset = 5 * 1456 };

	expect(-ETIMEDOUT, try(kind, brief, BYTES, NULL), "one packet is never acknowledged");
	expect_error_text("7280 of 2912000 bytes were acknowledged");
	expect((5 + 1023) * 1456, (int)receiver.message[0].highest, "offset where the receiver's window ends");
	expect(5 + 1023, (int)report.acknowledged, "packets acknowledged");
}

static void first_is_missing(void)
{
	struct slmp_receiver kind = { .every = 1, .mute_offset = 0 };

	expect(-ETIMEDOUT, try(kind, brief, BYTES, NULL), "the first packet is never acknowledged");
	expect(47 * 1456, (int)receiver.message[0].highest, "offset sent while others are parked");
}

static void without_acknowledgements(void)
{
	struct slmp_receiver kind = { .mute_offset = SLMP_NO_PACKET };
	struct spin_send_opts opts = { .no_acknowledgements = 1 };

	expect(0, try(kind, opts, 200000, NULL), "window 0");
	expect(2, (int)report.acknowledged, "packets acknowledged with window 0");
	expect((int)report.packets, (int)receiver.message[0].packets, "packets with window 0");
	expect(200000, (int)report.bytes, "bytes with window 0");
	kind.link = (struct slmp_link){ .lose_ack = 60 };
	expect(0, try(kind, opts, 200000, NULL), "window 0, answers lost");
	kind.mute_offset = 0;
	opts.timeout_ms = 300;
	expect(-ETIMEDOUT, try(kind, opts, 200000, NULL), "window 0 without the first answer");
	expect(1, (int)receiver.message[0].packets, "packets sent before the first answer");
}

/* The window must adapt to the path: it is halved when packets are lost, and must not overflow the queue repeatedly. */
static void a_narrow_path(void)
{
	struct slmp_receiver kind = { .every = 1, .mute_offset = SLMP_NO_PACKET, .link = { .narrow = 1 } };
	struct spin_send_opts opts = { .window = 1024, .payload_bytes = 200, .timeout_ms = 5000 };

	expect(0, try(kind, opts, BYTES, NULL), "a narrow path");
	if (report.resent > report.packets / 2) {
		printf("%u of %u packets were sent again\n", (unsigned)report.resent, (unsigned)report.packets);
		fail("the window does not follow the path");
	}
}

/*
 * On a busy machine the sender may not run for longer than its timeout, while answers arrive: it must not give up. If it is stopped for so
 * long that the receiver may have evicted the message and forgotten it, it must begin again, with another id.
 */
static void kept_from_running(unsigned stopped_ms)
{
	const int begins_again = stopped_ms > SPIN_TOMBSTONE_MS;
	const struct spin_send_opts opts = { .payload_bytes = 200, .timeout_ms = 300 };
	pid_t pid;
	int status;

	slmp_receiver__free(&receiver);
	receiver = (struct slmp_receiver){ .every = 1, .mute_offset = SLMP_NO_PACKET, .link = { .narrow = 1 } };
	receiver.family = AF_INET;
	receiver.bytes_max = receiver.expect_bytes = BYTES;
	if (slmp_receiver__start(&receiver))
		fail("no receiver");
	pid = fork();
	if (!pid) {
		struct spin_sender *s = to_port(receiver.port, opts);
		const int err = spin_sender__send(s, data, BYTES, NULL, &report);

		if (err)
			printf("%s\n", spin_strerror_last());
		fflush(stdout);
		_exit(err != 0);
	}
	for (int i = 0; i < (begins_again ? 1 : 5); i++) {
		usleep(50000);
		kill(pid, SIGSTOP);
		usleep(stopped_ms * 1000);
		kill(pid, SIGCONT);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		fail("a sender that did not run for longer than its timeout gave up");
	slmp_receiver__stop(&receiver);
	if (receiver.complaint[0])
		fail(receiver.complaint);
	if (!receiver.message[begins_again].whole)
		fail(begins_again ? "it does not begin its message again" : "its message is not whole");
}

/* The receiver acknowledges what fits and refuses the rest. */
static void no_room(void)
{
	struct slmp_receiver kind = { .every = 1, .mute_offset = SLMP_NO_PACKET, .room = 100000, .link = { .lose = 5 } };
	struct spin_send_opts opts = { .timeout_ms = 60000 };

	expect(-EFBIG, try(kind, opts, BYTES, NULL), "longer than there is room for");
	expect_error_text("refused");
	expect_error_text("--max-mib");
	if (report.bytes > 100000)
		fail("refused bytes count as acknowledged");
	expect(0, try(kind, opts, 100000, NULL), "just as long as there is room for");
	kind.room = 1;
	expect(-EFBIG, try(kind, opts, BYTES, NULL), "no room for the first packet");
	expect_error_text("0 of 2912000 bytes were acknowledged");
}

/* The receiver ends messages to make room for others. */
static void begun_again(void)
{
	struct slmp_receiver kind = { .every = 1,
				      .mute_offset = SLMP_NO_PACKET,
				      .end_messages = 3,
				      .end_packets = 20,
				      .link = { .lose = 5, .twice_ack = 10, .hold = 10 } };

	expect(0, try(kind, (struct spin_send_opts){ .timeout_ms = 5000 }, BYTES, NULL), "ended for others three times");
	expect(3, (int)report.begun_again, "times that it was begun again");
	expect(4, (int)receiver.messages, "ids it had");
	expect(1, receiver.message[3].whole, "the last one is whole");
	expect((int)receiver.message[3].id, (int)report.message_id, "the id told of");
	kind.end_messages = SLMP_MESSAGES;
	kind.link.lose = 0;
	kind.link.lose_ack = 100; /* nothing is acknowledged, so there is no progress */
	expect(-ETIMEDOUT, try(kind, brief, BYTES, NULL), "ended for others each time");
	/* packets that ask for no acknowledgement are progress once only: the last one is answered with "again" each time */
	kind = (struct slmp_receiver){ .mute_offset = SLMP_NO_PACKET, .end_messages = SLMP_MESSAGES, .end_packets = 1 };
	expect(-ETIMEDOUT, try(kind, (struct spin_send_opts){ .no_acknowledgements = 1, .timeout_ms = 400 }, 20000, NULL),
	       "ended each time before its last packet");
}

/* The loopback interface does not segment: a receiver that enables GRO gets a train in one piece. */
static void packets_go_in_trains(void)
{
	struct slmp_receiver kind = { .every = 1, .mute_offset = SLMP_NO_PACKET, .stride = 1456, .link = { .joined = 1 } };
	struct spin_send_opts opts = { .timeout_ms = 5000 };

	expect(0, try(kind, opts, BYTES, NULL), "in trains");
	if (receiver.trains < 20 || receiver.datagrams != report.sent)
		fail("packets do not go in trains");
	/* generic XDP would see a train as one packet */
	kind.link.joined = 2;
	expect(0, try(kind, opts, BYTES, NULL), "trains are lost");
	expect(1, (int)receiver.trains, "trains that were tried");
	if (report.resent < 2 || report.resent > report.packets / 2)
		fail("not only what was tried was sent again");
	kind.link.joined = 0;
}

static int give_up(void *arg, const struct spin_send_report *so_far)
{
	return arg == &receiver && so_far->bytes == 5 * 1456;
}

static void given_up(void)
{
	struct slmp_receiver kind = { .every = 1, .mute_offset = 5 * 1456 };
	struct spin_send_opts opts = { .timeout_ms = 60000 };

	expect(-ECANCELED, try(kind, opts, BYTES, give_up), "given up by the caller");
	expect_error_text("given up; 7280 of 2912000 bytes were acknowledged");
}

static void refused(void)
{
	struct spin_sender *s = to_port(receiver.port, (struct spin_send_opts){ 0 }); /* the receiver has ended */

	for (int again = 0; again < 2; again++) {
		expect(-ECONNREFUSED, spin_sender__send(s, data, BYTES, NULL, &report), "nobody there");
		expect_error_text("connection refused");
	}
	spin_sender__close(s);
}

static int open_error(const char *host, const char *port, struct spin_send_opts opts)
{
	struct spin_sender *s = (void *)1;
	int err;

	if (!opts.bytes)
		opts.bytes = sizeof(opts);
	err = spin_sender__open(host, port, &opts, &s);
	if (err && s)
		fail("a sender, and an error");
	spin_sender__close(s);
	return err;
}

static void options_are_checked(void)
{
	const struct spin_send_put put = { 0 };
	struct spin_sender *s;

	expect(-ENOENT, open_error("no.such.host.invalid", NULL, (struct spin_send_opts){ 0 }), "no such host");
	expect_error_text("no.such.host.invalid");
	expect(-EINVAL, open_error("127.0.0.1", "0", (struct spin_send_opts){ 0 }), "port 0");
	expect(-EINVAL, open_error("127.0.0.1", "65536", (struct spin_send_opts){ 0 }), "port 65536");
	expect(-EINVAL, open_error("127.0.0.1", "http", (struct spin_send_opts){ 0 }), "a port by name");
	expect(-EINVAL, open_error("", NULL, (struct spin_send_opts){ 0 }), "no host");
	expect(-EINVAL, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .window = 1025 }), "a window too large");
	expect(-EINVAL, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .payload_bytes = 1463 }), "1463 bytes");
	expect(-EINVAL, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .bytes = 4 }), "options without a size");
	expect(-EINVAL, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .source = "::1" }), "another family");
	expect(-EINVAL, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .source = "127.0.0.1:x" }), "no port");
	expect(-EADDRNOTAVAIL, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .source = "10.9.9.9" }), "not ours");
	expect(0, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .source = "127.0.0.2:4000" }), "a source");
	expect(0, open_error("::1", NULL, (struct spin_send_opts){ .source = "[::1]:4000" }), "an IPv6 source with port");
	expect(0, open_error("::1", NULL, (struct spin_send_opts){ .source = "::1" }), "an IPv6 source");
	expect(0, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .bytes = sizeof(size_t), .window = 9999 }),
	       "a field behind the struct's size");
	s = to_port(9330, (struct spin_send_opts){ 0 });
	expect(-EINVAL, spin_sender__send(s, data, 1, &put, &report), "put by a sender without it");
	if (sizeof(size_t) > 4)
		expect(-EMSGSIZE, spin_sender__send(s, data, (size_t)1 << 32, NULL, NULL), "4 GiB");
	spin_sender__close(s);
}

/* Runs last, because it reduces the MTU of the path. */
static void a_short_way(void)
{
	struct slmp_receiver kind = { .every = 1, .mute_offset = SLMP_NO_PACKET, .stride = 960 };

	netns_shell("ip link set lo mtu 1000");
	expect(-EMSGSIZE, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .payload_bytes = 1000 }), "too long");
	expect(0, try(kind, (struct spin_send_opts){ 0 }, 10000, NULL), "a short way");
	netns_shell("ip link set lo mtu 68");
	expect(-EMSGSIZE, open_error("127.0.0.1", NULL, (struct spin_send_opts){ .put = 1 }), "no room behind a put");
}

int main(void)
{
	netns_new();
	netns_shell("ip link set lo up");
	no_answer();
	forged();
	one_is_missing();
	first_is_missing();
	without_acknowledgements();
	a_narrow_path();
	kept_from_running(600);
	kept_from_running(SPIN_TOMBSTONE_MS + 500);
	packets_go_in_trains();
	no_room();
	begun_again();
	given_up();
	refused();
	options_are_checked();
	a_short_way();
	slmp_receiver__free(&receiver);
	return 0;
}
