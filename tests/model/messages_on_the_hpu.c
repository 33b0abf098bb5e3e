/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests behaviour of messages that is specific to the HPU (the modelled core that runs handlers). A packet whose handler traps, does not
 * end or exceeds its cycles must be dropped, counted and acknowledged, and its message must complete. Host memory must get a packet's bytes
 * as they were when the handler started the DMA. 200 open messages must have separate scratchpads (memory of a message), although only 54
 * fit into L1. Invalid settings must be refused, and so must a message that is longer than its entry, even if handlers still run for its
 * earlier packets. Run by tests/run.
 */
#include <spin/return.h>
#include <spin/slmp.h>

#include "tests/model/handlers/message_asks.h"
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

#define BYTES 64u /* of payload, in all packets */

static int failures;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static struct pspin *open_nic(struct rig_file file, struct spin_registration registration, const struct pspin_target *target)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC, .api_version = SPIN_API_VERSION, .registration = registration };
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[128];

	if (pspin__open(&nic, target, &meta, file.data, file.bytes, &any, err, sizeof(err))) {
		printf("FAIL open: %s\n", err);
		exit(1);
	}
	return nic;
}

static const struct spin_registration asks = {
	.payload = 1, .message_completion = 1, .delivery = SPIN_DELIVER_ME, .scratchpad_bytes = sizeof(struct pad)
};

#define FRAME_BYTES (sizeof(struct spin_slmp) + BYTES + 64)

/* Makes packet `number` of a message; returns the frame's length. `what` and `add` select what its handler does. */
static size_t make(uint8_t *frame, uint32_t id, uint32_t number, int last, uint32_t what, uint32_t add)
{
	struct spin_slmp slmp = { spin_hton16(SPIN_SLMP_SYN | (last ? SPIN_SLMP_EOM : 0)), spin_hton32(id), spin_hton32(number * BYTES) };
	uint8_t datagram[sizeof(slmp) + BYTES] = { 0 };
	struct asks ask = { what, add };

	memcpy(datagram, &slmp, sizeof(slmp));
	memcpy(datagram + sizeof(slmp), &ask, sizeof(ask));
	return packet__make(frame, 0x0100000a, datagram, sizeof(datagram));
}

static struct pspin_result send(struct pspin *nic, uint32_t id, uint32_t number, int last, uint32_t what, uint32_t add)
{
	uint8_t frame[FRAME_BYTES];
	struct pspin_result result;

	if (pspin__packet(nic, frame, make(frame, id, number, last, what, add), &result)) {
		printf("FAIL the model refuses a packet\n");
		exit(1);
	}
	return result;
}

static struct results results(struct pspin *nic)
{
	struct results results;
	uint32_t addr;

	if (pspin__symbol(nic, "spin_state", &addr, NULL) || pspin__read(nic, addr, &results, sizeof(results))) {
		printf("FAIL no state in the image\n");
		exit(1);
	}
	return results;
}

static void handler_fails(struct pspin *nic, uint32_t id, uint32_t what, uint32_t error, enum spin_reason reason,
			  enum spin_event_type event)
{
	uint32_t before = results(nic).completions;
	struct pspin_result r;
	struct results t;

	send(nic, id, 0, 0, SPIN_SUCCESS, 1);
	r = send(nic, id, 1, 0, what, 2);
	check(r.reason == reason && r.verdict == SPIN_VERDICT_TX, "a failed packet is dropped and acknowledged");
	check(r.task_count == 1 && r.tasks[0].error == error, "a task has its error");
	check(r.event_count == 1 && r.events[0].type == event && r.events[0].handler == SPIN_KIND_PAYLOAD && r.events[0].message_id == id,
	      "the first error is an event");
	r = send(nic, id, 2, 0, what, 3);
	check(r.reason == reason && !r.event_count, "the second error is none");
	r = send(nic, id, 3, 1, SPIN_SUCCESS, 4);
	t = results(nic);
	check(r.event_count == 1 && r.events[0].type == SPIN_EVENT_MESSAGE && r.events[0].dropped_bytes == 2 * BYTES &&
		      r.events[0].flags == SPIN_EVENT_FAILED,
	      "the host is told of dropped bytes");
	check(t.completions == before + 1 && t.dropped_bytes == 2 * BYTES && t.length == 4 * BYTES && !t.flow_control && t.sum == 10 &&
		      t.last == 10,
	      "the completion handler is told of dropped bytes");
}

