/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a series of packets through the NIC model, and writes the packets as input for PsPIN's RTL (hers.csv, packets.bin, packets.trace,
 * scratch.bin) and the model's cycles to compare with (tasks.csv, packets.csv). Part of `make rtl-kit`, called by kit.c. The columns are
 * described in tests/accuracy/kit/README.md.
 */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/storage.h"
#include "tests/accuracy/kit/kit.h"

enum { HERS, TRACE, CONTENT, SCRATCH, TASKS, PACKETS, FILES };
static const char *const names[FILES] = { "hers.csv", "packets.trace", "packets.bin", "scratch.bin", "tasks.csv", "packets.csv" };

struct prediction {
	FILE *file[FILES];
	uint64_t cycle_ps;
	size_t content_bytes, scratch_bytes;
	uint32_t scratchpads;         /* address of the scratchpads; HERs have offsets from it */
	struct pspin_her_record last; /* its line of packets.trace is written when the time of the next packet is known */
	int has_last, errors;
};

/* Writes a time, or "" if the event did not happen. */
static void print_cycle(FILE *to, const struct prediction *p, uint64_t ps)
{
	if (ps)
		fprintf(to, ",%llu", (unsigned long long)(ps / p->cycle_ps));
	else
		fprintf(to, ",");
}

/* Writes a line for PsPIN's pspinsim_packet_trace_read(): 13 numbers. The last one is the number of cycles to the next packet. */
static void print_trace_line(struct prediction *p, uint64_t next_ps)
{
	const struct pspin_her_record *r = &p->last;

	if (!p->has_last)
		return;
	fprintf(p->file[TRACE], "%u,%u,4096,%u,4096,%u,4096,%u,%u,%u,%u,%d,%llu\n", r->message_id, r->header, r->payload, r->completion,
		r->handler_mem, r->handler_mem_bytes, r->bytes, r->bytes_in_l1 < r->bytes ? r->bytes_in_l1 : r->bytes, !!r->end_of_message,
		(unsigned long long)(next_ps ? (next_ps - r->at_ps) / p->cycle_ps : 0));
}

static void on_her(void *arg, const struct pspin_her_record *r)
{
	struct prediction *p = arg;

	print_trace_line(p, r->at_ps);
	p->last = *r;
	p->has_last = 1;
	fprintf(p->file[HERS], "%llu", (unsigned long long)r->packet);
	print_cycle(p->file[HERS], p, r->at_ps);
	fprintf(p->file[HERS], ",%u,%d,0x%x,%u,%u,0x%x,0x%x,0x%x,0x%x,%u,0x%llx,%u,0x%x,%u,%zu,%zu\n", r->message_id, !!r->end_of_message,
		r->l2, r->bytes, r->bytes_in_l1 < r->bytes ? r->bytes_in_l1 : r->bytes, r->header, r->payload, r->completion,
		r->handler_mem, r->handler_mem_bytes, (unsigned long long)r->host_mem, r->host_mem_bytes, r->scratchpad - p->scratchpads,
		r->scratchpad_bytes, p->content_bytes, p->scratch_bytes);
	fwrite(r->content, 1, r->bytes, p->file[CONTENT]);
	p->content_bytes += r->bytes;
	if (r->scratch) {
		fwrite(r->scratch, 1, r->scratchpad_bytes, p->file[SCRATCH]);
		p->scratch_bytes += r->scratchpad_bytes;
	}
}

static void on_task(void *arg, const struct pspin_task_record *r)
{
	static const char *const kinds[PSPIN_TASK_KINDS] = { "header", "payload", "completion", "proceed" };
	const uint64_t times[] = { r->ready_ps, r->dispatched_ps, r->copied_ps,   r->started_ps,
				   r->first_ps, r->returned_ps,   r->doorbell_ps, r->feedback_ps };
	struct prediction *p = arg;

	fprintf(p->file[TASKS], "%llu,%s,%u,%u,%u,%d", (unsigned long long)r->packet, kinds[r->task->kind], r->message_id, r->cluster,
		r->hpu, !!r->is_cold);
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		print_cycle(p->file[TASKS], p, times[i]);
	fprintf(p->file[TASKS], ",%llu,%llu,%u\n", (unsigned long long)r->task->body_cycles, (unsigned long long)r->task->instructions,
		r->task->error);
	p->errors += r->task->error != 0;
}

static void on_packet(void *arg, const struct pspin_packet_record *r)
{
	static const char *const fates[] = { "handled", "not ours", "no buffer", "no message" };
	struct prediction *p = arg;

	fprintf(p->file[PACKETS], "%llu,%s,%u,%u", (unsigned long long)r->packet, fates[r->disposition], r->packet_bytes, r->message_id);
	print_cycle(p->file[PACKETS], p, r->arrived_ps);
	print_cycle(p->file[PACKETS], p, r->stored_ps);
	print_cycle(p->file[PACKETS], p, r->her_ps);
	print_cycle(p->file[PACKETS], p, r->feedback_ps);
	print_cycle(p->file[PACKETS], p, r->left_ps);
	fprintf(p->file[PACKETS], "\n");
}

static int run(struct prediction *p, struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes)
{
	const struct pspin_observer observer = { .arg = p, .task = on_task, .packet = on_packet, .her = on_her };
	int rc;

	pspin__observe(nic, &observer);
	rc = kit_run(nic, w, series, packet_bytes, &p->last);
	pspin__observe(nic, NULL);
	print_trace_line(p, 0);
	if (rc || p->errors)
		fprintf(stderr, "rtl-kit: %s, %u bytes, %s: %s, %d tasks fail\n", w->handler, packet_bytes, series->name,
			rc ? strerror(-rc) : "runs", p->errors);
	return rc || p->errors ? -1 : 0;
}

int kit_predict(const char *directory, struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes,
		const struct pspin_target *target)
{
	struct prediction p = { .cycle_ps = pspin_target__cycle_ps(target),
				.scratchpads = L1_PACKETS + (uint32_t)target->l1_packet_kib * 1024 };
	int rc = 0;

	for (unsigned i = 0; i < FILES; i++) {
		p.file[i] = kit_create(directory, names[i]);
		if (!p.file[i])
			rc = -1;
	}
	if (!rc) {
		fprintf(p.file[HERS], "packet,her,message,end_of_message,l2,bytes,bytes_in_l1,header,payload,completion,"
				      "handler_mem,handler_mem_bytes,host_mem,host_mem_bytes,scratchpad,scratchpad_bytes,"
				      "offset_in_packets.bin,offset_in_scratch.bin\n");
		fprintf(p.file[TASKS], "packet,kind,message,cluster,hpu,cold,ready,dispatched,copied,started,first,returned,"
				       "doorbell,feedback,body,instructions,error\n");
		fprintf(p.file[PACKETS], "packet,fate,bytes,message,arrived,stored,her,feedback,left\n");
		rc = run(&p, nic, w, series, packet_bytes);
	}
	for (unsigned i = 0; i < FILES; i++) {
		if (p.file[i] && kit_close(p.file[i], directory, names[i]))
			rc = -1;
	}
	return rc;
}
