/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The machine of hpu-run: one core with ideal memory around one bare program. Loads the program into 4 GiB of address space, which the
 * host allocates on first touch, runs it, and measures the requested region. Called by hpu_run.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "hwmodel/run/machine.h"

enum {
	HALF_BYTES = 1u << 31,
	PROFILE_MAX = 64 << 20, /* bytes of code that a profile covers */
	HEAP_ALIGN = 4096,
	STACK_TOP_GAP = 64, /* argc, argv, envp, auxv: all zero */
};

static const uint32_t stack_tops[] = { 0xc0000000, 0x80000000, 0x40000000, 0xf0000000 };
static const uint32_t return_address = 0xfffffff0; /* in memory that is zero: executing it is an illegal instruction */

static char *read_file(const char *path, size_t *len, char *err, size_t err_bytes)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t room = 0, n;

	*len = 0;
	if (!f) {
		snprintf(err, err_bytes, "cannot open: %s", strerror(errno));
		return NULL;
	}
	do {
		if (*len == room) {
			char *more = realloc(data, room = room ? 2 * room : 1 << 16);

			if (!more) {
				snprintf(err, err_bytes, "out of memory");
				goto fail;
			}
			data = more;
		}
		n = fread(data + *len, 1, room - *len, f);
		*len += n;
	} while (n);
	if (ferror(f)) {
		snprintf(err, err_bytes, "cannot read: %s", strerror(errno));
		goto fail;
	}
	fclose(f);
	return data;
fail:
	free(data);
	fclose(f);
	return NULL;
}

static bool is_mapped(const struct machine *m, uint32_t addr, uint32_t bytes)
{
	struct hw_elf_segment s;

	for (unsigned i = 0; hw_elf__segment(m->elf, i, &s) == 0; i++) {
		if ((uint64_t)s.vaddr < (uint64_t)addr + bytes && addr < (uint64_t)s.vaddr + s.mem_bytes)
			return true;
	}
	return false;
}