static void transfers_are_waited_for(struct pspin *nic)
{
	uint8_t host[3 * BYTES];
	struct asks ask;
	struct pad pad;
	uint64_t copy, store;

	copy = send(nic, 10, 0, 0, ASK_COPY, 7).tasks[0].cycles[RV32_CYC_COMMAND];
	store = send(nic, 10, 1, 0, ASK_COPY_AND_STORE, 8).tasks[0].cycles[RV32_CYC_COMMAND];
	check(!copy, "a transfer of packet bytes is not waited for");
	check(store, "but it is before they change");
	check(send(nic, 10, 2, 1, ASK_STATE, 9).tasks[0].cycles[RV32_CYC_COMMAND] > 0, "a scratchpad's is waited for");
	check(!pspin__host_read(nic, 0, host, sizeof(host)), "host memory can be read");
	memcpy(&ask, host, sizeof(ask));
	check(ask.what == ASK_COPY && ask.add == 7, "the first packet is there");
	memcpy(&ask, host + BYTES, sizeof(ask));
	check(ask.what == ASK_COPY_AND_STORE && ask.add == 8, "the second one is, as it was before the store");
	check(!pspin__host_read(nic, 2 * BYTES, &pad, sizeof(pad)) && pad.sum == 24 && pad.last == 24, "the scratchpad is");
}

#define MESSAGES 200u /* 54 fit into L1 */

static void scratchpads_are_separate(struct pspin *nic)
{
	for (uint32_t packet = 0; packet < 3; packet++) {
		for (uint32_t m = 0; m < MESSAGES; m++) {
			struct pspin_result r = send(nic, 1000 + m, packet, packet == 2, SPIN_SUCCESS, m + packet);

			if (packet == 2 && (results(nic).sum != 3 * m + 3 || results(nic).last != 3 * m + 3 || r.event_count != 1)) {
				printf("FAIL message %u of %u has another one's scratchpad\n", m, MESSAGES);
				failures++;
				return;
			}
		}
	}
}

/* More messages are open than the target has ids, which are assigned in turn, and the message that holds the next id has not ended. */
static void ids_in_turn(struct rig_file image)
{
	const struct pspin_limits limits = { .ids_in_turn = 1 };
	struct pspin *nic = open_nic(image, asks, pspin_target__find("pspin-rtl"));

	check(!pspin__limit(nic, &limits), "ids are given in turn");
	scratchpads_are_separate(nic);
	pspin__close(nic);
}

static void refusals(struct pspin *nic, struct pspin *datagrams)
{
	struct spin_me me = { .start = SPIN_HOST_BYTES, .length = 1 };
	struct pspin_limits limits = { .mpqs = SPIN_MPQS_MAX + 1 };
	struct pspin_result result;
	struct spin_message_stats stats;
	uint8_t byte = 0;

	check(pspin__limit(nic, &limits) == -EINVAL, "more messages than can be are refused");
	check(pspin__me_append(nic, &me, NULL, 0, NULL) == -EINVAL, "an entry outside host memory is refused");
	check(pspin__me_unlink(nic, 1) == -ENOENT && pspin__me_unlink(nic, SPIN_MES_MAX) == -ENOENT,
	      "an entry that is not there cannot be unlinked");
	check(pspin__host_read(nic, SPIN_HOST_BYTES, &byte, 1) == -ERANGE && pspin__host_write(nic, SIZE_MAX, &byte, 1) == -ERANGE,
	      "bytes behind host memory are refused");
	check(!pspin__clock(nic, 5, &result) && pspin__clock(nic, 4, &result) == -EINVAL, "time does not go back");
	check(pspin__limit(datagrams, &limits) == -EOPNOTSUPP && pspin__reset(datagrams) == -EOPNOTSUPP &&
		      pspin__clock(datagrams, 1, &result) == -EOPNOTSUPP &&
		      pspin__me_append(datagrams, &me, NULL, 0, NULL) == -EOPNOTSUPP &&
		      pspin__message_stats(datagrams, &stats) == -EOPNOTSUPP,
	      "a context of datagrams has nothing of messages");
}

