/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs random schedules of TCP segments (streams cut, lost, duplicated, reordered and sent again; wrong FINs and RSTs, numbers out of
 * reach) on the engines: host build, kernel in both load classes, model of the card. Each is compared with a plain reference (reference.h)
 * after every segment: reason, verdict, frame, events, and what the handlers were called with. A schedule that fails is reduced as far as
 * possible, and printed. Run by tests/run and, longer, by `make fuzz`.
 *
 *	random_schedules [--engine host|bpf|isolated|model]... [--runs N] [--seed N] [--one N]
 *
 * --runs: for each engine; --one: only that schedule of the seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/libspin.h>

#include "tests/common/net/slow.h"
#include "tests/handlers/segments/seg_random.h"
#include "tests/reference/schedules_main.h"
#include "tests/segments/reference_engine.h"
#include "tests/segments/schedule.h"

#define SHRINK_TRIES 3000

/* A pair for each handler, opened when it is first needed. */
struct fixture {
	enum engine_kind kind;
	const struct random_options *options;
	struct segment_pair pair[SEGMENT_HANDLERS];
};

static void close_pair(struct segment_pair *pair)
{
	for (int i = 0; i < 2; i++)
		if (pair->engine[i])
			engine_close(pair->engine[i]);
	*pair = (struct segment_pair){ 0 };
}

static int open_pair(struct fixture *f, unsigned handler)
{
	struct segment_pair *pair = &f->pair[handler];
	int err = segref_engine_open(segment_handlers[handler], SEGREF_OBEYS, &pair->engine[0]);

	return err ? err : segment_engine_open(f->kind, segment_handlers[handler], &pair->engine[1]);
}

/* Engines are opened again before so many keys are used that one could evict a connection. */
static int compare(struct fixture *f, const struct segment_schedule *s, char *reason, size_t bytes, struct segment_tally *tally)
{
	struct segment_pair *pair = &f->pair[s->handler];
	int err = 0;

	if (s->fresh && pair->fresh == SEGMENT_FRESH_MAX)
		close_pair(pair);
	if (!pair->engine[0])
		err = open_pair(f, s->handler);
	return err ? err : segment_schedule_compare(s, pair, reason, bytes, tally);
}

static int still_fails(void *arg, const struct segment_schedule *s)
{
	char reason[1024];

	return compare(arg, s, reason, sizeof(reason), NULL) == 1;
}

static void report(struct fixture *f, struct segment_schedule *s, uint64_t number, char *reason, size_t reason_bytes)
{
	printf("FAIL  %s differs from the reference: --seed %llu --one %llu, %u segments: %s\n", engine_name(f->kind),
	       (unsigned long long)f->options->seed, (unsigned long long)number, s->steps, reason);
	if (!still_fails(f, s)) {
		printf("It does not fail again.\n");
		segment_schedule_print(s, stdout);
		return;
	}
	segment_schedule_shrink(s, still_fails, f, SHRINK_TRIES);
	compare(f, s, reason, reason_bytes, NULL);
	printf("The smallest schedule that still fails:\n");
	segment_schedule_print(s, stdout);
	printf("%s\n", reason);
}

static int run_schedules(struct fixture *f, struct segment_tally *tally)
{
	const struct random_options *options = f->options;
	uint64_t first = options->only_one ? options->one : 0, last = options->only_one ? options->one + 1 : options->runs;
	struct segment_schedule s = { 0 };
	char reason[1024] = "";
	int err = 0;

	for (uint64_t i = first; i < last && !err; i++) {
		segment_schedule_generate(&s, options->seed * 1000003 + i);
		err = compare(f, &s, reason, sizeof(reason), tally);
		if (err == 1)
			report(f, &s, i, reason, sizeof(reason));
	}
	segment_schedule_free(&s);
	return err;
}

/* Returns 1 if a reason hardly occurred. */
static int check_share(const struct segment_tally *t)
{
	static const enum spin_reason wanted[] = {
		SPIN_REASON_SUCCESS,       SPIN_REASON_PROCEEDED,    SPIN_REASON_HEADER_DROPPED, SPIN_REASON_DROPPED,
		SPIN_REASON_FAILED,        SPIN_REASON_BAD_RETURN,   SPIN_REASON_SEGV,           SPIN_REASON_OVERRUN,
		SPIN_REASON_BEYOND_WINDOW, SPIN_REASON_UDP_CHECKSUM,
	};
	const int rare = random_check_reasons(t->reasons, wanted, sizeof(wanted) / sizeof(wanted[0]), t->schedules / 100);

	printf("; runs of handlers: header %llu payload %llu completion %llu\n", (unsigned long long)t->runs[SEG_HEADER],
	       (unsigned long long)t->runs[SEG_PAYLOAD], (unsigned long long)t->runs[SEG_COMPLETION]);
	return rare;
}

static int run_engine(enum engine_kind kind, const struct random_options *options)
{
	struct fixture f = { .kind = kind, .options = options };
	struct segment_tally tally = { 0 };
	int err = run_schedules(&f, &tally);

	for (unsigned i = 0; i < SEGMENT_HANDLERS; i++)
		close_pair(&f.pair[i]);
	if (err)
		return err;
	printf("%s: %llu schedules, %llu segments, seed %llu:", engine_name(kind), (unsigned long long)tally.schedules,
	       (unsigned long long)tally.segments, (unsigned long long)options->seed);
	if (check_share(&tally) && tally.schedules > 500) {
		printf("FAIL  some reasons are hardly ever met\n");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct random_test test = { .runs = slow_rounds(2000) /* make fuzz: 100,000 */, .run = run_engine };

	return random_main(argc, argv, &test);
}
