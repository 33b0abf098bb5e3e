/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <hwmodel/traffic.h> over pspin__packet(): packets go through the NIC one after the other, each with the stages of an idle
 * machine (pspin_soc.md, "packet path").
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nic.h"
#include "traffic.h"

struct waiting {
	struct waiting *next;
	uint64_t at_ps;
	size_t bytes;
	uint8_t frame[];
};

struct traffic {
	struct pspin_observer observer;
	struct waiting *first, *last;
	uint64_t offered_ps;   /* the last offer's */
	uint64_t wire_ps;      /* when the wire is free */
	uint64_t idle_ps;      /* when the NIC is done with all packets before */
	uint64_t next_packet, first_ps;
	struct pspin_traffic seen;
};

/* Cycles of an idle NIC: "HER accepted -> HPU takes task" and the steps after it. */
enum { STORE_CYCLES = 4, TAKE_CYCLES = 16, START_CYCLES = 4, END_CYCLES = 3, FEEDBACK_CYCLES = 1 };

static struct traffic *traffic_of(struct pspin *nic)
{
	if (!nic->traffic)
		nic->traffic = calloc(1, sizeof(*nic->traffic));
	return nic->traffic;
}

void nic_traffic__free(struct pspin *nic)
{
	struct waiting *waiting;

	while (nic->traffic && (waiting = nic->traffic->first)) {
		nic->traffic->first = waiting->next;
		free(waiting);
	}
	free(nic->traffic);
}

void pspin__observe(struct pspin *nic, const struct pspin_observer *observer)
{
	struct traffic *traffic = traffic_of(nic);

	if (traffic)
		traffic->observer = observer ? *observer : (struct pspin_observer){0};
}

int pspin__offer(struct pspin *nic, const struct pspin_offer *offer)
{
	struct traffic *traffic = traffic_of(nic);
	struct waiting *waiting;

	if (!traffic)
		return -ENOMEM;
	if (offer->at_ps < traffic->offered_ps || !offer->frame_bytes || offer->frame_bytes > PSPIN_FRAME_BYTES_MAX ||
	    offer->frame_bytes > nic->target.l2_packet_kib * 1024)
		return -EINVAL;
	waiting = malloc(sizeof(*waiting) + offer->frame_bytes);
	if (!waiting)
		return -ENOMEM;
	waiting->next = NULL;
	waiting->at_ps = traffic->offered_ps = offer->at_ps;
	waiting->bytes = offer->frame_bytes;
	memcpy(waiting->frame, offer->frame, offer->frame_bytes);
	if (traffic->first)
		traffic->last->next = waiting;
	else
		traffic->first = waiting;
	traffic->last = waiting;
	return 0;
}

static uint64_t beats(const struct pspin *nic, uint64_t bytes)
{
	return (bytes + nic->target.beat_bytes - 1) / nic->target.beat_bytes;
}

static uint64_t wire_ps(const struct pspin *nic, uint64_t bytes)
{
	return nic->target.link_mbps ? (bytes * 8 * 1000000 + nic->target.link_mbps - 1) / nic->target.link_mbps :
				       beats(nic, bytes) * pspin_target__cycle_ps(&nic->target);
}

/* Its stages from `ready` on; returns when it was fed back. */
static uint64_t run_task(struct pspin *nic, struct pspin_task_record *task, uint64_t ready, uint64_t copied_beats)
{
	const uint64_t cycle = pspin_target__cycle_ps(&nic->target);
	struct pspin_traffic *seen = &nic->traffic->seen;

	task->ready_ps = ready;
	task->dispatched_ps = ready + cycle;
	task->copied_ps = ready + (TAKE_CYCLES + copied_beats - 1) * cycle;
	task->started_ps = task->copied_ps + cycle;
	task->first_ps = task->started_ps + START_CYCLES * cycle;
	task->returned_ps = task->first_ps + task->task->body_cycles * cycle;
	task->doorbell_ps = task->returned_ps + END_CYCLES * cycle;
	task->feedback_ps = task->doorbell_ps + FEEDBACK_CYCLES * cycle;
	seen->hpu_busy_ps += task->doorbell_ps - task->started_ps;
	seen->hpu_blocked_ps += task->task->cycles[RV32_CYC_COMMAND] * cycle;
	if (nic->traffic->observer.task)
		nic->traffic->observer.task(nic->traffic->observer.arg, task);
	return task->feedback_ps;
}

