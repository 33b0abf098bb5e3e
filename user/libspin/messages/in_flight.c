/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the messages in flight (their packets are still arriving) while handlers run. Called by applications and spinctl mpq. A copy of an
 * MPQ (message processing queue: the state of one such message) is valid only if it did not change to another message while it was read.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "user/libspin/messages/in_flight.h"

#define TRIES 8

const char *spin_message_phase_name(enum spin_message_phase phase)
{
	static const char *const names[] = { "waiting", "header", "open" };

	return (unsigned)phase < sizeof(names) / sizeof(names[0]) ? names[phase] : "unknown";
}

static uint32_t load(const uint32_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

/* Converts to the public phase; returns 0 for a transient phase without a public name. */
static int phase_of(uint32_t phase, enum spin_message_phase *out)
{
	switch (phase) {
	case SPIN_MPQ_WAITING:
		*out = SPIN_MESSAGE_WAITING;
		return 1;
	case SPIN_MPQ_HEADER:
		*out = SPIN_MESSAGE_HEADER;
		return 1;
	case SPIN_MPQ_OPEN:
		*out = SPIN_MESSAGE_OPEN;
		return 1;
	default:
		return 0;
	}
}

/* Returns 0 if the flow belongs to another message or to none. */
static int read_key(const struct messages_view *v, uint32_t place, uint32_t index, uint32_t generation, struct spin_message_info *out)
{
	const struct spin_flow *flow = &v->flow[place % SPIN_FLOWS];
	const uint32_t want = SPIN_FLOW_LIVE | index << 2 | generation << 16;
	uint64_t id, src[2];

	if (__atomic_load_n(&flow->state, __ATOMIC_ACQUIRE) != want)
		return 0;
	id = __atomic_load_n(&flow->id, __ATOMIC_RELAXED);
	src[0] = __atomic_load_n(&flow->src[0], __ATOMIC_RELAXED);
	src[1] = __atomic_load_n(&flow->src[1], __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (load(&flow->state) != want)
		return 0;
	memcpy(out->src_addr, src, sizeof(out->src_addr));
	out->ip_version = (uint32_t)id & 0xffff;
	out->src_port = __builtin_bswap16((uint16_t)(id >> 16));
	out->message_id = (uint32_t)(id >> 32);
	return 1;
}

/* Counts the packets of a list that may change while it is read. */
static uint32_t count_list(const struct messages_view *v, uint32_t buffer, uint32_t owner)
{
	uint32_t count = 0;

	while (buffer && buffer <= SPIN_PARKING_MAX && count < SPIN_PARKING_MAX && load(&v->park[buffer - 1].owner) == owner) {
		count++;
		buffer = load(&v->park[buffer - 1].next);
	}
	return count;
}

/* Returns word `at` of the window's ring (bpf/abi/mpq.h). */
static uint64_t window_word(const struct messages_view *v, uint32_t index, uint32_t at)
{
	const uint64_t *word = at < SPIN_WINDOW_WORDS ? &v->mpq[index].word[at] : &v->wide[(size_t)index * v->wide_words + at];

	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Returns the first missing packet. mpq->lowest may lag behind it. */
static uint32_t lowest_missing(const struct messages_view *v, uint32_t index, uint32_t generation)
{
	const struct spin_mpq *mpq = &v->mpq[index];
	uint32_t packet = load(&mpq->lowest), count = v->wide ? v->wide_words : SPIN_WINDOW_WORDS;

	for (unsigned i = 0; i <= count; i++) {
		uint64_t word = window_word(v, index, packet / 32 % count);
		uint32_t tag = generation << 27 | packet / 32, have = (uint32_t)(word >> 32);
		uint32_t missing = ~(uint32_t)word & UINT32_MAX << packet % 32;

		if (have == tag && missing)
			return packet / 32 * 32 + (uint32_t)__builtin_ctz(missing);
		if (have < tag || have >> 27 != tag >> 27)
			return packet;
		packet = (packet / 32 + 1) * 32; /* all packets of the word have arrived, or the word now holds later packets */
	}
	return packet;
}

static uint32_t milliseconds(const struct messages_view *v, uint32_t since)
{
	uint32_t ticks = v->now - since;

	/* another HPU wrote it after `now` was read */
	return ticks > UINT32_MAX / 2 ? 0 : (uint32_t)((uint64_t)ticks * 1000 / v->ticks_s);
}

/* Returns 1 with a consistent copy, 0 if the MPQ has no message in flight. */
static int read_mpq(const struct messages_view *v, uint32_t index, struct spin_message_info *out)
{
	const struct spin_mpq *mpq = &v->mpq[index];

	for (unsigned i = 0; i < TRIES; i++) {
		uint32_t phase = __atomic_load_n(&mpq->phase, __ATOMIC_ACQUIRE), done;
		uint32_t generation = load(&mpq->generation) & 0xffff;
		uint32_t owner = index | generation << 16;

		memset(out, 0, sizeof(*out));
		if (!phase_of(phase, &out->phase))
			return 0;
		done = load(&mpq->done);
		out->packets = (done & ~SPIN_DONE_LAST) + !!(done & SPIN_DONE_LAST);
		out->packets_total = load(&mpq->total);
		out->dropped_bytes = load(&mpq->dropped_bytes);
		out->me = load(&mpq->me);
		out->flow_control = !!(load(&mpq->flags) & SPIN_MPQ_FLOW_CONTROL);
		out->age_ms = milliseconds(v, load(&mpq->opened));
		out->idle_ms = milliseconds(v, load(&mpq->time));
		out->parked = count_list(v, load(&mpq->parked), owner) + count_list(v, load(&mpq->replay), owner);
		if (out->phase == SPIN_MESSAGE_OPEN)
			out->lowest_missing = lowest_missing(v, index, generation);
		if (read_key(v, load(&mpq->flow), index, generation, out) && load(&mpq->phase) == phase &&
		    (load(&mpq->generation) & 0xffff) == generation)
			return 1;
	}
	return 0;
}

uint32_t messages_view__ticks_s(int virtual_clock)
{
	struct timespec tick;

	if (virtual_clock)
		return 1000;
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
		return 100;
	return (uint32_t)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
}

int messages_view__each(const struct messages_view *v, int (*fn)(void *arg, const struct spin_message_info *message), void *arg)
{
	struct spin_message_info message;
	int stop = 0;

	for (uint32_t i = 0; i < v->mpqs && !stop; i++)
		if (read_mpq(v, i, &message))
			stop = fn(arg, &message);
	return stop;
}

void messages_view__stats(const struct messages_view *v, struct spin_message_stats *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned hpu = 0; hpu < SPIN_HPUS_MAX; hpu++) {
		const struct spin_message_stats *from = &v->stats[hpu];

		out->opened += __atomic_load_n(&from->opened, __ATOMIC_RELAXED);
		out->completed += __atomic_load_n(&from->completed, __ATOMIC_RELAXED);
		out->evicted += __atomic_load_n(&from->evicted, __ATOMIC_RELAXED);
		out->replayed += __atomic_load_n(&from->replayed, __ATOMIC_RELAXED);
		out->replay_lost += __atomic_load_n(&from->replay_lost, __ATOMIC_RELAXED);
		out->events_lost += __atomic_load_n(&from->events_lost, __ATOMIC_RELAXED);
		out->pressed += __atomic_load_n(&from->pressed, __ATOMIC_RELAXED);
		out->events_full += __atomic_load_n(&from->events_full, __ATOMIC_RELAXED);
	}
}

static struct messages_view view_of(const struct messages *m)
{
	return (struct messages_view){ .mpq = m->mpq,
				       .flow = m->flow,
				       .park = m->park,
				       .stats = m->stats,
				       .wide = m->wide,
				       .wide_words = m->wide_words,
				       .mpqs = m->opts.messages,
				       .ticks_s = m->ticks_s,
				       .now = spin_messages__now(m) };
}

int spin_ctx__messages(struct spin_ctx *ctx, int (*fn)(void *arg, const struct spin_message_info *message), void *arg)
{
	const struct messages *m = spin_messages__of(ctx);
	struct messages_view view;

	if (!m)
		return -EOPNOTSUPP;
	view = view_of(m);
	return messages_view__each(&view, fn, arg);
}

int spin_ctx__message_stats(struct spin_ctx *ctx, struct spin_message_stats *out)
{
	const struct messages *m = spin_messages__of(ctx);
	struct messages_view view;

	if (!m)
		return -EOPNOTSUPP;
	view = view_of(m);
	messages_view__stats(&view, out);
	return 0;
}
