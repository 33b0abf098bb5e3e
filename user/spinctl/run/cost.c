/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl run --cost: while handlers run on live traffic, reports what some of their packets cost on the modelled NIC (cycles of its
 * processors, HPUs) and, from the kernel's run time counters, on this machine. Called by run.c and print.c.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <spin/slmp.h>
#include <spin/wire.h>
#include <string.h>
#include <unistd.h>

#include "user/tool/notify.h"
#include "user/spinctl/run/cost.h"

#define REFRESH_S 1 /* seconds between copies of the contexts' state to the models */

/* The kernel counts run times while this descriptor is open, so it stops at the latest when this process ends. */
static void open_stats(struct run_cost *cost)
{
	cost->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (cost->stats_fd < 0)
		report_error("--cost: the kernel does not count the time of programs here: %s; ns per packet stay unknown",
			     strerror(errno));
}

int run_cost__open(struct run_cost *cost, const struct session *set, const struct run_cost_options *options)
{
	uint64_t clusters = 0, hpus = 0;
	char reason[512] = "";
	int status = DONE;

	cost->stats_fd = -1;
	if (!options->every) {
		fprintf(stderr, "spinctl run: --cost-every is at least 1; see spinctl run --help\n");
		return USAGE;
	}
	if (pspin_target__read(options->target, &cost->target, reason, sizeof(reason)))
		return report_error("--cost-target: %s", reason);
	pspin_target__get(cost->target, "clusters", &clusters);
	pspin_target__get(cost->target, "hpus", &hpus);
	cost->hpus = (unsigned)(clusters * hpus);
	for (; cost->models < set->contexts && !status; cost->models++)
		status = run_cost_model__open(&set->context[cost->models], cost->target, options->every, &cost->model[cost->models]);
	cost->devices = set->devices;
	if (!status)
		open_stats(cost);
	return status;
}

void run_cost__close(struct run_cost *cost)
{
	for (unsigned i = 0; i < cost->models; i++)
		run_cost_model__close(cost->model[i]);
	if (cost->stats_fd >= 0)
		close(cost->stats_fd);
	pspin_target__free(cost->target);
	cost->models = 0;
}

int run_cost__poll(struct run_cost *cost)
{
	int is_due = now_s() >= cost->refresh_s, status = DONE;

	if (is_due)
		cost->refresh_s = now_s() + REFRESH_S;
	for (unsigned i = 0; i < cost->models && !status; i++) {
		if (is_due)
			run_cost_model__refresh(cost->model[i]);
		status = run_cost_model__look(cost->model[i]);
	}
	return status;
}

static void read_device(struct run_cost_device *d, struct spin_nic *nic)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info);
	int fd = spin_nic__program_fd(nic);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &bytes))
		return; /* the interface was removed: keep the last values */
	d->is_known = 1;
	d->ns_per_packet_in_interval =
		info.run_cnt > d->packets ? (double)(info.run_time_ns - d->ns) / (double)(info.run_cnt - d->packets) : 0;
	d->ns_per_packet = info.run_cnt ? (double)info.run_time_ns / (double)info.run_cnt : 0;
	d->ns = info.run_time_ns;
	d->packets = info.run_cnt;
}

void run_cost__mark(struct run_cost *cost, const struct session *set)
{
	for (unsigned i = 0; i < cost->models; i++)
		run_cost_model__mark(cost->model[i], &cost->context[i]);
	for (unsigned i = 0; i < cost->devices && cost->stats_fd >= 0; i++)
		read_device(&cost->device[i], set->device[i].nic);
}

/*
 * Hashes the key of a frame's message (<spin/message.h>): source address and port, and message_id or, for a flow or TCP connection,
 * destination port. The ports of TCP are where those of UDP are.
 */

static uint32_t hash_bytes(uint32_t hash, const uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * 16777619; /* FNV-1a */
	return hash;
}

