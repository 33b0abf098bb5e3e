/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs an HPU, a simulated core that runs handlers: from reset, through its tasks, until it waits for the next one, and measures each
 * handler. Called by soc.c at the HPU's turn, by the scheduler for a task, and by driver.c when a task begins and ends.
 */
#include <errno.h>
#include <string.h>

#include "hwmodel/core/max.h"
#include "hwmodel/soc/hpu.h"
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/threads.h"
#include "hwmodel/soc/timing.h"

/* Windows for the own L1 at both its addresses: the HPU's stack, and everything from the packet buffer's page on. */
static void windows__set(struct rv32_config *config, const struct hpu *hpu, const struct storage *memory)
{
	const uint32_t bases[] = { L1_OWN, L1_GLOBAL + hpu->cluster * L1_STRIDE };
	const uint32_t stack = L1_STACKS + hpu->index * L1_STACK_BYTES, rest = L1_PACKETS & ~0xfffu;
	uint8_t *l1 = memory->l1[hpu->cluster];

	for (unsigned i = 0; i < 2; i++) {
		config->windows[config->window_count++] =
			(struct rv32_window){ .addr = bases[i] + stack,
					      .bytes = L1_STACK_BYTES,
					      .mem = l1 + stack,
					      .flags = RV32_WINDOW_DATA | RV32_WINDOW_NO_LRSC | RV32_WINDOW_TIMED };
		config->windows[config->window_count++] =
			(struct rv32_window){ .addr = bases[i] + rest,
					      .bytes = memory->l1_bytes - rest,
					      .mem = l1 + rest,
					      .flags = RV32_WINDOW_DATA | RV32_WINDOW_NO_LRSC | RV32_WINDOW_TIMED };
	}
	config->windows[config->window_count++] = (struct rv32_window){
		.addr = PROGRAM, .bytes = PROGRAM_BYTES, .mem = memory->program, .flags = RV32_WINDOW_CODE | RV32_WINDOW_READONLY
	};
}

int hpu__add(struct hpu *hpu, unsigned program, uint32_t code_at)
{
	struct hpu_program *own = &hpu->programs[program];
	const struct pspin_target *target = hpu->target;
	struct rv32_config config = {
		.hart_id = hpu->cluster << 5 | hpu->index,
		.bus = { .arg = hpu, .access = hpu->soc->up->on_bus_access },
		.l1_banks = (uint32_t)target->l1_banks,
		.l1_amo_cycles = (uint32_t)target->l1_amo,
		.half_across_is_word = 1,
	};

	own->memory = hpu->soc->memories[program];
	own->watchdog_cycles = (uint32_t)target->watchdog_cycles;
	windows__set(&config, hpu, own->memory);
	own->core = rv32_core__new(&config);
	if (!own->core)
		return -ENOMEM;
	rv32_core__set_code_offset(own->core, code_at);
	return 0;
}

/* Switches the HPU to that program. */
static void switch_program(struct hpu *hpu, unsigned program)
{
	hpu->of = &hpu->programs[program];
	hpu->core = hpu->of->core;
	hpu->memory = hpu->of->memory;
	hpu->watchdog_cycles = hpu->of->watchdog_cycles;
}

static int is_of(const struct hpu *hpu, unsigned program)
{
	return hpu->of == &hpu->programs[program];
}

int hpu__open(struct hpu *hpu, struct soc *soc, unsigned cluster, unsigned index)
{
	int err;

	memset(hpu, 0, sizeof(*hpu));
	if (!soc->target->command_slots || soc->target->command_slots > HPU_COMMAND_SLOTS_MAX)
		return -EINVAL;
	hpu->soc = soc;
	hpu->target = soc->target;
	hpu->cluster = cluster;
	hpu->index = index;
	hpu->number = cluster * soc->stride + index;
	if (soc->pipelines)
		hpu->pipeline = &soc->pipelines[cluster * soc->target->hpus + index % soc->target->hpus];
	err = hpu__add(hpu, 0, 0);
	if (!err)
		switch_program(hpu, 0);
	return err;
}

