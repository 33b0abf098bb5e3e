/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Packets in flight of a message that is being sent, their timeouts and the congestion window. Called by send.c. Packets that have timed
 * out equally often have the same timeout. There is a list for each number of timeouts, in the order of sending, so only the first packet
 * of each list has to be checked.
 */
#include <string.h>
#include <time.h>

#include "user/libspin/send/send.h"

#define NONE 0xffffu

/*
 * Congestion window, initially and at least. Links lose or reorder some packets without congestion, so the minimum is high. If more than a
 * third of what was sent is lost, the path is congested, and the minimum is lower.
 */
#define CWND_INITIAL       64u
#define CWND_MIN           64u
#define CWND_MIN_CONGESTED 8u
#define LOSS_SAMPLE        256u /* datagrams over which losses are counted */

static struct send_slot *slot_of(struct send_window *w, uint64_t packet)
{
	return &w->slot[packet % SPIN_WINDOW];
}

static struct send_list *list_of(struct send_window *w, const struct send_slot *s)
{
	return &w->list[s->waits];
}

static void list_append(struct send_window *w, struct send_slot *s)
{
	struct send_list *list = list_of(w, s);
	uint16_t at = (uint16_t)(s - w->slot);

	s->next = NONE;
	s->previous = list->last;
	if (list->last == NONE)
		list->first = at;
	else
		w->slot[list->last].next = at;
	list->last = at;
}

static void list_remove(struct send_window *w, struct send_slot *s)
{
	struct send_list *list = list_of(w, s);

	if (s->previous == NONE)
		list->first = s->next;
	else
		w->slot[s->previous].next = s->next;
	if (s->next == NONE)
		list->last = s->previous;
	else
		w->slot[s->next].previous = s->previous;
}

void send_window__start(struct send_window *w, uint64_t packets, unsigned limit)
{
	/* assume the same path as for the last message */
	uint64_t reorder_ns = w->reorder_ns;
	unsigned room = w->room, threshold = w->threshold;
	int cautious = w->cautious;
	struct send_trains trains = w->trains;

	memset(w, 0, sizeof(*w));
	for (unsigned i = 0; i < SEND_WAITS; i++)
		w->list[i] = (struct send_list){ NONE, NONE };
	w->order = 1; /* 0: none was acknowledged */
	w->total = packets;
	w->limit = limit;
	w->cautious = cautious;
	w->reorder_ns = reorder_ns;
	w->trains = trains;
	send_trains__start(&w->trains);
	w->least = CWND_MIN;
	w->room = room ? room : CWND_INITIAL;
	w->threshold = threshold ? threshold : SPIN_WINDOW;
}

/*
 * The receiver remembers SPIN_WINDOW packets beyond the lowest missing one, so sending further is
 * useless. Until the first packet has arrived, the receiver must park all others, and has less room.
 */
unsigned send_window__space(const struct send_window *w)
{
	unsigned room = w->limit < w->room ? w->limit : w->room;
	uint64_t most;

	if (!w->lowest && room > CWND_INITIAL)
		room = CWND_INITIAL;
	if (!w->lowest && w->cautious)
		room = 1;
	most = w->lowest + (w->lowest ? SPIN_WINDOW : room);
	if (most > w->total)
		most = w->total;
	if (w->waiting >= room || w->next >= most)
		return 0;
	return room - w->waiting < most - w->next ? room - w->waiting : (unsigned)(most - w->next);
}

static void count_losses(struct send_window *w, unsigned lost)
{
	w->lost += lost;
	if (w->order < w->counted_from + LOSS_SAMPLE)
		return;
	w->least = w->lost > LOSS_SAMPLE / 3 ? CWND_MIN_CONGESTED : CWND_MIN;
	w->counted_from = w->order;
	w->lost = 0;
}

