/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes program memory and L2 handler memory in the files that PsPIN's Verilator model reads before reset ($readmemh in its
 * pspin_verilator.sv): 64-bit words. Handler memory is split into 32 cuts with interleaved words. Part of `make rtl-kit`, called by kit.c.
 */
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/storage.h"
#include "tests/accuracy/kit/kit.h"

#define WORD_BYTES 8u
#define CUTS       32u

/* Writes one word file. Each cut must have a file with at least one word, since the Verilator model reads all of them. */
static int write_words(const char *directory, const char *name, const uint8_t *memory, size_t bytes, size_t step)
{
	FILE *file = kit_create(directory, name);
	unsigned row = 0;

	if (!file)
		return -1;
	for (size_t at = 0; at + WORD_BYTES <= bytes; at += step, row++) {
		uint64_t word;

		memcpy(&word, memory + at, sizeof(word));
		if (word || !row)
			fprintf(file, "@%08X %016llX\n", row, (unsigned long long)word);
	}
	return kit_close(file, directory, name);
}

static int write_program(const char *directory, struct pspin *nic)
{
	static uint8_t memory[PROGRAM_BYTES];
	uint32_t program, bytes;

	memset(memory, 0, sizeof(memory));
	pspin__program(nic, &program, &bytes);
	if (program != PROGRAM || bytes > sizeof(memory) || pspin__read(nic, program, memory, bytes))
		return -1;
	return write_words(directory, "slm/prog_mem_stim.slm", memory, sizeof(memory), WORD_BYTES);
}

/* Copies the state from L1 to the L2 address from which the boot code copies it to L1. */
static int copy_state(struct pspin *nic, uint8_t *l2)
{
	uint32_t start, end, load;

	if (pspin__symbol(nic, "spin_state_start_", &start, NULL) || pspin__symbol(nic, "spin_state_end_", &end, NULL) ||
	    pspin__symbol(nic, "spin_state_load_", &load, NULL))
		return -1;
	if (load - L2_HANDLER > L2_HANDLER_BYTES || end - start > L2_HANDLER_BYTES - (load - L2_HANDLER))
		return -1;
	return pspin__read(nic, start, l2 + (load - L2_HANDLER), end - start);
}

int kit_slm(const char *directory, struct pspin *nic)
{
	uint8_t *l2 = malloc(L2_HANDLER_BYTES);
	int rc = -1;

	if (l2 && !pspin__read(nic, L2_HANDLER, l2, L2_HANDLER_BYTES) && !copy_state(nic, l2))
		rc = write_program(directory, nic);
	for (unsigned cut = 0; !rc && cut < CUTS; cut++) {
		char name[32];

		snprintf(name, sizeof(name), "slm/l2_hnd_0_%u.slm", cut);
		rc = write_words(directory, name, l2 + cut * WORD_BYTES, L2_HANDLER_BYTES - cut * WORD_BYTES, CUTS * WORD_BYTES);
	}
	free(l2);
	if (rc)
		fprintf(stderr, "rtl-kit: %s/slm: the NIC's memories do not say\n", directory);
	return rc;
}