void hpu__close(struct hpu *hpu)
{
	for (unsigned i = 0; i < SOC_PROGRAMS_MAX; i++)
		if (hpu->programs[i].core)
			rv32_core__free(hpu->programs[i].core);
	hpu->core = NULL;
}

void hpu__set_watchdog(struct hpu *hpu, unsigned program, uint32_t cycles)
{
	hpu->programs[program].watchdog_cycles = cycles;
	if (is_of(hpu, program))
		hpu->watchdog_cycles = cycles;
}

/* Starts the watchdog at this cycle. */
static void start_watchdog(struct hpu *hpu, uint64_t cycle, uint64_t cycles)
{
	hpu->watched = cycle;
	hpu->deadline = cycle + cycles;
	hpu->is_limited = 0;
}

/* Returns the watchdog's limit for the HPU's current task. */
static uint32_t watchdog_cycles(const struct hpu *hpu)
{
	return hpu->task.watchdog_cycles ? hpu->task.watchdog_cycles : hpu->watchdog_cycles;
}

void hpu__reset(struct hpu *hpu, unsigned program, uint64_t cycle)
{
	switch_program(hpu, program);
	hpu->idle = 0;
	rv32_core__advance(hpu->core, cycle);
	rv32_core__set_pc(hpu->core, PROGRAM_RESET);
	start_watchdog(hpu, cycle, (hpu->watchdog_cycles > BOOT_CYCLES ? hpu->watchdog_cycles : BOOT_CYCLES) + hpu->soc->clear_cycles);
	if (!hpu->pipeline) {
		soc__wake(hpu->soc, hpu, cycle);
		return;
	}
	hpu->parked = PARK_SLICE;
	threads__ready(hpu, cycle);
}

static void subtract(struct rv32_stats *from, const struct rv32_stats *before)
{
	from->cycle -= before->cycle;
	from->instructions -= before->instructions;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++)
		from->cycles[i] -= before->cycles[i];
}

/* `cycle` is the task's first; the runtime's load of the function register takes the cycle before it. */
void hpu__assign(struct hpu *hpu, uint64_t cycle, uint32_t function, const struct hpu_descriptor *task)
{
	hpu->function = function;
	hpu->assigned_at = cycle;
	hpu->task = *task;
	hpu->l2_packet_end = (task->packet_l2 + task->packet_bytes + 63) & ~63u;
	if (hpu->idle) {
		hpu->idle = 0;
		if (!is_of(hpu, task->program))
			switch_program(hpu, task->program);
		start_watchdog(hpu, cycle, watchdog_cycles(hpu));
		if (hpu->pipeline) {
			threads__ready(hpu, cycle);
			return;
		}
		rv32_core__advance(hpu->core, cycle - 1);
		soc__wake(hpu->soc, hpu, rv32_core__cycle(hpu->core));
	}
}

void hpu__begin(struct hpu *hpu, uint64_t cycle)
{
	memset(&hpu->result, 0, sizeof(hpu->result));
	hpu->tried = 0;
	hpu->begun = 1;
	hpu->first = hpu->returned = hpu->doorbell = hpu->fetched_for = 0;
	hpu->returns = 0;
	start_watchdog(hpu, cycle, watchdog_cycles(hpu));
}

/* Adds the fetch of the instruction after the call, with which the body ends. */
static void add_return_fetch(struct hpu *hpu)
{
	uint64_t stall = rv32_core__fetch_stall(hpu->core);

	hpu->returns = 0;
	hpu->returned += stall;
	hpu->result.body.cycle += stall;
	hpu->result.body.cycles[RV32_CYC_ICACHE] += stall;
	rv32_core__move_cycles(hpu->core, RV32_CYC_ICACHE, hpu->return_pc, hpu->function, stall);
}

uint64_t hpu__end(struct hpu *hpu, uint64_t cycle)
{
	if (hpu->returns)
		add_return_fetch(hpu);
	hpu->function = 0;
	hpu->begun = 0;
	hpu->doorbell = cycle;
	start_watchdog(hpu, cycle, hpu->watchdog_cycles);
	return hpu->alone ? cycle : hpu->soc->up->on_doorbell(hpu, cycle);
}

