/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_RUN_INTERNAL_H
#define HWMODEL_RUN_INTERNAL_H

/* State of hpu-run's machine, shared by machine.c and syscall.c. */
#include <hwmodel/elf.h>
#include "hwmodel/run/machine.h"

struct machine {
	struct machine_options options;
	char *file;
	struct hw_elf *elf;
	uint8_t *memory; /* 4 GiB, by guest address */
	struct rv32_core *core;
	struct rv32_profile profile;
	uint32_t heap_start, heap_now;
	uint32_t tohost;
	bool has_tohost, tohost_pending;
	uint32_t tohost_value; /* just stored */
};

/* Answers the ecall the core stopped at, or the store to tohost; true when the program has ended. */
bool syscall__do(struct machine *machine, struct machine_result *result);
bool tohost__do(struct machine *machine, struct machine_result *result);

#endif