/* Handles a lost packet. Losses of packets sent before the window was halved do not halve it again. */
static void on_loss(struct send_window *w, const struct send_slot *s)
{
	count_losses(w, 1);
	if (s->order < w->recovered)
		return;
	w->room_before = w->room;
	if (w->room > w->least)
		w->room = w->room / 2 > w->least ? w->room / 2 : w->least;
	w->threshold = w->room;
	w->recovered = w->order;
	w->credit = 0;
}

/* Grows the window only if the window was the limit. */
static void grow_window(struct send_window *w)
{
	if (w->room >= SPIN_WINDOW || w->waiting < w->room / 2)
		return;
	if (w->room >= w->threshold && ++w->credit < w->room)
		return;
	w->credit = 0;
	w->room++;
}

static void advance_lowest(struct send_window *w)
{
	while (w->lowest < w->next && slot_of(w, w->lowest)->done)
		w->lowest++;
}

void send_window__sent(struct send_window *w, uint64_t now_ns, int wanted, int in_train)
{
	struct send_slot *s = slot_of(w, w->next++);

	count_losses(w, 0);
	*s = (struct send_slot){ .sent_ns = now_ns, .order = w->order++, .done = !wanted, .in_train = (uint8_t)in_train };
	if (wanted) {
		list_append(w, s);
		w->waiting++;
	} else {
		advance_lowest(w);
	}
}

static void record_resent(struct send_window *w, struct send_slot *s, uint64_t now_ns, int early)
{
	list_remove(w, s);
	s->waits += !early && s->waits + 1u < SEND_WAITS;
	s->early = (uint8_t)early;
	s->again = 1;
	s->sent_ns = now_ns;
	s->order = w->order++;
	list_append(w, s);
}

/* Returns the packet in a slot: the ring holds the packets from the lowest one on. */
static uint64_t packet_of(const struct send_window *w, const struct send_slot *s)
{
	uint64_t at = (uint64_t)(s - w->slot);

	return w->lowest + (at + SPIN_WINDOW - w->lowest % SPIN_WINDOW) % SPIN_WINDOW;
}

int send_window__lost(struct send_window *w, const struct send_timer *t, uint64_t now_ns, uint64_t *packet)
{
	/* do not wait for answers that reordering delays by more than a round trip */
	uint64_t reorder_ns = w->reorder_ns < t->smoothed_ns ? w->reorder_ns : t->smoothed_ns;

	for (unsigned i = 0; i < SEND_WAITS; i++) {
		struct send_slot *s;
		int early;

		if (w->list[i].first == NONE)
			continue;
		s = &w->slot[w->list[i].first];
		early = s->order < w->later[SEND_LATER - 1] && s->sent_ns + reorder_ns <= w->later_ns[SEND_LATER - 1];
		if (!early && s->sent_ns + send_timer__wait_ns(t, s->waits) > now_ns)
			continue;
		*packet = packet_of(w, s);
		on_loss(w, s);
		if (s->in_train && !s->again)
			send_trains__lost(&w->trains);
		record_resent(w, s, now_ns, early);
		return 1;
	}
	return 0;
}

uint64_t send_window__due_ns(const struct send_window *w, const struct send_timer *t)
{
	uint64_t due = UINT64_MAX;

	for (unsigned i = 0; i < SEND_WAITS; i++) {
		const struct send_slot *s;
		uint64_t at;

		if (w->list[i].first == NONE)
			continue;
		s = &w->slot[w->list[i].first];
		at = s->sent_ns + send_timer__wait_ns(t, s->waits);
		if (at < due)
			due = at;
	}
	return due;
}

/* Only for packets sent once: for others it is unknown which transmission was acknowledged (Karn). */
static void record_acknowledged_order(struct send_window *w, const struct send_slot *s)
{
	unsigned at = SEND_LATER;

	while (at && w->later[at - 1] < s->order)
		at--;
	for (unsigned i = SEND_LATER - 1; i > at; i--) {
		w->later[i] = w->later[i - 1];
		w->later_ns[i] = w->later_ns[i - 1];
	}
	if (at < SEND_LATER) {
		w->later[at] = s->order;
		w->later_ns[at] = s->sent_ns;
	}
}

