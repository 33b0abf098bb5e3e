/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Gives random and mutated datagrams of SLMP, the message protocol over UDP, to the engines (host build, kernel, model of the card), which
 * keep their messages from packet to packet: verdict, reason, frame, events, memory and counters must agree. Run by tests/run.
 *
 *	fuzz_wire [--packets N] [--model N] [--seed N]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/random.h"
#include "tests/common/net/slow.h"
#include "tests/reference/reference.h"
#include "tests/reference/schedule.h"

#define MEMORY_EVERY 500
#define CLOCK_EVERY  100
#define HOST_BYTES   65536
#define IDS          5  /* in flight, per source */
#define IDS_EVERY    90 /* packets until a new id comes into use */

static const struct setup {
	const char *handler;
	struct spin_message_opts message;
	uint32_t whole_bytes; /* length of the only entry, which refuses longer messages; 0: the default entry */
} setups[] = {
	{ "msg_script",
	  { .host_bytes = HOST_BYTES,
	    .messages = 14,
	    .parking = 16,
	    .idle_ms = 40,
	    .tombstone_ms = 25,
	    .put = 1,
	    .no_entry = 1,
	    .virtual_clock = 1 },
	  .whole_bytes = 40000 },
	{ "msg_script_head",
	  { .host_bytes = HOST_BYTES, .messages = 10, .parking = 12, .idle_ms = 30, .tombstone_ms = 15, .virtual_clock = 1 } },
};

struct fuzz {
	const struct setup *setup;
	struct built built;
	struct engine *engine[ENGINE_OF_ALL];
	struct engine_out out[ENGINE_OF_ALL];
	uint64_t random;
	uint32_t now_ms;
	uint64_t packets, reasons[SPIN_REASON_COUNT];
	uint8_t host[2][HOST_BYTES];
};

static uint32_t below(struct fuzz *f, uint32_t n)
{
	return random_below(&f->random, n);
}

static int one_in(struct fuzz *f, uint32_t n)
{
	return !random_below(&f->random, n);
}

/* A packet of one of a few messages. Its id determines the message's length, so that messages become complete. */
static struct step random_packet(struct fuzz *f)
{
	static const uint32_t strides[] = { 4, 1, 64, 16, 100, 1450, 4, 3000, 32, 8900, 8, 500 };
	static const uint8_t rcs[] = { 0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 13, 255 };
	struct step s = { .kind = STEP_PACKET,
			  .source = below(f, 4) * 3 % 5,
			  .message_id = (uint32_t)(f->packets / IDS_EVERY) % 4000 + below(f, IDS) };
	uint32_t stride = strides[s.message_id % 12], packets = 1 + s.message_id % 7, packet = below(f, packets);

	s.offset = packet * stride;
	s.bytes = packet + 1 == packets && one_in(f, 2) ? stride / 2 : stride;
	s.flags = (uint16_t)((packet == 0 || one_in(f, 2) ? SPIN_SLMP_SYN : 0) | (packet + 1 == packets ? SPIN_SLMP_EOM : 0));
	s.ask.header_rc = SPIN_RC_PROCESS_DATA;
	if (one_in(f, 3))
		s.ask = (struct script_ask){ rcs[below(f, sizeof(rcs))], rcs[below(f, sizeof(rcs))], rcs[below(f, sizeof(rcs))],
					     (uint8_t)below(f, 256) };
	if (packet == 0 && one_in(f, f->setup->message.put ? 2 : 20)) {
		s.flags |= SPIN_SLMP_PUT;
		s.put = (struct step_put){ 1,
					   1,
					   0,
					   one_in(f, 2) ? packets * stride : below(f, 4000),
					   below(f, 4),
					   below(f, 99),
					   one_in(f, 9) ? (uint64_t)below(f, 9) << 30 : below(f, HOST_BYTES + 99) };
	}
	s.sum = (enum frame_sum)below(f, 3);
	return s;
}

