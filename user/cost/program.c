/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Creates modelled NICs that run the measured program, fills their memory as the options say (--set, --insert and others), and describes
 * the program for the report. Called by the passes (measure.c), profile.c and contexts.c.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/run.h"
#include "user/lib/printable.h"
#include "user/libspin/internal.h"
#include "user/tool/fill.h"
#include "user/tool/error.h"
#include "user/tool/read_file.h"

/* Opens the program on a new NIC, or as one more context of `nic`. */
static int open_object(const struct cost_program *program, struct pspin *nic, struct pspin **out)
{
	const struct spin_meta *meta = program->meta ? program->meta : spin_object__meta(program->object);
	/* all of host memory, so that no message is truncated and handlers can reach it */
	const struct spin_segment all = { 0, SPIN_HOST_BYTES_MAX };
	const struct pspin_limits limits = {
		.host_bytes = SPIN_HOST_BYTES_MAX, .handler_mem = &all, .handler_segments = 1, .watchdog_cycles = program->watchdog
	};
	char reason[512] = "";
	int rc;

	if (!program->elf)
		return report_error("%s has no rv32 image: make it with spincc", program->path);
	if (nic)
		rc = pspin__join(out, nic, meta, program->elf, program->elf_bytes, program->rule, reason, sizeof(reason));
	else
		rc = pspin__open(out, program->target, meta, program->elf, program->elf_bytes, program->rule, reason, sizeof(reason));
	if (rc)
		return report_error("the model cannot run the image of %s: %s", program->path, reason);
	return pspin__limit(*out, &limits) ? report_error("no memory") : DONE;
}

static int open_image(const struct cost_program *program, struct pspin **out)
{
	struct pspin_image image = program->image;
	char reason[1024] = "";

	image.watchdog_cycles = program->watchdog;
	if (!pspin__open_image(out, program->target, &image, reason, sizeof(reason)))
		return DONE;
	return report_error("the model cannot run %s: %s", program->path, reason[0] ? reason : "no PsPIN program");
}

static int fill(const struct cost_program *program, struct pspin *nic)
{
	struct model_memory *memory = model_memory__new(nic, program->object);
	struct fill_target target;
	int status;

	if (!memory)
		return report_error("no memory");
	target = model_memory__target(memory);
	status = fill__apply(program->fill, &target);
	if (!status)
		status = model_memory__flush(memory);
	model_memory__free(memory);
	return status;
}

int cost_program__open(const struct cost_program *program, struct pspin **out)
{
	int status;

	*out = NULL;
	status = program->object ? open_object(program, NULL, out) : open_image(program, out);
	if (!status)
		status = program->object ? fill(program, *out) : cost_memory__fill(program, *out);
	if (status) {
		pspin__close(*out);
		*out = NULL;
	}
	return status;
}

int cost_program__join(const struct cost_program *program, struct pspin *nic, struct pspin **out)
{
	int status;

	*out = NULL;
	status = open_object(program, nic, out);
	return status ? status : fill(program, *out);
}

void cost_program__describe(const struct cost_program *program, struct cost_report *r)
{
	const char *slash = strrchr(program->path, '/');
	uint64_t clusters = 0, hpus = 0;

	r->is_image = !program->object;
	r->handler = program->object ? spin_object__meta(program->object)->name : slash ? slash + 1 : program->path;
	r->takes_messages = !program->object || spin_object__meta(program->object)->registration.delivery == SPIN_DELIVER_ME;
	r->takes_segments = program->object && spin_object__meta(program->object)->registration.delivery == SPIN_DELIVER_SEGMENTS;
	r->target = pspin_target__name(program->target);
	r->clock_ghz = pspin_target__clock_ghz(program->target);
	r->cycle_ps = pspin_target__cycle_ps(program->target);
	r->runtime_cycles = pspin_target__runtime_cycles(program->target);
	pspin_target__get(program->target, "clusters", &clusters);
	pspin_target__get(program->target, "hpus", &hpus);
	pspin_target__get(program->target, "power_mw", &r->power_mw);
	r->hpus = (unsigned)(clusters * hpus);
	r->isa = rv32_isa_string();
	r->assumptions = pspin__assumptions();
	spin_rule__format(program->rule, r->rule, sizeof(r->rule));
	cost_compiler(program->elf, program->elf_bytes, r->compiler, sizeof(r->compiler));
}

const char *cost_packets__name(const struct cost_report *r)
{
	return r->takes_messages ? "messages" : r->takes_segments ? "connections" : "datagrams";
}

void cost_packets__describe(const struct cost_report *r, char *text, size_t bytes)
{
	const struct cost_generated *made = &r->made;

	if (r->takes_messages || r->takes_segments)
		snprintf(text, bytes, "%u %s made, of %u packets with %u bytes of payload", made->messages, cost_packets__name(r),
			 made->packets, made->payload_bytes);
	else
		snprintf(text, bytes, "%u datagrams made, with %u bytes of payload", made->messages, made->payload_bytes);
}

int cost_packets__may_repeat(const struct cost_report *r)
{
	return !r->trace || r->is_image || !(r->takes_messages || r->takes_segments);
}

/* Reads DW_AT_producer of a C unit: assembler units do not name the compiler. */
void cost_compiler(const void *image, size_t bytes, char *out, size_t out_bytes)
{
	Dwarf_CU *cu = NULL;
	Dwarf *dwarf;
	Dwarf_Die unit;
	Elf *elf;

	snprintf(out, out_bytes, "unknown");
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, bytes);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		Dwarf_Attribute attribute;
		const char *producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &attribute));

		if (dwarf_srclang(&unit) != DW_LANG_Mips_Assembler && producer)
			snprintf(out, out_bytes, "%s", producer);
	}
	replace_terminal_controls(out); /* the file may be a stranger's */
	if (dwarf)
		dwarf_end(dwarf);
	elf_end(elf);
}

