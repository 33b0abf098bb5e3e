/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test handler, run on the NIC model by tests/model/commands_are_pspins.c: makes one call of the handler API per packet, selected by the
 * packet's first word. What each call writes to the NIC's registers must be as commands.golden says.
 */
#include <spin/spin.h>

#include "commands.h"

struct memory {
	uint32_t words[16];
	uint64_t wide;
	struct spin_lock lock;
	struct spin_rw_lock rw;
	uint32_t unused[2];
};
SPIN_STATE(struct memory, .words = { 1, 2, 3, 4, 5, 6, 7, 8 });
SPIN_PUTS(2);

static enum spin_payload_rc commands_payload(struct spin_payload *p, struct memory *state)
{
	const uint32_t *call = SPIN_GET(p, 0, uint32_t);
	struct spin_process next = spin_source(p);
	struct spin_put put = { .target = next, .match_bits = 7, .hdr_data = 8, .remote_offset = 16 };
	uint32_t variable[2] = { 21, 22 };
	struct spin_dma dma;
	int rc = 0;

	if (!call)
		return SPIN_DROP;
	switch (*call) {
	case COMMAND_DMA_TO_HOST:
		rc = spin_dma_to_host(p, SPIN_ME_MEM, 128, state->words, 64);
		break;
	case COMMAND_DMA_FROM_HOST:
		rc = spin_dma_from_host(p, SPIN_ME_MEM, 128, state->words, 64);
		break;
	case COMMAND_DMA_TO_HOST_NB:
		rc = spin_dma_to_host_nb(p, SPIN_ME_MEM, 128, state->words, 64, &dma);
		SPIN_WHILE(p, !spin_dma_test(p, &dma))
			spin_yield(p);
		break;
	case COMMAND_DMA_FROM_HOST_NB:
		rc = spin_dma_from_host_nb(p, SPIN_ME_MEM, 128, state->words, 64, &dma);
		spin_dma_wait(p, &dma);
		break;
	case COMMAND_DMA_FROM_VARIABLE:
		rc = spin_dma_to_host(p, SPIN_ME_MEM, 128, variable, 8);
		break;
	case COMMAND_PAYLOAD_TO_HOST:
		rc = spin_payload_to_host(p, SPIN_ME_MEM, 64, 0, 64);
		break;
	case COMMAND_PAYLOAD_TO_HOST_THEN_SET:
		rc = spin_payload_to_host(p, SPIN_ME_MEM, 64, 0, 64);
		spin_set32(p, call, 0);
		break;
	case COMMAND_PAYLOAD_FROM_HOST:
		rc = spin_payload_from_host(p, SPIN_ME_MEM, 64, 0, 64);
		break;
	case COMMAND_HANDLER_MEM:
	case COMMAND_HANDLER_IOVEC:
		rc = spin_dma_to_host(p, SPIN_HANDLER_MEM, 8, state->words, 64);
		break;
	case COMMAND_FADD32:
		rc = spin_dma_fadd32(p, SPIN_ME_MEM, 128, 5, &state->words[0]);
		break;
	case COMMAND_FADD64:
		rc = spin_dma_fadd64(p, SPIN_ME_MEM, 128, 5, &state->wide);
		break;
	case COMMAND_CAS64:
		state->wide = 0;
		rc = spin_dma_cas64(p, SPIN_ME_MEM, 256, &state->wide, 0x900000008);
		break;
	case COMMAND_CAS64_OTHER:
		state->wide = 1;
		rc = spin_dma_cas64(p, SPIN_ME_MEM, 256, &state->wide, 9);
		break;
	case COMMAND_FADD64_NB:
		rc = spin_dma_fadd64_nb(p, SPIN_ME_MEM, 384, 5, &state->wide, &dma);
		state->words[0] = 1;
		while (!spin_dma_test(p, &dma))
			;
		break;
	case COMMAND_CAS64_NB_LEFT:
		state->wide = 0;
		rc = spin_dma_cas64_nb(p, SPIN_ME_MEM, 512, &state->wide, 0x900000008, &dma);
		break;
	case COMMAND_HOST_WRITE_4:
		rc = spin_host_write(p, SPIN_ME_MEM, 128, variable, 4);
		break;
	case COMMAND_HOST_WRITE_8:
		rc = spin_host_write(p, SPIN_ME_MEM, 128, variable, 8);
		break;
	case COMMAND_HOST_WRITE_32:
		rc = spin_host_write(p, SPIN_ME_MEM, 128, state->words, 32);
		break;
	case COMMAND_FADD32_STATE:
		rc = spin_fadd32(&state->words[0], 1) == 0xffffffff;
		break;
	case COMMAND_LOCKED:
		SPIN_LOCKED(p, &state->lock)
			state->words[1]++;
		break;
	case COMMAND_READ_LOCKED:
		SPIN_READ_LOCKED(p, &state->rw)
		rc = state->words[1] == 0xffffffff;
		break;
	case COMMAND_WRITE_LOCKED:
		SPIN_WRITE_LOCKED(p, &state->rw)
			state->words[1]++;
		break;
	case COMMAND_TRY_LOCK:
		if (spin_try_lock(&state->lock))
			spin_unlock(&state->lock);
		break;
	case COMMAND_NUM_HPUS:
		rc = spin_num_hpus(p) == spin_my_hpu(p);
		break;
	case COMMAND_FORWARD:
		rc = spin_forward(p, &next);
		break;
	case COMMAND_FORWARD_TWO:
		rc = spin_forward(p, &next);
		next.port = spin_hton16(7);
		rc |= spin_forward(p, &next);
		break;
	case COMMAND_PUT_PAYLOAD:
		rc = spin_put_payload(p, 0, 64, &put);
		break;
	case COMMAND_PUT_FROM_DEVICE:
		rc = spin_put_from_device(p, state->words, 64, &put);
		break;
	case COMMAND_PUT_FROM_HOST:
		rc = spin_put_from_host(p, 128, 64, &put);
		break;
	}
	return rc ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(commands, .payload = commands_payload, .delivery = SPIN_DELIVER_ME);
