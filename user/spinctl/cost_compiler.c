/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdio.h>

#include "user/spinctl/cost_run.h"

/* The C unit's producer; assembler units say nothing of the compiler. */
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
	if (dwarf)
		dwarf_end(dwarf);
	elf_end(elf);
}
