/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The loop of spinctl record, which stores live traffic in a file for spinctl replay: writes the handlers' memory, then packets and events
 * as they arrive, then the memory again. Called by record.c.
 */
#include <poll.h>
#include <stdlib.h>

#include "user/libspin/object/layout.h"
#include "user/libspin/messages/messages.h"
#include "user/tool/notify.h"
#include "user/spinctl/record/record.h"
#include "user/tool/notify.h"

/* Writes a variable's value. For SPIN_PER_CLUSTER memory that is the sum of its copies, because a replay has other copies. */
static int write_variable(struct recorder *r, enum recording_moment moment, const char *name)
{
	struct layout_variable var;
	int status = DONE;
	void *value;

	if (layout__find(r->ctx->btf, name, &var))
		return report_error("%s", spin_strerror_last());
	value = malloc(var.bytes ? var.bytes : 1);
	if (!value)
		return report_error("no memory for a copy of %s", name);
	if (spin_ctx__value(r->ctx, name, value, var.bytes))
		status = report_error("%s", spin_strerror_last());
	else if (recording_writer__memory(r->writer, moment, name, value, var.bytes))
		status = report_error("%s", engine_error());
	free(value);
	return status;
}

static int write_memory(struct recorder *r, enum recording_moment moment)
{
	const char *name;
	int status = DONE;

	for (unsigned i = 0; !status && (name = spin_ctx__symbol_name(r->ctx, i)); i++) {
		char copy[64];

		snprintf(copy, sizeof(copy), "%s", name);
		status = write_variable(r, moment, copy);
	}
	return status;
}

/* Returns 1 if the context has host memory. Handlers of datagrams may have none. */
static int has_host_memory(const struct recorder *r)
{
	return r->ctx->messages || !r->ctx->host.is_own;
}

static int write_entry(struct recorder *r, enum recording_moment moment, unsigned index)
{
	const struct spin_me_memory *memory = &r->ctx->host.entry[index];
	struct recording_entry entry = { .moment = moment, .index = index, .segments = memory->segments };
	struct spin_ct ct = { 0 };
	struct spin_me me = { 0 };

	if (r->ctx->messages && spin_ctx__me_get(r->ctx, index, &me))
		return report_error("%s", spin_strerror_last());
	if (spin_ctx__me_ct(r->ctx, index, &ct))
		return report_error("%s", spin_strerror_last());
	entry.state = me.state;
	entry.options = me.options;
	entry.match_bits = me.match_bits;
	entry.ignore_bits = me.ignore_bits;
	entry.start = me.start;
	entry.length = me.length;
	entry.messages = me.messages;
	entry.bytes = me.bytes;
	memcpy(entry.src, me.src, sizeof(entry.src));
	entry.source = me.source;
	entry.source_mask = me.source_mask;
	entry.used = me.used;
	entry.min_free = me.min_free;
	entry.success = ct.success;
	entry.failure = ct.failure;
	for (unsigned i = 0; i < entry.segments && i < RECORDING_SEGMENTS_MAX; i++) {
		entry.segment[i].start = memory->segment[i].start;
		entry.segment[i].length = memory->segment[i].length;
	}
	return recording_writer__entry(r->writer, &entry) ? report_error("%s", engine_error()) : DONE;
}

static int write_host(struct recorder *r, enum recording_moment moment)
{
	const unsigned entries = r->ctx->messages ? SPIN_MES_MAX : 1;
	int status = DONE;
	size_t bytes;
	void *mem;

	if (!has_host_memory(r))
		return DONE;
	if (spin_ctx__host_memory(r->ctx, &mem, &bytes))
		return report_error("%s", spin_strerror_last());
	if (recording_writer__host(r->writer, moment, mem, bytes))
		return report_error("%s", engine_error());
	for (unsigned i = 0; i < entries && !status; i++)
		status = write_entry(r, moment, i);
	return status;
}

static int write_context(struct recorder *r)
{
	const struct messages *m = r->ctx->messages;
	struct recording_context context = { .start_ns = (uint64_t)(r->start_s * 1e9) };
	size_t bytes;
	void *mem;

	if (!has_host_memory(r))
		return DONE;
	if (spin_ctx__host_memory(r->ctx, &mem, &bytes))
		return report_error("%s", spin_strerror_last());
	context.host_bytes = bytes;
	if (m) {
		context.takes_messages = 1;
		context.messages = m->opts.messages;
		context.parking = m->opts.parking;
		context.idle_ms = m->opts.idle_ms;
		context.age_ms = m->opts.age_ms;
		context.tombstone_ms = m->opts.tombstone_ms;
		context.put = !!m->opts.put;
	}
	return recording_writer__context(r->writer, &context) ? report_error("%s", engine_error()) : DONE;
}

