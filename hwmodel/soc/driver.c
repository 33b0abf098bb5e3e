/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The HPU driver, PsPIN's hardware between a core (HPU) and the NIC: registers through which the core takes tasks (runs of handlers), ends
 * them and issues commands. Called by bus.c; commands.c reports a command's times by command__known(). Each access takes one cycle, or more
 * if it blocks: the request then has the number of cycles.
 */
#include <string.h>

#include <spin/put.h>
#include <spin/random.h>

#include "hwmodel/core/max.h"
#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/hpu.h"
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/threads.h"
#include "hwmodel/target/time.h"

/* --- commands: their words, and when they are done --- */

/* Decodes the command's words. Returns 0 for an invalid one. */
static int decode(const struct hpu *hpu, struct hpu_command *command, uint32_t *nic)
{
	const uint32_t *w = hpu->words;

	switch (hpu->info & 6) {
	case HPU_COMMAND_HOST_DMA:
		command->kind = w[4] & 1 ? HPU_TO_HOST : HPU_FROM_HOST;
		command->host = (uint64_t)w[1] << 32 | w[0];
		*nic = w[2];
		command->bytes = w[3];
		return 1;
	case HPU_COMMAND_NIC_SEND:
		command->kind = HPU_NIC_SEND;
		command->flow = w[1];
		command->host = w[3] ? (uint64_t)w[3] << 32 | w[2] : 0;
		*nic = w[3] ? 0 : w[2];
		command->bytes = w[4];
		if (hpu->soc->third_party_image) {
			command->flow = HPU_SEND_REPLY;
			return !w[3];
		}
		command->detail = w[5];
		return w[1] <= HPU_SEND_ACKED && (!w[3] || w[1] == HPU_SEND_PUT || w[1] == HPU_SEND_ACKED);
	case HPU_COMMAND_HOST_DIRECT:
		command->kind = HPU_HOST_DIRECT;
		command->host = (uint64_t)w[1] << 32 | w[0];
		*nic = 0;
		command->bytes = w[2] >> 1;
		command->data[0] = w[3];
		command->data[1] = w[4];
		return command->bytes <= sizeof(command->data);
	}
	return 0;
}

/* Finds NIC memory that a command names. An HPU's alias of its own L1 is not valid here, since only that cluster knows it. */
static enum memory_region find(const struct hpu *hpu, uint32_t nic, uint32_t bytes, uint8_t **at, unsigned *cluster)
{
	enum memory_region region = storage__find(hpu->memory, nic, bytes, hpu->cluster, at, cluster);

	return nic - L1_OWN < hpu->memory->l1_bytes || region == MEMORY_PROGRAM ? MEMORY_NONE : region;
}

/* Finds the NIC memory that the command reads or writes. Returns 0 if there is none. */
static int locate(const struct hpu *hpu, struct hpu_command *command, uint32_t nic, enum memory_region *region, unsigned *cluster)
{
	uint8_t *put;

	if (command->kind == HPU_HOST_DIRECT)
		return 1;
	if (command->kind == HPU_NIC_SEND && command->flow != HPU_SEND_REPLY && command->flow != HPU_SEND_FORWARD) {
		uint32_t bytes = command->flow == HPU_SEND_ACKED ? sizeof(struct spin_put_acked) : sizeof(struct spin_put);

		if (find(hpu, hpu->words[0], bytes, &put, NULL) == MEMORY_NONE)
			return 0;
		command->put = put;
		if (command->host)
			return 1;
	}
	command->nic_addr = nic;
	*region = find(hpu, nic, command->bytes, &command->nic, cluster);
	return *region != MEMORY_NONE;
}

static void set_done(struct hpu *hpu, unsigned slot, uint64_t cycle)
{
	const struct pspin_target *target = hpu->target;
	int is_direct = hpu->commands[slot].kind == HPU_HOST_DIRECT;

	hpu->commands[slot].done = cycle;
	hpu->command_free[slot] = cycle + (is_direct ? target->slot_reuse_direct : target->slot_reuse);
}