/* The handler's body ends at the core's present position. It began when its first instruction had been fetched. */
static void end_body(struct hpu *hpu)
{
	hpu->fetched_for = rv32_core__fetch_stall(hpu->core);
	hpu->first += hpu->fetched_for;
	hpu->enter.cycle += hpu->fetched_for;
	hpu->enter.cycles[RV32_CYC_ICACHE] += hpu->fetched_for;
	rv32_core__move_cycles(hpu->core, RV32_CYC_ICACHE, hpu->function, 0, hpu->fetched_for); /* not charged: before the body */
	rv32_core__stats(hpu->core, &hpu->result.body);
	hpu->returned = hpu->result.body.cycle;
	subtract(&hpu->result.body, &hpu->enter);
}

/* Limits the body's cycles, from the handler's first instruction on. */
static void limit_body(struct hpu *hpu)
{
	uint64_t cycles = hpu->task.body_cycles;

	if (!cycles || hpu->deadline <= hpu->first || cycles >= hpu->deadline - hpu->first)
		return;
	hpu->beyond = hpu->deadline - hpu->first - cycles;
	hpu->deadline = hpu->first + cycles;
	hpu->is_limited = 1;
}

/* The core is before the handler's first instruction, or before the instruction after the call. */
static void at_breakpoint(struct hpu *hpu)
{
	uint32_t pc = rv32_core__pc(hpu->core);

	if (pc == hpu->function && !hpu->first) {
		rv32_core__stats(hpu->core, &hpu->enter);
		hpu->first = hpu->enter.cycle;
		hpu->return_pc = rv32_core__reg(hpu->core, 1);
		rv32_core__add_breakpoint(hpu->core, hpu->return_pc);
		limit_body(hpu);
	} else if (pc == hpu->return_pc && hpu->first && !hpu->returned) {
		hpu->result.value = rv32_core__reg(hpu->core, 10);
		end_body(hpu);
		hpu->returns = 1;
		if (hpu->is_limited)
			hpu->deadline += hpu->beyond;
		hpu->is_limited = 0;
	}
}

static int is_out_of_time(const struct hpu *hpu)
{
	return hpu->stopped == PSPIN_ERROR_WATCHDOG || hpu->stopped == PSPIN_ERROR_CYCLES;
}

/* Ends the task, if there is one, with an error. */
static void fail_task(struct hpu *hpu)
{
	uint64_t since = hpu->of->idle_pc ? hpu->watched : 0;
	struct rv32_trap trap;

	if (!hpu->begun)
		hpu__begin(hpu, rv32_core__cycle(hpu->core));
	if (!hpu->result.error && is_out_of_time(hpu) && rv32_core__in_trap(hpu->core, since, &trap)) {
		/* the trap that its trap handler loops for */
		hpu->result.error = trap.cause + !trap.cause;
		hpu->result.error_pc = trap.pc;
		hpu->result.error_tval = trap.tval;
	}
	if (!hpu->result.error) {
		hpu->result.error = hpu->stopped;
		hpu->result.error_pc = rv32_core__pc(hpu->core);
		hpu->result.error_tval = hpu->stopped < PSPIN_ERROR_FAIL ? rv32_core__trap(hpu->core).tval : 0;
	}
	if (hpu->first && !hpu->returned)
		end_body(hpu);
	rv32_core__advance(hpu->core, hpu__end(hpu, rv32_core__cycle(hpu->core)));
	soc__limit_lookahead(hpu->soc);
}

/* The NIC reclaims the HPU from code that does not end, or that the image cannot continue: it waits for a task, as after boot. */
static void reclaim(struct hpu *hpu)
{
	/* the access at which it stopped may be earlier; the scheduler may already have run in this cycle */
	rv32_core__advance(hpu->core, hpu->soc->reached + 1);
	if (hpu->function && !hpu__is_others(hpu))
		fail_task(hpu);
	hpu->stopped = 0;
	hpu->grant = 0; /* of an access that the watchdog ended */
	hpu->resumed_at = 0;
	hpu->yielded = 0;
	hpu->deadline = UINT64_MAX;
	for (unsigned x = 1; x < 32; x++)
		rv32_core__set_reg(hpu->core, x, hpu->of->idle_reg[x]);
	rv32_core__set_pc(hpu->core, hpu->of->idle_pc);
	hpu->idle = !hpu->function; /* otherwise it already has the next task */
	if (!hpu->idle)
		start_watchdog(hpu, rv32_core__cycle(hpu->core), watchdog_cycles(hpu));
}