int send_window__waits(const struct send_window *w, uint64_t packet)
{
	return packet >= w->lowest && packet < w->next && !w->slot[packet % SPIN_WINDOW].done;
}

int send_window__acknowledged(struct send_window *w, struct send_timer *t, uint64_t packet, uint64_t now_ns)
{
	struct send_slot *s = slot_of(w, packet);
	uint64_t took_ns;

	if (!send_window__waits(w, packet))
		return 0;
	took_ns = now_ns - s->sent_ns;
	grow_window(w);
	if (s->in_train && !s->again)
		send_trains__acknowledged(&w->trains);
	if (!s->again) {
		send_timer__measured(t, took_ns, now_ns);
		record_acknowledged_order(w, s);
	} else if (s->early && took_ns < t->smoothed_ns / 4 && w->reorder_ns < t->smoothed_ns) {
		/* too early to acknowledge the second transmission: the first was reordered, not lost */
		w->reorder_ns += t->smoothed_ns / 8 + 1;
		if (w->room < w->room_before)
			w->room = w->room_before; /* the path was not congested */
	} else if (s->waits) {
		send_timer__late(t, s->waits, now_ns);
	}
	list_remove(w, s);
	s->done = 1;
	w->waiting--;
	advance_lowest(w);
	return 1;
}

/* Timeouts. A measurement is recent for RECENT_TIMEOUTS times the current timeout. */
#define RTO_INITIAL_NS  100000000u  /* until a round trip is known */
#define RTO_MIN_NS      5000000u    /* in a LAN the receiver may be scheduled this late */
#define RTO_MAX_NS      1000000000u /* limit of doubling, for a receiver that has no room yet */
#define RECENT_TIMEOUTS 8u

uint64_t send_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void send_timer__measured(struct send_timer *t, uint64_t round_trip_ns, uint64_t now_ns)
{
	uint64_t off = round_trip_ns > t->smoothed_ns ? round_trip_ns - t->smoothed_ns : t->smoothed_ns - round_trip_ns;

	if (!t->smoothed_ns) {
		t->variation_ns = round_trip_ns / 2;
		t->smoothed_ns = round_trip_ns + 1;
	} else {
		t->variation_ns = t->variation_ns - t->variation_ns / 4 + off / 4;
		t->smoothed_ns = t->smoothed_ns - t->smoothed_ns / 8 + round_trip_ns / 8 + 1;
	}
	t->backoff = 0;
	t->measured_ns = now_ns;
}

/*
 * A packet was acknowledged after timeouts. If no round trip was measured recently, the path's round trip may be longer than the timeout:
 * every packet would be sent twice and never be measured. So the timeouts of all packets are doubled `waits` times. If others were measured
 * recently, the packet was lost.
 */
void send_timer__late(struct send_timer *t, unsigned waits, uint64_t now_ns)
{
	uint64_t lately_ns = RECENT_TIMEOUTS * send_timer__wait_ns(t, 0);

	if (!t->fixed_ns && waits > t->backoff && now_ns - t->measured_ns > lately_ns)
		t->backoff = waits;
}

uint64_t send_timer__wait_ns(const struct send_timer *t, unsigned waits)
{
	uint64_t wait = t->fixed_ns ? t->fixed_ns : RTO_INITIAL_NS, most = RTO_MAX_NS;

	if (!t->fixed_ns && t->smoothed_ns)
		wait = t->smoothed_ns + 4 * t->variation_ns;
	if (!t->fixed_ns && wait < RTO_MIN_NS)
		wait = RTO_MIN_NS;
	if (most < wait)
		most = wait;
	waits += t->backoff;
	return waits >= 16 || wait << waits > most ? most : wait << waits;
}
