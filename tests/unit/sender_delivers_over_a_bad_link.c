/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spin_sender__send() against a plain receiver. The data must arrive unchanged, for any length, over IPv4 and IPv6, with packets and
 * acknowledgements lost, duplicated, delayed and forged. The packets on the wire must follow the protocol. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/net/netns.h"
#include "tests/common/random.h"
#include "tests/common/net/slmp_receiver.h"
#include "tests/common/net/slow.h"
#include <spin/libspin.h>
#include <spin/libspin_send.h>

#define BYTES_MAX  (3u << 20)
#define TIMEOUT_MS (20000u * slow_factor()) /* above the default: a packet may be lost eight times in a row */

static uint8_t data[BYTES_MAX];

static void die(const char *what, const char *detail)
{
	printf("FAIL: %s: %s\n", what, detail);
	exit(1);
}

struct trial {
	const char *name;
	struct slmp_link link;
	struct spin_send_opts opts;
	unsigned rounds;
};

/* clang-format off */
static const struct trial trials[] = {
	{ "good link", { 0 }, { .window = 0 }, 1 },
	{ "window of 1", { 0 }, { .window = 1 }, 1 },
	{ "window of 1024", { 0 }, { .window = 1024 }, 1 },
	{ "short packets", { 0 }, { .payload_bytes = 24 }, 1 },
	{ "odd packets", { 0 }, { .payload_bytes = 1001 }, 1 },
	{ "put", { 0 }, { .put = 1 }, 1 },
	{ "loss", { .lose = 10, .lose_ack = 10 }, { .window = 64 }, 3 },
	{ "doubled", { .twice = 30, .twice_ack = 30 }, { .window = 64 }, 2 },
	{ "reordered", { .hold = 30 }, { .window = 64 }, 2 },
	{ "forged", { .junk = 50 }, { .window = 64 }, 2 },
	{ "all of it", { 10, 10, 20, 10, 10, 20 }, { .window = 200 }, 4 },
	{ "all of it, window of 1", { 10, 10, 20, 10, 10, 20 }, { .window = 1, .resend_ms = 2 }, 1 },
	{ "all of it, put", { 10, 10, 20, 10, 10, 20 }, { .window = 32, .put = 1 }, 2 },
};
/* clang-format on */

static const uint32_t lengths[] = { 0, 1, 7, 8, 1423, 1424, 1425, 1455, 1456, 1457, 2912, 100000, BYTES_MAX - 3 };

/* Limits the length for windows of one packet over lossy links, and for tiny packets, which would take too long. */
static uint32_t most_bytes(const struct trial *t)
{
	return t->opts.window == 1 && t->link.lose ? 60000 : t->opts.payload_bytes == 24 ? 100000 : BYTES_MAX;
}

static void check_put(const struct slmp_message *m, const struct spin_send_put *put, uint32_t bytes)
{
	const uint8_t *at = (const uint8_t *)m->put;

	if (at[0] != 1 || at[1] != 1 || at[2] || at[3] || be32toh(((const uint32_t *)m->put)[1]) != bytes ||
	    be64toh(m->put[1]) != put->match_bits || be64toh(m->put[2]) != put->hdr_data || be64toh(m->put[3]) != put->offset)
		die("put", "its header is not what was asked for");
}

static void send_one(const struct trial *t, struct slmp_receiver *r, struct spin_sender *s, uint32_t bytes)
{
	const struct spin_send_put put = { 0x0123456789abcdef, 0xfedcba9876543210, 0x1020304050607080 };
	struct spin_send_report report;
	const struct slmp_message *m;
	unsigned before = atomic_load(&r->messages);

	r->expect_bytes = bytes;
	if (spin_sender__send(s, data, bytes, t->opts.put ? &put : NULL, &report))
		die(t->name, spin_strerror_last());
	m = &r->message[before];
	if (atomic_load(&r->messages) != before + 1 || m->id != report.message_id)
		die(t->name, "not one message more");
	if (!m->whole || m->bytes != bytes || memcmp(m->data, data, bytes))
		die(t->name, "another message than was sent");
	if (t->opts.put)
		check_put(m, &put, bytes);
	if (report.bytes != bytes || report.packets != m->packets || report.acknowledged != m->packets ||
	    report.sent != report.packets + report.resent)
		die(t->name, "the report is wrong");
	if (before && report.message_id != r->message[before - 1].id + 1)
		die(t->name, "an id that is not the next one");
	if (r->complaint[0])
		die(t->name, r->complaint);
}

static void run(const struct trial *t, int family, unsigned round)
{
	struct slmp_receiver r = { .family = family,
				   .link = t->link,
				   .seed = round + 1,
				   .bytes_max = BYTES_MAX,
				   .every = 1,
				   .take_put = t->opts.put,
				   .mute_offset = SLMP_NO_PACKET };
	struct spin_send_opts opts = t->opts;
	struct spin_sender *s;
	char port[8];

	opts.bytes = sizeof(opts);
	opts.timeout_ms = TIMEOUT_MS;
	r.stride = opts.payload_bytes ? opts.payload_bytes : opts.put ? 1424 : 1456;
	if (slmp_receiver__start(&r))
		die(t->name, "no receiver");
	snprintf(port, sizeof(port), "%u", r.port);
	if (spin_sender__open(family == AF_INET ? "127.0.0.1" : "::1", port, &opts, &s))
		die(t->name, spin_strerror_last());
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (lengths[i] <= most_bytes(t))
			send_one(t, &r, s, lengths[i]);
	spin_sender__close(s);
	slmp_receiver__stop(&r);
	slmp_receiver__free(&r);
}

int main(void)
{
	uint64_t seed = 4;

	netns_new();
	netns_shell("ip link set lo up");
	random_fill(&seed, data, sizeof(data));
	for (unsigned i = 0; i < sizeof(trials) / sizeof(trials[0]); i++) {
		for (unsigned round = 0; round < trials[i].rounds; round++)
			run(&trials[i], round & 1 ? AF_INET6 : AF_INET, round);
		printf("%s: all lengths arrived\n", trials[i].name);
	}
	return 0;
}
