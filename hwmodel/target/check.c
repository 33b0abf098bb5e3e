/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks which values of the parameters of a target, a NIC to be modelled, are valid together: pspin_target__check(). Limits of a single
 * parameter are in parameters.def. Called when a NIC is opened and when a target file has been read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <spin/hpu.h>

#include "hwmodel/soc/storage.h"
#include "hwmodel/target/parameters.h"

#define KIB                 1024u
#define PS_PER_US           1000000u
#define SCRATCHPADS_KIB_MIN 16u    /* of L1 after the packet buffer, for messages */
#define RING_BYTES_MIN      2048u  /* of a packet buffer's ring: an Ethernet frame */
#define MESSAGE_IDS         65536u /* ids of a HER, divided among the clusters */

struct error_buffer {
	char *err;
	size_t err_bytes;
};

static int refuse(struct error_buffer a, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(a.err, a.err_bytes, format, args);
	va_end(args);
	return -EINVAL;
}

static int power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* Names the nearest clocks whose cycle is a whole number of picoseconds. */
static int check_clock(const struct pspin_target *t, struct error_buffer a)
{
	uint64_t below = t->clock_mhz, above = below;

	if (PS_PER_US % t->clock_mhz == 0)
		return 0;
	while (PS_PER_US % below)
		below--;
	while (PS_PER_US % above)
		above++;
	return refuse(a, "a cycle at clock_mhz = %" PRIu64 " is not a whole number of picoseconds; it is at %" PRIu64 " and %" PRIu64,
		      t->clock_mhz, below, above);
}

/* Stacks, packet buffer and scratchpads share an L1. */
static int check_l1(const struct pspin_target *t, struct error_buffer a)
{
	const uint64_t packets_kib = t->l1_kib - L1_PACKETS / KIB - 1;

	if (t->l1_packet_kib + SCRATCHPADS_KIB_MIN > packets_kib)
		return refuse(a,
			      "l1_packet_kib = %" PRIu64 " does not fit an L1 of l1_kib = %" PRIu64
			      ", which has stacks and scratchpads, too; it has room for %" PRIu64,
			      t->l1_packet_kib, t->l1_kib, packets_kib - SCRATCHPADS_KIB_MIN);
	return 0;
}

static int check_widths(const struct pspin_target *t, struct error_buffer a)
{
	if (!power_of_two(t->beat_bytes))
		return refuse(a, "beat_bytes = %" PRIu64 " is not a power of two", t->beat_bytes);
	if (!power_of_two(t->l1_banks))
		return refuse(a, "l1_banks = %" PRIu64 " is not a power of two", t->l1_banks);
	if (t->beat_bytes > 4 * t->l1_banks)
		return refuse(a, "beat_bytes = %" PRIu64 ": l1_banks = %" PRIu64 " of 4 bytes take %" PRIu64 " in a cycle", t->beat_bytes,
			      t->l1_banks, 4 * t->l1_banks);
	if (t->l1_packet_kib * KIB / t->l1_rings < RING_BYTES_MIN)
		return refuse(a,
			      "l1_packet_kib = %" PRIu64 " makes l1_rings = %" PRIu64 " that hold no packet of %u bytes; %" PRIu64
			      " KiB do",
			      t->l1_packet_kib, t->l1_rings, RING_BYTES_MIN, t->l1_rings * RING_BYTES_MIN / KIB);
	return 0;
}

static int check_icache(const struct pspin_target *t, struct error_buffer a)
{
	if (!power_of_two(t->icache_bytes) || !power_of_two(t->icache_ways) || !power_of_two(t->icache_line_bytes))
		return refuse(a,
			      "icache_bytes = %" PRIu64 ", icache_ways = %" PRIu64 " and icache_line_bytes = %" PRIu64
			      " have to be powers of two",
			      t->icache_bytes, t->icache_ways, t->icache_line_bytes);
	if (t->icache_bytes < t->icache_ways * t->icache_line_bytes)
		return refuse(a, "icache_bytes = %" PRIu64 " are less than icache_ways = %" PRIu64 " lines of %" PRIu64 ": %" PRIu64 " do",
			      t->icache_bytes, t->icache_ways, t->icache_line_bytes, t->icache_ways * t->icache_line_bytes);
	return 0;
}

/* Programs treat each thread as an HPU: it has a stack in L1, and boot.S numbers eight per cluster. */
static int check_threads(const struct pspin_target *t, struct error_buffer a)
{
	const uint64_t most = t->clusters > 1 ? SOC_NUMBERED_HPUS : SOC_CLUSTER_HPUS_MAX, all = t->clusters * t->hpus * t->hpu_threads;

	if (t->hpu_threads == 1)
		return 0;
	if (t->hpus * t->hpu_threads > most)
		return refuse(a,
			      "hpu_threads = %" PRIu64 ": hpus = %" PRIu64 " of clusters = %" PRIu64 " can have %" PRIu64
			      " each, since images have stacks and numbers for %" PRIu64 " threads of a cluster",
			      t->hpu_threads, t->hpus, t->clusters, most / t->hpus ? most / t->hpus : 1, most);
	if (all > SPIN_HPUS_MAX)
		return refuse(a,
			      "hpu_threads = %" PRIu64 ": clusters = %" PRIu64 " of hpus = %" PRIu64 " make %" PRIu64
			      " threads, and SPIN_PER_HPU has entries for %u",
			      t->hpu_threads, t->clusters, t->hpus, all, SPIN_HPUS_MAX);
	return 0;
}

/* Each cluster is home to the same number of messages. */
static int check_messages(const struct pspin_target *t, struct error_buffer a)
{
	const uint64_t clusters = t->clusters ? t->clusters : 1; /* the lower bound of its range */
	const uint64_t most = MESSAGE_IDS / clusters * clusters;

	if (t->mpqs > most)
		return refuse(a, "mpqs = %" PRIu64 ": clusters = %" PRIu64 " are home to at most %" PRIu64, t->mpqs, t->clusters, most);
	return 0;
}

/* The path to a memory is a part of the whole access. */
static int check_paths(const struct pspin_target *t, struct error_buffer a)
{
	if (t->remote_reach > t->load_remote_l1 || t->remote_reach > t->store_remote_l1 || t->remote_reach > t->amo_remote_l1)
		return refuse(a,
			      "remote_reach = %" PRIu64 " is a part of load_remote_l1 = %" PRIu64 ", store_remote_l1 = %" PRIu64
			      " and amo_remote_l1 = %" PRIu64 ": not more than those",
			      t->remote_reach, t->load_remote_l1, t->store_remote_l1, t->amo_remote_l1);
	if (t->l2_flight_load_handler >= t->load_l2_handler)
		return refuse(a, "l2_flight_load_handler = %" PRIu64 " is a part of load_l2_handler = %" PRIu64 ": less than that",
			      t->l2_flight_load_handler, t->load_l2_handler);
	return 0;
}

int pspin_target__check(const struct pspin_target *t, char *err, size_t err_bytes)
{
	struct error_buffer a = { err, err_bytes };
	int status = check_clock(t, a);

	if (!status)
		status = check_threads(t, a);
	if (!status)
		status = check_l1(t, a);
	if (!status)
		status = check_widths(t, a);
	if (!status)
		status = check_icache(t, a);
	if (!status)
		status = check_messages(t, a);
	if (!status)
		status = check_paths(t, a);
	return status;
}