/* Falsifies fields before the checksums are computed. */
static void falsify_fields(struct fuzz *f, struct step *s)
{
	switch (below(f, 8)) {
	case 0:
		s->flags ^= (uint16_t)(1u << below(f, 16));
		break;
	case 1:
		s->flags = (uint16_t)below(f, 65536);
		break;
	case 2:
		s->offset = one_in(f, 2) ? 0u - below(f, 9999) : below(f, 65536);
		break;
	case 3:
		s->bytes = one_in(f, 20) ? below(f, 9300) : below(f, 200);
		break;
	case 4:
		s->cut = below(f, 60);
		break;
	case 5:
		s->cut = s->bytes + below(f, 45);
		break;
	case 6:
		s->put.op = (uint8_t)below(f, 3);
		s->put.version = (uint8_t)below(f, 3);
		break;
	default:
		s->put.unused = (uint16_t)below(f, 2);
	}
}

/* Damages the finished frame; its checksums may then be right or wrong. */
static uint32_t damage(struct fuzz *f, uint8_t *frame, uint32_t bytes)
{
	switch (below(f, 4)) {
	case 0:
		frame[below(f, bytes)] ^= (uint8_t)(1u << below(f, 8));
		break;
	case 1:
		frame[below(f, bytes < 72 ? bytes : 72)] = (uint8_t)below(f, 256);
		break;
	case 2:
		return 14 + below(f, bytes - 13);
	default: /* padding */
		for (uint32_t more = below(f, 40); more; more--)
			frame[bytes++] = (uint8_t)below(f, 256);
	}
	return bytes;
}

static uint32_t tag(struct fuzz *f, uint8_t *frame, uint32_t bytes)
{
	memmove(frame + 16, frame + 12, bytes - 12);
	frame[12] = one_in(f, 2) ? 0x81 : 0x88;
	frame[13] = frame[12] == 0x81 ? 0x00 : 0xa8;
	frame[14] = 0;
	frame[15] = (uint8_t)below(f, 256);
	return bytes + 4;
}

static uint32_t next_frame(struct fuzz *f, uint8_t *frame)
{
	struct step s = random_packet(f);
	uint32_t bytes;

	if (one_in(f, 5))
		falsify_fields(f, &s);
	bytes = step_frame(&s, frame);
	for (uint32_t tags = one_in(f, 10) ? 1 + below(f, 2) : 0; tags; tags--)
		bytes = tag(f, frame, bytes);
	return one_in(f, 8) ? damage(f, frame, bytes) : bytes;
}

static int fail(const struct fuzz *f, int kind, const char *what)
{
	printf("FAIL  %s: packet %llu: host and %s differ in %s\n", f->setup->handler, (unsigned long long)f->packets,
	       engine_name((enum engine_kind)kind), what);
	return 1;
}

static int same_events(const struct engine_events *a, const struct engine_events *b)
{
	size_t kept = a->count < ENGINE_EVENTS_MAX ? a->count : ENGINE_EVENTS_MAX;

	return a->count == b->count && !memcmp(a->event, b->event, kept * sizeof(a->event[0]));
}

static int compare_outs(struct fuzz *f, const uint8_t *frame, uint32_t bytes)
{
	const struct engine_out *a = &f->out[ENGINE_HOST];

	for (int kind = ENGINE_BPF; kind < ENGINE_OF_ALL; kind++) {
		const struct engine_out *b = &f->out[kind];

		if (!f->engine[kind])
			continue;
		if (a->reason == b->reason && a->verdict == b->verdict && a->frame_bytes == b->frame_bytes &&
		    !memcmp(a->frame, b->frame, a->frame_bytes) && same_events(&a->events, &b->events))
			continue;
		printf("      host %s %s, %u bytes, %u events; %s %s %s, %u bytes, %u events\n      frame ", spin_verdict_name(a->verdict),
		       spin_reason_name(a->reason), a->frame_bytes, a->events.count, engine_name((enum engine_kind)kind),
		       spin_verdict_name(b->verdict), spin_reason_name(b->reason), b->frame_bytes, b->events.count);
		for (uint32_t i = 0; i < bytes; i++)
			printf("%02x", frame[i]);
		putchar('\n');
		return fail(f, kind, "what became of it");
	}
	return 0;
}

