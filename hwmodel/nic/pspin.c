/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Implements <hwmodel/pspin.h> and <hwmodel/traffic.h>: runs the modelled NIC with one packet at a time or with packets at given times, and
 * reads its counters. Called by spinctl and by tests. open.c opens a NIC.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hwmodel/core/icache.h"
#include "hwmodel/nic/her_queue.h"
#include "hwmodel/nic/message_state.h"
#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/threads.h"
#include "hwmodel/target/time.h"
#include "hwmodel/nic/ingress.h"

const char *const *pspin__assumptions(void)
{
	static const char *const lines[] = {
		"matching a packet with its context, entry and message: NIC hardware that keeps up with the link",
		"of messages, too: VLAN tags and match bits are taken out of the frame, a scratchpad is "
		"zeroed, duplicates, parking, acknowledgements; what a handler returned is known with its feedback",
		"of TCP segments, too: the table of connections, what is kept of them in scratchpads; those without a handler pass",
		"Ethernet header and egress checksums: NIC hardware, not charged",
		"a host and a wire that take data as fast as the NIC gives it, unless the target says otherwise",
		"puts: the NIC makes the packet's headers; what it keeps of matching entries is there for handlers",
		"what a header handler writes into a packet that lies in L1 is there for the payload handler, a rewritten port "
		"for the completion handler, though the packet is copied again for each: the NIC keeps it",
		"a context that may have more messages in flight than the target has MPQs has as many MPQs, where none of its "
		"messages has had its last packet: else a new one waits",
		"scratchpads of more messages than an L1 has room for are moved by the NIC, not charged",
		"bodies do not include commands still running at the handler's return; the packet's latency does",
		"memory protection: own stack, packet buffer and scratchpads in L1 (all of L1 for a program of others, as "
		"PsPIN has it), handler memory, the packet in L2",
		NULL,
	};

	return lines;
}

int pspin__packet(struct pspin *nic, const void *frame, size_t frame_bytes, struct pspin_result *out)
{
	struct pspin_offer offer = { .frame = frame, .frame_bytes = frame_bytes, .end_of_message = 1 };
	int rc = nic->device->count > 1 ? -EOPNOTSUPP : nic__run_to_end(nic);

	memset(out, 0, sizeof(*out));
	event_log__begin(&nic->event_log);
	if (rc)
		return rc;
	nic__one_at_a_time(nic, 1);
	nic->device->asked_packet = offer.message = nic->device->ingress.next_packet;
	rc = ingress__offer(nic, &offer);
	if (!rc)
		rc = nic__run_to_end(nic);
	nic__one_at_a_time(nic, 0);
	if (rc)
		return rc;
	out->verdict = nic->device->asked.verdict;
	out->reason = nic->device->asked.reason;
	out->frame = nic->device->asked.frame;
	out->frame_bytes = nic->device->asked.frame_bytes;
	if (nic->messages)
		entries__events_taken(nic->messages);
	record__work_taken(nic);
	return event_log__end(&nic->event_log, out);
}

uint64_t pspin__count(const struct pspin *nic, enum spin_reason reason)
{
	return (unsigned)reason < SPIN_REASON_COUNT ? nic->count[reason] : 0;
}

void pspin__observe(struct pspin *nic, const struct pspin_observer *observer)
{
	nic->observer = observer ? *observer : (struct pspin_observer){ 0 };
}

void pspin__lossy(struct pspin *nic, int lossy)
{
	nic->device->ingress.loses = lossy;
}

int pspin__offer(struct pspin *nic, const struct pspin_offer *offer)
{
	int rc;

	if (offer->at_ps < nic->device->offered_ps || !offer->frame_bytes)
		return -EINVAL;
	rc = ingress__offer(device__match(nic->device, offer->frame, offer->frame_bytes), offer);
	if (!rc)
		nic->device->offered_ps = offer->at_ps;
	return rc;
}

int pspin__run(struct pspin *nic, uint64_t until_ps)
{
	uint64_t cycle = time__cycle(&nic->device->target, until_ps);

	nic->device->soc.ideal_icache = 0;
	if (until_ps == UINT64_MAX || cycle >= UINT64_MAX - nic->device->opened)
		return nic__run_to_end(nic);
	if (cycle + nic->device->opened > nic->device->soc.now)
		soc__run(&nic->device->soc, cycle + nic->device->opened);
	return device__is_incomplete(nic->device) ? -ENOMEM : 0;
}

