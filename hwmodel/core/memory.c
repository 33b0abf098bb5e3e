/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The simulated core's memory accesses off the fast path of exec.c, which calls them: misaligned accesses, atomics, windows (memory that is
 * accessed without the bus) smaller than a page, the bus. Each adds the cycles that the access waits to core->cycle. An access that the bus
 * stops (RV32_BUS_STOP) has no effect and is repeated later.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hwmodel/core/state.h"
#include "hwmodel/core/max.h"

/* Returns the host address of `bytes` bytes at addr in a window that has all `flags` and none of `without`; NULL if there is none. */
static uint8_t *window_at(const struct rv32_core *core, uint32_t addr, unsigned bytes, unsigned flags, unsigned without)
{
	for (unsigned i = 0; i < core->window_count; i++) {
		const struct rv32_window *w = &core->windows[i];
		uint32_t offset = addr - w->addr;

		if (offset < w->bytes && w->bytes - offset >= bytes && (w->flags & flags) == flags && !(w->flags & without))
			return w->mem + offset;
	}
	return NULL;
}

bool memory__fetch(const struct rv32_core *core, uint32_t pc, uint16_t *half)
{
	const uint8_t *mem = window_at(core, pc, 2, RV32_WINDOW_CODE, 0);

	if (!mem)
		return false;
	memcpy(half, mem, 2);
	return true;
}

/*
 * Subtracts the cycles of the next instruction that pass while this access takes longer than one cycle. `before`: core->cycle at its
 * begin; `second`: cycles that the second word of a misaligned access waits. A waiting access has not been granted (core_demux.sv: an
 * L2 access is granted with its answer), so it stays in the execute stage. An instruction that is late for the decode stage does not
 * come earlier.
 */
static void overlap(struct rv32_core *core, const struct op *op, uint64_t before, uint64_t second)
{
	const struct op_info *info = op_info(op);
	uint64_t hidden = min_u64(info->hidden, core->cycle - before) + min_u64(info->hidden_second, second);

	if (hidden)
		stats__dynamic(core, op, RV32_CYC_JUMP, -(int64_t)hidden);
}

/* Performs an access on the bus at the time of its instruction, and charges the cycles that it waits. */
static enum rv32_bus_status bus_request(struct rv32_core *core, const struct op *op, struct rv32_bus_request *req)
{
	enum rv32_bus_status status;

	if (!core->bus.access)
		return RV32_BUS_FAULT;
	req->cycle += core->cycle + op_info(op)->issue;
	req->pc = op_info(op)->pc;
	req->user_mode = core->user_mode;
	req->wait_cause = req->in_window ? RV32_CYC_L1 : RV32_CYC_MEMORY;
	status = core->bus.access(core->bus.arg, req);
	if (status != RV32_BUS_OK)
		return status;
	stats__dynamic(core, op, req->wait_cause, (int64_t)req->wait_cycles + (op_info(op)->next_reads ? req->use_cycles : 0));
	memory__select_pages(core);
	return RV32_BUS_OK;
}

/* Returns the host address of addr from the page tables; NULL if the page is not wholly in one window. */
static uint8_t *page_at(const struct rv32_core *core, enum rv32_access kind, uint32_t addr)
{
	const struct pages *pages = &core->page[0];
	uintptr_t host = (kind == RV32_STORE ? pages->write : pages->read)[addr >> RV32_PAGE_SHIFT];

	return host ? (uint8_t *)(host + addr) : NULL;
}

static bool is_timed(const struct rv32_core *core, uint32_t addr)
{
	for (unsigned i = 0; i < core->window_count; i++) {
		const struct rv32_window *w = &core->windows[i];

		if ((w->flags & RV32_WINDOW_DATA) && addr - w->addr < w->bytes)
			return w->flags & RV32_WINDOW_TIMED;
	}
	return false;
}