static int one_packet(struct fuzz *f)
{
	static uint8_t frame[ENGINE_FRAME_MAX];
	uint32_t bytes = next_frame(f, frame);

	for (int kind = 0; kind < ENGINE_OF_ALL; kind++) {
		int err = f->engine[kind] ? f->engine[kind]->ops->packet(f->engine[kind], frame, bytes, &f->out[kind]) : 0;

		if (err)
			return err;
	}
	f->packets++;
	f->reasons[f->out[ENGINE_HOST].reason]++;
	return compare_outs(f, frame, bytes);
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct spin_event));
}

static int advance_clock(struct fuzz *f)
{
	static struct engine_events events[ENGINE_OF_ALL];

	f->now_ms += one_in(f, 20) ? 200 : below(f, 20);
	for (int kind = 0; kind < ENGINE_OF_ALL; kind++) {
		int err = f->engine[kind] ? f->engine[kind]->ops->clock(f->engine[kind], f->now_ms, &events[kind]) : 0;

		if (err)
			return err;
		if (f->engine[kind])
			qsort(events[kind].event, events[kind].count, sizeof(events[kind].event[0]), by_bytes);
	}
	for (int kind = ENGINE_BPF; kind < ENGINE_OF_ALL; kind++)
		if (f->engine[kind] && !same_events(&events[ENGINE_HOST], &events[kind]))
			return fail(f, kind, "the events of a sweep");
	return 0;
}

static int read_all(struct engine *e, struct script_state *state, uint8_t *host, struct spin_message_stats *stats, struct spin_me *me)
{
	int err = e->ops->read(e, "spin_state", 0, state, sizeof(*state));

	if (!err)
		err = e->ops->host_read(e, 0, host, HOST_BYTES);
	if (!err)
		err = e->ops->stats(e, stats);
	return err ? err : e->ops->me_get(e, 0, me);
}

static int compare_memory(struct fuzz *f)
{
	struct spin_message_stats stats[2];
	struct script_state state[2];
	struct spin_me me[2];
	int err = read_all(f->engine[ENGINE_HOST], &state[0], f->host[0], &stats[0], &me[0]);

	for (int kind = ENGINE_BPF; kind < ENGINE_OF_ALL && !err; kind++) {
		if (!f->engine[kind])
			continue;
		err = read_all(f->engine[kind], &state[1], f->host[1], &stats[1], &me[1]);
		if (!err && memcmp(&state[0], &state[1], sizeof(state[0])))
			err = fail(f, kind, "state");
		if (!err && memcmp(f->host[0], f->host[1], HOST_BYTES))
			err = fail(f, kind, "host memory");
		if (!err && memcmp(&stats[0], &stats[1], sizeof(stats[0])))
			err = fail(f, kind, "counts of messages");
		if (!err && (me[0].messages != me[1].messages || me[0].bytes != me[1].bytes))
			err = fail(f, kind, "the matching entry");
	}
	return err;
}

/* Opens the engines; those that cannot run here are left out. */
static int start(struct fuzz *f, int *skipped)
{
	const struct engine_context context = { .rule = { .protocol = 17, .dst_port = SCHEDULE_PORT }, .message = f->setup->message };
	int err = built_handler(f->setup->handler, &f->built);

	const struct spin_me_opts whole = {
		.bytes = sizeof(whole), .ignore_bits = ~(uint64_t)0, .length = f->setup->whole_bytes, .options = SPIN_ME_NO_TRUNCATE
	};
	unsigned me;

	for (int kind = 0; kind < ENGINE_OF_ALL && !err; kind++) {
		if (kind == ENGINE_ISOLATED) /* does not support messages */
			continue;
		err = engine_open((enum engine_kind)kind, &f->built.handler, &context, &f->engine[kind]);
		if (!err && whole.length)
			err = f->engine[kind]->ops->me_append(f->engine[kind], &whole, &me);
		if (kind == ENGINE_HOST || !engine_cannot(err))
			continue;
		printf("skip: %s: %s\n", engine_name((enum engine_kind)kind), engine_error());
		*skipped = 1;
		err = 0;
	}
	return err;
}

