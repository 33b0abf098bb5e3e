/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares our handlers with hand-written baselines for PsPIN (baselines/), with the same flags and packets. The resulting frames must be
 * the same, and the code around our handler (wrapper) may cost at most 5 cycles more. Run by tests/run.
 */
#include <kvstore.h>

#include "tests/model/common/packet.h"
#include "tests/model/common/pair.h"

static void compare(struct pair *pair, const char *what, const uint8_t *frame, size_t bytes)
{
	struct pspin_result ours, baseline;

	if (pspin__packet(pair->ours, frame, bytes, &ours) || pspin__packet(pair->baseline, frame, bytes, &baseline) ||
	    ours.task_count != 1 || baseline.task_count != 1 || ours.tasks[0].error || baseline.tasks[0].error) {
		printf("FAIL %s, %s: a task is missing or failed\n", pair->name, what);
		failures++;
		return;
	}
	pair__cycles(pair, what, &ours.tasks[0], &baseline.tasks[0]);
	if (ours.reason != baseline.reason || ours.frame_bytes != baseline.frame_bytes ||
	    (ours.frame_bytes && memcmp(ours.frame, baseline.frame, ours.frame_bytes))) {
		printf("FAIL %s, %s: another result than the baseline's\n", pair->name, what);
		failures++;
	}
}

static void simple(const char *directory, const char *name)
{
	struct pair pair = pair__open(name, directory, (struct spin_registration){ .payload = 1 });
	uint8_t frame[1600], payload[1024];

	for (unsigned i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7);
	compare(&pair, "64 B", frame, packet__make(frame, 0x0100000a, payload, 64));
	compare(&pair, "1024 B", frame, packet__make(frame, 0x0100000a, payload, 1024));
	if (!strcmp(name, "sum"))
		same_object(&pair, "spin_state", 4);
	pair__close(&pair);
}

static void filtering(void)
{
	struct {
		uint32_t src;
		uint16_t port, unused;
		uint32_t packets;
	} route = { 0x0100000a, spin_hton16(7000), 0, 0 };
	struct pair pair =
		pair__open("filtering", "handlers", (struct spin_registration){ .payload = 1, .bytes_in_l1 = SPIN_HEADERS_ONLY });
	uint32_t home = route.src * 2654435769u >> 16;
	uint8_t frame[1600], payload[256] = { 1, 2, 3 };

	pair__write(&pair, "routes", home * sizeof(route), &route, sizeof(route));
	compare(&pair, "hit", frame, packet__make(frame, route.src, payload, 64));
	compare(&pair, "miss", frame, packet__make(frame, 0x0500000a, payload, 64));
	compare(&pair, "hit 256 B", frame, packet__make(frame, route.src, payload, 256));
	same_object(&pair, "routes", 65536 * sizeof(route));
	pair__close(&pair);
}

static void kvstore(void)
{
	struct pair pair = pair__open("kvstore", "handlers", (struct spin_registration){ .payload = 1 });
	struct kv_message m = { .op = spin_hton16(KV_GET), .key = spin_hton32(7), .value = { 1, 2, 3, 4, 5, 6, 7, 8 } };
	struct kv_line line = { .tag = 4 | KV_VALID, .key = 7, .value = { 9, 8, 7, 6, 5, 4, 3, 2 } };
	uint32_t at = 7 * sizeof(struct kv_set) + offsetof(struct kv_set, line);
	uint8_t frame[1600];

	compare(&pair, "GET miss", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	pair__write(&pair, "spin_state", at, &line, sizeof(line));
	compare(&pair, "GET hit", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	compare(&pair, "GET hit 2", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	m.op = spin_hton16(KV_SET);
	compare(&pair, "SET", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	m.key = spin_hton32(7 + KV_SETS);
	compare(&pair, "SET new key", frame, packet__make(frame, 0x0100000a, &m, sizeof(m)));
	compare(&pair, "no request", frame, packet__make(frame, 0x0100000a, &m, 20));
	same_object(&pair, "spin_state", sizeof(struct kv_cache));
	pair__close(&pair);
}

int main(void)
{
	simple("tests/handlers/messages", "deliver");
	simple("tests/handlers/datagrams", "sum");
	filtering();
	kvstore();
	return failures != 0;
}