/* Waits on the bus until a shared window's word may be used. The core moves the data itself. */
static enum rv32_bus_status request_grant(struct rv32_core *core, const struct op *op, enum rv32_access kind, uint32_t addr, unsigned size,
					  unsigned late)
{
	struct rv32_bus_request req = {
		.cycle = late,
		.addr = addr,
		.kind = kind,
		.size_bytes = (uint8_t)size,
		.in_window = 1,
	};

	return bus_request(core, op, &req);
}

/* Accesses bytes inside one word of a window. *found is false if no window holds them. */
static enum rv32_bus_status window_access(struct rv32_core *core, const struct op *op, enum rv32_access kind, uint32_t addr, unsigned size,
					  unsigned late, uint32_t *value, bool *found)
{
	bool store = kind == RV32_STORE, timed;
	uint8_t *mem = page_at(core, kind, addr);

	if (mem) {
		timed = core->shared && !core->page[1].read[addr >> RV32_PAGE_SHIFT];
	} else {
		mem = window_at(core, addr, size, RV32_WINDOW_DATA, store ? RV32_WINDOW_READONLY : 0);
		timed = mem && core->shared && is_timed(core, addr);
	}
	*found = mem != NULL;
	if (!mem)
		return RV32_BUS_OK;
	if (timed) {
		enum rv32_bus_status status = request_grant(core, op, kind, addr, size, late);

		if (status != RV32_BUS_OK)
			return status;
	}
	if (store)
		memcpy(mem, value, size);
	else
		memcpy(value, mem, size);
	return RV32_BUS_OK;
}

/* Accesses 1, 2 or 4 bytes inside one word. */
static enum rv32_bus_status word_access(struct rv32_core *core, const struct op *op, enum rv32_access kind, uint32_t addr, unsigned size,
					unsigned late, uint32_t *value)
{
	struct rv32_bus_request req = { .cycle = late, .addr = addr, .kind = kind, .size_bytes = (uint8_t)size, .value = *value };
	enum rv32_bus_status status;
	bool found;

	status = window_access(core, op, kind, addr, size, late, value, &found);
	if (found)
		return status;
	status = bus_request(core, op, &req);
	if (status == RV32_BUS_OK && kind != RV32_STORE)
		*value = req.value;
	return status;
}

/*
 * Accesses up to *bytes at addr, inside one word, and stores the bytes done. A window takes any count; the bus never 3, and 2 only at
 * even addresses.
 */
static enum rv32_bus_status partial_access(struct rv32_core *core, const struct op *op, enum rv32_access kind, uint32_t addr,
					   unsigned *bytes, unsigned late, uint32_t *value)
{
	enum rv32_bus_status status;
	bool found;

	status = window_access(core, op, kind, addr, *bytes, late, value, &found);
	if (found)
		return status;
	if (*bytes == 3 || (*bytes == 2 && (addr & 1)))
		*bytes = addr & 1 ? 1 : 2;
	return word_access(core, op, kind, addr, *bytes, late, value);
}

/* An access that crosses a word boundary: each word is accessed on its own, the second a cycle later. */
static enum rv32_bus_status split_access(struct rv32_core *core, const struct op *op, enum rv32_access kind, uint32_t addr, unsigned size,
					 uint32_t *value)
{
	unsigned first = 4 - (addr & 3), done = core->split.done_bytes, bytes;
	uint32_t result = done ? core->split.value : 0;

	if (!done)
		core->split.before = core->cycle;
	for (; done < size; done += bytes) {
		uint32_t v = kind == RV32_STORE ? *value >> (8 * done) : 0;
		enum rv32_bus_status status;

		if (done <= first)
			core->split.second = core->cycle;
		bytes = done < first ? first - done : size - done;
		status = partial_access(core, op, kind, addr + done, &bytes, done < first ? 0 : TIMING_MISALIGNED_EXTRA, &v);
		core->split.done_bytes = status == RV32_BUS_STOP ? done : 0;
		core->split.value = result;
		if (status != RV32_BUS_OK)
			return status;
		result |= (v & ((1u << (8 * bytes)) - 1)) << (8 * done);
	}
	*value = result;
	stats__dynamic(core, op, RV32_CYC_MISALIGNED, TIMING_MISALIGNED_EXTRA);
	return RV32_BUS_OK;
}