/*
 * --memory ADDR=FILE: contents of handler memory before the first packet, for a program that spincc did not make. Written after the
 * program has booted, as PsPIN's driver does.
 */

#define HANDLER_MEMORY       0x1c000000u /* PsPIN's L2 handler memory: 4 MiB at this address of the HPUs */
#define HANDLER_MEMORY_BYTES 0x400000u

/* Returns 1 and a segment of the program that overlaps the range, or 0. */
static int overlaps(const struct cost_program *program, uint32_t at, size_t bytes, GElf_Phdr *segment)
{
	Elf *elf;
	size_t count = 0;
	int found = 0;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)program->elf, program->elf_bytes);
	if (elf && elf_getphdrnum(elf, &count))
		count = 0;
	for (size_t i = 0; i < count && !found; i++)
		found = gelf_getphdr(elf, (int)i, segment) && segment->p_type == PT_LOAD && segment->p_memsz &&
			segment->p_paddr < (uint64_t)at + bytes && at < segment->p_paddr + segment->p_memsz;
	elf_end(elf);
	return found;
}

static int write_memory(const struct cost_program *program, struct pspin *nic, const char *path, uint32_t at, const void *data,
			size_t bytes)
{
	GElf_Phdr segment;

	if (!bytes)
		return report_error("--memory: %s is empty", path);
	if (at < HANDLER_MEMORY || at - HANDLER_MEMORY >= HANDLER_MEMORY_BYTES || bytes > HANDLER_MEMORY_BYTES - (at - HANDLER_MEMORY))
		return report_error("--memory: the %zu bytes of %s do not fit at 0x%x: handler memory is 0x%x to 0x%x", bytes, path, at,
				    HANDLER_MEMORY, HANDLER_MEMORY + HANDLER_MEMORY_BYTES - 1);
	if (overlaps(program, at, bytes, &segment))
		return report_error(
			"--memory: the %zu bytes of %s at 0x%x overlap the program's own segment at 0x%llx, of %llu bytes: give "
			"another address, or link the program elsewhere",
			bytes, path, at, (unsigned long long)segment.p_paddr, (unsigned long long)segment.p_memsz);
	if (pspin__write(nic, at, data, bytes))
		return report_error("--memory: the target has no memory for %s at 0x%x", path, at);
	return DONE;
}

int cost_memory__fill(const struct cost_program *program, struct pspin *nic)
{
	int status = DONE;

	for (unsigned i = 0; i < program->memory->count && !status; i++) {
		const char *word = program->memory->items[i];
		char *path;
		unsigned long at;
		size_t bytes;
		void *data;

		errno = 0;
		at = strtoul(word, &path, 0);
		if (errno || path == word || *path != '=' || !path[1] || at > UINT32_MAX)
			return report_error("--memory is ADDR=FILE, with an address like 0x1c300000, not '%s'", word);
		data = read_file(++path, &bytes);
		status = data ? write_memory(program, nic, path, (uint32_t)at, data, bytes) : FAILED;
		free(data);
	}
	return status;
}

/* Reports a task that trapped, did not end or issued an invalid command: figures of such a run would be meaningless. */
int cost_fault(const struct cost_program *program, const struct pspin_task_record *record)
{
	static const struct {
		uint32_t error;
		const char *text;
	} texts[] = {
		{ 0, "an instruction at an odd address" },
		{ 1, "a jump to where no instructions are" },
		{ 2, "an illegal instruction" },
		{ 3, "ebreak" },
		{ 4, "a misaligned load" },
		{ 5, "a load from where it may not" },
		{ 6, "a misaligned store, AMO or LR/SC" },
		{ 7, "a store, AMO or LR/SC to where it may not" },
		{ 8, "ecall" },
		{ PSPIN_ERROR_WATCHDOG, "no end: the watchdog stopped it" },
		{ PSPIN_ERROR_CYCLES, "more cycles for each byte of payload than the target's max_cycles_per_byte" },
		{ PSPIN_ERROR_COMMAND, "a command for memory that is not there" },
	};
	const struct pspin_task *task = record->task;
	const char *what = "an exception";
	char place[512], address[64] = "", cause[32] = "";

	if (!task->error || (task->error >= PSPIN_ERROR_FAIL && task->error <= PSPIN_ERROR_OVERRUN))
		return DONE;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].error == task->error)
			what = texts[i].text;
	if (task->error == 5 && task->error_tval == PSPIN_DMA_LAUNCH)
		what = "a transfer of the cluster's DMA from or to where it may not: the own L1, where stack and memory of clusters are, has "
		       "another address there";
	cost_place(program, task->error_pc, place, sizeof(place));
	if (task->error < PSPIN_ERROR_FAIL)
		snprintf(cause, sizeof(cause), " (mcause %" PRIu32 ")", task->error);
	if (task->error >= 4 && task->error <= 7)
		snprintf(address, sizeof(address), ", address 0x%08" PRIx32, task->error_tval);
	return report_error("packet %" PRIu64 ", %s handler: %s%s%s%s%s", record->packet + 1, cost_task_name(task->kind), what, cause,
			    place[0] ? " at " : "", place, address);
}
