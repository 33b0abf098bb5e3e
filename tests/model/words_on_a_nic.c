/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests words that HPUs share on modelled NICs with few and with many clusters. The watchdog stops HPUs at any instruction of their
 * exclusive access to a word; later tasks must find the word consistent. Waiting for a lock that is never released must use up the
 * handler's budget before the watchdog fires. Run by tests/run.
 */
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"
#include "tests/model/common/words.h"

/* Offsets in an L1, as in exclusive.S and pspin.ld. EXCLUSIVE is an offset in L1, the others are relative to it. */
enum { EXCLUSIVE = 0xffc00, NOTES = 16, STRIPES = 128, CLAIMS = 384, BYTES = 896, GUARD = 0x3c0 };

enum {
	HPUS = 2 /* per cluster */,
	HPUS_MAX = 8 /* per cluster, if L1 must hold a packet for each */,
	ALONE_CYCLES = 200 /* more than an addition takes */,
	START_CYCLES = 300 /* before the first addition, with a cold cache */
};

struct seen {
	unsigned tasks, watchdogs, overruns;
	uint64_t of_cluster; /* one bit per cluster */
};

static void on_task(void *arg, const struct pspin_task_record *r)
{
	struct seen *seen = arg;

	seen->tasks++;
	seen->watchdogs += r->task->error == PSPIN_ERROR_WATCHDOG;
	seen->overruns += r->task->error == PSPIN_ERROR_OVERRUN;
	seen->of_cluster |= 1ull << r->cluster;
}

static struct pspin *open_nic(struct rig_file file, unsigned clusters, unsigned hpus, struct seen *seen)
{
	const struct spin_meta meta = { .magic = SPIN_META_MAGIC,
					.api_version = SPIN_API_VERSION,
					.registration = { .payload = 1, .budget = WORDS_BUDGET } };
	const struct pspin_observer observer = { .task = on_task, .arg = seen };
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[256];

	memset(seen, 0, sizeof(*seen));
	target.clusters = clusters;
	target.hpus = hpus;
	target.mpqs = 64 * clusters; /* for all waiting messages: homes are four clusters, others take the overflow */
	if (pspin__open(&nic, &target, &meta, file.data, file.bytes, &any, err, sizeof(err))) {
		printf("FAIL open: %s\n", err);
		exit(1);
	}
	pspin__observe(nic, &observer);
	return nic;
}

/* Offers packets so large that an L1 holds only eight, so all clusters get some. */
static void offer(struct pspin *nic, const char *run, enum words_how how, unsigned packets)
{
	static uint8_t frame[9000], payload[8000];
	struct pspin_offer offer = { .frame = frame, .end_of_message = 1 };
	const uint32_t word = how;

	memcpy(payload, &word, sizeof(word));
	offer.frame_bytes = (uint32_t)packet__make(frame, 0x0100000a, payload, sizeof(payload));
	for (unsigned i = 0; i < packets; i++)
		if (pspin__offer(nic, &offer))
			expect(run, "packets that are refused", 1, 0);
}

static void run_packets(struct pspin *nic, const char *run, enum words_how how, unsigned packets)
{
	offer(nic, run, how, packets);
	expect(run, "runs that do not end", (uint64_t)pspin__run(nic, UINT64_MAX), 0);
}

static uint32_t state_at(struct pspin *nic)
{
	uint32_t at = 0;

	pspin__symbol(nic, "spin_state", &at, NULL);
	return at;
}

static void reset_words(struct pspin *nic)
{
	static const struct words none;

	pspin__write(nic, state_at(nic), &none, sizeof(none));
}

/* Returns the shared words. Valid until the next call. */
static const struct words *read_words(struct pspin *nic, const char *run)
{
	static struct words words;

	expect(run, "states that cannot be read", (uint64_t)pspin__read(nic, state_at(nic), &words, sizeof(words)), 0);
	return &words;
}

static uint32_t exclusive_at(unsigned cluster)
{
	return L1_GLOBAL + cluster * L1_STRIDE + EXCLUSIVE;
}

/* Returns the stripe of the state's first word, which is `tickets`. */
static uint32_t stripe_of_tickets(struct pspin *nic)
{
	return state_at(nic) * 0x9e3779b1u >> 27;
}

