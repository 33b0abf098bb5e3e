/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that loops over a packet as users write them (tests/loops) have the same results on every engine (the kernel in both load classes,
 * the model of the card) as in the host build, which is plain C. They must also load in both classes, although each is hard for the
 * verifier. Loops over messages, which support one class only, run over all packets of a message, and are compared after each packet. Run
 * by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/random.h"
#include "tests/common/net/message_packet.h"
#include "user/conformance/template/template.h"
#include <spin/slmp.h>

#include "tests/loops/loops.h"

#define RANDOM_PACKETS 200
#define MESSAGES       100u
#define HOST_BYTES     16384u
#define PAYLOAD_MAX    3000u /* for copied payloads as well */

static const char *const handlers[] = { "loops_bins",   "loops_bits",  "loops_bytes", "loops_count", "loops_extremes",
					"loops_nested", "loops_order", "loops_pairs", "loops_parse", "loops_records",
					"loops_sums",   "loops_text",  "loops_wide" };

static const char *const message_handlers[] = { "messages_bins", "messages_extremes", "messages_parts", "messages_sums" };

static const char text[] = "a1 22\n\"b\\\"c\" \t-Zz0987  'x' \"\" y\n";

/* Fills a payload of one of several kinds: results depend on lengths, order and extreme values. */
static void fill(uint8_t *payload, uint32_t bytes, unsigned kind, uint64_t *random)
{
	if (kind == 4)
		random_fill(random, payload, bytes);
	for (uint32_t i = 0; i < bytes && kind != 4; i++) {
		const uint8_t is[] = { 0, 0xff, (uint8_t)i, (uint8_t)text[(i + bytes) % (sizeof(text) - 1)] };

		payload[i] = is[kind];
	}
}