static uint64_t run_tasks(struct pspin *nic, const struct pspin_result *result, const struct pspin_packet_record *packet)
{
	const uint32_t registered = nic->meta.registration.bytes_in_l1;
	uint64_t in_l1 = registered && registered < packet->packet_bytes ? registered : packet->packet_bytes;
	uint64_t at = packet->her_ps > nic->traffic->idle_ps ? packet->her_ps : nic->traffic->idle_ps;
	const struct pspin_observer *tell = &nic->traffic->observer;

	for (unsigned i = 0; i < result->task_count; i++) {
		struct pspin_task_record task = {.packet = packet->packet, .task = &result->tasks[i]};

		at = run_task(nic, &task, at, beats(nic, in_l1));
	}
	for (unsigned i = 0; tell->event && i < result->event_count; i++)
		tell->event(tell->arg, at, &result->events[i]);
	for (unsigned i = 0; tell->send && i < result->send_count; i++)
		tell->send(tell->arg, at, &result->sends[i]);
	nic->traffic->idle_ps = at;
	return at;
}

static int run_packet(struct pspin *nic, const struct waiting *waiting)
{
	const uint64_t cycle = pspin_target__cycle_ps(&nic->target);
	struct traffic *traffic = nic->traffic;
	struct pspin_traffic *seen = &traffic->seen;
	struct pspin_packet_record packet = {.packet = traffic->next_packet++, .wire_bytes = (uint32_t)waiting->bytes,
					     .offered_ps = waiting->at_ps};
	struct pspin_result result;
	struct inbound in;
	int is_ours = inbound__classify(waiting->frame, waiting->bytes, &nic->rule, nic->meta.registration.checksum, &in) ==
		      SPIN_REASON_COUNT;
	int rc = pspin__packet(nic, waiting->frame, waiting->bytes, &result);

	packet.arrived_ps = waiting->at_ps > traffic->wire_ps ? waiting->at_ps : traffic->wire_ps;
	packet.packet_bytes = is_ours ? in.packet_bytes : (uint32_t)waiting->bytes;
	traffic->wire_ps = packet.arrived_ps + wire_ps(nic, packet.packet_bytes);
	packet.stored_ps = packet.her_ps = traffic->wire_ps + STORE_CYCLES * cycle;
	packet.fate = !is_ours				     ? PSPIN_FATE_NOT_OURS
		      : result.reason == SPIN_REASON_NO_MPQ ? PSPIN_FATE_NO_MESSAGE
							     : PSPIN_FATE_HANDLED;
	packet.verdict = result.verdict;
	packet.reason = result.reason;
	packet.feedback_ps = result.task_count ? run_tasks(nic, &result, &packet) : packet.her_ps;
	packet.left_ps = result.frame ? packet.feedback_ps : 0;
	packet.frame = result.frame;
	packet.frame_bytes = result.frame_bytes;
	if (!seen->packets++)
		traffic->first_ps = packet.arrived_ps;
	seen->bytes += packet.packet_bytes;
	seen->lost_no_message += packet.fate == PSPIN_FATE_NO_MESSAGE;
	seen->link_in_ps += traffic->wire_ps - packet.arrived_ps;
	if (seen->now_ps < packet.feedback_ps)
		seen->now_ps = packet.feedback_ps;
	seen->span_ps = seen->now_ps - traffic->first_ps;
	if (traffic->observer.packet)
		traffic->observer.packet(traffic->observer.arg, &packet);
	return rc;
}

int pspin__run(struct pspin *nic, uint64_t until_ps)
{
	struct traffic *traffic = traffic_of(nic);
	int rc = 0;

	if (!traffic)
		return -ENOMEM;
	while (!rc && traffic->first && traffic->first->at_ps <= until_ps) {
		struct waiting *waiting = traffic->first;

		rc = run_packet(nic, waiting);
		traffic->first = waiting->next;
		free(waiting);
	}
	if (until_ps != UINT64_MAX && traffic->seen.now_ps < until_ps)
		traffic->seen.now_ps = until_ps;
	return rc;
}

const char *pspin__stuck(const struct pspin *nic)
{
	(void)nic;
	return "";
}

/* One packet at a time never fills a buffer. */
void pspin__lossy(struct pspin *nic, int lossy)
{
	(void)nic;
	(void)lossy;
}

/* The instruction cache is always warm. */
void pspin__cool(struct pspin *nic)
{
	(void)nic;
}

void pspin__traffic(const struct pspin *nic, struct pspin_traffic *out)
{
	memset(out, 0, sizeof(*out));
	if (nic->traffic)
		*out = nic->traffic->seen;
	out->hpus = (unsigned)(nic->target.clusters * nic->target.hpus);
}

int pspin_framing__find(const char *name)
{
	static const char *const names[] = {"raw", "pspin", "ip", "ethernet"};

	for (int i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -ENOENT;
}

int pspin__open_image(struct pspin **out, const struct pspin_target *target, const struct pspin_image *image, char *err,
		      size_t err_bytes)
{
	(void)target;
	(void)image;
	(void)err;
	(void)err_bytes;
	*out = NULL;
	return -EOPNOTSUPP;
}
