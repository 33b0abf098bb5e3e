/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The HPU driver's registers: tasks and commands. Each access takes one cycle;
 * what blocks says how long.
 */
#include <string.h>

#include "soc.h"

/* The slot to use next and, in *wait_until, when it can be. */
static unsigned slot__next(const struct hpu *hpu, uint64_t cycle, uint64_t *wait_until)
{
	unsigned first = 0;

	for (unsigned i = 0; i < hpu->target->command_slots; i++) {
		if (hpu->command_free[i] <= cycle) {
			*wait_until = cycle;
			return i;
		}
		if (hpu->command_free[i] < hpu->command_free[first])
			first = i;
	}
	*wait_until = hpu->command_free[first];
	return first;
}

static void wait_until(struct rv32_bus_request *req, uint64_t cycle, enum rv32_cause cause)
{
	if (cycle <= req->cycle + 1)
		return;
	req->wait_cycles = (uint32_t)(cycle - (req->cycle + 1));
	req->wait_cause = cause;
}

static enum rv32_bus_status issue(struct hpu *hpu, struct rv32_bus_request *req)
{
	uint64_t at;
	unsigned slot = slot__next(hpu, req->cycle, &at);

	if (at < hpu->feedback)
		at = hpu->feedback;
	if (!hpu__may(hpu, at))
		return RV32_BUS_STOP;
	wait_until(req, at + 1, RV32_CYC_COMMAND);
	hpu->command_done[slot] = command__issue(hpu, at);
	if (hpu->result.error == PSPIN_ERROR_COMMAND && !hpu->result.error_pc)
		hpu->result.error_pc = req->pc;
	hpu->command_free[slot] = hpu->command_done[slot] + ((hpu->info & 6) == HPU_COMMAND_HOST_DIRECT ?
								     hpu->target->slot_reuse_direct : hpu->target->slot_reuse);
	soc__look(hpu->soc);
	hpu->last_id = slot;
	req->value = slot;
	return RV32_BUS_OK;
}

/* The task that was given, from the cycle on in which it was. */
static enum rv32_bus_status take(struct hpu *hpu, struct rv32_bus_request *req)
{
	if (!hpu->function) {
		hpu->waits = 1;
		return RV32_BUS_STOP;
	}
	if (!rv32_core__has_breakpoint(hpu->core, hpu->function)) {
		hpu->learns = 1; /* that takes a core that stands still */
		return RV32_BUS_STOP;
	}
	wait_until(req, hpu->given, RV32_CYC_BLOCKED);
	if (!hpu->begun) /* else a handler has jumped here: its time goes on */
		hpu__begin(hpu, req->cycle);
	req->value = hpu->function;
	return RV32_BUS_OK;
}

static enum rv32_bus_status end(struct hpu *hpu, struct rv32_bus_request *req)
{
	uint64_t at = req->cycle + hpu->target->doorbell_cycles;

	if (!hpu->function) { /* there is no task to end */
		req->value = 0;
		return RV32_BUS_OK;
	}
	if (hpu->first && !hpu->returned) { /* from a trap: let it stand still, to see what it took */
		hpu->settles = 1;
		return RV32_BUS_STOP;
	}
	if (!hpu__may(hpu, req->cycle))
		return RV32_BUS_STOP;
	if (!hpu->begun) /* before it was taken */
		hpu__begin(hpu, req->cycle);
	wait_until(req, hpu__end(hpu, at) - at + req->cycle + 1, RV32_CYC_COMMAND);
	soc__look(hpu->soc);
	req->value = 0;
	return RV32_BUS_OK;
}

static enum rv32_bus_status driver__load(struct hpu *hpu, struct rv32_bus_request *req,
					 uint32_t off)
{
	uint32_t word;

	switch (off) {
	case HPU_FUNCTION:
		return take(hpu, req);
	case HPU_DOORBELL:
		return end(hpu, req);
	case HPU_COMMAND_ISSUE:
		return issue(hpu, req);
	case HPU_COMMAND_WAIT:
		wait_until(req, hpu->command_done[hpu->last_id], RV32_CYC_COMMAND);
		req->value = hpu->last_id;
		return RV32_BUS_OK;
	case HPU_COMMAND_TEST:
		req->value = hpu->command_done[hpu->tested] <= req->cycle + 1;
		return RV32_BUS_OK;
	}
	if (off >= HPU_TASK && off < HPU_DOORBELL) {
		memcpy(&word, (const uint8_t *)&hpu->task + (off - HPU_TASK), sizeof(word));
		req->value = word;
	} else {
		req->value = 0;
	}
	return RV32_BUS_OK;
}

/* The first one counts. A number that is no enum pspin_error is mcause: the trap handler has written it. */
static void set_error(struct hpu *hpu, uint32_t error)
{
	struct rv32_trap trap = rv32_core__trap(hpu->core);

	if (hpu->result.error)
		return;
	hpu->result.error = error;
	hpu->result.error_pc = error < PSPIN_ERROR_FAIL ? trap.pc : 0;
	hpu->result.error_tval = error < PSPIN_ERROR_FAIL ? trap.tval : 0;
}

static void driver__store(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off)
{
	switch (off) {
	case HPU_ERROR:
		set_error(hpu, req->value);
		break;
	case HPU_COMMAND_WAIT:
		hpu->last_id = req->value % hpu->target->command_slots;
		wait_until(req, hpu->command_done[hpu->last_id], RV32_CYC_COMMAND);
		break;
	case HPU_COMMAND_TEST:
		hpu->tested = req->value % hpu->target->command_slots;
		break;
	case HPU_COMMAND_INFO:
		hpu->info = req->value;
		break;
	default:
		if (off >= HPU_COMMAND_WORD && off < HPU_COMMAND_WORD + sizeof(hpu->words))
			hpu->words[(off - HPU_COMMAND_WORD) / 4] = req->value;
	}
}

enum rv32_bus_status driver__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off)
{
	enum rv32_bus_status status;

	if (req->kind == RV32_LOAD) {
		status = driver__load(hpu, req, off & ~3u);
		req->value >>= (off & 3) * 8;
		return status;
	}
	if (req->kind != RV32_STORE || off & 3)
		return RV32_BUS_FAULT;
	driver__store(hpu, req, off);
	return RV32_BUS_OK;
}