static void load(struct machine *m)
{
	struct hw_elf_segment s;
	uint64_t end = 0;

	for (unsigned i = 0; hw_elf__segment(m->elf, i, &s) == 0; i++) {
		memcpy(m->memory + s.vaddr, s.data, s.file_bytes);
		if ((uint64_t)s.vaddr + s.mem_bytes > end)
			end = (uint64_t)s.vaddr + s.mem_bytes;
	}
	m->heap_start = (uint32_t)((end + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN);
	m->heap_now = m->heap_start;
}

/* Memory is two halves, with a hole at tohost so that stores to it reach the bus. */
static void add_windows(struct machine *m, struct rv32_config *config)
{
	uint32_t starts[4] = { 0, HALF_BYTES, 0, 0 };
	unsigned n = 1;

	if (hw_elf__symbol(m->elf, "tohost", &m->tohost, NULL) == 0 && m->tohost % 4 == 0 && m->tohost < 0xfffffff0)
		m->has_tohost = true;
	for (unsigned half = 0; half < 2; half++) {
		uint32_t at = starts[half], left = half ? UINT32_MAX - 3 - HALF_BYTES : HALF_BYTES;

		if (m->has_tohost && m->tohost - at < left) {
			config->windows[n++] =
				(struct rv32_window){ at, m->tohost - at, m->memory + at, RV32_WINDOW_DATA | RV32_WINDOW_CODE };
			left -= m->tohost + 4 - at;
			at = m->tohost + 4;
		}
		config->windows[n++] = (struct rv32_window){ at, left, m->memory + at, RV32_WINDOW_DATA | RV32_WINDOW_CODE };
	}
	config->windows[0] = config->windows[--n];
	config->window_count = n;
}

/* Handles accesses outside the core's memory windows. A store to `tohost` stops the run: it is how a program of riscv-tests reports. */
static enum rv32_bus_status access_outside(void *arg, struct rv32_bus_request *req)
{
	struct machine *m = arg;

	/* only tohost and the last word of memory are outside all windows */
	if (req->kind == RV32_STORE && m->has_tohost && req->addr - m->tohost < 4 && req->value != 0) {
		m->tohost_pending = !m->tohost_pending;
		m->tohost_value = req->value;
		if (m->tohost_pending)
			return RV32_BUS_STOP; /* when the run continues, the store is repeated and writes 0 */
		req->value = 0;
	}
	if (req->kind == RV32_STORE)
		memcpy(m->memory + req->addr, &req->value, req->size_bytes);
	else if (req->kind == RV32_LOAD)
		memcpy(&req->value, m->memory + req->addr, req->size_bytes);
	else
		return RV32_BUS_FAULT;
	return RV32_BUS_OK;
}

static bool make_profile(struct machine *m)
{
	struct hw_elf_segment s;
	uint32_t low = UINT32_MAX, high = 0;

	for (unsigned i = 0; hw_elf__segment(m->elf, i, &s) == 0; i++) {
		if (!(s.flags & HW_ELF_X))
			continue;
		low = s.vaddr < low ? s.vaddr : low;
		high = s.vaddr + s.mem_bytes - 1 > high ? s.vaddr + s.mem_bytes - 1 : high;
	}
	if (low > high)
		return true;
	m->profile.addr = low & ~1u;
	m->profile.bytes = high - m->profile.addr < PROFILE_MAX ? (high - m->profile.addr + 2) & ~1u : PROFILE_MAX;
	m->profile.instructions = calloc(m->profile.bytes / 2, sizeof(uint64_t));
	m->profile.cycles = calloc((size_t)m->profile.bytes / 2 * RV32_CAUSE_COUNT, sizeof(uint64_t));
	return m->profile.instructions && m->profile.cycles;
}

static bool make_core(struct machine *m)
{
	struct rv32_config config = { .bus = { m, access_outside }, .stop_at_self_jump = 1 };
	uint32_t top = stack_tops[0];

	add_windows(m, &config);
	m->core = rv32_core__new(&config);
	if (!m->core)
		return false;
	for (unsigned i = 0; i < sizeof(stack_tops) / sizeof(stack_tops[0]); i++) {
		top = stack_tops[i];
		if (!is_mapped(m, top - (1 << 20), 1 << 20))
			break;
	}
	rv32_core__set_reg(m->core, 1, return_address);
	rv32_core__set_reg(m->core, 2, top - STACK_TOP_GAP);
	rv32_core__set_pc(m->core, hw_elf__entry(m->elf));
	return !m->options.profile || make_profile(m);
}

struct machine *machine__open(const char *path, const struct machine_options *options, char *err, size_t err_bytes)
{
	struct machine *m = calloc(1, sizeof(*m));
	size_t len;

	if (!m) {
		snprintf(err, err_bytes, "out of memory");
		return NULL;
	}
	m->options = *options;
	m->memory = MAP_FAILED;
	m->file = read_file(path, &len, err, err_bytes);
	if (!m->file || hw_elf__open(&m->elf, m->file, len, err, err_bytes) < 0)
		goto fail;
	m->memory = mmap(NULL, (size_t)1 << 32, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->memory == MAP_FAILED) {
		snprintf(err, err_bytes, "cannot reserve 4 GiB of addresses: %s; raise ulimit -v", strerror(errno));
		goto fail;
	}
	load(m);
	if (!make_core(m)) {
		snprintf(err, err_bytes, "out of memory");
		goto fail;
	}
	return m;
fail:
	machine__close(m);
	return NULL;
}

void machine__close(struct machine *m)
{
	rv32_core__free(m->core);
	hw_elf__close(m->elf);
	if (m->memory != MAP_FAILED)
		munmap(m->memory, (size_t)1 << 32);
	free(m->profile.instructions);
	free(m->profile.cycles);
	free(m->file);
	free(m);
}

bool machine__place(const struct machine *m, const char *text, uint32_t *addr)
{
	const char *plus = strrchr(text, '+');
	unsigned long long offset = 0;
	char name[256], *end;

	*addr = 0;
	if (plus) {
		offset = strtoull(plus + 1, &end, 0);
		if (end == plus + 1 || *end)
			return false;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(plus ? plus - text : (ptrdiff_t)strlen(text)), text);
	if (hw_elf__symbol(m->elf, name, addr, NULL) < 0) {
		unsigned long long v = strtoull(name, &end, 0);

		if (end == name || *end || v > UINT32_MAX)
			return false;
		*addr = (uint32_t)v;
	}
	*addr += (uint32_t)offset;
	return !(*addr & 1);
}

const char *machine__symbol_at(const struct machine *m, uint32_t pc, uint32_t *start)
{
	return hw_elf__symbol_at(m->elf, pc, start);
}

static int compare_cycles(const void *a, const void *b)
{
	const struct machine_hot *x = a, *y = b;

	return x->cycles < y->cycles ? 1 : x->cycles > y->cycles ? -1 : x->pc > y->pc ? 1 : -1;
}

unsigned machine__hot(const struct machine *m, struct machine_hot *hot, unsigned max)
{
	const struct rv32_profile *p = &m->profile;
	unsigned n = 0;

	for (uint32_t i = 0; i < p->bytes / 2; i++) {
		struct machine_hot h = { .pc = p->addr + 2 * i, .instructions = p->instructions[i] };

		for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
			h.cycles += h.by_cause[c] = p->cycles[(size_t)i * RV32_CAUSE_COUNT + c];
		if (!h.cycles || (n == max && h.cycles <= hot[n - 1].cycles))
			continue;
		if (n < max)
			n++;
		hot[n - 1] = h;
		qsort(hot, n, sizeof(*hot), compare_cycles);
	}
	return n;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *trap_text(uint32_t cause)
{
	static const char *const texts[] = {
		[0] = "instruction address misaligned",
		[1] = "instruction access fault",
		[2] = "illegal instruction",
		[3] = "breakpoint",
		[4] = "load address misaligned",
		[5] = "load access fault",
		[6] = "store address misaligned",
		[7] = "store access fault",
	};

	return cause < sizeof(texts) / sizeof(texts[0]) ? texts[cause] : "unknown";
}

/* A trap without a handler: the program returned from its entry, or it failed. */
static void end_by_trap(struct machine *m, struct machine_result *r)
{
	struct rv32_trap t = rv32_core__trap(m->core);
	const char *name;
	uint32_t start = 0;

	if (t.pc == return_address || (t.pc == 0 && !is_mapped(m, 0, 1))) {
		r->ok = true;
		r->end = "return";
		r->has_exit_code = true;
		r->exit_code = (int32_t)rv32_core__reg(m->core, 10);
		return;
	}
	name = hw_elf__symbol_at(m->elf, t.pc, &start);
	r->end = "trap";
	snprintf(r->error, sizeof(r->error),
		 "%s at pc 0x%08" PRIx32 " (%.60s+0x%" PRIx32 "), value 0x%08" PRIx32 ", ra 0x%08" PRIx32
		 ", and no trap handler (mtvec is 0)",
		 trap_text(t.cause), t.pc, name ? name : "?", t.pc - start, t.tval, rv32_core__reg(m->core, 1));
}

/* Returns true if the run is over. */
static bool handle_stop(struct machine *m, enum rv32_stop stop, struct machine_result *r)
{
	switch (stop) {
	case RV32_STOP_ECALL:
		return syscall__do(m, r);
	case RV32_STOP_EBREAK:
		r->ok = true;
		r->end = "ebreak";
		return true;
	case RV32_STOP_WFI:
		r->ok = true;
		r->end = "wfi";
		return true;
	case RV32_STOP_HALT:
		r->ok = true;
		r->end = "jump to itself";
		return true;
	case RV32_STOP_TRAP:
		end_by_trap(m, r);
		return true;
	case RV32_STOP_BUS:
		return tohost__do(m, r);
	default:
		r->end = "cycle limit";
		snprintf(r->error, sizeof(r->error), "did not end within %" PRIu64 " cycles, pc 0x%08" PRIx32 "; raise --max-cycles",
			 m->options.max_cycles, rv32_core__pc(m->core));
		return true;
	}
}

static void subtract(struct rv32_stats *a, const struct rv32_stats *b)
{
	a->cycle -= b->cycle;
	a->instructions -= b->instructions;
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		a->cycles[c] -= b->cycles[c];
}

/* Counting for the result starts here. */
static void measure(struct machine *m, const uint32_t *to)
{
	if (m->profile.cycles)
		rv32_core__set_profile(m->core, &m->profile);
	rv32_core__set_breakpoint(m->core, to ? *to : 1);
}

void machine__run(struct machine *m, const uint32_t *from, const uint32_t *to, struct machine_result *r)
{
	bool measuring = !from || *from == rv32_core__pc(m->core), over = false;
	struct rv32_stats begin = { 0 }, end;
	double started = seconds();

	memset(r, 0, sizeof(*r));
	if (measuring)
		measure(m, to);
	else
		rv32_core__set_breakpoint(m->core, *from);
	while (!over) {
		enum rv32_stop stop = rv32_core__run(m->core, m->options.max_cycles);

		if (stop != RV32_STOP_PC) {
			over = handle_stop(m, stop, r);
		} else if (measuring) {
			r->ok = true;
			r->end = "--to reached";
			over = true;
		} else {
			measuring = true;
			rv32_core__stats(m->core, &begin);
			measure(m, to);
		}
	}
	r->wall_s = seconds() - started;
	rv32_core__stats(m->core, &end);
	r->total_instructions = end.instructions;
	r->stats = end;
	subtract(&r->stats, &begin);
	if (r->ok && (!measuring || (to && strcmp(r->end, "--to reached") != 0))) {
		r->ok = false;
		snprintf(r->error, sizeof(r->error), "ended (%s) before it reached %s", r->end, measuring ? "--to" : "--from");
	}
}