/* Issues the command that the HPU has written to its registers. One that is invalid is done at once, with an error. */
static void issue_command(struct hpu *hpu, uint64_t cycle, unsigned slot)
{
	struct hpu_command *command = &hpu->commands[slot];
	const struct soc *soc = hpu->soc;
	uint32_t nic = 0;

	*command = (struct hpu_command){ .issued = cycle, .task = hpu->running, .cluster = hpu->cluster, .done = UINT64_MAX };
	for (unsigned i = 0; i < HPU_COMMAND_KINDS; i++)
		command->number += hpu->result.commands[i];
	if (!hpu->begun || !decode(hpu, command, &nic) || !locate(hpu, command, nic, &command->region, &command->cluster) ||
	    soc->nic->on_command(soc->nic_arg, hpu->running, command)) {
		if (!hpu->result.error)
			hpu->result.error = PSPIN_ERROR_COMMAND;
		set_done(hpu, slot, cycle + 1);
		return;
	}
	hpu->result.commands[command->kind]++;
	hpu->command_free[slot] = UINT64_MAX;
	commands__issue(soc->commands, cycle, hpu, slot);
}

uint64_t command__all_done(const struct hpu *hpu)
{
	uint64_t done = 0;

	for (unsigned i = 0; i < HPU_COMMAND_SLOTS_MAX; i++)
		if (hpu->command_free[i] > done)
			done = hpu->command_free[i];
	return done;
}

/* --- registers --- */

/*
 * Returns the slot for a command issued at `cycle`, and in *from when it takes the slot. If no slot was free, the driver waits for the
 * next one to be done and takes it at once. A slot that is done in the very cycle in which the wait begins is missed: it becomes free,
 * but the command waits for another one.
 */
static unsigned slot__next(const struct hpu *hpu, uint64_t cycle, uint64_t *from)
{
	const unsigned slots = (unsigned)hpu->target->command_slots;
	unsigned next = slots, missed = 0;

	for (unsigned i = 0; i < slots; i++) {
		if (hpu->command_free[i] <= cycle) {
			*from = cycle;
			return i;
		}
		if (hpu->command_free[i] == cycle + 1)
			missed = i;
		else if (next == slots || hpu->command_free[i] < hpu->command_free[next])
			next = i;
	}
	if (next == slots) { /* there is no other slot */
		*from = hpu->command_free[missed];
		return missed;
	}
	*from = hpu->command_free[next] == UINT64_MAX ? UINT64_MAX : hpu->command_free[next] - 1;
	return next;
}

static void wait_until(struct rv32_bus_request *req, uint64_t cycle, enum rv32_cause cause)
{
	if (cycle <= req->cycle + 1)
		return;
	req->wait_cycles = (uint32_t)(cycle - (req->cycle + 1));
	req->wait_cause = cause;
}

/* Stops the core, which repeats the access when more is known. All events up to the lookahead have run. */
static enum rv32_bus_status retry_access(struct hpu *hpu, const struct rv32_bus_request *req)
{
	if (req->cycle > hpu->soc->lookahead)
		hpu->blocked_until = req->cycle;
	else
		hpu->pending = 1;
	hpu->awaits_command = 1;
	return RV32_BUS_STOP;
}

/* Returns the cycle from which the thread's driver can issue its command, at least `cycle`; UINT64_MAX if not known yet. */
static uint64_t slot_is_free(const struct hpu *hpu, uint64_t cycle)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < hpu->target->command_slots; i++)
		if (hpu->command_free[i] < first)
			first = hpu->command_free[i];
	return max_u64(max_u64(first, hpu->feedback), cycle);
}

/* Returns when the driver answers the request that the thread made at `asked`; UINT64_MAX if not known yet. */
static uint64_t answered_at(const struct hpu *hpu, uint64_t asked)
{
	uint64_t free;

	if (!hpu->issues)
		return hpu->commands[hpu->last_id].done;
	free = slot_is_free(hpu, asked);
	return free == UINT64_MAX ? free : free + 1;
}