static unsigned load_be16(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

int run_cost_key(const uint8_t *frame, uint32_t bytes, int is_flow, uint32_t *key)
{
	unsigned at = offsetof(struct spin_eth, type), type, source, source_bytes;
	uint32_t hash = 2166136261;

	while (at + 2 <= bytes && (load_be16(frame + at) == SPIN_ETH_VLAN || load_be16(frame + at) == SPIN_ETH_QINQ))
		at += sizeof(struct spin_vlan);
	if (at + 2 + sizeof(struct spin_ip4) > bytes)
		return -1;
	type = load_be16(frame + at);
	at += 2;
	source = at + (type == SPIN_ETH_IP4 ? offsetof(struct spin_ip4, src) : offsetof(struct spin_ip6, src));
	source_bytes = type == SPIN_ETH_IP4 ? 4 : 16;
	at += type == SPIN_ETH_IP4 ? (frame[at] & 15u) * 4 : sizeof(struct spin_ip6);
	if (at + sizeof(struct spin_udp) + (is_flow ? 0 : sizeof(struct spin_slmp)) > bytes)
		return -1;
	hash = hash_bytes(hash, frame + source, source_bytes);
	hash = hash_bytes(hash, frame + at + offsetof(struct spin_udp, src_port), 2);
	if (is_flow)
		hash = hash_bytes(hash, frame + at + offsetof(struct spin_udp, dst_port), 2);
	else
		hash = hash_bytes(hash, frame + at + sizeof(struct spin_udp) + offsetof(struct spin_slmp, message_id), 4);
	*key = hash ^ hash >> 16; /* the lowest bits of the hash are the least mixed */
	return 0;
}

/* The figures about a context, for text and JSON. */
struct figures {
	const struct run_cost_sums *sums;
	double cycles; /* mean per packet for which handlers ran */
	double hpus;   /* HPUs that the packets of the reported interval would keep busy */
};

static struct figures figures_of(const struct run_cost *cost, const struct session *set, unsigned i, const struct run_report *r)
{
	struct figures f = { .sums = r->final ? &cost->context[i].all : &cost->context[i].interval };
	const struct run_counts *counts = &set->context[i].counts;
	double seconds = r->final ? r->time_s : r->interval_s;
	uint64_t packets = counters__sum(r->final ? counts->packets : counts->in_interval);

	if (!f.sums->handled)
		return f;
	f.cycles = (double)f.sums->cycles / (double)f.sums->handled;
	if (seconds > 0)
		f.hpus = (double)packets / seconds * 1e-9 * (double)f.sums->cycles_with_runtime / (double)f.sums->samples /
			 pspin_target__clock_ghz(cost->target);
	return f;
}

static void context_text(const struct run_cost *cost, const struct session *set, unsigned i, const struct run_report *r)
{
	struct figures f = figures_of(cost, set, i, r);

	printf("%10s %-15s ", "cost", set->context[i].name);
	if (!f.sums->handled)
		printf("%12s HPU cycles: no handler ran in the model for %" PRIu64 " packets", "-", f.sums->samples);
	else
		printf("%12.1f HPU cycles a packet (%" PRIu64 " to %" PRIu64 "), mean of %" PRIu64 "; at this rate %.5f of %s's %u HPUs",
		       f.cycles, f.sums->min, f.sums->max, f.sums->handled, f.hpus, pspin_target__name(cost->target), cost->hpus);
	if (f.sums->faults)
		printf("; %" PRIu64 " trapped or did not end in the model", f.sums->faults);
	if (f.sums->missed)
		printf("; %" PRIu64 " missed", f.sums->missed);
	putchar('\n');
}

void run_cost__text(const struct run_cost *cost, const struct session *set, const struct run_report *r)
{
	if (r->final)
		putchar('\n');
	for (unsigned i = 0; i < cost->models; i++)
		context_text(cost, set, i, r);
	for (unsigned i = 0; i < cost->devices; i++) {
		const struct run_cost_device *d = &cost->device[i];
		double ns = r->final ? d->ns_per_packet : d->ns_per_packet_in_interval;

		if (d->is_known && ns > 0)
			printf("%10s %-15s %12.0f ns a packet here, matching and handlers\n", "cost", spin_nic__name(set->device[i].nic),
			       ns);
	}
}

void run_cost__context_json(struct json *j, const struct run_cost *cost, const struct session *set, unsigned i, const struct run_report *r)
{
	struct figures f = figures_of(cost, set, i, r);

	json_object(j, "cost");
	json_string(j, "target", pspin_target__name(cost->target));
	json_uint(j, "sampled_packets", f.sums->samples);
	json_uint(j, "handled_packets", f.sums->handled);
	json_uint(j, "faulty_packets", f.sums->faults);
	json_uint(j, "missed_packets", f.sums->missed);
	if (f.sums->handled) {
		json_double(j, "mean_cycles", f.cycles);
		json_uint(j, "min_cycles", f.sums->min);
		json_uint(j, "max_cycles", f.sums->max);
		json_double(j, "hpus_at_this_rate", f.hpus);
	}
	json_object_end(j);
}

void run_cost__device_json(struct json *j, const struct run_cost *cost, unsigned i, const struct run_report *r)
{
	const struct run_cost_device *d = &cost->device[i];
	double ns = r->final ? d->ns_per_packet : d->ns_per_packet_in_interval;

	if (d->is_known && ns > 0)
		json_double(j, "ns_per_packet", ns);
	else
		json_string(j, "ns_per_packet", NULL);
}
