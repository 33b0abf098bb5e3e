/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the latency of the modelled NIC: a packet with an empty handler, alone, must take 26 ns at 64 bytes and 40 ns at 1024 on target
 * pspin, as published (PsPIN 4.2.1), and 27 and 42 ns on target pspin-rtl, as measured on the RTL. At full rate one packet must complete
 * per beat of its bytes (64 bytes a cycle), for any size. Run by tests/run.
 */
#include "tests/common/bench.h"

#include "tests/model/common/rig.h"

static int failures;

static struct bench_result run(const struct bench_image *image, const char *target, const struct bench_run *run)
{
	struct bench_result result = { 0 };
	char err[512] = "";

	if (bench__run(image, pspin_target__find(target), run, &result, err, sizeof(err))) {
		printf("FAIL %s: %s\n", target, err);
		failures++;
	}
	return result;
}

static void latency(const struct bench_image *image, const char *target, uint32_t bytes, double ns)
{
	const struct bench_run alone = { .handler = "empty", .packet_bytes = bytes, .packets = 16, .messages = 1 };
	double have = run(image, target, &alone).latency_ns;

	if (have > ns || have < ns) {
		printf("FAIL %s, %u bytes: %g ns, not %g\n", target, bytes, have, ns);
		failures++;
	}
}

static void rate(const struct bench_image *image, uint32_t bytes)
{
	const struct bench_run full = { .handler = "empty", .packet_bytes = bytes, .packets = 1024, .messages = 32, .at_once = 1 };
	double have = 1 / run(image, "pspin-rtl", &full).packets_per_ns, want = (bytes + 63) / 64;

	if (have > want * 1.001 || have < want * 0.999) {
		printf("FAIL %u bytes: one packet every %g cycles, not %g\n", bytes, have, want);
		failures++;
	}
}

int main(void)
{
	struct rig_file handlers = rig__build("empty", "tests/figures/handlers.S");
	const struct bench_image image = { handlers.data, handlers.bytes };

	latency(&image, "pspin", 64, 26);
	latency(&image, "pspin", 1024, 40);
	latency(&image, "pspin-rtl", 64, 27);
	latency(&image, "pspin-rtl", 1024, 42);
	for (uint32_t bytes = 64; bytes <= 1024; bytes *= 2)
		rate(&image, bytes);
	free(handlers.data);
	return failures != 0;
}
