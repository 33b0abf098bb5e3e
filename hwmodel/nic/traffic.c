/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <hwmodel/traffic.h>: packets at their times, and what was seen of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hwmodel/core/icache.h"
#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/threads.h"
#include "hwmodel/nic/hers.h"
#include "hwmodel/nic/messages.h"
#include "hwmodel/nic/time.h"

void pspin__observe(struct pspin *nic, const struct pspin_observer *observer)
{
	nic->observer = observer ? *observer : (struct pspin_observer){ 0 };
}

void pspin__lossy(struct pspin *nic, int lossy)
{
	nic->device->wire.loses = lossy;
}

int pspin__offer(struct pspin *nic, const struct pspin_offer *offer)
{
	int rc;

	if (offer->at_ps < nic->device->offered_ps || !offer->frame_bytes)
		return -EINVAL;
	rc = wire__offer(device__match(nic->device, offer->frame, offer->frame_bytes), offer);
	if (!rc)
		nic->device->offered_ps = offer->at_ps;
	return rc;
}

static int is_stuck(const struct pspin *nic)
{
	return nic->line.first || nic->line.held || nic->stored.first || nic->ready.first || nic->device->hers_in_flight;
}

/* The first context of which that is so; NULL: of none. */
static struct pspin *find(const struct device *device, int (*is_so)(const struct pspin *nic))
{
	for (unsigned i = 0; i < device->count; i++)
		if (is_so(device->contexts[i]))
			return device->contexts[i];
	return NULL;
}

static int is_incomplete(const struct pspin *nic)
{
	return nic->journal.incomplete || nic->device->soc.events.incomplete;
}

int nic__settle(struct pspin *nic)
{
	soc__run(&nic->device->soc, UINT64_MAX);
	if (find(nic->device, is_incomplete))
		return -ENOMEM;
	return find(nic->device, is_stuck) ? -EDEADLK : 0;
}

void nic__one_at_a_time(struct pspin *nic, int on)
{
	nic->device->one_at_a_time = on;
	if (on)
		nic->device->soc.warm = 1;
	nic->slots.homes_in_use = on ? 1 : nic->slots.homes;
}

int pspin__run(struct pspin *nic, uint64_t until_ps)
{
	uint64_t cycle = time__cycle(&nic->device->target, until_ps);

	nic->device->soc.warm = 0;
	if (until_ps == UINT64_MAX || cycle >= UINT64_MAX - nic->device->opened)
		return nic__settle(nic);
	if (cycle + nic->device->opened > nic->device->soc.now)
		soc__run(&nic->device->soc, cycle + nic->device->opened);
	return find(nic->device, is_incomplete) ? -ENOMEM : 0;
}

/* What the first packet that does not go on is waiting for. */
static void say(struct pspin *nic, char *to, size_t bytes)
{
	const struct flight *flight;

	if (nic->device->hers_in_flight)
		snprintf(to, bytes, "%u packets are in the MPQ engine or with handlers that do not end", nic->device->hers_in_flight);
	else if ((flight = nic->ready.first))
		snprintf(to, bytes, "packet %llu waits for MPQ %u to take its HER", (unsigned long long)flight->record.packet,
			 flight->slot->id);
	else if ((flight = nic->stored.first))
		snprintf(to, bytes, "packet %llu waits for a free MPQ: all %u are taken by messages whose end has not come",
			 (unsigned long long)flight->record.packet, nic->slots.taken_count);
	else if ((flight = nic->line.held))
		snprintf(to, bytes,
			 "packet %llu waits for %u bytes of packet memory: %u of %u are taken, by %u packets parked for the "
			 "first one of their message",
			 (unsigned long long)flight->record.packet, flight->record.packet_bytes,
			 nic->device->places.taken_units * PLACE_BYTES, nic->device->places.units * PLACE_BYTES,
			 nic->messages ? nic->messages->parked_count : 0);
	else
		to[0] = 0;
}

const char *pspin__stuck(const struct pspin *nic)
{
	struct pspin *writable = (struct pspin *)nic;

	if (events__next(&nic->device->soc.events) != UINT64_MAX)
		return "";
	if (find(nic->device, is_stuck))
		writable = find(nic->device, is_stuck);
	say(writable, writable->device->stuck, sizeof(writable->device->stuck));
	return nic->device->stuck;
}

void pspin__cool(struct pspin *nic)
{
	soc__cool(&nic->device->soc);
}

/* What HPUs with several threads did, instead of what each thread did. */
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
	out->link_in_ps = nic->device->wire.busy_ps;
	out->now_ps = record__now(nic);
	out->packet_memory_peak_bytes = nic->device->places.peak_units * PLACE_BYTES;
	out->messages_peak = nic->slots.taken_peak;
	out->span_ps = nic->last_ps > nic->first_ps ? nic->last_ps - nic->first_ps : 0;
	out->hpu_busy_ps = time__ps(target, nic->busy_cycles);
	out->hpu_blocked_ps = time__ps(target, nic->blocked_cycles);
	if (soc->pipelines && nic->device->count == 1) /* of several contexts they are no single one's */
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