static void driver__commands_known(struct hpu *hpu)
{
	uint64_t ready;

	if (hpu->parked != PARK_COMMAND || hpu->ready != UINT64_MAX)
		return;
	ready = answered_at(hpu, hpu->parked_at);
	if (ready != UINT64_MAX)
		threads__ready(hpu, ready);
}

void command__known(struct hpu *hpu, unsigned slot)
{
	const struct soc *soc = hpu->soc;

	set_done(hpu, slot, hpu->commands[slot].done);
	if (soc->nic->on_known)
		soc->nic->on_known(soc->nic_arg, &hpu->commands[slot]);
	soc->up->on_commands_known(hpu);
	if (hpu->parked)
		driver__commands_known(hpu);
	if (!hpu->awaits_command)
		return;
	hpu->awaits_command = 0;
	hpu->pending = 0;
	soc__wake(hpu->soc, hpu, soc->now);
}

/* Parks the thread while it waits for its driver. The access is repeated when the thread has the pipeline again. */
static enum rv32_bus_status park(struct hpu *hpu, const struct rv32_bus_request *req, int issues)
{
	if (!lookahead__allows(hpu, req->cycle))
		return RV32_BUS_STOP;
	hpu->issues = issues;
	threads__park(hpu, PARK_COMMAND, req->cycle, answered_at(hpu, req->cycle));
	return RV32_BUS_STOP;
}

enum rv32_bus_status driver__yield(struct hpu *hpu, const struct rv32_bus_request *req)
{
	if (!hpu->pipeline)
		return RV32_BUS_OK;
	if (!lookahead__allows(hpu, req->cycle)) /* checked first: an access that is stopped here has not yielded */
		return RV32_BUS_STOP;
	if (hpu->yielded) {
		hpu->yielded = 0;
		return RV32_BUS_OK;
	}
	if (!threads__wanted(hpu, req->cycle + 1))
		return RV32_BUS_OK;
	hpu->yielded = 1;
	threads__park(hpu, PARK_YIELD, req->cycle, req->cycle + 1);
	return RV32_BUS_STOP;
}

/*
 * Issues a command. The read returns an id chosen when the read begins: the lowest free one, or the last one if none is free. A command
 * that has to wait takes another slot than that id: after a feedback, when all are free by then, the lowest; else the one that it
 * waited for.
 */
static enum rv32_bus_status load_issue(struct hpu *hpu, struct rv32_bus_request *req)
{
	const uint64_t begins = max_u64(req->cycle, hpu->resumed_at ? hpu->resumed_at - 1 : 0);
	uint64_t at;
	unsigned slot = slot__next(hpu, begins, &at);
	unsigned read_id = at == begins ? slot : (unsigned)hpu->target->command_slots - 1;

	hpu->awaits_command = 0;
	if (hpu->pipeline && slot_is_free(hpu, begins) > begins)
		return park(hpu, req, 1);
	if (begins < hpu->feedback) {
		at = hpu->feedback;
		if (at != UINT64_MAX)
			slot = slot__next(hpu, at, &at);
	}
	if (at == UINT64_MAX)
		return retry_access(hpu, req);
	if (!lookahead__allows(hpu, at)) { /* another slot may become free earlier */
		hpu->awaits_command = 1;
		return RV32_BUS_STOP;
	}
	wait_until(req, at + 1, RV32_CYC_COMMAND);
	issue_command(hpu, at, slot);
	if (hpu->result.error == PSPIN_ERROR_COMMAND && !hpu->result.error_pc)
		hpu->result.error_pc = req->pc;
	soc__limit_lookahead(hpu->soc);
	hpu->resumed_at = 0;
	hpu->last_id = read_id;
	req->value = hpu->answered = read_id;
	return RV32_BUS_OK;
}

/* A load that is answered when the last command is done. */
static enum rv32_bus_status wait_command(struct hpu *hpu, struct rv32_bus_request *req)
{
	const uint64_t done = hpu->commands[hpu->last_id].done;

