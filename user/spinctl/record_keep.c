/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Keeps what a context does: memory, packets, memory again. */
#include <poll.h>

#include "ready.h"
#include "record.h"
#include "stop.h"

static int write_memory(struct recorder *r, enum recording_moment moment)
{
	const char *name;

	for (unsigned i = 0; (name = spin_ctx__symbol_name(r->ctx, i)); i++) {
		char copy[64];
		size_t bytes;
		void *mem;

		snprintf(copy, sizeof(copy), "%s", name);
		if (spin_ctx__symbol(r->ctx, copy, &mem, &bytes))
			return complain("%s", spin_strerror_last());
		if (recording_writer__memory(r->writer, moment, copy, mem, bytes))
			return complain("%s", engine_why());
	}
	return DONE;
}

static void take_packet(void *arg, const struct spin_tapped *packet)
{
	struct recorder *r = arg;

	if (!r->status && recording_writer__packet(r->writer, packet->time_ns, packet->hpu, packet->frame,
						   packet->frame_bytes))
		r->status = complain("%s", engine_why());
}

/* Gives how many packets were there. */
static int drain(struct recorder *r)
{
	int packets = spin_ctx__tapped(r->ctx, take_packet, r);

	if (packets < 0 && !r->status)
		r->status = complain("%s", spin_strerror_last());
	return packets;
}

/* Until the time is over, the packets are there, a signal comes, or something fails; 1: the interface has gone. */
static int watch(struct recorder *r, double start_s)
{
	while (!stop__signal() && !r->status) {
		struct pollfd fd = { .fd = spin_ctx__tap_fd(r->ctx), .events = POLLIN };
		double wait_s = WATCH_LOOK_S, left_s = r->duration_s - (now_s() - start_s);

		if (r->duration_s > 0 && left_s <= 0)
			break;
		if (r->duration_s > 0 && left_s < wait_s)
			wait_s = left_s;
		poll(&fd, 1, (int)(wait_s * 1000) + 1);
		drain(r);
		if (r->packets && recording_writer__packets(r->writer) >= r->packets)
			break;
		if (spin_ctx__alive(r->ctx) < 0) {
			complain("%s; what came until then is recorded", spin_strerror_last());
			return 1;
		}
	}
	return 0;
}

static int finish(struct recorder *r, double start_s)
{
	struct recording_info *info = &r->info;

	spin_ctx__detach(r->ctx); /* from here on no handler runs: packets, memory and counters belong together */
	info->duration_ns = (uint64_t)((now_s() - start_s) * 1e9);
	while (drain(r) > 0)
		;
	if (r->status || write_memory(r, RECORDING_AFTER))
		return FAILED;
	spin_ctx__counters(r->ctx, info->counters);
	info->packets = recording_writer__packets(r->writer);
	info->lost = spin_ctx__tap_lost(r->ctx);
	if (recording_writer__finish(r->writer, info->counters, info->lost, info->duration_ns))
		return complain("%s", engine_why());
	r->whole = 1;
	if (info->lost)
		complain("%llu packets found the ring full and are not in %s: a replay cannot come to the same; record "
			 "again with a larger --ring-mib (now %u)", (unsigned long long)info->lost, r->output,
			 r->ring_mib);
	return DONE;
}

int record_keep__run(struct recorder *r, const void *object, size_t object_bytes)
{
	const char *why;
	double start_s;
	int gone;

	if (recording_writer__open(r->output, &r->info, object, object_bytes, &r->writer))
		return complain("%s", engine_why());
	if (ready__begin(r->ready_file) || write_memory(r, RECORDING_BEFORE))
		return FAILED;
	if (spin_ctx__tap(r->ctx, (size_t)r->ring_mib << 20) || spin_ctx__attach(r->ctx))
		return complain("%s", spin_strerror_last());
	spin_nic__mode(r->nic, &why);
	if (why)
		complain("%s: in generic mode: %s", r->info.device, why);
	start_s = now_s();
	if (ready__tell(READY_NO_FD, r->ready_file))
		return FAILED;
	gone = watch(r, start_s);
	return finish(r, start_s) || gone ? FAILED : DONE;
}
