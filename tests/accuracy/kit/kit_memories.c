/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes what the modelled NIC's memories hold after boot: for each memory a file of its bytes from the first to the last page that is not
 * zero, and map.csv with their addresses. Part of `make rtl-kit`, called by kit.c. A memory without a file is all zero.
 */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/storage.h"
#include "hwmodel/target/parameters.h"
#include "tests/accuracy/kit/kit.h"

#define PAGE 4096u

/* Returns the number of bytes from *first to the end of the last non-zero page, or 0 if all are zero. */
static size_t used(const uint8_t *memory, size_t bytes, size_t *first)
{
	size_t end = 0;

	*first = bytes;
	for (size_t at = 0; at < bytes; at += PAGE) {
		size_t n = bytes - at < PAGE ? bytes - at : PAGE;

		if (!memory[at] && !memcmp(memory + at, memory + at + 1, n - 1))
			continue;
		if (*first == bytes)
			*first = at;
		end = at + n;
	}
	return end ? end - *first : 0;
}

static int write_memory(const char *directory, FILE *map, const char *what, uint64_t address, const uint8_t *memory, size_t bytes)
{
	char name[64];
	size_t first, n = used(memory, bytes, &first);
	FILE *file;

	if (!n)
		return 0;
	snprintf(name, sizeof(name), "memory/%s.bin", what);
	file = kit_create(directory, name);
	if (!file)
		return -1;
	fwrite(memory + first, 1, n, file);
	fprintf(map, "%s,0x%llx,%zu\n", name, (unsigned long long)address + first, n);
	return kit_close(file, directory, name);
}

static int read_and_write(const char *directory, FILE *map, struct pspin *nic, const char *what, uint32_t address, size_t bytes)
{
	uint8_t *memory = malloc(bytes);
	int rc = -1;

	if (memory && !pspin__read(nic, address, memory, bytes))
		rc = write_memory(directory, map, what, address, memory, bytes);
	free(memory);
	return rc;
}

static int write_host(const char *directory, FILE *map, struct pspin *nic)
{
	size_t bytes = pspin__host_bytes(nic);
	uint8_t *memory = malloc(bytes);
	int rc = -1;

	if (memory && !pspin__host_read(nic, 0, memory, bytes))
		rc = write_memory(directory, map, "host", HOST_BASE, memory, bytes);
	free(memory);
	return rc;
}

int kit_memories(const char *directory, struct pspin *nic, const struct pspin_target *target)
{
	uint32_t program, program_bytes;
	FILE *map = kit_create(directory, "map.csv");
	int rc;

	if (!map)
		return -1;
	pspin__program(nic, &program, &program_bytes);
	fprintf(map, "file,address,bytes\n");
	rc = read_and_write(directory, map, nic, "program", program, program_bytes) ||
	     read_and_write(directory, map, nic, "l2_handler", L2_HANDLER, L2_HANDLER_BYTES);
	for (unsigned c = 0; !rc && c < target->clusters; c++) {
		char what[32];
		uint32_t l1 = L1_PACKETS + (uint32_t)target->l1_packet_kib * 1024;

		/* the memory below holds stacks and packets, which the program and the NIC initialise */
		snprintf(what, sizeof(what), "l1_%u", c);
		rc = read_and_write(directory, map, nic, what, L1_GLOBAL + c * L1_STRIDE + l1, (size_t)target->l1_kib * 1024 - l1);
	}
	if (!rc)
		rc = write_host(directory, map, nic);
	return kit_close(map, directory, "map.csv") || rc ? -1 : 0;
}
