/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Implements <hwmodel/rv32.h>, the timed simulation of one RISC-V core: opens and closes a core, reads and sets its registers, runs it to a
 * cycle. Called by the SoC model (soc/hpu.c), hpu-run and tests. Instructions are executed in exec.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/core/state.h"
#include "hwmodel/core/icache.h"

static const uint64_t no_generation; /* of a core without an instruction cache: it never changes */

static bool valid(const struct rv32_config *config)
{
	if (config->window_count > RV32_WINDOWS_MAX)
		return false;
	for (unsigned i = 0; i < config->window_count; i++) {
		const struct rv32_window *w = &config->windows[i];

		if ((w->addr & 3) || (w->bytes & 3) || (w->bytes && !w->mem) || (uint64_t)w->addr + w->bytes > UINT64_C(1) << 32)
			return false;
	}
	return true;
}

struct rv32_core *rv32_core__new(const struct rv32_config *config)
{
	struct rv32_core *core;

	if (!valid(config)) {
		errno = EINVAL;
		return NULL;
	}
	core = calloc(1, sizeof(*core));
	if (!core)
		goto no_memory;
	core->bus = config->bus;
	core->hart_id = config->hart_id;
	core->window_count = config->window_count;
	memcpy(core->windows, config->windows, config->window_count * sizeof(core->windows[0]));
	core->stop_at_self_jump = config->stop_at_self_jump;
	core->half_across_is_word = config->half_across_is_word;
	core->l1_banks = config->l1_banks ? config->l1_banks : TIMING_L1_BANKS;
	core->l1_amo_cycles = config->l1_amo_cycles ? config->l1_amo_cycles : TIMING_L1_AMO;
	core->amo_bank = -1;
	core->share_from = UINT64_MAX;
	core->lines_known = &no_generation;
	core->mpp_user = 1;
	exec__run(NULL, &core->labels);
	core->link_op.label = core->labels[RV32_OP_link];
	/* aligned to 64 bytes: see arena_alloc() */
	if (posix_memalign((void **)&core->arena, 64, RV32_ARENA_BYTES) || memory__map(core) < 0)
		goto no_memory;
	block__flush(core);
	return core;

no_memory:
	rv32_core__free(core);
	errno = ENOMEM;
	return NULL;
}

void rv32_core__free(struct rv32_core *core)
{
	if (!core)
		return;
	memory__unmap(core);
	free(core->arena);
	free(core);
}

/* Abandons the bus access at which the core is paused. The core continues elsewhere. */
static void leave_pause(struct rv32_core *core)
{
	if (core->paused) {
		const struct op *op = core->paused;

		core->paused = NULL;
		core->split.done_bytes = 0;
		core->pc = op_info(op)->pc;
		stats__charge_partial(core, op, false);
	}
}

void rv32_core__set_pc(struct rv32_core *core, uint32_t pc)
{
	leave_pause(core);
	core->fetch.goes_on = false;
	core->fetch.stopped_early = 0;
	core->in_trap = false;
	core->pc = pc;
	core->hazard = hazard__jumped(pc);
}

uint32_t rv32_core__pc(const struct rv32_core *core)
{
	return core_pc(core);
}

void rv32_core__set_reg(struct rv32_core *core, unsigned x, uint32_t value)
{
	if (x > 0 && x < 32)
		core->x[x] = value;
}

uint32_t rv32_core__reg(const struct rv32_core *core, unsigned x)
{
	return x < 32 ? core->x[x] : 0;
}

void rv32_core__set_breakpoint(struct rv32_core *core, uint32_t pc)
{
	if (core->breakpoints == (pc != 1) && (pc == 1 || core->breakpoint[0] == pc))
		return;
	core->breakpoint[0] = pc;
	core->breakpoints = pc != 1;
	block__flush(core);
}

uint64_t rv32_core__fetch_stall(const struct rv32_core *core)
{
	return core->fetch.stall;
}

int rv32_core__has_breakpoint(const struct rv32_core *core, uint32_t pc)
{
	return is_breakpoint(core, pc);
}

void rv32_core__add_breakpoint(struct rv32_core *core, uint32_t pc)
{
	if (is_breakpoint(core, pc))
		return;
	if (core->breakpoints == RV32_BREAKPOINTS)
		core->breakpoints = 0;
	core->breakpoint[core->breakpoints++] = pc;
	block__flush(core);
}

uint64_t rv32_core__cycle(const struct rv32_core *core)
{
	return core_cycle(core);
}

void rv32_core__share(struct rv32_core *core, uint64_t from_cycle)
{
	core->share_from = from_cycle;
}

void rv32_core__set_icache(struct rv32_core *core, struct icache *icache, unsigned port)
{
	core->icache = icache;
	core->icache_port = port;
	core->lines_known = icache ? icache__generation(icache) : &no_generation;
	block__flush(core);
}

void rv32_core__set_code_offset(struct rv32_core *core, uint32_t offset)
{
	core->code_at = offset;
}

enum rv32_stop rv32_core__run(struct rv32_core *core, uint64_t until_cycle)
{
	enum rv32_stop stop;

	if (rv32_core__cycle(core) >= until_cycle)
		return RV32_STOP_CYCLES;
	core->limit = until_cycle;
	lines__recheck(core);
	memory__select_pages(core);
	stop = exec__run(core, NULL);
	if (core->profile)
		stats__fold(core);
	return stop;
}

void rv32_core__advance(struct rv32_core *core, uint64_t to_cycle)
{
	uint64_t now = rv32_core__cycle(core);

	if (to_cycle > now) {
		core->cycle += to_cycle - now;
		core->cycles[RV32_CYC_BLOCKED] += to_cycle - now;
	}
}

int rv32_core__in_trap(const struct rv32_core *core, uint64_t since_cycle, struct rv32_trap *out)
{
	if (!core->in_trap || core->open_trap_cycle < since_cycle)
		return 0;
	*out = core->open_trap;
	return 1;
}

struct rv32_trap rv32_core__trap(const struct rv32_core *core)
{
	return core->trap;
}

void rv32_core__flush_code(struct rv32_core *core)
{
	block__flush(core);
}

void rv32_core__set_profile(struct rv32_core *core, struct rv32_profile *profile)
{
	stats__fold(core);
	core->profile = profile;
}

const char *rv32_isa_string(void)
{
	return "rv32imac_zicsr_zifencei + Xpulp hardware loops, post-increment and register-offset memory accesses, mac, bit fields, minima, extensions and counts of one word, branches with a number";
}
