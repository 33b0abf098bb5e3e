/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs several execution contexts (handlers with their memory and match rule) on one modelled NIC. Each must keep its memory, its packets
 * and its counters to itself, even if another one hangs. Under round robin a greedy context takes more than 85 % of HPU time from a polite
 * one; if the scheduler divides HPU time, each gets half, and with a weight of 3 the polite one three quarters. Impossible settings must be
 * refused. Run by tests/run.
 */
#include <stdarg.h>

#include <spin/slmp.h>

#include "tests/model/handlers/contexts.h"
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

#define BYTES 64u   /* of payload, in all packets */
#define PORT  9000u /* of the first context; the others follow */

static int failures;
static struct rig_file image, message_image;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static const struct spin_registration datagrams = { .payload = 1, .bytes_in_l1 = SPIN_WHOLE_PACKET };

static struct spin_meta meta_of(struct spin_registration registration)
{
	return (struct spin_meta){ .magic = SPIN_META_MAGIC, .api_version = SPIN_API_VERSION, .registration = registration };
}

/* Returns a target with some parameters changed: name, value, ..., NULL. */
static struct pspin_target *target_with(const char *name, ...)
{
	struct pspin_target *target = pspin_target__copy(pspin_target__find("pspin-rtl"));
	char err[128];
	va_list args;

	va_start(args, name);
	for (; name; name = va_arg(args, const char *))
		if (pspin_target__set(target, name, va_arg(args, unsigned), err, sizeof(err))) {
			printf("FAIL %s\n", err);
			exit(1);
		}
	va_end(args);
	return target;
}

static struct pspin *open_first(const struct pspin_target *target, struct spin_registration registration)
{
	const struct spin_meta meta = meta_of(registration);
	const struct spin_rule rule = { .dst_port = PORT };
	struct pspin *nic;
	char err[512];

	if (!pspin__open(&nic, target, &meta, image.data, image.bytes, &rule, err, sizeof(err)))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

static int join(struct pspin **out, struct pspin *nic, struct rig_file file, struct spin_registration registration, unsigned port,
		char *err, size_t err_bytes)
{
	const struct spin_meta meta = meta_of(registration);
	const struct spin_rule rule = { .dst_port = (uint16_t)port };

	return pspin__join(out, nic, &meta, file.data, file.bytes, &rule, err, err_bytes);
}

static struct pspin *join_next(struct pspin *nic, struct spin_registration registration, unsigned port)
{
	struct pspin *more;
	char err[512];

	if (!join(&more, nic, registration.delivery == SPIN_DELIVER_ME ? message_image : image, registration, port, err, sizeof(err)))
		return more;
	printf("FAIL join: %s\n", err);
	exit(1);
}

/* Makes a frame to a port that asks for `rounds` rounds, with `before_bytes` bytes of `before` in front. */
static size_t make_frame(uint8_t *frame, unsigned port, uint32_t rounds, const void *before, size_t before_bytes)
{
	uint8_t datagram[BYTES + 64] = { 0 };
	size_t bytes;

	if (before)
		memcpy(datagram, before, before_bytes);
	memcpy(datagram + before_bytes, &rounds, sizeof(rounds));
	bytes = packet__make(frame, 0x0100000a, datagram, (uint32_t)(before_bytes + BYTES));
	frame[14 + 20 + 2] = (uint8_t)(port >> 8);
	frame[14 + 20 + 3] = (uint8_t)port;
	frame[14 + 20 + 6] = frame[14 + 20 + 7] = 0; /* no checksum */
	return bytes;
}

static void offer_at(struct pspin *nic, uint64_t at_ps, unsigned port, uint32_t rounds)
{
	uint8_t frame[256];
	struct pspin_offer o = { .at_ps = at_ps, .frame = frame, .frame_bytes = make_frame(frame, port, rounds, NULL, 0) };

	if (pspin__offer(nic, &o)) {
		printf("FAIL a packet is refused\n");
		exit(1);
	}
}

static void offer(struct pspin *nic, unsigned port, uint32_t rounds)
{
	offer_at(nic, 0, port, rounds);
}

static void run(struct pspin *nic)
{
	int rc = pspin__run(nic, UINT64_MAX);

	if (rc) {
		printf("FAIL the NIC is stuck (%d): %s\n", rc, pspin__stuck(nic));
		exit(1);
	}
}

static struct counts counts_of(struct pspin *nic)
{
	struct counts counts;
	uint32_t addr;