/* The core has stopped: it waits for a task or for its turn. */
static void core_stopped(struct hpu *hpu)
{
	if (hpu->at_doorbell)
		end_body(hpu);
	hpu->at_doorbell = 0;
	if (hpu->needs_breakpoint)
		rv32_core__add_breakpoint(hpu->core, hpu->function);
	hpu->needs_breakpoint = 0;
	if (hpu->switches_program) {
		uint64_t cycle = rv32_core__cycle(hpu->core);

		switch_program(hpu, hpu->task.program);
		rv32_core__advance(hpu->core, cycle);
		hpu->switches_program = 0;
	}
	if (!hpu->idle)
		return;
	hpu->deadline = UINT64_MAX;
	if (hpu->of->idle_pc)
		return;
	hpu->of->idle_pc = rv32_core__pc(hpu->core);
	for (unsigned x = 0; x < 32; x++)
		hpu->of->idle_reg[x] = rv32_core__reg(hpu->core, x);
}

/*
 * Returns the cycle at which to stop: the watchdog's, or the end of the thread's slice. A slice ends at the end of a block of code,
 * wherever the core had to stop inside it.
 */
static uint64_t next_stop(const struct hpu *hpu)
{
	uint64_t end;

	if (!hpu->pipeline)
		return hpu->deadline;
	end = max_u64(hpu->pipeline->slice_end, rv32_core__cycle(hpu->core) + 1);
	return end < hpu->deadline ? end : hpu->deadline;
}

/* Begins the thread's turn. Returns 1 if its slice has ended and another thread gets the pipeline. */
static int gives_up_pipeline(struct hpu *hpu)
{
	uint64_t cycle;

	if (hpu->parked)
		threads__resume(hpu);
	cycle = max_u64(rv32_core__cycle(hpu->core), hpu->soc->reached);
	if (!hpu->slice_over)
		return 0;
	hpu->slice_over = 0;
	if (!threads__expired(hpu, cycle))
		return 0;
	threads__park(hpu, PARK_SLICE, cycle, cycle);
	return 1;
}

void hpu__turn(struct hpu *hpu)
{
	hpu->blocked_until = 0;
	hpu->awaits_command = 0;
	if (hpu->pipeline && gives_up_pipeline(hpu))
		return;
	if (hpu->stopped)
		reclaim(hpu);
	if (hpu->idle) {
		if (hpu->pipeline)
			threads__park(hpu, PARK_TASK, max_u64(rv32_core__cycle(hpu->core), hpu->soc->reached), UINT64_MAX);
		return;
	}
	for (;;) {
		switch (rv32_core__run(hpu->core, next_stop(hpu))) {
		case RV32_STOP_BUS:
			core_stopped(hpu);
			return;
		case RV32_STOP_PC:
			at_breakpoint(hpu);
			break;
		case RV32_STOP_WFI: /* there are no interrupts: continues */
			break;
		case RV32_STOP_CYCLES:
			if (hpu->pipeline && rv32_core__cycle(hpu->core) < hpu->deadline) {
				hpu->slice_over = 1;
				return;
			}
			hpu->blocked_until = hpu->soc->reached; /* the access at which it stopped may be earlier */
			hpu->stopped = hpu->is_limited ? PSPIN_ERROR_CYCLES : PSPIN_ERROR_WATCHDOG;
			return;
		case RV32_STOP_TRAP:
			hpu->stopped = rv32_core__trap(hpu->core).cause;
			hpu->stopped += !hpu->stopped; /* a misaligned jump (0) also counts as a fetch fault (1) */
			return;
		default:
			hpu->stopped = rv32_core__trap(hpu->core).cause;
			return;
		}
	}
}
