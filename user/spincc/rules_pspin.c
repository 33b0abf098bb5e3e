/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What messages of gcc for rv32, its assembler and linker mean to the author of a file for PsPIN's own runtime (spincc --api pspin). Used
 * by explain.c. Messages without a rule keep gcc's words.
 */
#include <stddef.h>

#include "user/spincc/rules.h"

#define NO_CALL      "there is no function @ in PsPIN's runtime as it is here: spin-pspin(7) lists its calls; define it, or call one of those"
#define OF_HANDLER_H "@ is of PsPIN's runtime: write #include <handler.h> in front of it"
#define OF_PACKETS_H "@ is of PsPIN's packet headers: write #include <packets.h> in front of it"
#define SECTIONS                                                                                                                         \
	"there is no place for it: .l2_handler_data is in L2, 1 MiB; .data_tiny_l1 in each cluster's L1, 8 KiB; without an attribute a " \
	"variable is in L2, 64 KiB in all"

/* clang-format off */
/* { text in the tool's message, what spincc prints for it, flags }; @: the name in quotes. The first row that matches applies. */
const struct rule rules_pspin[] = {
	{ "spin/spin.h: No such file",
	  "<spin/spin.h> is the other API; compile the file without --api pspin, or include <handler.h> in place of it", RULE_LAST },
	{ "handler_profiler.h: No such file",
	  "this header is of PsPIN's builds for a host; compile without -DHOST, for the HPU", RULE_LAST },
	{ "spin_host.h: No such file",
	  "spin_host.h is of FPsPIN's runtime, which has packets and host calls of its own; --api pspin is for files of PsPIN's", RULE_LAST },
	{ "No such file or directory",
	  "this header is not there; PsPIN's that are: handler.h, packets.h, spin_conf.h, spin_dma.h, pspin.h, pspin_rt.h, hwsched.h, "
	  "util.h, hal/pulp.h, stdio.h, stdlib.h, string.h, assert.h; name the directory of your own with -I", RULE_LAST },

	{ "implicit declaration of function 'spin__public_", "@ is not offered: an HPU reaches the DMA engine of its own cluster alone, with "
	  "spin_dma()", 0 },
	{ "implicit declaration of function", NO_CALL, 0 },
	{ "unknown type name 'handler_args_t'", OF_HANDLER_H, RULE_LAST },
	{ "unknown type name 'handler_fn'", OF_HANDLER_H, RULE_LAST },
	{ "unknown type name 'task_t'", OF_HANDLER_H, RULE_LAST },
	{ "unknown type name '__handler__'", OF_HANDLER_H, RULE_LAST },
	{ "unknown type name 'spin_", OF_HANDLER_H, RULE_LAST },
	{ "unknown type name 'ip_hdr_t'", OF_PACKETS_H, RULE_LAST },
	{ "unknown type name 'udp_hdr_t'", OF_PACKETS_H, RULE_LAST },
	{ "unknown type name 'pkt_hdr_t'", OF_PACKETS_H, RULE_LAST },
	{ "conflicting types for 'init_handlers'",
	  "init_handlers has another signature; write void init_handlers(handler_fn *hh, handler_fn *ph, handler_fn *th, void **handler_mem)",
	  RULE_LAST },
	{ "stack usage is ", "this function takes more than 896 bytes of stack; an HPU has 1 KiB: keep large variables in a scratchpad or in "
	  ".l2_handler_data", RULE_LAST },

	{ "multiple definition of", "@ is defined a second time, and PsPIN's runtime has it; call it something else", RULE_LAST },
	{ "undefined reference to", "@ is declared and nowhere defined: spin-pspin(7) lists what PsPIN's runtime has here", RULE_IN_SOURCE },
	{ "ld returned", NULL, RULE_SILENT },
	{ "Error: unrecognized opcode", "@ is not an instruction that is known here: HPUs are rv32imac; PsPIN's compiler knows Xpulp's, too", 0 },
	{ "Error: ", "inline assembly that the assembler refuses: HPUs are rv32imac; PsPIN's compiler knows Xpulp's instructions, too", 0 },
	{ "unplaced orphan section `", "section @: " SECTIONS, RULE_IN_SOURCE | RULE_LAST },
	{ "pspin: the code exceeds", "the handlers are too large for an HPU's 32 KiB of program memory; repeat less of the code, or try "
	  "--hpu-flag=-Os", RULE_AT_END | RULE_LAST },
	{ "pspin: constants and variables exceed",
	  "constants and variables take more than the 64 KiB of L2 that PsPIN's memory protection opens to handlers; give large ones "
	  "__attribute__((section(\".l2_handler_data\")))", RULE_AT_END | RULE_LAST },
	{ "pspin: .l2_handler_data exceeds", "variables in .l2_handler_data take more than its 1 MiB", RULE_AT_END | RULE_LAST },
	{ "pspin: .data_tiny_l1 exceeds",
	  "variables in .data_tiny_l1 take more than its 8 KiB in each L1; the scratchpads have 400 KiB", RULE_AT_END | RULE_LAST },
	{ "overlaps section", "variables take more than there is; .l2_handler_data has 1 MiB, all others 64 KiB", RULE_AT_END | RULE_LAST },
	{ "[-Werror", NULL, 0 },
	{ "[-W", NULL, RULE_WARNING },
	{ 0 },
};
/* clang-format on */
