/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler; tests/model/bursts_are_the_rtls.sh compares its cycles on the NIC model with those on PsPIN's RTL. It reads the clock, a
 * register that PsPIN's HPU driver does not have: the RTL answers with the last word of a command register, the id of a command or 1 for
 * one that is done, and so must the model. The value's two low bits make the handler take longer, so that a wrong one shows in the cycles.
 * It is read before any command, after three DMAs were issued, after a test, and after waits.
 */
#include <spin/spin.h>
#include <spin/clock.h>

struct no_clock {
	uint32_t seen[3];
};

SPIN_STATE(struct no_clock);

static void run_longer(struct no_clock *state, uint64_t value)
{
	if (value & 1)
		spin_store32(&state->seen[0], 1);
	if (value & 2) {
		spin_store32(&state->seen[1], 1);
		spin_store32(&state->seen[2], 1);
	}
}

static enum spin_payload_rc no_clock_payload(struct spin_payload *p, struct no_clock *state)
{
	struct spin_dma dma[3];

	run_longer(state, spin_clock_ns());
	spin_dma_to_host_nb(p, SPIN_HANDLER_MEM, 0, &state->seen[0], sizeof(state->seen[0]), &dma[0]);
	spin_dma_to_host_nb(p, SPIN_HANDLER_MEM, 4, &state->seen[1], sizeof(state->seen[1]), &dma[1]);
	spin_dma_to_host_nb(p, SPIN_HANDLER_MEM, 8, &state->seen[2], sizeof(state->seen[2]), &dma[2]);
	run_longer(state, spin_clock_ns()); /* the id of the last command */
	spin_dma_test(p, &dma[0]);
	run_longer(state, spin_clock_ns()); /* whether command 0 was done */
	spin_dma_wait(p, &dma[1]);
	run_longer(state, spin_clock_ns()); /* the id of the command, if the HPU had to wait for it */
	spin_dma_wait(p, &dma[2]);
	spin_dma_wait(p, &dma[0]);
	run_longer(state, spin_clock_ns());
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(no_clock, .payload = no_clock_payload, .checksum = SPIN_CHECKSUM_HOST);
