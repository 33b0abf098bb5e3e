/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the speed of the NIC model, in one thread: 100,000 datagrams of 512 bytes at line rate through the handler `filtering` on all 32
 * modelled cores, and `spinctl cost` of a message of 100,000 packets for `reduce`. Usage: model [FILE for the rows]. Run by bench.sh
 * (`make bench`).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/measure/measure.h"
#include "user/conformance/template/template.h"
#include <hwmodel/traffic.h>
#include <spin/libspin.h>

#define PACKETS         100000u
#define PACKET_BYTES    512u
#define HEADERS_BYTES   28u
#define SECONDS_AT_MOST 2.0
#define COST_SECONDS    3.0 /* of `spinctl cost` */
#define RUNS            3

static void die(const char *what)
{
	fprintf(stderr, "model: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static uint32_t make_packet(uint8_t *frame)
{
	static struct template t;

	template_start(&t);
	if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") < 0 || template_line(&t, "ip4 10.0.0.1 > 10.0.0.2") < 0 ||
	    template_line(&t, "udp 4000 > 9000 sum none") < 0 || template_append(&t, NULL, PACKET_BYTES - HEADERS_BYTES) ||
	    template_finish(&t))
		die("the packet cannot be made");
	memcpy(frame, t.frame, t.bytes);
	return t.bytes;
}

/* Returns the seconds from the first offer to the last feedback. */
static double run(const struct spin_object *object)
{
	const struct spin_rule any = { 0 };
	uint8_t frame[PACKET_BYTES + 64];
	const struct pspin_offer offer = { .frame = frame, .frame_bytes = make_packet(frame) };
	struct pspin_traffic traffic;
	struct pspin *nic;
	char err[256];
	size_t bytes;
	const void *image = spin_object__image(object, &bytes);
	double start;

	if (!image || pspin__open(&nic, pspin_target__find("pspin-rtl"), spin_object__meta(object), image, bytes, &any, err, sizeof(err)))
		die(image ? err : "filtering has no image for the HPUs");
	start = now();
	for (unsigned i = 0; i < PACKETS; i++)
		if (pspin__offer(nic, &offer))
			die("a packet is refused");
	if (pspin__run(nic, UINT64_MAX))
		die("the packets do not come to an end");
	start = now() - start;
	pspin__traffic(nic, &traffic);
	if (traffic.packets != PACKETS || traffic.lost_no_buffer || traffic.lost_no_message)
		die("packets are lost");
	pspin__close(nic);
	return start;
}

/* Returns the CPU seconds of `spinctl cost` for a message of PACKETS packets, without the sweep of sizes. */
static double cost(const char *handler)
{
	char object[512], spinctl[512], packets[16];
	struct rusage usage;
	int status;
	pid_t pid;

	if (built_object(handler, object, sizeof(object)))
		die(engine_error());
	snprintf(spinctl, sizeof(spinctl), "%s/bin/spinctl", built_dir());
	snprintf(packets, sizeof(packets), "%u", PACKETS);
	pid = fork();
	if (!pid) {
		if (freopen("/dev/null", "w", stdout))
			execl(spinctl, "spinctl", "cost", object, "--messages", "1", "--packets", packets, "--sizes", "none", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		die("spinctl cost failed");
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

int main(int argc, char **argv)
{
	static struct measure m;
	struct spin_object *object;
	double seconds[RUNS], median;
	struct measure_row *row;

	object = built_open("filtering");
	for (unsigned i = 0; i < RUNS; i++)
		seconds[i] = run(object);
	spin_object__close(object);
	median = measure_median(seconds, RUNS);
	measure_begin(&m, "bench-model");
	row = measure_add(&m, "model.packets_per_s", PACKETS / median, "packets/s");
	measure_goal(row, MEASURE_AT_LEAST, PACKETS / SECONDS_AT_MOST, row->value);
	for (unsigned i = 0; i < RUNS; i++)
		seconds[i] = cost("reduce");
	row = measure_add(&m, "model.cost_reduce_s", measure_median(seconds, RUNS), "s");
	measure_goal(row, MEASURE_AT_MOST, COST_SECONDS, row->value);
	measure_print(&m);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("the rows cannot be written");
	return 0;
}
