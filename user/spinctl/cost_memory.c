/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --memory ADDR=FILE: what is in handler memory before the first packet of a program that spincc did not make, as
 * PsPIN's driver puts it there. Called when a NIC has been opened, when its program has booted.
 */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/cost_run.h"

#define HANDLER_MEMORY       0x1c000000u
#define HANDLER_MEMORY_BYTES 0x400000u

/* A segment of the program that has a byte in there; 0: there is none. */
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

static int put(const struct cost_program *program, struct pspin *nic, const char *path, uint32_t at, const void *data, size_t bytes)
{
	GElf_Phdr segment;

	if (!bytes)
		return complain("--memory: %s is empty", path);
	if (at < HANDLER_MEMORY || at - HANDLER_MEMORY >= HANDLER_MEMORY_BYTES || bytes > HANDLER_MEMORY_BYTES - (at - HANDLER_MEMORY))
		return complain("--memory: the %zu bytes of %s do not fit at 0x%x: handler memory is 0x%x to 0x%x", bytes, path, at,
				HANDLER_MEMORY, HANDLER_MEMORY + HANDLER_MEMORY_BYTES - 1);
	if (overlaps(program, at, bytes, &segment))
		return complain("--memory: the %zu bytes of %s at 0x%x overlap the program's own segment at 0x%llx, of %llu bytes: give "
				"another address, or link the program elsewhere",
				bytes, path, at, (unsigned long long)segment.p_paddr, (unsigned long long)segment.p_memsz);
	if (pspin__write(nic, at, data, bytes))
		return complain("--memory: the target has no memory for %s at 0x%x", path, at);
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
			return complain("--memory is ADDR=FILE, with an address like 0x1c300000, not '%s'", word);
		data = cost_read_file(++path, &bytes);
		status = data ? put(program, nic, path, (uint32_t)at, data, bytes) : FAILED;
		free(data);
	}
	return status;
}
