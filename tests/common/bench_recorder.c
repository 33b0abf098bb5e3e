/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps the times of each task and packet that the NIC model reports, and computes medians and rates from them. Called by bench__run()
 * (bench.c). Warm-up packets, and the start and end of a run under load, do not count.
 */
#include <stdlib.h>

#include <hwmodel/traffic.h>

#include "tests/common/bench.h"

#define TASKS_PER_PACKET 3

int bench_recorder__open(struct bench_recorder *heard, size_t packets)
{
	heard->room = packets * TASKS_PER_PACKET;
	heard->feedback_ps = calloc(packets, sizeof(uint64_t));
	heard->latency_ps = calloc(packets, sizeof(uint64_t));
	heard->body_cycles = calloc(heard->room, sizeof(uint64_t));
	heard->started_ps = calloc(heard->room, sizeof(uint64_t));
	heard->doorbell_ps = calloc(heard->room, sizeof(uint64_t));
	heard->arrival_ps = calloc(packets, sizeof(uint64_t));
	heard->leave_ps = calloc(packets, sizeof(uint64_t));
	heard->instructions = calloc(heard->room, sizeof(uint64_t));
	return heard->arrival_ps && heard->leave_ps && heard->feedback_ps && heard->latency_ps && heard->body_cycles && heard->started_ps &&
			       heard->doorbell_ps && heard->instructions
		       ? 0
		       : -1;
}

void bench_recorder__close(struct bench_recorder *heard)
{
	free(heard->arrival_ps);
	free(heard->leave_ps);
	free(heard->instructions);
	free(heard->feedback_ps);
	free(heard->latency_ps);
	free(heard->body_cycles);
	free(heard->started_ps);
	free(heard->doorbell_ps);
}

static void record_task(void *arg, const struct pspin_task_record *task)
{
	struct bench_recorder *heard = arg;

	if (task->task->error && !heard->error)
		heard->error = task->task->error;
	if (heard->tasks == heard->room)
		return;
	heard->body_cycles[heard->tasks] = task->task->body_cycles;
	heard->instructions[heard->tasks] = task->task->instructions;
	heard->started_ps[heard->tasks] = task->started_ps;
	heard->doorbell_ps[heard->tasks++] = task->doorbell_ps;
}

static void record_packet(void *arg, const struct pspin_packet_record *packet)
{
	struct bench_recorder *heard = arg;

	heard->lost += packet->disposition != PSPIN_DISPOSITION_HANDLED;
	heard->bytes += packet->packet_bytes;
	if (heard->packets == heard->room / TASKS_PER_PACKET)
		return;
	heard->arrival_ps[heard->packets] = packet->her_ps - packet->offered_ps;
	if (packet->left_ps)
		heard->leave_ps[heard->left++] = packet->left_ps > packet->feedback_ps ? packet->left_ps - packet->feedback_ps : 0;
	heard->latency_ps[heard->packets] = packet->feedback_ps - packet->her_ps;
	heard->feedback_ps[heard->packets++] = packet->feedback_ps;
}

void bench_recorder__observe(struct bench_recorder *heard, struct pspin *nic)
{
	const struct pspin_observer observer = { .arg = heard, .task = record_task, .packet = record_packet };

	pspin__observe(nic, &observer);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double median(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return n ? (double)values[n / 2] : 0;
}

/*
 * Returns the most tasks that ran at the same time, over the middle half of all starts, which leaves out the first and last tasks. Sorts
 * both arrays by time.
 */
static unsigned max_concurrent(uint64_t *starts, uint64_t *ends, size_t n)
{
	unsigned now = 0, most = 0;

	qsort(starts, n, sizeof(*starts), by_value);
	qsort(ends, n, sizeof(*ends), by_value);
	for (size_t start = 0, end = 0; start < n; start++, now++) {
		while (end < n && ends[end] <= starts[start]) {
			end++;
			now--;
		}
		if (now + 1 > most && start >= n / 4 && start < n - n / 4)
			most = now + 1;
	}
	return most;
}

static double mean(const uint64_t *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)values[i];
	return n ? sum / (double)n : 0;
}

void bench_recorder__finalize(struct bench_recorder *heard, const struct pspin *nic, struct bench_result *out)
{
	const size_t from = heard->packets / 4, to = heard->packets * 3 / 4;
	const double bytes = (double)heard->bytes / (double)heard->packets;

	out->latency_mean_ns = mean(heard->latency_ps, heard->packets) / 1000;
	out->latency_ns = median(heard->latency_ps + heard->skip, heard->packets - heard->skip) / 1000;
	out->arrival_ns = median(heard->arrival_ps, heard->packets) / 1000;
	out->leave_ns = median(heard->leave_ps, heard->left) / 1000;
	out->body_cycles = median(heard->body_cycles, heard->tasks);
	out->instructions = median(heard->instructions, heard->tasks);
	out->hpus = max_concurrent(heard->started_ps, heard->doorbell_ps, heard->tasks);
	qsort(heard->feedback_ps, heard->packets, sizeof(uint64_t), by_value);
	if (heard->packets)
		out->span_ns = (double)(heard->feedback_ps[heard->packets - 1] - heard->feedback_ps[0]) / 1000;
	out->packets_per_ns = (double)(to - from) * 1000 / (double)(heard->feedback_ps[to] - heard->feedback_ps[from]);
	out->gbps = out->packets_per_ns * bytes * 8;
	out->error = heard->error;
	pspin__traffic(nic, &out->traffic);
}