/* Writes an event. Skips those of the host's own progress thread about its puts: they are not results of the recorded packets. */
static void record_event(void *arg, const struct spin_event *event)
{
	struct recorder *r = arg;

	if (event->type == SPIN_EVENT_PUT_FAILED || event->type == SPIN_EVENT_PUT_ACKED || r->status || !r->writer)
		return;
	if (recording_writer__event(r->writer, event, 0))
		r->status = report_error("%s", engine_error());
	r->events++;
}

static void drain_events(struct recorder *r)
{
	int count;

	while (r->ctx->messages && (count = spin_ctx__events(r->ctx, record_event, r))) {
		if (count < 0 && !r->status)
			r->status = report_error("%s", spin_strerror_last());
		if (count < 0)
			return;
	}
}

static int write_lost_events(struct recorder *r)
{
	struct spin_message_stats stats;

	if (!r->ctx->messages)
		return DONE;
	if (spin_ctx__message_stats(r->ctx, &stats))
		return report_error("%s", spin_strerror_last());
	r->events_lost = stats.events_lost;
	if (!stats.events_lost)
		return DONE;
	return recording_writer__event(r->writer, NULL, stats.events_lost) ? report_error("%s", engine_error()) : DONE;
}

static void record_packet(void *arg, const struct spin_tapped *packet)
{
	struct recorder *r = arg;

	if (!r->status && recording_writer__packet(r->writer, packet->time_ns, packet->hpu, packet->frame, packet->frame_bytes))
		r->status = report_error("%s", engine_error());
}

/* Returns the number of packets read, or a negative errno. */
static int drain(struct recorder *r)
{
	int packets = spin_ctx__tapped(r->ctx, record_packet, r);

	if (packets < 0 && !r->status)
		r->status = report_error("%s", spin_strerror_last());
	return packets;
}

/* Records until the duration or the number of packets is reached, a signal arrives, or an error. Returns 1 if the interface is gone. */
static int watch(struct recorder *r)
{
	const double attached_s = now_s();

	while (!signals__signal() && !r->status) {
		struct pollfd fd[] = { { .fd = spin_ctx__tap_fd(r->ctx), .events = POLLIN },
				       { .fd = spin_ctx__event_fd(r->ctx), .events = POLLIN } };
		double wait_s = WATCH_LOOK_S, left_s = r->duration_s - (now_s() - attached_s);

		if (r->duration_s > 0 && left_s <= 0)
			break;
		if (r->duration_s > 0 && left_s < wait_s)
			wait_s = left_s;
		poll(fd, r->ctx->messages ? 2 : 1, (int)(wait_s * 1000) + 1);
		drain(r);
		drain_events(r);
		if (r->packets && recording_writer__packets(r->writer) >= r->packets)
			break;
		if (spin_ctx__alive(r->ctx) < 0) {
			report_error("%s; what came until then is recorded", spin_strerror_last());
			return 1;
		}
	}
	return 0;
}

static int finish(struct recorder *r)
{
	struct recording_info *info = &r->info;

	spin_ctx__detach(r->ctx); /* no handler runs after this: packets, memory and counters are consistent */
	info->duration_ns = (uint64_t)((now_s() - r->start_s) * 1e9);
	while (drain(r) > 0)
		;
	drain_events(r);
	if (r->status || write_lost_events(r) || write_memory(r, RECORDING_AFTER) || write_host(r, RECORDING_AFTER))
		return FAILED;
	spin_ctx__counters(r->ctx, info->counters);
	info->packets = recording_writer__packets(r->writer);
	info->lost = spin_ctx__tap_lost(r->ctx);
	if (recording_writer__finish(r->writer, info->counters, info->lost, info->duration_ns))
		return report_error("%s", engine_error());
	r->whole = 1;
	if (info->lost)
		report_error("%llu packets found the ring full and are not in %s: a replay cannot come to the same; record "
			     "again with a larger --ring-mib (now %u)",
			     (unsigned long long)info->lost, r->output, r->ring_mib);
	if (r->events_lost)
		report_error("%llu events found no room and are not in %s: a replay has more of them", (unsigned long long)r->events_lost,
			     r->output);
	return DONE;
}

int record_loop__run(struct recorder *r, const void *object, size_t object_bytes)
{
	const char *reason;
	int gone;

	if (recording_writer__open(r->output, &r->info, object, object_bytes, &r->writer))
		return report_error("%s", engine_error());
	r->start_s = now_s();
	if (ready__begin(r->ready_file) || write_context(r) || write_memory(r, RECORDING_BEFORE) || write_host(r, RECORDING_BEFORE))
		return FAILED;
	if (spin_ctx__tap(r->ctx, (size_t)r->ring_mib << 20) || spin_ctx__attach(r->ctx))
		return report_error("%s", spin_strerror_last());
	spin_nic__mode(r->nic, &reason);
	if (reason)
		report_error("%s: in generic mode: %s", r->info.device, reason);
	if (ready__notify(READY_NO_FD, r->ready_file))
		return FAILED;
	gone = watch(r);
	return finish(r) || gone ? FAILED : DONE;
}
