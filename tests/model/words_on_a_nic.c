/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * HPUs share words on NICs of few and of many clusters. The watchdog takes HPUs back at any instruction of what they do alone with a
 * word; then those that come later must find it in order. A lock that is never given back uses up the budget of those who wait
 * for it, before the watchdog comes. Run by tests/run.
 */
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"
#include "tests/model/common/words.h"

enum {
	HPUS = 2 /* of a cluster */,
	ALONE_CYCLES = 200 /* more than an addition takes */,
	START_CYCLES = 300 /* cold, before the first one */
};

struct seen {
	unsigned tasks, watchdogs, overruns, clusters;
	uint64_t of_cluster; /* a bit each */
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
	target.mpqs = 64 * clusters; /* messages that wait: homes are four clusters, and others take what these have no room for */
	if (pspin__open(&nic, &target, &meta, file.data, file.bytes, &any, err, sizeof(err))) {
		printf("FAIL open: %s\n", err);
		exit(1);
	}
	pspin__observe(nic, &observer);
	return nic;
}

/* Packets of which an L1 has room for eight, so that all clusters get some. */
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

static void ask(struct pspin *nic, const char *run, enum words_how how, unsigned packets)
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

static void check_words(struct pspin *nic, const char *run, unsigned tasks)
{
	static struct words words;

	expect(run, "states that cannot be read", (uint64_t)pspin__read(nic, state_at(nic), &words, sizeof(words)), 0);
	words__check(run, &words, tasks);
}

/* Nobody is inside: no bit, claim, note or guard is left (exclusive.S). */
static void check_all_have_left(struct pspin *nic, const char *run, unsigned clusters)
{
	uint32_t words[256];
	unsigned left = 0;

	for (unsigned c = 0; c < clusters; c++) {
		const unsigned notes = 16 / 4, stripes = 128 / 4, claims = 384 / 4, end = 896 / 4, guard = 0x3c0 / 4;

		expect(run, "L1s that cannot be read",
		       (uint64_t)pspin__read(nic, L1_GLOBAL + c * L1_STRIDE + 0xffc00, words, sizeof(words)), 0);
		for (unsigned i = notes; i < end; i++)
			left += words[i] && (i < stripes || i >= claims || i % 2 == 0);
		left += words[guard] || words[guard + 1];
	}
	expect(run, "what an HPU has left behind", left, 0);
}

static void watch_for(struct pspin *nic, uint32_t cycles)
{
	const struct pspin_limits limits = { .watchdog_cycles = cycles };

	if (pspin__limit(nic, &limits))
		printf("FAIL the watchdog is not set\n"), failures++;
}

static void all_clusters_meet(struct rig_file file, unsigned clusters)
{
	const unsigned tasks = WORDS_TASKS;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, HPUS, &seen);
	char run[32];

	snprintf(run, sizeof(run), "%u clusters", clusters);
	ask(nic, run, WORDS_MEET, tasks);
	expect(run, "clusters that have worked", seen.of_cluster, (1ull << clusters) - 1);
	check_words(nic, run, tasks);
	pspin__close(nic);
}

/* Most find nobody inside, and some one who is about to leave. */
static void they_come_apart(struct rig_file file, unsigned clusters)
{
	static struct words words;
	unsigned not_once = 0;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, HPUS, &seen);
	char run[32];

	snprintf(run, sizeof(run), "%u clusters, apart", clusters);
	ask(nic, run, WORDS_TAKE_APART, WORDS_TASKS);
	expect(run, "clusters that have worked", seen.of_cluster, (1ull << clusters) - 1);
	expect(run, "states that cannot be read", (uint64_t)pspin__read(nic, state_at(nic), &words, sizeof(words)), 0);
	for (unsigned i = 0; i < WORDS_TURNS * WORDS_TASKS; i++)
		not_once += words.taken[i] != 1;
	expect(run, "tickets not taken once", not_once, 0);
	pspin__close(nic);
}

/* As if all HPUs had been taken back when they had set their bits, and before they found out whether others had. */
static void taken_back_before_they_know(struct rig_file file)
{
	const unsigned clusters = 4, hpus = 8;
	const uint32_t all = (1u << hpus) - 1;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, hpus, &seen);
	uint32_t stripe = state_at(nic) * 0x9e3779b1u >> 27;
	uint8_t notes[8];

	memset(notes, (int)stripe + 1, sizeof(notes));
	for (unsigned c = 0; c < clusters; c++) {
		const uint32_t exclusive = L1_GLOBAL + c * L1_STRIDE + 0xffc00;

		if (pspin__write(nic, exclusive + 16, notes, sizeof(notes)) ||
		    pspin__write(nic, exclusive + 128 + 8 * stripe, &all, sizeof(all)))
			expect("all taken back", "L1s that cannot be written", 1, 0);
	}
	ask(nic, "all taken back", WORDS_MEET, WORDS_TASKS);
	check_words(nic, "all taken back", WORDS_TASKS);
	check_all_have_left(nic, "all taken back", clusters);
	pspin__close(nic);
}

/*
 * As if some had been taken back when they had found others inside, and had cleared their bits but not their notes: they leave when they
 * come again. Others of their cluster are inside meanwhile, and stay alone.
 */