/* Sets the notes of all HPUs as if each had noted the stripe of `tickets`. */
static void set_all_notes(struct pspin *nic, const char *run, unsigned clusters)
{
	uint8_t notes[HPUS_MAX];

	memset(notes, (int)stripe_of_tickets(nic) + 1, sizeof(notes));
	for (unsigned c = 0; c < clusters; c++)
		expect(run, "L1s that cannot be written", (uint64_t)pspin__write(nic, exclusive_at(c) + NOTES, notes, sizeof(notes)), 0);
}

/* No HPU may be inside: no bit, claim, note or guard may be left. What a stripe remembers about other HPUs may remain. */
static void check_all_have_left(struct pspin *nic, const char *run, unsigned clusters)
{
	uint32_t words[0x400 / 4];
	unsigned left = 0;

	for (unsigned c = 0; c < clusters; c++) {
		expect(run, "L1s that cannot be read", (uint64_t)pspin__read(nic, exclusive_at(c), words, sizeof(words)), 0);
		for (unsigned i = NOTES / 4; i < BYTES / 4; i++)
			left += words[i] && (i < STRIPES / 4 || i >= CLAIMS / 4 || i % 2 == 0);
		left += words[GUARD / 4] || words[GUARD / 4 + 1];
	}
	expect(run, "what an HPU has left behind", left, 0);
}

static void watch_for(struct pspin *nic, uint32_t cycles)
{
	const struct pspin_limits limits = { .watchdog_cycles = cycles };

	expect("the watchdog", "limits that are refused", (uint64_t)pspin__limit(nic, &limits), 0);
}

/* All clusters must get work. Tasks that take tickets with pauses mostly find no HPU inside, and sometimes one that is about to leave. */
static void all_clusters_work(struct rig_file file, unsigned clusters, enum words_how how)
{
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, HPUS, &seen);
	char run[32];

	snprintf(run, sizeof(run), "%u clusters%s", clusters, how == WORDS_TICKETS_SPACED ? ", apart" : "");
	run_packets(nic, run, how, WORDS_TASKS);
	expect(run, "clusters that have worked", seen.of_cluster, (1ull << clusters) - 1);
	if (how == WORDS_ALL_OPS)
		words__check(run, read_words(nic, run), WORDS_TASKS);
	else
		words__check_tickets(run, read_words(nic, run), WORDS_TURNS * WORDS_TASKS);
	pspin__close(nic);
}

/* As if the watchdog had stopped all HPUs after they set their bits and before they checked for others. */
static void stopped_before_the_check(struct rig_file file)
{
	const uint32_t all = (1u << HPUS_MAX) - 1;
	const unsigned clusters = 4;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, HPUS_MAX, &seen);

	set_all_notes(nic, "all taken back", clusters);
	for (unsigned c = 0; c < clusters; c++)
		expect("all taken back", "L1s that cannot be written",
		       (uint64_t)pspin__write(nic, exclusive_at(c) + STRIPES + 8 * stripe_of_tickets(nic), &all, sizeof(all)), 0);
	run_packets(nic, "all taken back", WORDS_ALL_OPS, WORDS_TASKS);
	words__check("all taken back", read_words(nic, "all taken back"), WORDS_TASKS);
	check_all_have_left(nic, "all taken back", clusters);
	pspin__close(nic);
}

/*
 * As if the watchdog had stopped some HPUs after they found others inside and cleared their bits, but not their notes. They must clean up
 * on their next entry while others of their cluster are inside, and those must stay exclusive.
 */
static void stopped_while_others_are_inside(struct rig_file file)
{
	const unsigned clusters = 4;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, HPUS_MAX, &seen);

	offer(nic, "some taken back", WORDS_ALL_OPS, WORDS_TASKS);
	for (uint64_t us = 1; seen.tasks < WORDS_TASKS && us < 10000; us++) {
		expect("some taken back", "runs that fail", (uint64_t)pspin__run(nic, us * 1000000), 0);
		set_all_notes(nic, "some taken back", clusters);
	}
	words__check("some taken back", read_words(nic, "some taken back"), WORDS_TASKS);
	pspin__close(nic);
}

