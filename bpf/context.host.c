/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One execution context (handlers, their memories and a match rule) as a shared object for the build machine: the same handlers and data
 * path as context.bpf.c, without a kernel. Compiled by `spincc --target host` and loaded by user/conformance/host.c; tests compare the
 * other engines with it. Does not need root.
 */
#define SPIN_RUNTIME
#include SPIN_HANDLER_FILE

/* From here on it is the runtime's code: spincc does not show its warnings, so these must be errors. */
#pragma GCC diagnostic error "-Wint-conversion"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"

#include <string.h>

#include <spin/context.h>

struct spin_frame {
	uint8_t *data, *end;
};

SPIN_INLINE void *spin_frame_ctx(const struct spin_frame *frame)
{
	(void)frame;
	return 0;
}

SPIN_INLINE struct spin_view spin_frame_view(const struct spin_frame *frame)
{
	return (struct spin_view){ SPIN_DIRECT, .data = frame->data, .end = frame->end };
}

/* Always succeeds: the caller's buffer has room for any reply. */
SPIN_INLINE _Bool spin_frame_resize(struct spin_frame *frame, uint32_t bytes)
{
	frame->end = frame->data + bytes;
	return 1;
}

SPIN_INLINE void spin_frame_store(const struct spin_frame *frame, uint32_t at, const void *from, uint32_t bytes, uint32_t most)
{
	(void)most;
	memcpy(frame->data + at, from, bytes);
}

struct spin_config spin_config = {
	.rule = { .protocol = SPIN_IP_UDP },
	.accept_partial = 1,
	.virtual_clock = 1,
	.key = SPIN_HASH_KEY,
};

#include "bpf/context_host.h"
#include "bpf/packet.h"
#include "bpf/messages/sweep.h"

/* There is no TCP stack behind the host build that could know better than the handlers' table of connections. */
SPIN_INLINE enum spin_host_answer spin_ask_host(const struct spin_packet *packet, const struct spin_tcp_segment *s)
{
	(void)packet;
	(void)s;
	return SPIN_HOST_UNKNOWN;
}

struct spin_counters spin_counters[1];

/* The caller has read the events of the last frame or sweep before it runs another one. */
static void spin_host_had_events(void)
{
	if (spin_work_items_)
		spin_work_counts.taken = spin_work_counts.pushed;
}

static void spin_host_emit_event(const struct spin_handlers_result *outcome, const struct spin_datagram *d)
{
	struct spin_event *event = spin_event_open();

	event->type = outcome->error;
	event->handler = outcome->error_in;
	event->length = d->payload_bytes;
	if (d->is_ether)
		return;
	event->ip_version = d->is_ip4 ? 4 : 6;
	if (d->is_ip4)
		event->src_addr[0] = ((struct spin_ip4 *)d->ip)->src;
	else
		memcpy(event->src_addr, ((struct spin_ip6 *)d->ip)->src, sizeof(event->src_addr));
	if (!d->is_icmp) {
		event->src_port = spin_ntoh16(d->udp->src_port);
		event->dst_port = spin_ntoh16(d->udp->dst_port);
	}
}

/* Step 13 of <spin/message.h>. */
static void spin_host_replay(uint32_t mpq)
{
	struct spin_mpq *q = spin_mpq_at(mpq);
	uint32_t generation = q->generation & 0xffff, chain = spin_park_take(mpq);

	for (uint32_t left = SPIN_REPLAY_MAX; chain && left; left--) {
		const struct spin_park *park = spin_park_at(chain - 1);
		uint8_t *data = spin_park_buffers[chain - 1].frame;
		const struct spin_frame frame = { data, data + park->frame_bytes };
		enum spin_reason reason = SPIN_REASON_MALFORMED;
		uint32_t buffer = chain - 1;
		struct spin_datagram d;
		struct spin_view view;

		chain = park->next;
		if (spin_find(&frame, &spin_config, SPIN_TAKES_UDP, &view, &d) == SPIN_PARSED)
			reason = spin_message_replay(&view, &d, mpq, generation, 0);
		spin_host_send();
		spin_park_free(buffer);
		spin_message_count_replay(reason, 0);
	}
	if (chain)
		spin_message_put_back(mpq, generation, chain, 0);
}

/*
 * Handles one frame in place. *frame_bytes becomes the length of the result, which may be SPIN_REPLY_BYTES_MAX longer: the caller's buffer
 * must have room for that. Returns an enum spin_reason and sets *verdict to an enum spin_verdict. Not thread-safe.
 */