static void taken_back_when_others_are(struct rig_file file)
{
	const unsigned clusters = 4, hpus = 8;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, hpus, &seen);
	uint8_t notes[8];

	memset(notes, (int)(state_at(nic) * 0x9e3779b1u >> 27) + 1, sizeof(notes));
	offer(nic, "some taken back", WORDS_MEET, WORDS_TASKS);
	for (uint64_t us = 1; seen.tasks < WORDS_TASKS && us < 10000; us++) {
		for (unsigned c = 0; us > 1 && c < clusters; c++)
			if (pspin__write(nic, L1_GLOBAL + c * L1_STRIDE + 0xffc00 + 16, notes, sizeof(notes)))
				expect("some taken back", "L1s that cannot be written", 1, 0);
		expect("some taken back", "runs that fail", (uint64_t)pspin__run(nic, us * 1000000), 0);
	}
	check_words(nic, "some taken back", WORDS_TASKS);
	pspin__close(nic);
}

/* `packets` tasks add until the watchdog comes, and then others meet at the same words. From run to run it comes `step` cycles later. */
static void taken_back_at_any_time(struct rig_file file, unsigned clusters, unsigned packets, unsigned step)
{
	const unsigned tasks = 4 * HPUS * clusters < WORDS_TASKS ? 4 * HPUS * clusters : WORDS_TASKS;

	for (unsigned cycles = START_CYCLES; cycles < START_CYCLES + ALONE_CYCLES; cycles += step) {
		struct seen seen;
		struct pspin *nic = open_nic(file, clusters, HPUS, &seen);
		char run[64];

		snprintf(run, sizeof(run), "%u clusters, %u tasks of %u cycles", clusters, packets, cycles);
		watch_for(nic, cycles);
		ask(nic, run, WORDS_ADD_FOREVER, packets);
		expect(run, "tasks that the watchdog has ended", seen.watchdogs, packets);
		watch_for(nic, 0);
		ask(nic, run, WORDS_READ_LOCK, tasks); /* another word: of another stripe */
		check_all_have_left(nic, run, clusters);
		reset_words(nic);
		ask(nic, run, WORDS_MEET, tasks);
		expect(run, "tasks that the watchdog has ended later", seen.watchdogs, packets);
		check_words(nic, run, tasks);
		pspin__close(nic);
	}
}

/* The watchdog takes back some while others are inside, and they come again meanwhile. */
static void others_go_on(struct rig_file file, unsigned clusters, unsigned apart, uint32_t cycles)
{
	static struct words words;
	unsigned twice = 0, packets = 0;
	struct seen seen;
	struct pspin *nic = open_nic(file, clusters, clusters > 4 ? HPUS : 8, &seen);
	char run[64];

	snprintf(run, sizeof(run), "%u clusters, one of %u taken back after %u cycles", clusters, apart, cycles);
	watch_for(nic, cycles);
	for (; packets < WORDS_TASKS; packets += apart) {
		offer(nic, run, WORDS_ADD_FOREVER, 1);
		offer(nic, run, WORDS_TAKE, apart - 1);
	}
	expect(run, "runs that do not end", (uint64_t)pspin__run(nic, UINT64_MAX), 0);
	expect(run, "states that cannot be read", (uint64_t)pspin__read(nic, state_at(nic), &words, sizeof(words)), 0);
	for (unsigned i = 0; i < WORDS_TICKETS; i++)
		twice += words.taken[i] > 1;
	expect(run, "tickets taken twice", twice, 0);
	expect(run, "tickets", words.tickets >= packets - seen.watchdogs && words.tickets <= packets, 1);
	expect(run, "some were taken back, not all", seen.watchdogs >= packets / apart && seen.watchdogs < packets * 9 / 10, 1);
	pspin__close(nic);
}

static void lock_is_never_given_back(struct rig_file file, const char *run, enum words_how how)
{
	const unsigned packets = 32;
	struct words held = { .lock = 1, .rw = 0x80000000 };
	struct seen seen;
	struct pspin *nic = open_nic(file, 4, 8, &seen);

	pspin__write(nic, state_at(nic), &held, sizeof(held));
	ask(nic, run, how, packets);
	expect(run, "tasks", seen.tasks, packets);
	expect(run, "tasks that have used up their budget", seen.overruns, packets);
	pspin__close(nic);
}

int main(void)
{
	struct rig_file file = rig__build("words", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/words.c\"'");

	all_clusters_meet(file, 1);
	all_clusters_meet(file, 4);
	all_clusters_meet(file, 20);
	all_clusters_meet(file, 44);
	they_come_apart(file, 20);
	they_come_apart(file, 44);
	taken_back_before_they_know(file);
	taken_back_when_others_are(file);
	taken_back_at_any_time(file, 4, 1, 1);
	taken_back_at_any_time(file, 4, 32, 1);
	taken_back_at_any_time(file, 20, 1, 11);
	taken_back_at_any_time(file, 20, 40, 13);
	for (unsigned apart = 3; apart < 20; apart++)
		for (unsigned cycles = 1500; cycles < 3000; cycles += 251)
			others_go_on(file, 4, apart, cycles);
	for (unsigned apart = 5; apart < 20; apart += 2)
		others_go_on(file, 20, apart, 3000);
	lock_is_never_given_back(file, "lock", WORDS_LOCK);
	lock_is_never_given_back(file, "read lock", WORDS_READ_LOCK);
	lock_is_never_given_back(file, "write lock", WORDS_WRITE_LOCK);
	free(file.data);
	return failures != 0;
}