/* The model stops after its share of packets. */
static int run(struct fuzz *f, uint64_t count, uint64_t model)
{
	int err = 0;

	for (uint64_t n = 0; n < count && !err; n++) {
		if (n == model && f->engine[ENGINE_MODEL]) {
			err = compare_memory(f);
			engine_close(f->engine[ENGINE_MODEL]);
			f->engine[ENGINE_MODEL] = NULL;
		}
		if (!err)
			err = one_packet(f);
		if (!err && n % CLOCK_EVERY == 0)
			err = advance_clock(f);
		if (!err && (n % MEMORY_EVERY == 0 || n + 1 == count))
			err = compare_memory(f);
	}
	return err;
}

/*
 * Whether these handlers and packets can have the reason. An entry for all messages is always posted, and a single handler returns few
 * codes.
 */
static int is_expected(const struct setup *setup, enum spin_reason reason)
{
	switch (reason) {
	case SPIN_REASON_REPLIED:
	case SPIN_REASON_NO_ME:
	case SPIN_REASON_DROPPED:
	case SPIN_REASON_OVERRUN:      /* these handlers have no loop of the API */
	case SPIN_REASON_ACKNOWLEDGED: /* they send nothing */
	case SPIN_REASON_NO_HPU:       /* only the network gives a packet no HPU */
		return 0;
	case SPIN_REASON_BEYOND_ENTRY:
		return setup->whole_bytes != 0;
	default:
		return reason >= SPIN_REASON_PROCEEDED;
	}
}

static int check_share(const struct fuzz *f)
{
	int missing = 0;

	printf("%s:", f->setup->handler);
	for (int i = 0; i < SPIN_REASON_COUNT; i++) {
		if (f->reasons[i])
			printf(" %s %llu", spin_reason_name((enum spin_reason)i), (unsigned long long)f->reasons[i]);
		missing |= is_expected(f->setup, (enum spin_reason)i) && f->reasons[i] < f->packets / 20000;
	}
	putchar('\n');
	if (missing && f->packets > 10000)
		printf("FAIL  some reason hardly ever came up\n");
	return missing && f->packets > 10000;
}

int main(int argc, char **argv)
{
	uint64_t packets = slow_rounds(1000000), model = slow_rounds(200000), seed = 1;
	int failed = 0, skipped = 0;

	for (int i = 1; i < argc; i += 2) {
		uint64_t *to = !strcmp(argv[i], "--packets") ? &packets
			       : !strcmp(argv[i], "--model") ? &model
			       : !strcmp(argv[i], "--seed")  ? &seed
							     : NULL;

		if (!to || i + 1 == argc) {
			fprintf(stderr, "usage: fuzz_wire [--packets N] [--model N] [--seed N]\n");
			return 2;
		}
		*to = strtoull(argv[i + 1], NULL, 0);
	}
	for (unsigned i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
		static struct fuzz f;
		int err;

		memset(&f, 0, sizeof(f));
		f.setup = &setups[i];
		f.random = seed + i;
		err = start(&f, &skipped);
		if (!err)
			err = run(&f, packets / 2, model / 2);
		if (err < 0)
			printf("FAIL  %s: packet %llu: %s\n", f.setup->handler, (unsigned long long)f.packets, engine_error());
		failed |= err || check_share(&f);
		for (int kind = 0; kind < ENGINE_OF_ALL; kind++)
			engine_close(f.engine[kind]);
	}
	printf("%llu packets, seed %llu\n", (unsigned long long)packets, (unsigned long long)seed);
	return failed ? 1 : skipped ? 77 : 0;
}
