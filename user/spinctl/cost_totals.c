/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets through the model, one by one, and what they come to. */
#include <stdlib.h>

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

struct cost_totals {
	struct series tasks[PSPIN_TASK_KINDS], packets;
	uint64_t causes[RV32_CAUSE_COUNT], with_runtime, bytes;
};

struct cost_totals *cost_totals__new(void)
{
	return calloc(1, sizeof(struct cost_totals));
}

void cost_totals__free(struct cost_totals *t)
{
	for (unsigned k = 0; t && k < PSPIN_TASK_KINDS; k++)
		free(t->tasks[k].values);
	if (t)
		free(t->packets.values);
	free(t);
}

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

/* Of one packet, or of parked ones that followed it. */
static int count_tasks(struct cost_totals *t, const struct pspin_result *result, struct cost_report *r)
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
		sum->host_reads += task->host_reads;
		sum->host_writes += task->host_writes;
	}
	return result->task_count ? add(&t->packets, cycles, instructions) : DONE;
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

/* A parked one is, too: its tasks follow with another packet. */
static int is_handled(enum spin_reason reason)
{
	switch (reason) {
	case SPIN_REASON_SUCCESS:
	case SPIN_REASON_PROCEEDED:
	case SPIN_REASON_REPLIED:
	case SPIN_REASON_HEADER_DROPPED:
	case SPIN_REASON_DROPPED:
	case SPIN_REASON_FAILED:
	case SPIN_REASON_SEGV:
	case SPIN_REASON_BAD_RETURN:
	case SPIN_REASON_OVERRUN:
	case SPIN_REASON_PARKED:
		return 1;
	default:
		return 0;
	}
}

int cost_totals__frame(struct cost_totals *t, struct pspin *nic, const uint8_t *frame, unsigned bytes,
		       struct cost_report *r)
{
	struct pspin_result result;

	if (pspin__packet(nic, frame, bytes, &result))
		return complain("the model refuses frame %llu", (unsigned long long)r->frames);
	r->packets[result.reason]++;
	if (is_handled(result.reason)) {
		r->handled++;
		t->bytes += bytes - link_bytes(frame, bytes);
	}
	return count_tasks(t, &result, r);
}

int cost_totals__clock(struct cost_totals *t, struct pspin *nic, uint32_t now_ms, struct cost_report *r)
{
	struct pspin_result result;

	return pspin__clock(nic, now_ms, &result) ? DONE : count_tasks(t, &result, r);
}

void cost_totals__conclude(struct cost_totals *t, struct cost_report *r)
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