	if (pspin__symbol(nic, "spin_state", &addr, NULL) || pspin__read(nic, addr, &counts, sizeof(counts))) {
		printf("FAIL no state in the image\n");
		exit(1);
	}
	return counts;
}

/* Totals of a context's records. */
struct totals {
	uint64_t packets, tasks, cold, wrong, events;
	uint64_t last_ps;           /* when the last packet was complete */
	uint64_t sum;               /* over all records of tasks */
	uint64_t from_ps, until_ps; /* counts HPU time in this range; until_ps 0: until the end */
	uint64_t busy_ps, longest_ps;
};

static void on_task(void *arg, const struct pspin_task_record *record)
{
	struct totals *totals = arg;
	const uint64_t times[] = { record->ready_ps, record->dispatched_ps, record->copied_ps,   record->started_ps,
				   record->first_ps, record->returned_ps,   record->doorbell_ps, record->feedback_ps,
				   record->cluster,  record->hpu,           record->message_id,  record->task->body_cycles };

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		totals->sum = (totals->sum ^ times[i]) * 0x9e3779b97f4a7c15u + 1;
	totals->tasks++;
	totals->cold += (uint64_t)record->is_cold;
	totals->wrong += record->task->error != 0;
	if (totals->longest_ps < record->doorbell_ps - record->started_ps)
		totals->longest_ps = record->doorbell_ps - record->started_ps;
	if (record->started_ps >= totals->from_ps && (!totals->until_ps || record->doorbell_ps <= totals->until_ps))
		totals->busy_ps += record->doorbell_ps - record->started_ps;
}

static void on_packet(void *arg, const struct pspin_packet_record *record)
{
	struct totals *totals = arg;

	totals->packets++;
	totals->last_ps = record->feedback_ps;
}

static void on_event(void *arg, uint64_t at_ps, const struct spin_event *event)
{
	struct totals *totals = arg;

	(void)at_ps;
	totals->events += event->type == SPIN_EVENT_MESSAGE;
}

static void observe(struct pspin *nic, struct totals *totals)
{
	const struct pspin_observer observer = { .arg = totals, .task = on_task, .packet = on_packet, .event = on_event };

	pspin__observe(nic, &observer);
}

/* --- isolation of contexts --- */

static void memories_are_separate(void)
{
	struct pspin *nic = open_first(pspin_target__find("pspin-rtl"), datagrams), *more[3];
	struct spin_registration messages = datagrams;
	struct counts seed = { .packets = 1000 };
	struct totals totals[4] = { 0 }, none;
	uint32_t addr;

	messages.delivery = SPIN_DELIVER_ME;
	for (unsigned i = 0; i < 3; i++) {
		more[i] = join_next(nic, i == 2 ? messages : datagrams, PORT + 1 + i);
		observe(more[i], &totals[1 + i]);
	}
	observe(nic, &totals[0]);
	pspin__symbol(more[0], "spin_state", &addr, NULL);
	pspin__write(more[0], addr, &seed, sizeof(seed));
	for (unsigned i = 0; i < 60; i++) {
		offer(nic, PORT, 1);
		offer(more[1], PORT + 1, 2);
		if (i % 2)
			offer(nic, PORT + 2, 3);
	}
	offer(nic, PORT + 7, 1); /* a packet without a context */
	run(more[0]);
	check(counts_of(nic).packets == 60 && counts_of(nic).rounds == 60, "the first context has its packets in its state");
	check(counts_of(more[0]).packets == 1060 && counts_of(more[0]).rounds == 120, "so has the second, from what was written there");
	check(counts_of(more[1]).packets == 30 && counts_of(more[1]).rounds == 90, "and the third");
	check(totals[0].packets == 61 && totals[1].packets == 60 && totals[2].packets == 30 && !totals[3].packets,
	      "each hears of its own packets, the first of those that are nobody's");
	check(totals[0].tasks == 60 && totals[1].tasks == 60 && totals[2].tasks == 30 && !totals[3].tasks, "and of its own tasks");
	check(pspin__count(nic, SPIN_REASON_UNMATCHED) == 1 && pspin__count(more[0], SPIN_REASON_DROPPED) == 60, "counts are apart");

	none = totals[0];
	for (uint32_t number = 0; number < 8; number++) {
		struct spin_slmp slmp = { spin_hton16(SPIN_SLMP_SYN | (number == 7 ? SPIN_SLMP_EOM : 0)), spin_hton32(1),
					  spin_hton32(number * BYTES) };
		uint8_t frame[256];
		struct pspin_offer o = { .frame = frame, .frame_bytes = make_frame(frame, PORT + 3, 5, &slmp, sizeof(slmp)) };

		check(!pspin__offer(nic, &o), "a message's packet is taken");
	}
	run(nic);
	check(counts_of(more[2]).packets == 8 && counts_of(more[2]).rounds == 40 && totals[3].events == 1,
	      "a context that takes messages has its own");
	check(totals[0].tasks == none.tasks && counts_of(nic).packets == 60, "and the others nothing of it");
	pspin__close(more[1]);
}

/* The watchdog must stop a context that never ends its tasks. The other context's tasks must complete correctly. */
static void one_hangs(void)
{
	struct pspin_target *target = target_with("watchdog_cycles", 20000u, NULL);
	struct pspin *hangs = open_first(target, datagrams), *other = join_next(hangs, datagrams, PORT + 1);
	struct totals totals[2] = { 0 };

	observe(hangs, &totals[0]);
	observe(other, &totals[1]);
	for (unsigned i = 0; i < 64; i++) {
		offer(hangs, PORT, UINT32_MAX);
		offer(other, PORT + 1, 4);
	}
	run(hangs);
	check(totals[0].wrong == 64 && !counts_of(hangs).packets && pspin__count(hangs, SPIN_REASON_OVERRUN) == 64,
	      "the watchdog ends tasks of the one that hangs");
	check(!totals[1].wrong && counts_of(other).packets == 64 && counts_of(other).rounds == 256, "and the other one goes on");
	pspin__close(hangs);
	pspin_target__free(target);
}

/* --- shares of the HPUs --- */

static uint64_t run_alone(const struct pspin_target *target, uint64_t *cold)
{
	struct pspin *nic = open_first(target, datagrams);
	struct totals totals = { 0 };

	observe(nic, &totals);
	for (unsigned i = 0; i < 300; i++)
		offer(nic, PORT, i * 7 % 200);
	run(nic);
	pspin__close(nic);
	*cold = totals.cold;
	return totals.sum;
}

#define PACKETS_EACH 3000u /* for each context */

/* Returns the greedy context's share of the HPUs' time, until the polite one has completed. */
static double greedy_share(unsigned scheduler, uint32_t weight, double *polite_us)
{
	struct pspin_target *target = target_with("scheduler", scheduler, NULL);
	struct totals totals[2] = { 0 };

	for (unsigned pass = 0; pass < 2; pass++) { /* the first pass finds the time at which the polite one completes */
		struct pspin *greedy = open_first(target, datagrams), *polite = join_next(greedy, datagrams, PORT + 1);

		totals[1].until_ps = totals[0].until_ps = totals[1].last_ps;
		totals[0].busy_ps = totals[1].busy_ps = 0;
		observe(greedy, &totals[0]);
		observe(polite, &totals[1]);
		check(!pspin__set_weight(polite, weight), "a weight is taken");
		for (unsigned i = 0; i < PACKETS_EACH; i++) {
			offer(greedy, PORT, 1000);
			offer(greedy, PORT + 1, 100);
		}
		run(greedy);
		check(counts_of(greedy).packets == PACKETS_EACH && counts_of(polite).packets == PACKETS_EACH, "all packets are handled");
		pspin__close(greedy);
	}
	pspin_target__free(target);
	*polite_us = (double)totals[1].last_ps / 1e6;
	return (double)totals[0].busy_ps / (double)(totals[0].busy_ps + totals[1].busy_ps);
}

static void scheduler_divides_time(void)
{
	double round_robin_us, fair_us, weighted_us;
	double round_robin = greedy_share(0, 1, &round_robin_us), fair = greedy_share(1, 1, &fair_us),
	       weighted = greedy_share(1, 3, &weighted_us);

	printf("greedy's part of the HPUs: %.3f in turn, %.3f by HPU time, %.3f against weight 3; polite done after %.1f, %.1f, %.1f us\n",
	       round_robin, fair, weighted, round_robin_us, fair_us, weighted_us);
	check(round_robin > 0.85, "in turn, the greedy one takes most of the HPUs' time");
	check(fair > 0.45 && fair < 0.55, "by HPU time, both have half of it");
	check(weighted > 0.2 && weighted < 0.3, "a weight of 3 has three quarters");
	check(fair_us * 2 < round_robin_us && weighted_us < fair_us, "the polite one is done the sooner");
}

/* Both have tasks of the same length: the order of packets must not change their shares. */
static void equal_tasks_get_equal_shares(void)
{
	struct pspin_target *target = target_with("scheduler", 1u, NULL);
	struct pspin *a = open_first(target, datagrams), *b = join_next(a, datagrams, PORT + 1);
	struct totals totals[2] = { 0 };

	observe(a, &totals[0]);
	observe(b, &totals[1]);
	for (unsigned i = 0; i < PACKETS_EACH; i++) {
		offer(a, PORT, 500);
		offer(a, PORT + 1, 500);
	}
	run(a);
	check(totals[0].last_ps < totals[1].last_ps * 1.02 && totals[1].last_ps < totals[0].last_ps * 1.02,
	      "two of the same kind are done at the same time");
	pspin__close(a);
	pspin_target__free(target);
}

/* No task of the greedy context has ended, so their length is unknown. It must get its share of the HPUs and no more. */
static void long_tasks(void)
{
	struct pspin_target *target = target_with("scheduler", 1u, NULL);
	struct pspin *greedy = open_first(target, datagrams), *polite = join_next(greedy, datagrams, PORT + 1);
	struct totals totals[2] = { 0 };

	observe(greedy, &totals[0]);
	observe(polite, &totals[1]);
	for (unsigned i = 0; i < PACKETS_EACH; i++) {
		if (i < 100)
			offer(greedy, PORT, 100000);
		offer(greedy, PORT + 1, 100);
	}
	run(greedy);
	printf("polite done after %.1f us, next to tasks of %.1f us\n", (double)totals[1].last_ps / 1e6,
	       (double)totals[0].longest_ps / 1e6);
	check(totals[1].last_ps < totals[0].longest_ps, "the polite one is done before the greedy one's first task has ended");
	pspin__close(greedy);
	pspin_target__free(target);
}

/* A context that joins late must get half from then on: it has not accumulated credit. */
static void late_joiner(void)
{
	const uint64_t from_ps = 170000000, until_ps = 250000000; /* by then the tasks that were queued in clusters when it joined ended */
	struct pspin_target *target = target_with("scheduler", 1u, NULL);
	struct pspin *first = open_first(target, datagrams), *late = join_next(first, datagrams, PORT + 1);
	struct totals totals[2] = { { .from_ps = from_ps, .until_ps = until_ps }, { .from_ps = from_ps, .until_ps = until_ps } };
	double share;

	observe(first, &totals[0]);
	observe(late, &totals[1]);
	for (unsigned i = 0; i < PACKETS_EACH; i++)
		offer(first, PORT, 600);
	for (unsigned i = 0; i < PACKETS_EACH; i++)
		offer_at(first, from_ps - 30000000, PORT + 1, 600);
	run(first);
	check(totals[0].last_ps > until_ps && totals[1].last_ps > until_ps, "both have packets to the end");
	share = (double)totals[0].busy_ps / (double)(totals[0].busy_ps + totals[1].busy_ps);
	printf("the first one's part after another has come: %.3f\n", share);
	check(share > 0.45 && share < 0.55, "one that comes late has half, as the first one has");
	pspin__close(first);
	pspin_target__free(target);
}

/* The greedy context's packets must fill only its share of packet memory, which has no room for all of them. */
static void packet_memory_is_divided(void)
{
	struct pspin_target *target = target_with("l2_packet_kib", 16u, "scheduler", 1u, NULL);
	struct pspin *greedy = open_first(target, datagrams), *polite = join_next(greedy, datagrams, PORT + 1);
	struct pspin_traffic traffic;
	struct totals totals[2] = { 0 };

	observe(greedy, &totals[0]);
	observe(polite, &totals[1]);
	for (unsigned i = 0; i < 400; i++)
		offer(greedy, PORT, 20000);
	for (unsigned i = 0; i < 40; i++)
		offer(polite, PORT + 1, 10);
	run(greedy);
	pspin__traffic(greedy, &traffic);
	check(traffic.held_back_ps && counts_of(greedy).packets == 400, "the greedy one's packets are held back");
	check(counts_of(polite).packets == 40 && totals[1].last_ps * 4 < totals[0].last_ps, "and do not hold the polite one's back");
	pspin__close(greedy);
	pspin_target__free(target);
}

/* Two contexts with code at the same addresses must not hit each other's cache lines. */
static void icache_tells_contexts_apart(void)
{
	struct pspin_target *target = target_with("clusters", 1u, "hpus", 1u, NULL);
	struct pspin *nic = open_first(target, datagrams), *other;
	struct totals totals[2] = { 0 };
	uint64_t cold;

	run_alone(target, &cold);
	check(cold == 1, "on one HPU, the first task of 300 is cold");
	pspin__close(nic);
	nic = open_first(target, datagrams);
	other = join_next(nic, datagrams, PORT + 1);
	observe(nic, &totals[0]);
	observe(other, &totals[1]);
	offer(nic, PORT, 1);
	run(nic);
	offer(nic, PORT, 1);
	run(nic);
	offer(nic, PORT + 1, 1);
	run(nic);
	check(totals[0].tasks == 2 && totals[0].cold == 1 && totals[1].cold == 1, "the other context's first task is cold, too");
	pspin__close(nic);
	pspin_target__free(target);
}

static void single_context_is_unaffected(void)
{
	struct pspin_target *fair = target_with("scheduler", 1u, NULL);
	uint64_t cold;

	check(run_alone(fair, &cold) == run_alone(pspin_target__find("pspin-rtl"), &cold),
	      "one context alone has the same times, whatever the scheduler");
	pspin_target__free(fair);
}

/* --- refusals --- */

static void refusals(void)
{
	struct rig_file large =
		rig__build("contexts_large",
			   "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/contexts.c\"' -DMORE_WORDS=100000 "
			   "-Wl,--defsym=SPIN_STATE_IN_L1=1");
	struct spin_registration in_l1 = datagrams;
	struct pspin_target *target = target_with("watchdog_cycles", 10000000u, NULL); /* boot copies state to L1, which takes long */
	struct pspin *nic = open_first(target, datagrams), *more;
	struct pspin_result result;
	char err[512] = "";
	uint8_t frame[256];
	size_t bytes = make_frame(frame, PORT, 1, NULL, 0);

	in_l1.state_placement = SPIN_STATE_IN_L1;
	check(join(&more, nic, image, datagrams, PORT, err, sizeof(err)) == -EEXIST && strstr(err, "context 1") && !more,
	      "rules that can match the same packet");
	check(join(&more, nic, image, datagrams, 0, err, sizeof(err)) == -EEXIST, "a rule that matches all");
	check(join(&more, nic, (struct rig_file){ "no ELF", 6 }, datagrams, PORT + 1, err, sizeof(err)) == -EINVAL && *err && !more,
	      "what is not an image");
	check(join(&more, nic, (struct rig_file){ large.data, large.bytes / 2 }, in_l1, PORT + 1, err, sizeof(err)) && *err,
	      "half an image");
	check(!join(&more, nic, large, in_l1, PORT + 1, err, sizeof(err)), "400 KB of L1 fit");
	check(join(&more, nic, large, in_l1, PORT + 2, err, sizeof(err)) == -ENOSPC && strstr(err, "in an L1") && strstr(err, "4000"),
	      "but not twice");
	check(pspin__packet(nic, frame, bytes, &result) == -EOPNOTSUPP, "pspin__packet() is of one context");
	check(pspin__set_weight(nic, 0) == -EINVAL && pspin__set_weight(nic, PSPIN_WEIGHT_MAX + 1) == -EINVAL, "weights have bounds");
	for (unsigned i = 2; i < 8; i++)
		more = join_next(nic, datagrams, PORT + i);
	check(join(&more, nic, image, datagrams, PORT + 9, err, sizeof(err)) == -ENOSPC && strstr(err, "at most 8"), "nine contexts");
	for (unsigned i = 0; i < 8; i++)
		offer(nic, PORT + i, 1);
	run(nic);
	check(counts_of(nic).packets == 1, "a NIC that has refused one goes on");
	pspin__close(nic);
	pspin_target__free(target);
	nic = open_first(pspin_target__find("pspin-rtl"), datagrams);
	offer(nic, PORT, 1);
	check(join(&more, nic, image, datagrams, PORT + 1, err, sizeof(err)) == -EBUSY && strstr(err, "before"), "too late");
	pspin__close(nic);
	free(large.data);
}

/* Each context has half of 16 KiB of packet memory. The padding in front of an aligned payload counts towards a packet's length. */
static void longest_packets(void)
{
	struct pspin_target *target = target_with("l2_packet_kib", 16u, NULL);
	struct spin_registration aligned = datagrams;
	struct pspin *nic = open_first(target, datagrams), *more;
	static uint8_t datagram[8 * 1024], frame[sizeof(datagram)];
	struct pspin_offer o = { .frame = frame, .frame_bytes = sizeof(frame) };
	const uint32_t headers_bytes = 14 + 20 + 8, one_round = 1;

	memcpy(datagram, &one_round, sizeof(one_round));
	aligned.payload_aligned = 1;
	more = join_next(nic, aligned, PORT + 1);
	packet__make(frame, 0x0100000a, datagram, sizeof(frame) - headers_bytes);
	frame[14 + 20 + 6] = frame[14 + 20 + 7] = 0; /* no checksum */
	frame[14 + 20 + 2] = PORT >> 8;
	frame[14 + 20 + 3] = PORT & 255;
	check(!pspin__offer(nic, &o), "a frame as long as the context's packet memory");
	frame[14 + 20 + 3] = (PORT + 1) & 255;
	check(pspin__offer(more, &o) == -EINVAL, "one that has no room with what lies before it");
	o.frame_bytes = packet__make(frame, 0x0100000a, datagram, sizeof(frame) - headers_bytes - 63);
	frame[14 + 20 + 6] = frame[14 + 20 + 7] = 0;
	frame[14 + 20 + 2] = PORT >> 8;
	frame[14 + 20 + 3] = (PORT + 1) & 255;
	check(!pspin__offer(more, &o), "one that has");
	run(nic);
	check(counts_of(nic).packets == 1 && counts_of(more).packets == 1, "both are handled");
	pspin__close(nic);
	pspin_target__free(target);
}

int main(void)
{
	image = rig__build("contexts", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/contexts.c\"'");
	message_image =
		rig__build("contexts_of_messages", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/contexts.c\"' "
						   "-DDELIVERY=SPIN_DELIVER_ME");
	single_context_is_unaffected();
	memories_are_separate();
	one_hangs();
	scheduler_divides_time();
	equal_tasks_get_equal_shares();
	long_tasks();
	late_joiner();
	packet_memory_is_divided();
	icache_tells_contexts_apart();
	longest_packets();
	refusals();
	free(image.data);
	free(message_image.data);
	return failures != 0;
}