/* Tests a context's watchdog, and the target's limit in cycles per byte, which applies to payload handlers only. */
static void cycles_are_limited(struct rig_file image)
{
	const struct pspin_limits limits = { .watchdog_cycles = 3000 };
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct pspin_result r;
	struct pspin *nic;

	target.watchdog_cycles = UINT32_MAX; /* the target's own would take minutes */
	nic = open_nic(image, asks, &target);
	check(!pspin__limit(nic, &limits), "a context has a watchdog");
	handler_fails(nic, 1, ASK_NO_END, PSPIN_ERROR_WATCHDOG, SPIN_REASON_OVERRUN, SPIN_EVENT_OVERRUN);
	r = send(nic, 2, 0, 0, ASK_NO_END, 1);
	check(r.tasks[0].body_cycles > 2900 && r.tasks[0].body_cycles < 3100, "that stops a task after its cycles");
	pspin__close(nic);

	target.max_cycles_per_byte = 40;
	nic = open_nic(image, asks, &target);
	handler_fails(nic, 1, ASK_NO_END, PSPIN_ERROR_CYCLES, SPIN_REASON_OVERRUN, SPIN_EVENT_OVERRUN);
	r = send(nic, 2, 0, 0, ASK_NO_END, 1);
	check(r.tasks[0].body_cycles >= 40 * BYTES && r.tasks[0].body_cycles < 40 * BYTES + 100,
	      "a payload handler is stopped after its bytes' cycles");
	pspin__close(nic);
}

/*
 * A packet beyond the end of its entry comes while handlers have the packets before it. The message ends when they have ended, as refused:
 * its sender must be told that, and not to begin it again.
 */
static void refused_while_handlers_run(struct rig_file image)
{
	const struct spin_me me = { .ignore_bits = UINT64_MAX, .length = 2 * BYTES, .options = SPIN_ME_NO_TRUNCATE };
	const struct pspin_limits limits = { .no_entry = 1 };
	struct pspin *nic = open_nic(image, asks, pspin_target__find("pspin-rtl"));
	struct spin_message_stats stats;
	struct pspin_result r;
	uint8_t frame[FRAME_BYTES];

	check(!pspin__limit(nic, &limits) && !pspin__me_append(nic, &me, NULL, 0, NULL), "an entry of two packets");
	for (uint32_t i = 0; i < 3; i++) {
		struct pspin_offer offer = { .frame = frame, .frame_bytes = make(frame, 1, i, 0, ASK_COPY, 1) };

		check(!pspin__offer(nic, &offer), "three packets at once");
	}
	check(!pspin__run(nic, UINT64_MAX), "they run to the end");
	check(pspin__count(nic, SPIN_REASON_SUCCESS) == 2 && pspin__count(nic, SPIN_REASON_BEYOND_ENTRY) == 1, "the third one is refused");
	check(!pspin__message_stats(nic, &stats) && !stats.evicted, "while handlers have the others");
	check(send(nic, 1, 1, 1, ASK_COPY, 1).reason == SPIN_REASON_NO_MPQ, "the message accepts no more packets");
	check(!pspin__clock(nic, 1, &r) && r.event_count == 1 && r.events[0].type == SPIN_EVENT_TIMEOUT &&
		      r.events[0].flags & SPIN_EVENT_REFUSED,
	      "the host gets an event of the refusal");
	for (uint32_t i = 0; i < 2; i++) {
		r = send(nic, 1, i, 0, ASK_COPY, 1);
		check(r.reason == SPIN_REASON_BEYOND_ENTRY && r.verdict == SPIN_VERDICT_TX, "the sender gets the refusal again");
	}
	pspin__close(nic);
}

int main(void)
{
	struct rig_file image =
		rig__build("message_asks", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/message_asks.c\"'");
	struct rig_file other =
		rig__build("message_deliver", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/handlers/messages/deliver.c\"'");
	struct pspin *nic = open_nic(image, asks, pspin_target__find("pspin-rtl"));
	struct pspin *datagrams = open_nic(other, (struct spin_registration){ .payload = 1 }, pspin_target__find("pspin-rtl"));

	handler_fails(nic, 1, ASK_TRAP, 5 /* mcause: load access fault */, SPIN_REASON_SEGV, SPIN_EVENT_SEGV);
	handler_fails(nic, 2, ASK_NO_END, PSPIN_ERROR_WATCHDOG, SPIN_REASON_OVERRUN, SPIN_EVENT_OVERRUN);
	transfers_are_waited_for(nic);
	scratchpads_are_separate(nic);
	ids_in_turn(image);
	refusals(nic, datagrams);
	cycles_are_limited(image);
	refused_while_handlers_run(image);
	pspin__close(nic);
	pspin__close(datagrams);
	free(image.data);
	free(other.data);
	return failures != 0;
}