	hpu->awaits_command = 0;
	if (hpu->pipeline && !hpu->resumed_at && done > req->cycle + 1)
		return park(hpu, req, 0);
	if (done == UINT64_MAX)
		return retry_access(hpu, req);
	if (done > req->cycle)
		hpu->answered = hpu->last_id;
	wait_until(req, max_u64(done, hpu->resumed_at), RV32_CYC_COMMAND);
	hpu->resumed_at = 0;
	return RV32_BUS_OK;
}

/*
 * The driver takes the id to test from the data of the read, which is 0 for a core's load: only command 0 can be tested, whatever was
 * written before. A command whose end is not known by now is not done in the next cycle.
 */
static enum rv32_bus_status test_command(struct hpu *hpu, struct rv32_bus_request *req)
{
	uint64_t done = hpu->commands[0].done;

	if (done == UINT64_MAX && req->cycle > hpu->soc->lookahead) {
		hpu->blocked_until = req->cycle;
		return RV32_BUS_STOP;
	}
	req->value = hpu->answered = done <= req->cycle + 1;
	return RV32_BUS_OK;
}

/* Returns the assigned task's function, from the cycle of its assignment on. */
static enum rv32_bus_status load_function(struct hpu *hpu, struct rv32_bus_request *req)
{
	if (!hpu->function) {
		if (hpu->pipeline && !lookahead__allows(hpu, req->cycle))
			return RV32_BUS_STOP;
		if (hpu->pipeline)
			threads__park(hpu, PARK_TASK, req->cycle, UINT64_MAX);
		hpu->idle = 1;
		return RV32_BUS_STOP;
	}
	if (hpu->of != &hpu->programs[hpu->task.program]) {
		hpu->switches_program = 1; /* the other program's core is at the same load */
		return RV32_BUS_STOP;
	}
	if (!rv32_core__has_breakpoint(hpu->core, hpu->function)) {
		hpu->needs_breakpoint = 1; /* a breakpoint can only be added while the core is stopped */
		return RV32_BUS_STOP;
	}
	wait_until(req, hpu->assigned_at, RV32_CYC_BLOCKED);
	if (!hpu->begun) /* else a handler has jumped here: its time continues */
		hpu__begin(hpu, req->cycle);
	req->value = hpu->function;
	return RV32_BUS_OK;
}

/* A load of the doorbell ends the running task. It is answered when the HPU may continue (hpu__end()). */
static enum rv32_bus_status load_doorbell(struct hpu *hpu, struct rv32_bus_request *req)
{
	uint64_t at = req->cycle + hpu->target->doorbell_cycles;

	if (!hpu->function || hpu__is_others(hpu)) { /* there is no task of this program to end */
		req->value = 0;
		return RV32_BUS_OK;
	}
	if (hpu->first && !hpu->returned) { /* after a trap: stop the core first, to measure the body */
		hpu->at_doorbell = 1;
		return RV32_BUS_STOP;
	}
	if (!lookahead__allows(hpu, req->cycle))
		return RV32_BUS_STOP;
	if (!hpu->begun) /* the task was never taken */
		hpu__begin(hpu, req->cycle);
	wait_until(req, hpu__end(hpu, at) - at + req->cycle + 1, RV32_CYC_COMMAND);
	soc__limit_lookahead(hpu->soc);
	req->value = 0;
	return RV32_BUS_OK;
}

/* Returns nanoseconds, the same for all HPUs. Needs no other component. */
static uint64_t clock_ns(const struct hpu *hpu, uint64_t cycle)
{
	return hpu->soc->is_virtual ? hpu->soc->virtual_ns : time__ps(hpu->target, cycle) / 1000;
}

/* Each HPU's sequence begins this many draws after that of the HPU before it. */
#define DRAWS_OF_HPU (1u << 24)

