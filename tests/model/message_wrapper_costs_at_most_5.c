/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares message handlers with hand-written baselines for PsPIN (baselines/). A packet of a message must cost at most 5 cycles more than
 * the baseline, and leave the same data in memory. Run by tests/run.
 */
#include <spin/slmp.h>

#include "tests/model/common/packet.h"
#include "tests/model/common/pair.h"

#define BYTES          1024u /* of payload, in all packets except the last */
#define COMPARED_BYTES 4096u /* bytes of host memory that are compared */

static uint8_t payload_byte(uint32_t at)
{
	return (uint8_t)(at * 7 + at / 251);
}

static size_t make_slmp(uint8_t *frame, uint32_t flags, uint32_t offset, uint32_t bytes)
{
	struct spin_slmp slmp = { spin_hton16((uint16_t)flags), spin_hton32(5), spin_hton32(offset) };
	uint8_t datagram[sizeof(slmp) + BYTES];

	memcpy(datagram, &slmp, sizeof(slmp));
	for (uint32_t i = 0; i < bytes; i++)
		datagram[sizeof(slmp) + i] = payload_byte(offset + i);
	return packet__make(frame, 0x0100000a, datagram, (uint32_t)sizeof(slmp) + bytes);
}

/* PsPIN's handlers return nothing, so the reason of the baseline's packets is not compared. */
static void compare(struct pair *pair, const char *what, uint32_t flags, uint32_t offset, uint32_t bytes)
{
	uint8_t frame[sizeof(struct spin_eth) + 28 + sizeof(struct spin_slmp) + BYTES];
	size_t frame_bytes = make_slmp(frame, flags, offset, bytes);
	struct pspin_result ours, baseline;

	if (pspin__packet(pair->ours, frame, frame_bytes, &ours) || pspin__packet(pair->baseline, frame, frame_bytes, &baseline) ||
	    ours.task_count != 1 || baseline.task_count != 1 || ours.tasks[0].error || baseline.tasks[0].error) {
		printf("FAIL %s, %s: a task is missing or failed\n", pair->name, what);
		failures++;
		return;
	}
	pair__cycles(pair, what, &ours.tasks[0], &baseline.tasks[0]);
	if (ours.reason != SPIN_REASON_SUCCESS || ours.verdict != SPIN_VERDICT_TX || ours.frame_bytes != baseline.frame_bytes ||
	    memcmp(ours.frame, baseline.frame, ours.frame_bytes) ||
	    ours.frame_bytes != sizeof(struct spin_eth) + 28 + sizeof(struct spin_slmp)) {
		printf("FAIL %s, %s: not acknowledged as the baseline's packet is\n", pair->name, what);
		failures++;
	}
}

static void send_message(struct pair *pair)
{
	compare(pair, "first", SPIN_SLMP_SYN, 0, BYTES);
	compare(pair, "1024 B", SPIN_SLMP_SYN, BYTES, BYTES);
	compare(pair, "last, 64 B", SPIN_SLMP_SYN | SPIN_SLMP_EOM, 2 * BYTES, 64);
}

static void same_host_memory(struct pair *pair, uint32_t bytes)
{
	uint8_t ours[COMPARED_BYTES], baseline[COMPARED_BYTES];
	int wrong = pspin__host_read(pair->ours, 0, ours, COMPARED_BYTES) ||
		    pspin__host_read(pair->baseline, 0, baseline, COMPARED_BYTES) || memcmp(ours, baseline, COMPARED_BYTES);

	for (uint32_t i = 0; i < COMPARED_BYTES && !wrong; i++)
		wrong = ours[i] != (i < bytes ? payload_byte(i) : 0);
	if (wrong) {
		printf("FAIL %s: host memory is not what was sent, or differs from the baseline's\n", pair->name);
		failures++;
	}
}

int main(void)
{
	struct pair sum =
		pair__open("message_sum", "tests/model/handlers", (struct spin_registration){ .payload = 1, .delivery = SPIN_DELIVER_ME });
	struct pair copy =
		pair__open("message_copy", "tests/model/handlers",
			   (struct spin_registration){
				   .payload = 1, .delivery = SPIN_DELIVER_ME, .bytes_in_l1 = SPIN_HEADERS_ONLY, .scratchpad_bytes = 8 });

	send_message(&sum);
	same_object(&sum, "spin_state", 4);
	same_host_memory(&sum, 0);
	send_message(&copy);
	same_host_memory(&copy, 2 * BYTES + 64);
	pair__close(&sum);
	pair__close(&copy);
	return failures != 0;
}
