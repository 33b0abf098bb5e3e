/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Offers the TCP segments of many connections as fast as the link takes them, so that many of each connection are in flight on the
 * modelled NIC. Each one must get the reason that it gets if they come one at a time, and the handlers must add up the same. Segments
 * made at random must all be done in the end. Run by tests/run.
 */
#include "tests/segments/model.h"

#define CONNECTIONS 40u
#define SEGMENTS    60u /* of data, of each life of a connection */
#define LIVES       3u  /* of each connection, with the same key */
#define DROPS       3u  /* of each life; with more, a flight of segments would leave more ranges than one after the other does */
#define ALL_MAX     (CONNECTIONS * LIVES * (3 * SEGMENTS + 10))
#define RANDOM      20000u

static struct segment_spec all[ALL_MAX];
static unsigned count;
static uint8_t reasons[2][ALL_MAX];
_Static_assert(RANDOM <= ALL_MAX, "room for both");

static uint32_t draw_state = 1;

static uint32_t below(uint32_t limit)
{
	draw_state = draw_state * 1664525u + 1013904223u;
	return (draw_state >> 8) % limit;
}

/* --- what is offered --- */

static struct segment_spec *add(uint16_t port, uint32_t seq, uint8_t flags, uint32_t bytes)
{
	struct segment_spec *s = &all[count++];

	*s = (struct segment_spec){ .port = port, .seq = seq, .flags = flags, .bytes = bytes };
	return s;
}

struct life {
	uint16_t port;
	uint32_t first, next, left, drops;
	uint32_t dropped_at[DROPS], dropped_bytes[DROPS];
	int over;
};

static void begin_life(struct life *life, uint16_t port)
{
	*life = (struct life){ .port = port, .first = below(1u << 30) * 4, .left = SEGMENTS };
	life->next = life->first + 1;
	add(port, life->first, SYN, 0);
	if (!below(4))
		add(port, life->first, SYN, 0);
}

/* Adds what a sender sends last: what was dropped, and the FIN, in any order. */
static void end_life(struct life *life)
{
	const int fin_first = (int)below(2);

	if (fin_first && life->drops)
		add(life->port, life->next, FIN | ACK, 0);
	for (unsigned i = 0; i < life->drops; i++)
		add(life->port, life->dropped_at[i], ACK, life->dropped_bytes[i]);
	if (!fin_first || !life->drops)
		add(life->port, life->next, FIN | ACK, 0);
	add(life->port, life->first + 1, ACK, 8); /* sent again, too late */
	add(life->port, life->next, FIN | ACK, 0);
	life->over = 1;
}

/* Adds a few segments of the connection: in order, in the reverse order, again, dropped. */
static void go_on(struct life *life)
{
	const uint32_t bytes = 1 + below(below(2) ? 64 : 1400), more = 1 + below(200);

	life->left--;
	if (below(4) == 0 && life->left > 1) {
		life->left--;
		add(life->port, life->next + bytes, ACK, more);
		add(life->port, life->next, ACK, bytes);
		life->next += bytes + more;
	} else if (below(8) == 0 && life->drops < DROPS) {
		add(life->port, life->next, ACK, bytes)->text = "D";
		life->dropped_at[life->drops] = life->next;
		life->dropped_bytes[life->drops++] = bytes;
		life->next += bytes;
	} else {
		add(life->port, life->next, ACK, bytes);
		if (!below(5))
			add(life->port, life->next, ACK, bytes);
		if (!below(5))
			add(life->port, life->next + bytes, ACK, 0);
		life->next += bytes;
	}
	if (!life->left)
		end_life(life);
}

/* All lives of all connections, mixed. */
static void make_all(void)
{
	static struct life life[CONNECTIONS];
	unsigned lives = 0;

	for (unsigned i = 0; i < CONNECTIONS; i++)
		life[i].over = 1;
	while (lives < CONNECTIONS * LIVES) {
		struct life *l = &life[below(CONNECTIONS)];

		if (l->over) {
			begin_life(l, (uint16_t)(2000 + (l - life)));
			lives++;
		}
		for (unsigned burst = below(6); burst && !l->over; burst--)
			go_on(l);
	}
	for (unsigned i = 0; i < CONNECTIONS; i++)
		while (!life[i].over)
			go_on(&life[i]);
}