/* Says what the first packet that cannot advance waits for. */
static void describe_wait(struct pspin *nic, char *to, size_t bytes)
{
	const struct inflight *inflight;

	if (nic->device->hers_in_flight)
		snprintf(to, bytes, "%u packets are in the MPQ engine or with handlers that do not end", nic->device->hers_in_flight);
	else if ((inflight = nic->ready.first))
		snprintf(to, bytes, "packet %llu waits for MPQ %u to take its HER", (unsigned long long)inflight->record.packet,
			 inflight->slot->id);
	else if ((inflight = nic->stored.first))
		snprintf(to, bytes, "packet %llu waits for a free MPQ: all %u are taken by messages whose end has not come",
			 (unsigned long long)inflight->record.packet, nic->slots.taken_count);
	else if ((inflight = nic->line.held))
		snprintf(to, bytes,
			 "packet %llu waits for %u bytes of packet memory: %u of %u are taken, by %u packets parked for the "
			 "first one of their message",
			 (unsigned long long)inflight->record.packet, inflight->record.packet_bytes,
			 nic->device->packet_buffer.taken_units * BUFFER_UNIT_BYTES, nic->device->packet_buffer.units * BUFFER_UNIT_BYTES,
			 nic->messages ? nic->messages->parked_count : 0);
	else
		to[0] = 0;
}

const char *pspin__stuck(const struct pspin *nic)
{
	struct pspin *writable = (struct pspin *)nic;

	if (events__next(&nic->device->soc.events) != UINT64_MAX)
		return "";
	if (device__find_stuck(nic->device))
		writable = device__find_stuck(nic->device);
	describe_wait(writable, writable->device->stuck, sizeof(writable->device->stuck));
	return nic->device->stuck;
}

void pspin__flush_icaches(struct pspin *nic)
{
	soc__flush_icaches(&nic->device->soc);
}

/* With several threads: replaces the sums over threads by what the HPUs' pipelines did. */
static void add_pipelines(const struct soc *soc, struct pspin_traffic *out)
{
	const struct pspin_target *target = soc->target;
	uint64_t running = 0, switching = 0, waiting = 0;

	for (unsigned i = 0; i < target->clusters * target->hpus; i++) {
		running += soc->pipelines[i].running;
		switching += soc->pipelines[i].switching;
		waiting += soc->pipelines[i].waiting;
	}
	out->hpu_running_ps = time__ps(target, running);
	out->hpu_switching_ps = time__ps(target, switching);
	out->hpu_blocked_ps = time__ps(target, waiting);
	out->hpu_busy_ps = out->hpu_running_ps + out->hpu_switching_ps + out->hpu_blocked_ps;
}

void pspin__traffic(const struct pspin *nic, struct pspin_traffic *out)
{
	const struct pspin_target *target = &nic->device->target;
	const struct soc *soc = &nic->device->soc;

	*out = nic->traffic;
	out->hers_peak = nic->device->hers_peak;
	out->link_in_ps = nic->device->ingress.busy_ps;
	out->now_ps = record__now(nic);
	out->packet_memory_peak_bytes = nic->device->packet_buffer.peak_units * BUFFER_UNIT_BYTES;
	out->messages_peak = nic->slots.taken_peak;
	out->span_ps = nic->last_ps > nic->first_ps ? nic->last_ps - nic->first_ps : 0;
	out->hpu_busy_ps = time__ps(target, nic->busy_cycles);
	out->hpu_blocked_ps = time__ps(target, nic->blocked_cycles);
	if (soc->pipelines && nic->device->count == 1) /* with several contexts the pipelines' times belong to no single one */
		add_pipelines(soc, out);
	out->packet_read_ps = time__ps(target, l2__read_busy(soc->l2));
	out->l2_port_ps = time__ps(target, l2_port__busy(soc->l2_port));
	out->send_ps = time__ps(target, commands__busy(soc->commands, HPU_NIC_SEND));
	out->to_host_ps = time__ps(target, commands__busy(soc->commands, HPU_TO_HOST));
	out->from_host_ps = time__ps(target, commands__busy(soc->commands, HPU_FROM_HOST));
	out->host_direct_ps = time__ps(target, commands__busy(soc->commands, HPU_HOST_DIRECT));
	for (unsigned i = 0; i < target->clusters; i++) {
		out->icache_misses += icache__misses(soc->icache[i]);
		out->l1_conflict_cycles += l1__conflicts(soc->l1[i]);
		if (time__ps(target, l1__port_busy(soc->l1[i])) > out->l1_port_ps) {
			out->l1_port_ps = time__ps(target, l1__port_busy(soc->l1[i]));
			out->l1_port_wait_ps = time__ps(target, soc->l1_ports[i].wait_cycles);
			out->l1_port_cluster = i;
		}
	}
	out->amo_words = soc->amo_words;
	out->hpus = (unsigned)(target->clusters * target->hpus);
	out->hpu_threads = (unsigned)target->hpu_threads;
}