/* A misaligned access that crosses a word becomes two. */
static enum rv32_bus_status access_memory(struct rv32_core *core, const struct op *op, enum rv32_access kind, uint32_t addr, unsigned size,
					  uint32_t *value)
{
	uint64_t before = core->cycle, second = 0;
	enum rv32_bus_status status;

	if ((addr & 3) + size > 4) {
		status = split_access(core, op, kind, addr, size, value);
		before = core->split.before;
		second = core->cycle - core->split.second - TIMING_MISALIGNED_EXTRA;
	} else {
		status = word_access(core, op, kind, addr, size, 0, value);
	}
	if (status == RV32_BUS_OK)
		overlap(core, op, before, second);
	return status;
}

enum rv32_bus_status memory__load(struct rv32_core *core, const struct op *op, uint32_t addr, unsigned size, uint32_t *value)
{
	*value = 0;
	return access_memory(core, op, RV32_LOAD, addr, size, value);
}

enum rv32_bus_status memory__store(struct rv32_core *core, const struct op *op, uint32_t addr, unsigned size, uint32_t value)
{
	if (size == 2 && (addr & 3) == 3 && core->half_across_is_word)
		size = 4;
	return access_memory(core, op, RV32_STORE, addr, size, &value);
}

/* Returns what an AMO stores. funct5: its operation, as encoded. */
static uint32_t amo_result(unsigned funct5, uint32_t old, uint32_t value)
{
	switch (funct5) {
	case 0:
		return old + value;
	case 1:
		return value;
	case 4:
		return old ^ value;
	case 8:
		return old | value;
	case 12:
		return old & value;
	case 16:
		return (int32_t)old < (int32_t)value ? old : value;
	case 20:
		return (int32_t)old > (int32_t)value ? old : value;
	case 24:
		return old < value ? old : value;
	default:
		return old > value ? old : value;
	}
}

/* Executes an LR, SC or AMO on memory that the core accesses without its bus, and notes until when the bank is occupied. */
static int atomic_in_window(struct rv32_core *core, const struct op *op, enum rv32_access kind, unsigned funct5, uint32_t addr,
			    uint32_t value, uint32_t *old, uint8_t *mem)
{
	bool done = core->reserved && core->reserved_addr == addr;
	uint32_t word;

	memcpy(&word, mem, 4);
	core->amo_bank = (int)((addr >> 2) % core->l1_banks);
	core->amo_by_bus = core->shared;
	core->amo_until = core->cycle + op_info(op)->issue + core->l1_amo_cycles;
	switch (kind) {
	case RV32_LR:
		core->reserved = 1;
		core->reserved_addr = addr;
		core->amo_bank = -1;
		break;
	case RV32_SC:
		core->reserved = 0;
		if (done)
			memcpy(mem, &value, 4);
		word = !done;
		core->amo_bank = -1;
		break;
	default:
		value = amo_result(funct5, word, value);
		memcpy(mem, &value, 4);
	}
	*old = word;
	return 0;
}

