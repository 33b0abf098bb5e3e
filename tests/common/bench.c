/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs packets through the NIC model, one at a time or under load, and computes latency and throughput (bench.h). Called by `make figures`
 * and by tests/model. Deterministic: the same run gives the same result.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"

#include "tests/common/bench.h"

#define APART_PS 20000000ull /* interval after which any handler here has completed */

int bench_image__read(struct bench_image *image, const char *name)
{
	char path[512];
	FILE *f;
	long end;

	snprintf(path, sizeof(path), "%s/%s", built_dir(), name);
	f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) || (end = ftell(f)) <= 0 || fseek(f, 0, SEEK_SET)) {
		fprintf(stderr, "cannot read %s: run make figures\n", path);
		if (f)
			fclose(f);
		return -1;
	}
	image->bytes = (size_t)end;
	image->elf = malloc(image->bytes);
	if (!image->elf || fread(image->elf, 1, image->bytes, f) != image->bytes) {
		fprintf(stderr, "cannot read %s\n", path);
		fclose(f);
		return -1;
	}
	fclose(f);
	return 0;
}

/* Writes an IPv4 and UDP header from 10.0.0.1, or the run's argument. */
static void make_packet(uint8_t *packet, const struct bench_run *run, unsigned number)
{
	static const uint8_t header[28] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x10, 0, 0x23, 0x28 };

	memset(packet, 0, run->packet_bytes);
	if (run->has_argument) {
		const uint32_t first = !number && run->first_argument ? run->first_argument : run->argument;
		const uint32_t argument = first + number * run->argument_step;

		memcpy(packet, &argument, sizeof(argument)); /* little-endian, like all targets of the model */
	} else {
		memcpy(packet, header, run->packet_bytes < sizeof(header) ? run->packet_bytes : sizeof(header));
		packet[2] = (uint8_t)(run->packet_bytes >> 8);
		packet[3] = (uint8_t)run->packet_bytes;
	}
}

static int offer(struct pspin *nic, const struct bench_run *run)
{
	uint8_t packet[PSPIN_FRAME_BYTES_MAX];
	struct pspin_offer offer = { .frame = packet, .frame_bytes = run->packet_bytes };
	int rc = 0;

	for (unsigned i = 0; !rc && i < run->packets; i++) {
		make_packet(packet, run, i);
		offer.at_ps = run->at_once ? 0 : i * APART_PS;
		offer.message = i % run->messages;
		offer.end_of_message = i + run->messages >= run->packets;
		rc = pspin__offer(nic, &offer);
	}
	return rc;
}

static int run_on(struct pspin *nic, const struct bench_run *run, struct bench_result *out, char *err, size_t err_bytes)
{
	struct bench_recorder heard = { .skip = run->packets / 4 };
	int rc = bench_recorder__open(&heard, run->packets);

	if (rc) {
		snprintf(err, err_bytes, "no memory");
	} else {
		bench_recorder__observe(&heard, nic);
		rc = offer(nic, run);
		if (!rc)
			rc = pspin__run(nic, UINT64_MAX);
		if (rc)
			snprintf(err, err_bytes, "%s: %s %s", run->handler, strerror(-rc), pspin__stuck(nic));
	}
	if (!rc && ((heard.error && !run->takes_errors) || heard.lost || heard.packets != run->packets)) {
		snprintf(err, err_bytes, "%s: a task failed with 0x%x, or %llu packets were lost", run->handler, heard.error,
			 (unsigned long long)heard.lost);
		rc = -1;
	}
	if (!rc)
		bench_recorder__finalize(&heard, nic, out);
	bench_recorder__close(&heard);
	return rc ? -1 : 0;
}

int bench__run(const struct bench_image *image, const struct pspin_target *target, const struct bench_run *run, struct bench_result *out,
	       char *err, size_t err_bytes)
{
	const struct pspin_image program = {
		.elf = image->elf,
		.elf_bytes = image->bytes,
		.header = run->header,
		.payload = run->handler,
		.framing = PSPIN_FRAMING_RAW,
		.bytes_in_l1 = run->bytes_in_l1,
		.scratchpad_bytes = BENCH_SCRATCHPAD_BYTES,
	};
	struct pspin *nic = NULL;
	int rc;

	if (pspin__open_image(&nic, target, &program, err, err_bytes))
		return -1;
	rc = run_on(nic, run, out, err, err_bytes);
	pspin__close(nic);
	return rc;
}
