/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Start-up of a program of `spincc --api pspin`, handlers written for PsPIN's own runtime; spincc links it: boot.S, with a hook in which
 * the first of all HPUs (the NIC's cores) calls init_handlers() in machine mode on its own stack, as PsPIN's own runtime does.
 */
#include "hwmodel/include/hwmodel/registers.h"
#include <hwmodel/pspin_api.h>

	.macro	start_handlers
	li	sp, L1_OWN + L1_STACKS + L1_STACK_BYTES - L1_ARGS_BYTES
	la	a0, pspin_entries_
	addi	a1, a0, 4
	addi	a2, a0, 8
	addi	a3, a0, 12
	call	init_handlers
	csrr	a5, mhartid
	li	t1, EVENT_UNIT
	.endm
#define HPU_INIT start_handlers

#include "hwmodel/image/boot.S"

	.section PSPIN_API_SECTION, "aw"
	.balign	4
	.type	pspin_api_, @object
pspin_api_:
	.ascii	PSPIN_API_MAGIC
	.word	PSPIN_API_VERSION
	.word	pspin_api_end_ - pspin_api_
	.word	pspin_entries_
pspin_entries_:
	.zero	16
pspin_api_end_:
	.size	pspin_api_, . - pspin_api_