int memory__atomic(struct rv32_core *core, const struct op *op, enum rv32_access kind, unsigned funct5, uint32_t addr, uint32_t value,
		   uint32_t *old)
{
	bool reserve = kind == RV32_LR || kind == RV32_SC;
	int fault = -1 - (kind == RV32_LR ? RV32_TRAP_LOAD_FAULT : RV32_TRAP_STORE_FAULT);
	struct rv32_bus_request req = { .addr = addr, .kind = kind, .size_bytes = 4, .amo = (uint8_t)funct5, .value = value };
	unsigned without = kind == RV32_LR ? 0 : RV32_WINDOW_READONLY;
	uint64_t before = core->cycle;
	uint8_t *mem;

	core->amo_bank = -1;
	if (addr & 3)
		return -1 - (kind == RV32_LR ? RV32_TRAP_LOAD_ODD : RV32_TRAP_STORE_ODD);
	mem = window_at(core, addr, 4, RV32_WINDOW_DATA, without | (reserve ? RV32_WINDOW_NO_LRSC : 0));
	if (mem && core->shared && is_timed(core, addr)) {
		enum rv32_bus_status status = request_grant(core, op, kind, addr, 4, 0);

		if (status != RV32_BUS_OK)
			return status == RV32_BUS_STOP ? 1 : fault;
		overlap(core, op, before, 0);
	}
	if (mem)
		return atomic_in_window(core, op, kind, funct5, addr, value, old, mem);
	if (window_at(core, addr, 4, RV32_WINDOW_DATA, 0))
		return fault;
	switch (bus_request(core, op, &req)) {
	case RV32_BUS_OK:
		*old = req.value;
		overlap(core, op, before, 0);
		return 0;
	case RV32_BUS_STOP:
		return 1;
	default:
		return fault;
	}
}

void memory__amo_check(struct rv32_core *core, const struct op *op, uint32_t addr)
{
	const struct op *access = op + 1; /* the instruction that this op precedes */
	uint64_t at = core->cycle + op_info(access)->issue;

	if (core->amo_bank >= 0 && at < core->amo_until && !(core->shared && core->amo_by_bus) &&
	    (unsigned)core->amo_bank == (addr >> 2) % core->l1_banks && window_at(core, addr, 1, RV32_WINDOW_DATA, 0)) {
		uint64_t before = core->cycle;

		stats__dynamic(core, access, RV32_CYC_L1, (int64_t)(core->amo_until - at));
		overlap(core, access, before, 0);
	}
	core->amo_bank = -1;
}

void memory__select_pages(struct rv32_core *core)
{
	uint64_t early = core->share_from > RV32_SHARE_EARLY ? core->share_from - RV32_SHARE_EARLY : 0;

	core->shared = core->cycle >= early;
	core->pages = core->page[core->shared];
	core->until = core->shared || core->limit < early ? core->limit : early;
}

#define TABLE_BYTES (RV32_PAGES * sizeof(uintptr_t))

int memory__map(struct rv32_core *core)
{
	/* Not calloc(), which may clear all of it. Of a mapping only the few pages that are touched cost memory. */
	uintptr_t *tables = mmap(NULL, 4 * TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (tables == MAP_FAILED)
		return -ENOMEM;
		/* With transparent huge pages always on (Debian) each page touched would take 2 MiB: 30 times the memory. */
#ifdef MADV_NOHUGEPAGE
	(void)madvise(tables, 4 * TABLE_BYTES, MADV_NOHUGEPAGE);
#endif
	for (unsigned p = 0; p < 2; p++) {
		core->page[p].read = tables + 2 * p * RV32_PAGES;
		core->page[p].write = tables + (2 * p + 1) * RV32_PAGES;
	}
	core->pages = core->page[0];
	for (unsigned i = core->window_count; i-- > 0;) { /* the first window of an address wins */
		const struct rv32_window *w = &core->windows[i];
		uint64_t page = ((uint64_t)w->addr + (1u << RV32_PAGE_SHIFT) - 1) >> RV32_PAGE_SHIFT;
		uint64_t end = ((uint64_t)w->addr + w->bytes) >> RV32_PAGE_SHIFT;

		if (!(w->flags & RV32_WINDOW_DATA))
			continue;
		for (; page < end; page++) {
			uintptr_t host = (uintptr_t)w->mem - w->addr, write = w->flags & RV32_WINDOW_READONLY ? 0 : host;
			bool timed = w->flags & RV32_WINDOW_TIMED;

			core->page[0].read[page] = host;
			core->page[0].write[page] = write;
			core->page[1].read[page] = timed ? 0 : host;
			core->page[1].write[page] = timed ? 0 : write;
		}
	}
	return 0;
}

void memory__unmap(struct rv32_core *core)
{
	if (core->page[0].read)
		munmap(core->page[0].read, 4 * TABLE_BYTES);
}