static int make(struct template *t, uint32_t bytes, unsigned kind, uint64_t *random)
{
	uint8_t payload[PAYLOAD_MAX];

	fill(payload, bytes, kind, random);
	template_start(t);
	if (template_line(t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(t, "udp 4000 > 9000 sum none") != 1 || template_append(t, payload, bytes))
		return engine_fail(-EINVAL, "no packet of %u bytes", bytes);
	return template_finish(t);
}

static int read_results(struct engine *e, struct loops *s)
{
	return e->ops->read(e, "spin_state", 0, s, sizeof(*s));
}

/* Returns 0 if all engines agree with the host, or 1 after a message. */
static int compare(const char *handler, struct engine *const *engines, uint32_t bytes, unsigned kind, struct loops *host)
{
	struct loops s;
	int failed = read_results(engines[ENGINE_HOST], host);

	for (int e = ENGINE_BPF; e < ENGINE_OF_ALL && !failed; e++) {
		if (!engines[e])
			continue;
		failed = read_results(engines[e], &s);
		for (unsigned i = 0; i < LOOPS_RESULTS && !failed; i++)
			if (s.result[i] != host->result[i]) {
				printf("FAIL  %s: result %u of %u bytes, kind %u: host %#x, %s %#x\n", handler, i, bytes, kind,
				       host->result[i], engine_name((enum engine_kind)e), s.result[i]);
				failed = 1;
			}
	}
	return failed;
}

static int has_result(const char *handler, const struct loops *any, unsigned packets)
{
	unsigned results = 0;

	for (unsigned i = 0; i < LOOPS_RESULTS; i++)
		results += any->result[i] != 0;
	if (results)
		printf("%s: %u packets, %u results\n", handler, packets, results);
	else
		printf("FAIL  %s: no packet had a result\n", handler);
	return results ? 0 : 1;
}

/* Runs one packet of a message on all engines. */
static int run_packet(const char *handler, struct engine *const *engines, const struct message_packet *p, unsigned kind, struct loops *host)
{
	static struct engine_out out;
	int failed = 0;

	for (int e = 0; e < ENGINE_OF_ALL && !failed; e++)
		if (engines[e])
			failed = engines[e]->ops->packet(engines[e], p->frame, p->bytes, &out);
	return failed ? failed : compare(handler, engines, p->payload_bytes, kind, host);
}

static int run_messages(const char *handler, struct engine *const *engines)
{
	static const uint32_t packet_bytes[] = { 1, 3, 4, 7, 8, 64, 65, 128, 1000, 1460 };
	struct message_packet packet;
	struct loops host, any = { { 0 } };
	uint64_t random = 1;
	unsigned count = 0;
	int failed = 0;

	for (unsigned n = 0; n < MESSAGES && !failed; n++) {
		uint32_t bytes = packet_bytes[n / 5 % (sizeof(packet_bytes) / sizeof(*packet_bytes))];
		uint32_t packets = 1 + random_below(&random, 6);

		failed = message_packet_make(&packet, bytes);
		for (uint32_t i = 0; i < packets && !failed; i++, count++) {
			fill(packet.payload, bytes, n % 5, &random);
			message_packet_head(&packet, SPIN_SLMP_SYN | (i + 1 == packets ? SPIN_SLMP_EOM : 0), n + 1, i * bytes);
			failed = run_packet(handler, engines, &packet, n % 5, &host);
		}
		for (unsigned i = 0; i < LOOPS_RESULTS && !failed; i++)
			any.result[i] |= host.result[i];
	}
	return failed ? failed : has_result(handler, &any, count);
}

static int run(const char *handler, struct engine *const *engines)
{
	static const uint32_t edges[] = { 0, 1, 3, 4, 7, 8, 63, 64, 65, 127, 128, 1000, 1472, 1473, PAYLOAD_MAX };
	static struct template t;
	static struct engine_out out;
	const unsigned count = sizeof(edges) / sizeof(*edges) * 5 + RANDOM_PACKETS;
	struct loops host, any = { { 0 } };
	uint64_t random = 1;
	int failed = 0;

	for (unsigned n = 0; n < count && !failed; n++) {
		unsigned kind = n % 5;
		uint32_t bytes = n / 5 < sizeof(edges) / sizeof(*edges) ? edges[n / 5] : random_below(&random, PAYLOAD_MAX);

		failed = make(&t, bytes, kind, &random);
		for (int e = 0; e < ENGINE_OF_ALL && !failed; e++)
			if (engines[e])
				failed = engines[e]->ops->packet(engines[e], t.frame, t.bytes, &out);
		failed = failed ? failed : compare(handler, engines, bytes, kind, &host);
		for (unsigned i = 0; i < LOOPS_RESULTS && !failed; i++)
			any.result[i] |= host.result[i];
	}
	return failed ? failed : has_result(handler, &any, count);
}

/* Returns 0, 1 on failure, or 77 if an engine cannot run here. */
static int run_handler(const char *handler, int messages)
{
	const struct engine_context context = { .rule = { .protocol = 17 }, .message.host_bytes = messages ? HOST_BYTES : 0 };
	struct engine *engines[ENGINE_OF_ALL] = { NULL };
	struct built built;
	int err = built_handler(handler, &built), skipped = 0;

	for (int e = 0; e < ENGINE_OF_ALL && !err; e++) {
		if (messages && e == ENGINE_ISOLATED)
			continue;
		err = engine_open((enum engine_kind)e, &built.handler, &context, &engines[e]);
		if (e == ENGINE_HOST || !err || !(engine_cannot(err) || err == -ENOSYS))
			continue;
		printf("skip: %s: %s: %s\n", handler, engine_name((enum engine_kind)e), engine_error());
		engines[e] = NULL;
		skipped = 1;
		err = 0;
	}
	err = err ? err : messages ? run_messages(handler, engines) : run(handler, engines);
	if (err < 0)
		printf("FAIL  %s: %s\n", handler, engine_error());
	for (int e = 0; e < ENGINE_OF_ALL; e++)
		engine_close(engines[e]);
	return err ? 1 : skipped ? 77 : 0;
}

int main(void)
{
	const unsigned datagrams = sizeof(handlers) / sizeof(*handlers);
	int failed = 0, skipped = 0;

	for (unsigned i = 0; i < datagrams + sizeof(message_handlers) / sizeof(*message_handlers); i++) {
		int status = i < datagrams ? run_handler(handlers[i], 0) : run_handler(message_handlers[i - datagrams], 1);

		failed |= status == 1;
		skipped |= status == 77;
	}
	return failed ? 1 : skipped ? 77 : 0;
}