/* `packets` tasks add until the watchdog fires, then others use the same words. Each run fires the watchdog `step` cycles later. */
static void stopped_at_any_time(struct rig_file file, unsigned clusters, unsigned packets, unsigned step)
{
	const unsigned tasks = 4 * HPUS * clusters < WORDS_TASKS ? 4 * HPUS * clusters : WORDS_TASKS;

	for (unsigned cycles = START_CYCLES; cycles < START_CYCLES + ALONE_CYCLES; cycles += step) {
		struct seen seen;
		struct pspin *nic = open_nic(file, clusters, HPUS, &seen);
		char run[64];

		snprintf(run, sizeof(run), "%u clusters, %u tasks of %u cycles", clusters, packets, cycles);
		watch_for(nic, cycles);
		run_packets(nic, run, WORDS_ADD_FOREVER, packets);
		expect(run, "tasks that the watchdog has ended", seen.watchdogs, packets);
		watch_for(nic, 0);
		run_packets(nic, run, WORDS_READ_LOCK, tasks); /* another word, in another stripe */
		check_all_have_left(nic, run, clusters);
		reset_words(nic);
		run_packets(nic, run, WORDS_ALL_OPS, tasks);
		expect(run, "tasks that the watchdog has ended later", seen.watchdogs, packets);
		words__check(run, read_words(nic, run), tasks);
		pspin__close(nic);
	}
}

/* The watchdog stops some HPUs while others are inside; the stopped HPUs enter again. */
static void others_continue(struct rig_file file, unsigned clusters, unsigned interval, uint32_t cycles)
{
	const struct words *words;
	unsigned twice = 0, packets = 0;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, clusters > 4 ? HPUS : HPUS_MAX, &seen);
	char run[64];

	snprintf(run, sizeof(run), "%u clusters, one of %u taken back after %u cycles", clusters, interval, cycles);
	watch_for(nic, cycles);
	for (; packets < WORDS_TASKS; packets += interval) {
		offer(nic, run, WORDS_ADD_FOREVER, 1);
		offer(nic, run, WORDS_TICKET, interval - 1);
	}
	expect(run, "runs that do not end", (uint64_t)pspin__run(nic, UINT64_MAX), 0);
	words = read_words(nic, run);
	for (unsigned i = 0; i < WORDS_TICKETS; i++)
		twice += words->taken[i] > 1;
	expect(run, "tickets taken twice", twice, 0);
	expect(run, "tickets", words->tickets >= packets - seen.watchdogs && words->tickets <= packets, 1);
	expect(run, "some were taken back, not all", seen.watchdogs >= packets / interval && seen.watchdogs < packets * 9 / 10, 1);
	pspin__close(nic);
}

static void lock_is_never_released(struct rig_file file, const char *run, enum words_how how)
{
	const unsigned packets = 32;
	struct words held = { .lock = 1, .rw = 0x80000000 };
	struct seen seen;
	struct pspin *nic = open_nic(file, 4, HPUS_MAX, &seen);

	pspin__write(nic, state_at(nic), &held, sizeof(held));
	run_packets(nic, run, how, packets);
	expect(run, "tasks", seen.tasks, packets);
	expect(run, "tasks that have used up their budget", seen.overruns, packets);
	pspin__close(nic);
}

int main(void)
{
	struct rig_file file = rig__build("words", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/words.c\"'");

	all_clusters_work(file, 1, WORDS_ALL_OPS);
	all_clusters_work(file, 4, WORDS_ALL_OPS);
	all_clusters_work(file, 20, WORDS_ALL_OPS);
	all_clusters_work(file, 44, WORDS_ALL_OPS);
	all_clusters_work(file, 20, WORDS_TICKETS_SPACED);
	all_clusters_work(file, 44, WORDS_TICKETS_SPACED);
	stopped_before_the_check(file);
	stopped_while_others_are_inside(file);
	stopped_at_any_time(file, 4, 1, 1);
	stopped_at_any_time(file, 4, 32, 1);
	stopped_at_any_time(file, 20, 1, 11);
	stopped_at_any_time(file, 20, 40, 13);
	for (unsigned interval = 3; interval < 20; interval++)
		for (unsigned cycles = 1500; cycles < 3000; cycles += 251)
			others_continue(file, 4, interval, cycles);
	for (unsigned interval = 5; interval < 20; interval += 2)
		others_continue(file, 20, interval, 3000);
	lock_is_never_released(file, "lock", WORDS_LOCK);
	lock_is_never_released(file, "read lock", WORDS_READ_LOCK);
	lock_is_never_released(file, "write lock", WORDS_WRITE_LOCK);
	free(file.data);
	return failures != 0;
}