int spin_host_packet(uint8_t *frame, uint32_t *frame_bytes, uint32_t *verdict);
/* Handles one packet. It is changed in place; *frame_bytes is its length before and after. Returns its reason. */
int spin_host_packet(uint8_t *frame, uint32_t *frame_bytes, uint32_t *verdict)
{
	static const uint8_t verdicts[] = {
#define SPIN_REASON_VERDICT_(name, verdict, text) [SPIN_REASON_##name] = SPIN_VERDICT_##verdict,
		SPIN_REASONS(SPIN_REASON_VERDICT_)
#undef SPIN_REASON_VERDICT_
	};
	struct spin_frame whole = { frame, frame + *frame_bytes };
	struct spin_packet_result out;
	struct spin_datagram d;
	struct spin_view view;

	spin_host_had_events();
	out.consumed = 0;
	out.reason = spin_find(&whole, &spin_config, spin_takes(&spin_config.rule), &view, &d);
	if (out.reason == SPIN_PARSED) {
		spin_handle(&whole, &view, &d, spin_config.accept_partial, 0, SPIN_PART_WHOLE, &out);
		if (out.outcome.error)
			spin_host_emit_event(&out.outcome, &d);
		if (out.reason == SPIN_REASON_REPLIED || out.acknowledged || out.resized)
			*frame_bytes = out.frame_bytes;
		spin_host_send();
		if (out.replay)
			spin_host_replay(out.replay - 1);
	}
	*verdict = verdicts[out.reason];
	if (out.consumed)
		*verdict = out.acknowledged ? SPIN_VERDICT_TX : SPIN_VERDICT_DROP;
	spin_counters[0].packets[out.reason]++;
	return out.reason;
}

/* Evicts messages that are idle at the time of spin_host_set_clock(), and replays parked packets. */
void spin_host_progress(void);
/* One sweep over all MPQs, as spin_progress() of context.bpf.c does it. */
void spin_host_progress(void)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return;
	spin_host_had_events();
	for (uint32_t mpq = 0; mpq < spin_config.mpqs; mpq++) {
		struct spin_mpq *q = spin_mpq_at(mpq);
		uint32_t chosen = spin_chosen(mpq);

		if (spin_sweep_is_idle(q, spin_now()))
			spin_evict(chosen, 0, spin_now());
		else if (q->phase == SPIN_MPQ_OPEN && (q->parked || q->replay))
			spin_host_replay(mpq);
	}
}

/* The idle timeout that the handlers registered; 0 if none. */
uint32_t spin_host_idle_ms(void);
uint32_t spin_host_idle_ms(void)
{
	return spin_handlers_.idle_ms;
}

/* Returns NULL if the handlers take no messages. */
struct spin_me *spin_host_mes(void);
struct spin_me *spin_host_mes(void)
{
	spin_mes_end = SPIN_MES_MAX;
	return spin_handlers_.delivery == SPIN_DELIVER_ME ? spin_mes : 0;
}

/* What handlers access of the entries besides their memory; for datagrams only entry 0's counters. */
struct spin_me_memory *spin_host_me_memory(void);
struct spin_me_memory *spin_host_me_memory(void)
{
	return spin_me_memory;
}

const struct spin_message_stats *spin_host_stats(void);
const struct spin_message_stats *spin_host_stats(void)
{
	return spin_handlers_.delivery == SPIN_DELIVER_ME ? spin_message_stats : 0;
}

void spin_host_set_clock(uint32_t now_ms);
void spin_host_set_clock(uint32_t now_ms)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_STACK)
		spin_clock = now_ms;
}

/* Returns 1 if a message in flight uses the entry. */
int spin_host_me_held(uint32_t me);
int spin_host_me_held(uint32_t me)
{
	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return 0;
	for (uint32_t mpq = 0; mpq < spin_config.mpqs; mpq++)
		if (spin_mpqs[mpq].phase != SPIN_MPQ_FREE && spin_mpqs[mpq].me == me)
			return 1;
	return 0;
}

/* Removes all messages and tombstones, or all connections; keeps the statistics. */
void spin_host_reset(void);
/* Forgets all messages and connections. The handlers' state stays. */
void spin_host_reset(void)
{
	if (spin_handlers_.delivery == SPIN_DELIVER_SEGMENTS) {
		memset(spin_connections, 0, sizeof(spin_connections));
		memset(spin_connection_tags, 0, sizeof(spin_connection_tags));
	}
	if (spin_handlers_.delivery != SPIN_DELIVER_ME)
		return;
	for (uint32_t flow = 0; flow < SPIN_FLOWS; flow++)
		if (spin_flows[flow].id)
			memset(&spin_flows[flow], 0, sizeof(spin_flows[flow]));
	memset(spin_mpqs, 0, spin_config.mpqs * sizeof(*spin_mpqs));
	memset(spin_mpqs_used, 0, sizeof(spin_mpqs_used));
	memset(spin_parks_used, 0, sizeof(spin_parks_used));
	spin_mpqs_next = spin_parks_next = spin_pressed_next[0] = spin_pressed_next[1] = 0;
	spin_put_id = 0;
	spin_clock = 0;
}