static uint32_t draw(struct hpu *hpu)
{
	if (hpu->soc->is_virtual)
		return hpu->soc->virtual_draw += SPIN_RANDOM_STEP;
	return ((uint32_t)(hpu - hpu->soc->hpus) * DRAWS_OF_HPU + ++hpu->draws) * SPIN_RANDOM_STEP;
}

/*
 * Reads registers that PsPIN's driver does not have. Of an address after the command registers' it answers what these answered last: the
 * id of the last command, or the result of a test or wait (rdata_q in hpu_driver.sv). Behind the task's registers there is 0; the RTL
 * answers the last of these.
 */
static uint32_t load_extension(struct hpu *hpu, uint32_t off, uint64_t cycle)
{
	uint64_t now;

	if (hpu->soc->lacks_extensions)
		return off < HPU_COMMAND_ISSUE ? 0 : hpu->answered;
	switch (off) {
	case HPU_CLOCK_LOW:
		now = clock_ns(hpu, cycle);
		hpu->clock_high = (uint32_t)(now >> 32);
		return (uint32_t)now;
	case HPU_CLOCK_HIGH:
		return hpu->clock_high;
	case HPU_RANDOM:
		return draw(hpu);
	case HPU_TAG:
		return hpu->begun && hpu->running ? hpu->running->her->tag : 0;
	default:
		return 0;
	}
}

static enum rv32_bus_status driver__load(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off)
{
	uint32_t word;

	switch (off) {
	case HPU_FUNCTION:
		return load_function(hpu, req);
	case HPU_DOORBELL:
		return load_doorbell(hpu, req);
	case HPU_COMMAND_ISSUE:
		return load_issue(hpu, req);
	case HPU_COMMAND_WAIT:
		req->value = hpu->last_id;
		return wait_command(hpu, req);
	case HPU_COMMAND_TEST:
		return test_command(hpu, req);
	}
	if (off >= HPU_TASK && off < HPU_DOORBELL) {
		memcpy(&word, (const uint8_t *)&hpu->task + (off - HPU_TASK), sizeof(word));
		req->value = word;
	} else {
		req->value = load_extension(hpu, off, req->cycle);
	}
	return RV32_BUS_OK;
}

/* Only the first error counts. A number that is not an enum pspin_error is mcause, written by the trap handler. */
static void set_error(struct hpu *hpu, uint32_t error)
{
	struct rv32_trap trap = rv32_core__trap(hpu->core);

	if (hpu->result.error)
		return;
	hpu->result.error = error;
	hpu->result.error_pc = error < PSPIN_ERROR_FAIL ? trap.pc : 0;
	hpu->result.error_tval = error < PSPIN_ERROR_FAIL ? trap.tval : 0;
}

static enum rv32_bus_status driver__store(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off)
{
	switch (off) {
	case HPU_ERROR:
		set_error(hpu, req->value);
		break;
	case HPU_COMMAND_WAIT:
		hpu->last_id = req->value % hpu->target->command_slots;
		return wait_command(hpu, req);
	case HPU_COMMAND_TEST:
		return req->value == HPU_YIELD ? driver__yield(hpu, req) : RV32_BUS_OK;
	case HPU_COMMAND_INFO:
		hpu->info = req->value;
		break;
	default:
		if (off >= HPU_COMMAND_WORD && off < HPU_COMMAND_WORD + sizeof(hpu->words))
			hpu->words[(off - HPU_COMMAND_WORD) / 4] = req->value;
	}
	return RV32_BUS_OK;
}

enum rv32_bus_status driver__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off)
{
	enum rv32_bus_status status;

	if (req->kind == RV32_LOAD || req->kind == RV32_LR) {
		status = driver__load(hpu, req, off & ~3u);
		req->value >>= (off & 3) * 8;
		return status;
	}
	if (req->kind == RV32_FETCH || off & 3)
		return RV32_BUS_FAULT;
	/* hpu_driver.sv answers a read, write or AMO of a task's registers as a read */
	if (req->kind != RV32_STORE && off < HPU_ERROR)
		return driver__load(hpu, req, off);
	return driver__store(hpu, req, off);
}
