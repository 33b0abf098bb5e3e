/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens, resets and frees the state of all messages of a context of the modelled NIC, with their limits and clock. For contexts of
 * datagrams and of TCP segments it only sets limits and resets. Implements pspin__limit(), __reset(), __clock() and __message_stats();
 * also called by open.c. Nothing is in flight while limits change.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/connection.h"
#include "hwmodel/nic/memory.h"
#include "hwmodel/nic/message_state.h"
#include "hwmodel/nic/her_queue.h"

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
	return value ? value : fallback;
}

static void free_memory(struct pspin *nic)
{
	free(nic->messages->mpqs);
	free(nic->messages->windows);
	nic->messages->mpqs = NULL;
	nic->messages->windows = NULL;
	slots__close(nic);
}

/* The limits of all kinds of contexts. */
static void set_machine(struct pspin *nic, const struct pspin_limits *limits)
{
	nic->watchdog_cycles = limits->watchdog_cycles;
	nic->ids_in_turn = limits->ids_in_turn;
	nic->device->soc.lacks_extensions = limits->lacks_extensions;
}

static int set_limits(struct pspin *nic, const struct pspin_limits *limits)
{
	int err;
	const struct spin_registration *registration = &nic->meta.registration;
	struct messages *messages = nic->messages;
	struct pspin_limits *to = &messages->limits;

	*to = *limits;
	set_machine(nic, limits);
	to->mpqs = or_default(to->mpqs, SPIN_MPQS);
	to->parking = or_default(to->parking, SPIN_PARKING_MAX);
	to->host_bytes = or_default(to->host_bytes, SPIN_HOST_BYTES);
	to->window = or_default(to->window, SPIN_WINDOW);
	to->idle_ms = or_default(to->idle_ms, or_default(registration->idle_ms, SPIN_IDLE_MS));
	to->age_ms = or_default(to->age_ms, SPIN_AGE_MS);
	to->tombstone_ms = or_default(to->tombstone_ms, SPIN_TOMBSTONE_MS);
	messages->mpqs = calloc(to->mpqs, sizeof(*messages->mpqs));
	messages->window_bits = 32 * spin_words_of_window(to->window);
	messages->windows = calloc(to->mpqs, messages->window_bits / 8);
	if (!messages->mpqs || !messages->windows)
		return -ENOMEM;
	for (unsigned i = 0; i < to->mpqs; i++)
		messages->mpqs[i].window = messages->windows + (size_t)i * (messages->window_bits / 32);
	err = slots__open(nic, to->mpqs, slot__scratch_bytes(registration->scratchpad_bytes));
	if (err)
		return err;
	err = nic_host__open(nic, to->host_bytes, limits->handler_mem, limits->handler_segments);
	entries__reset(nic);
	return err;
}

/* Frees all MPQs. Parked packets do not count as lost here. */
static void drop_messages(struct pspin *nic)
{
	struct messages *messages = nic->messages;
	uint64_t lost = messages->stats.replay_lost;

	for (unsigned i = 0; messages->mpqs && i < messages->limits.mpqs; i++)
		if (messages->mpqs[i].phase != MPQ_FREE)
			mpq__abandon(nic, &messages->mpqs[i]);
	messages->stats.replay_lost = lost;
	flows__clear(&messages->flows);
	messages->next_mpq = messages->scan_mpq = messages->scan_me = 0;
	messages->now_ms = 0;
}

int nic_messages__open(struct pspin *nic)
{
	const struct pspin_limits defaults = { 0 };

	if (nic->meta.registration.scratchpad_bytes > SPIN_SCRATCHPAD_MAX)
		return -EINVAL;
	nic->kind = &message_kind;
	nic->messages = calloc(1, sizeof(*nic->messages));
	return nic->messages ? set_limits(nic, &defaults) : -ENOMEM;
}

void nic_messages__free(struct pspin *nic)
{
	if (!nic->messages)
		return;
	drop_messages(nic);
	free_memory(nic);
	free(nic->messages);
}

/* Is any limit set that contexts of datagrams do not have? */
static int has_message_limits(const struct pspin_limits *limits)
{
	return limits->mpqs || limits->parking || limits->window || limits->idle_ms || limits->age_ms || limits->tombstone_ms ||
	       limits->take_put || limits->no_entry || limits->report_runs;
}

/* Forgets the connections of a context of segments. */
static int drop_connections(struct pspin *nic)
{
	int err = nic__run_to_end(nic);

	if (!err)
		nic_connections__reset(nic);
	return err;
}

/* For contexts of datagrams and of segments. */
static int set_datagrams(struct pspin *nic, const struct pspin_limits *limits)
{
	int err = nic->connections ? drop_connections(nic) : 0;

	if (err)
		return err;
	set_machine(nic, limits);
	return nic_host__open(nic, limits->host_bytes, limits->handler_mem, limits->handler_segments);
}

int pspin__limit(struct pspin *nic, const struct pspin_limits *limits)
{
	int err;

	if (limits->host_bytes > SPIN_HOST_BYTES_MAX)
		return -EINVAL;
	if (nic->is_image)
		return -EOPNOTSUPP;
	if (!nic->messages)
		return has_message_limits(limits) ? -EOPNOTSUPP : set_datagrams(nic, limits);
	if (limits->mpqs > SPIN_MPQS_MAX || limits->parking > SPIN_PARKING_MAX)
		return -EINVAL;
	if (limits->window && (limits->window < SPIN_WINDOW || limits->window > SPIN_WINDOW_MAX))
		return -EINVAL;
	err = nic__run_to_end(nic);
	if (err)
		return err;
	drop_messages(nic);
	free_memory(nic);
	return set_limits(nic, limits);
}

int pspin__reset(struct pspin *nic)
{
	int err;

	if (nic->connections) {
		err = drop_connections(nic);
		if (!err)
			nic_host__clear(nic);
		return err;
	}
	if (!nic->messages)
		return -EOPNOTSUPP;
	err = nic__run_to_end(nic);
	if (err)
		return err;
	drop_messages(nic);
	nic_host__clear(nic);
	entries__reset(nic);
	nic->put_id = 1;
	return 0;
}

int pspin__clock(struct pspin *nic, uint32_t now_ms, struct pspin_result *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	if (!nic->messages)
		return -EOPNOTSUPP;
	if (now_ms < nic->messages->now_ms)
		return -EINVAL;
	err = nic__run_to_end(nic);
	if (err)
		return err;
	event_log__begin(&nic->event_log);
	nic->messages->now_ms = now_ms;
	nic__one_at_a_time(nic, 1);
	mpq__expire(nic);
	nic__one_at_a_time(nic, 0);
	entries__events_taken(nic->messages);
	record__work_taken(nic);
	return event_log__end(&nic->event_log, out);
}

void pspin__set_time(struct pspin *nic, uint64_t now_ns)
{
	nic->device->soc.is_virtual = 1;
	nic->device->soc.virtual_ns = now_ns;
}

void pspin__set_random(struct pspin *nic, uint32_t draw)
{
	nic->device->soc.is_virtual = 1;
	nic->device->soc.virtual_draw = draw;
}

int pspin__message_stats(const struct pspin *nic, struct spin_message_stats *out)
{
	if (!nic->messages)
		return -EOPNOTSUPP;
	*out = nic->messages->stats;
	return 0;
}
