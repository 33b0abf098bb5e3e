/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_PSPIN_API_H
#define HWMODEL_PSPIN_API_H

/*
 * The description that a program of `spincc --api pspin` carries: a section of the rv32 ELF file, little-endian and aligned to 4.
 * Its start-up code (hwmodel/image/pspin/start.S) lets init_handlers() fill the entries. Anybody may have made the file: readers
 * must check each field.
 */
#define PSPIN_API_SECTION ".spin.pspin"
#define PSPIN_API_MAGIC   "SPINPSPN" /* 8 characters, no NUL */
#define PSPIN_API_VERSION 1

#ifndef __ASSEMBLER__
#include <stdint.h>

struct pspin_api_entries {
	uint32_t header, payload, completion; /* functions in program memory; 0: there is no such handler */
	uint32_t handler_mem;                 /* not used: tasks are told 0x1c300000, as by PsPIN's driver */
};

struct pspin_api {
	char magic[8];
	uint32_t version;
	uint32_t bytes;                   /* of this struct */
	uint32_t entries_at;              /* HPU address of `entries` */
	struct pspin_api_entries entries; /* zeros in the file */
};
#endif

/*
 * What PsPIN's simulation driver gives an execution context: scratchpads of this size, one in each cluster, which all messages
 * share and nobody clears.
 */
#define PSPIN_API_SCRATCHPAD_BYTES (400 * 1024)

#endif
