/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_PSPIN_API_H
#define HWMODEL_PSPIN_API_H

/*
 * The description that a program of `spincc --api pspin` carries: a section of the rv32 ELF file, little-endian and aligned to 4. Included
 * by the start-up code (hwmodel/image/pspin/start.S), which lets init_handlers() fill in the entries, and by the readers: the model
 * (hwmodel/nic/image.c) and libspin. The file is not trusted: readers must check each field.
 */
#define PSPIN_API_SECTION ".spin.pspin"
#define PSPIN_API_MAGIC   "SPINPSPN" /* 8 characters, no NUL */
#define PSPIN_API_VERSION 1

#ifndef __ASSEMBLER__
#include <stdint.h>

/* What init_handlers() has filled in, as start-up code leaves it in handler memory. */
struct pspin_api_entries {
	uint32_t header, payload, completion; /* functions in program memory; 0: no such handler */
	uint32_t handler_mem;                 /* not used: every task gets 0x1c300000, as from PsPIN's driver */
};

/* The section's content. */
struct pspin_api {
	char magic[8];
	uint32_t version;
	uint32_t bytes;                   /* of this struct */
	uint32_t entries_at;              /* HPU address of `entries` */
	struct pspin_api_entries entries; /* zero in the file */
};
#endif

/*
 * Bytes of scratchpad that PsPIN's simulation driver gives an execution context: one in each cluster, shared by all messages and never
 * cleared.
 */
#define PSPIN_API_SCRATCHPAD_BYTES (400 * 1024)

#endif
