/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"

/* Header, frame check, preamble, start and gap around an IP packet (IEEE 802.3). */
#define ETHERNET_BYTES 38

static const char *const task_names[PSPIN_TASK_KINDS] = {
	[PSPIN_HEADER] = "header", [PSPIN_PAYLOAD] = "payload",
	[PSPIN_COMPLETION] = "completion", [PSPIN_PROCEED] = "proceed",
};

/* One number per run, for the order statistics. */
struct series {
	uint64_t *values;
	size_t count, room;
	uint64_t instructions;
};

struct totals {
	struct series tasks[PSPIN_TASK_KINDS], packets;
	uint64_t causes[RV32_CAUSE_COUNT], with_runtime, bytes;
};

static int add(struct series *s, uint64_t value, uint64_t instructions)
{
	if (s->count == s->room) {
		size_t room = s->room ? s->room * 2 : 1024;
		uint64_t *values = realloc(s->values, room * sizeof(*values));

		if (!values)
			return complain("no memory for the measurements");
		s->values = values;
		s->room = room;
	}
	s->values[s->count++] = value;
	s->instructions += instructions;
	return DONE;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank. */
static uint64_t percentile(const struct series *s, unsigned percent)
{
	size_t rank = (s->count * percent + 99) / 100;

	return s->values[rank ? rank - 1 : 0];
}

static struct cost_spread spread(struct series *s)
{
	struct cost_spread out = { 0 };
	double sum = 0;

	if (!s->count)
		return out;
	qsort(s->values, s->count, sizeof(*s->values), by_value);
	for (size_t i = 0; i < s->count; i++)
		sum += (double)s->values[i];
	out.min = s->values[0];
	out.max = s->values[s->count - 1];
	out.median = percentile(s, 50);
	out.p99 = percentile(s, 99);
	out.mean = sum / (double)s->count;
	return out;
}

static int count_packet(struct totals *t, const struct pspin_result *result, struct cost_report *r)
{
	uint64_t cycles = 0, instructions = 0;

	for (unsigned i = 0; i < result->task_count; i++) {
		const struct pspin_task *task = &result->tasks[i];
		struct cost_task *sum = &r->tasks[task->kind];

		if (add(&t->tasks[task->kind], task->body_cycles, task->instructions))
			return FAILED;
		cycles += task->body_cycles;
		instructions += task->instructions;
		t->with_runtime += task->body_cycles + r->runtime_cycles;
		for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
			t->causes[c] += task->cycles[c];
		sum->errors += task->error != 0;
		sum->nic_sends += task->nic_sends;
		sum->host_dmas += task->host_dmas;
		sum->host_writes += task->host_writes;
	}
	return add(&t->packets, cycles, instructions);
}

/* The link header before the IP header: what the NIC takes off. */
static unsigned link_bytes(const unsigned char *frame, unsigned bytes)
{
	unsigned at = 12;

	while (at + 6 <= bytes && ((frame[at] == 0x81 && frame[at + 1] == 0x00) ||
				   (frame[at] == 0x88 && frame[at + 1] == 0xa8)))
		at += 4;
	return at + 2;
}

static int run_packets(pcap_t *pcap, struct pspin *nic, struct totals *t, struct cost_report *r)
{
	struct pcap_pkthdr *header;
	const unsigned char *frame;
	int rc;

	while ((rc = pcap_next_ex(pcap, &header, &frame)) == 1) {
		struct pspin_result result;

		r->frames++;
		if (header->caplen < header->len || header->caplen > PSPIN_FRAME_BYTES_MAX) {
			r->cut_short++;
			continue;
		}
		if (pspin__packet(nic, frame, header->caplen, &result))
			return complain("%s: the model refuses frame %llu", r->trace,
					(unsigned long long)r->frames);
		r->packets[result.reason]++;
		if (!result.task_count)
			continue;
		r->handled++;
		t->bytes += header->caplen - link_bytes(frame, header->caplen);
		if (count_packet(t, &result, r))
			return FAILED;
	}
	if (rc == PCAP_ERROR)
		return complain("%s: damaged after frame %llu: %s", r->trace, (unsigned long long)r->frames,
				pcap_geterr(pcap));
	return DONE;
}

static void conclude(struct totals *t, struct cost_report *r)
{
	static const double rates_gbps[COST_RATES] = { 100, 200, 400 };
	double n = r->handled ? (double)r->handled : 1;

	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		struct series *s = &t->tasks[k];
		struct cost_task *task = &r->tasks[k];

		task->name = task_names[k];
		task->runs = s->count;
		task->cycles = spread(s);
		if (!s->count)
			continue;
		task->instructions_mean = (double)s->instructions / (double)s->count;
		task->ipc = task->cycles.mean > 0 ? task->instructions_mean / task->cycles.mean : 0;
	}
	r->packet_cycles = spread(&t->packets);
	r->packet_instructions_mean = (double)t->packets.instructions / n;
	r->ipc = r->packet_cycles.mean > 0 ? r->packet_instructions_mean / r->packet_cycles.mean : 0;
	r->cycles_with_runtime_mean = (double)t->with_runtime / n;
	r->packet_bytes_mean = (double)t->bytes / n;
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		r->cause_cycles_mean[c] = (double)t->causes[c] / n;
	for (unsigned i = 0; i < COST_RATES; i++) {
		double cycles_ns = r->cycles_with_runtime_mean / r->clock_ghz;
		struct cost_rate *rate = &r->rates[i];

		/* packets per ns, times ns per packet */
		rate->gbps = rates_gbps[i];
		if (!r->handled)
			continue;
		rate->hpus = rate->gbps / (8 * r->packet_bytes_mean) * cycles_ns;
		rate->hpus_with_ethernet =
			rate->gbps / (8 * (r->packet_bytes_mean + ETHERNET_BYTES)) * cycles_ns;
	}
}

int cost_trace__run(struct pspin *nic, const char *path, struct cost_report *r)
{
	char error[PCAP_ERRBUF_SIZE];
	struct totals t = { 0 };
	pcap_t *pcap;
	int status;

	r->trace = path;
	pcap = pcap_open_offline(path, error);
	if (!pcap)
		return complain("cannot read the trace: %s%s%s; give a capture file, as tcpdump -w writes it",
				strstr(error, path) ? "" : path, strstr(error, path) ? "" : ": ", error);
	if (pcap_datalink(pcap) != DLT_EN10MB) {
		status = complain("%s has link type %s, not Ethernet: capture on an Ethernet interface, not on 'any'",
				  path, pcap_datalink_val_to_name(pcap_datalink(pcap)) ?
				  pcap_datalink_val_to_name(pcap_datalink(pcap)) : "unknown");
	} else {
		status = run_packets(pcap, nic, &t, r);
		conclude(&t, r);
	}
	pcap_close(pcap);
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		free(t.tasks[k].values);
	free(t.packets.values);
	return status;
}