/* --- runs --- */

static struct seg_count one_at_a_time(struct rig_file image)
{
	struct pspin *nic = segments__open(image, seg_count_registration);
	struct seg_count state;

	for (unsigned i = 0; i < count; i++)
		reasons[0][i] = (uint8_t)segments__send(nic, &all[i]).reason;
	state = segments__count(nic);
	pspin__close(nic);
	return state;
}

static void on_packet(void *arg, const struct pspin_packet_record *record)
{
	unsigned *done = arg;

	reasons[1][record->packet] = (uint8_t)record->reason;
	(*done)++;
}

static struct seg_count in_flight(struct pspin *nic, unsigned *done)
{
	const struct pspin_observer observer = { .arg = done, .packet = on_packet };
	uint8_t frame[SEGMENT_FRAME_MAX];

	pspin__observe(nic, &observer);
	for (unsigned i = 0; i < count; i++) {
		const struct pspin_offer offer = { .frame = frame, .frame_bytes = segment__make(frame, &all[i]) };

		CHECK(!pspin__offer(nic, &offer), "the model takes an offer");
	}
	CHECK(!pspin__run(nic, UINT64_MAX), "everything offered is done");
	CHECK(!*pspin__stuck(nic), "nothing waits");
	return segments__count(nic);
}

static void compare(const struct seg_count *one, const struct seg_count *many)
{
	unsigned different = 0;

	for (unsigned i = 0; i < count; i++)
		if (reasons[0][i] != reasons[1][i] && !different++)
			printf("FAIL segment %u: reason %u in flight, %u alone\n", i, reasons[1][i], reasons[0][i]);
	failures += different != 0;
	CHECK(one->headers == CONNECTIONS * LIVES && one->completions == CONNECTIONS * LIVES, "each connection begins and ends");
	CHECK(one->headers == many->headers && one->syns == many->syns && one->payloads == many->payloads &&
		      one->completions == many->completions,
	      "as many handlers run in flight");
	CHECK(one->bytes == many->bytes && one->sum == many->sum, "they see the same bytes at the same offsets");
	CHECK(one->length == many->length && one->dropped_bytes == many->dropped_bytes && one->flow_control == many->flow_control,
	      "completion handlers are told the same");
	CHECK(one->dropped_bytes && !many->wrong, "some bytes were dropped");
}

/* --- at random --- */

static void make_random(void)
{
	static const uint8_t flags[] = { ACK, ACK, ACK, ACK, ACK, ACK, SYN, FIN | ACK, RST, SYN | FIN, SYN | RST };
	static const char *const texts[] = { NULL, NULL, NULL, NULL, "Drop", "Fail", "Reply", "Write" };
	static const uint16_t ports[] = { 1, 2, 3, 4, 5, SEG_PORT_DROP, SEG_PORT_PROCEED, SEG_PORT_COMPLETE, SEG_PORT_FAIL };

	count = 0;
	for (unsigned i = 0; i < RANDOM; i++) {
		struct segment_spec *s = add(ports[below(9)], below(500) - 100, flags[below(11)], below(3) ? below(60) : 0);

		s->text = s->bytes ? texts[below(8)] : NULL;
		s->seq += !below(200) ? SPIN_SEGMENT_REACH : 0;
	}
}

int main(void)
{
	struct rig_file image = segments__build("seg_count");
	struct pspin *nic = segments__open(image, seg_count_registration);
	struct seg_count one, many;
	struct pspin_traffic traffic;
	unsigned done = 0;

	make_all();
	one = one_at_a_time(image);
	many = in_flight(nic, &done);
	CHECK(done == count, "each segment is reported once");
	compare(&one, &many);
	pspin__traffic(nic, &traffic);
	CHECK(traffic.hers_peak >= 64, "many segments were in flight");
	pspin__close(nic);

	make_random();
	nic = segments__open(image, seg_count_registration);
	done = 0;
	in_flight(nic, &done);
	CHECK(done == count, "each segment made at random is reported once");
	pspin__close(nic);
	free(image.data);
	return failures != 0;
}
