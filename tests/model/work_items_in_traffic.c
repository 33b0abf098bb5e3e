/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Posts work items (data that a handler leaves for the host) from all HPUs (modelled cores) at once. Each must reach the host complete and
 * exactly once, or its handler must get SPIN_WORK_FULL. A caller that offers one packet at a time must get the items with its result. Run
 * by tests/run.
 */
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

#define PACKETS 500u
#define ITEMS   6u  /* per packet */
#define UNREAD  4u  /* see act_work.h */
#define FULL_AT 32u /* offset in its state */

/* Same layout as in the handler (tests/handlers/messages/act_work.h). */
struct ask {
	uint8_t when, size, count, to_host;
	uint32_t words[8];
};

static unsigned items, damaged;
static int failures;

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s: %llu, expected %llu\n", what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static void on_event(void *arg, uint64_t at_ps, const struct spin_event *event)
{
	(void)arg;
	(void)at_ps;
	items++;
	damaged += event->type != SPIN_EVENT_WORK || event->handler != SPIN_KIND_HEADER || event->item_bytes != 4 ||
		   event->src_addr[0] != event->item[0] || event->length != sizeof(struct ask);
}

static struct pspin *open_nic(struct rig_file file)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC,
				  .api_version = SPIN_API_VERSION,
				  .registration = { .header = 1, .payload = 1, .completion = 1 } };
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[128];

	if (!pspin__open(&nic, pspin_target__find("pspin-rtl"), &meta, file.data, file.bytes, &any, err, sizeof(err)))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

static uint32_t word_of(struct pspin *nic, const char *symbol, uint32_t offset)
{
	uint32_t at, word = 0;

	if (pspin__symbol(nic, symbol, &at, NULL) || pspin__read(nic, at + offset, &word, sizeof(word))) {
		printf("FAIL no %s\n", symbol);
		failures++;
	}
	return word;
}

static void at_once(struct rig_file file)
{
	const struct pspin_observer observer = { .event = on_event };
	struct pspin *nic = open_nic(file);
	uint8_t frame[128];
	uint32_t full;

	pspin__observe(nic, &observer);
	for (unsigned i = 0; i < PACKETS; i++) {
		struct ask ask = { .when = 1, .words = { 0x0100000a + (i << 8) } };
		struct pspin_offer offer = { .frame = frame, .at_ps = 0 };

		offer.frame_bytes = (uint32_t)packet__make(frame, ask.words[0], &ask, sizeof(ask));
		expect("offer", (uint64_t)pspin__offer(nic, &offer), 0);
	}
	expect("runs to the end", (uint64_t)pspin__run(nic, UINT64_MAX), 0);
	full = word_of(nic, "spin_state", FULL_AT);
	printf("%u items, %u without room\n", items, full);
	/* not compared with `full`: handlers do not count it atomically, so it may miss some */
	expect("items, and those without room", items + word_of(nic, "spin_work_counts", 8), PACKETS);
	expect("items damaged", damaged, 0);
	expect("items that are left", word_of(nic, "spin_work_counts", 0) - word_of(nic, "spin_work_counts", 4), 0);
	if (!items || full > word_of(nic, "spin_work_counts", 8)) {
		printf("FAIL %u items, %u without room\n", items, full);
		failures++;
	}
	pspin__close(nic);
}

static void one_at_a_time(struct rig_file file)
{
	const struct ask ask = { .when = 2, .size = 8, .count = ITEMS, .words = { 1, 2, 3, 4, 5, 6, 7, 8 } };
	struct pspin *nic = open_nic(file);
	struct pspin_result result;
	uint8_t frame[128];

	for (unsigned i = 1; i < 4; i++) {
		expect("a packet", (uint64_t)pspin__packet(nic, frame, packet__make(frame, 0x0100000a, &ask, sizeof(ask)), &result), 0);
		expect("items with it", result.event_count, UNREAD);
		expect("the last one's first word", result.events[UNREAD - 1].item[0], UNREAD);
		expect("items without room", word_of(nic, "spin_state", FULL_AT), i * (ITEMS - UNREAD));
	}
	pspin__close(nic);
}

int main(void)
{
	struct rig_file file =
		rig__build("work_items", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/handlers/messages/act_work_d.c\"'");

	at_once(file);
	one_at_a_time(file);
	free(file.data);
	return failures != 0;
}
