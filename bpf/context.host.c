/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One execution context as a shared object for the build machine: the same
 * handlers and the same datapath as context.bpf.c, compiled by spincc with
 * --target host. Tests compare the other engines with it; no root needed.
 */
#include SPIN_HANDLER_FILE

#include <string.h>

struct spin_frame {
	uint8_t *data, *end;
};

SPIN_INLINE struct spin_view spin_frame_view(const struct spin_frame *frame)
{
	return (struct spin_view){ SPIN_DIRECT, .data = frame->data, .end = frame->end };
}

#include "packet.h"

struct spin_config spin_host_config = {
	.rule = { .protocol = SPIN_IP_UDP },
	.accept_partial = 1,
};

struct spin_counters spin_counters[1];

/* The last error of a handler, and how many there were. */
struct spin_event spin_host_event;
uint32_t spin_host_event_count;

static void spin_host_raise(const struct spin_outcome *outcome, const struct spin_datagram *d)
{
	struct spin_event *event = &spin_host_event;

	memset(event, 0, sizeof(*event));
	event->type = outcome->error;
	event->handler = outcome->error_in;
	event->ip_version = d->is_ip4 ? 4 : 6;
	if (d->is_ip4)
		event->src_addr[0] = ((struct spin_ip4 *)d->ip)->src;
	else
		memcpy(event->src_addr, ((struct spin_ip6 *)d->ip)->src, sizeof(event->src_addr));
	event->src_port = spin_ntoh16(d->udp->src_port);
	event->dst_port = spin_ntoh16(d->udp->dst_port);
	event->length = d->payload_bytes;
	spin_host_event_count++;
}

/*
 * Runs one frame in place; *frame_bytes becomes what comes out. Returns an enum
 * spin_reason. Not thread-safe.
 */
int spin_host_packet(uint8_t *frame, uint32_t *frame_bytes);
int spin_host_packet(uint8_t *frame, uint32_t *frame_bytes)
{
	const struct spin_frame whole = { frame, frame + *frame_bytes };
	struct spin_way_out out;
	struct spin_datagram d;
	struct spin_view view;

	out.reason = spin_find(&whole, &spin_host_config, &view, &d);
	if (out.reason == SPIN_PARSED) {
		spin_handle(&view, &d, spin_host_config.accept_partial, &out);
		if (out.outcome.error)
			spin_host_raise(&out.outcome, &d);
		if (out.reason == SPIN_REASON_REPLIED)
			*frame_bytes = out.frame_bytes;
	}
	spin_counters[0].packets[out.reason]++;
	return out.reason;
}
