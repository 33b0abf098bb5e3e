/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_ELF_H
#define KERNEL_NFP_ELF_H

/*
 * Sections, symbols and relocations of a 64-bit little-endian ELF file in memory. Every offset and count in the file is checked. Called by
 * object.c, spinctl check and spinctl cost.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#define NFP_ELF_RELOCATIONS_MAX 1048576u /* of code, in all sections together */

/* Functions or relocations, sorted by section and offset. */
struct nfp_elf_place {
	uint64_t offset;
	uint32_t section, order, symbol;
};
/* A sorted array. */
struct nfp_elf_places {
	struct nfp_elf_place *place;
	uint32_t count;
};

/* A file whose headers have been checked; refers to the caller's bytes. */
struct nfp_elf {
	const uint8_t *data;
	size_t bytes;
	const Elf64_Shdr *sections; /* copied, as the file may hold them unaligned */
	unsigned section_count;
	const Elf64_Sym *symbols;
	unsigned symbol_count;
	unsigned names;        /* index of the section with the section names */
	unsigned symbol_names; /* index of the section with the symbol names */
	struct nfp_elf_places functions, relocations;
	uint16_t machine;
};

/*
 * Returns 0, -EINVAL (not such an ELF file, or damaged), -E2BIG (more than NFP_ELF_RELOCATIONS_MAX relocations) or -ENOMEM. `data` must
 * outlive *elf.
 */
int nfp_elf__open(struct nfp_elf *elf, const void *data, size_t bytes);
void nfp_elf__close(struct nfp_elf *elf);

/* The section's bytes, or NULL if the file has none for it (.bss) or the index is out of range. */
const void *nfp_elf__bytes(const struct nfp_elf *elf, unsigned section, size_t *bytes);
/* "" if there is none. */
const char *nfp_elf__section_name(const struct nfp_elf *elf, unsigned section);
/* Returns 1 if the section has code. Relocations of other sections are not read. */
int nfp_elf__is_code(const struct nfp_elf *elf, unsigned section);
const char *nfp_elf__symbol_name(const struct nfp_elf *elf, unsigned symbol);
/* Index of the section with that name; 0 if there is none. */
unsigned nfp_elf__find(const struct nfp_elf *elf, const char *name);
/* The symbol of the relocation at an offset of a section of code; -1 if there is none. */
int64_t nfp_elf__relocation(const struct nfp_elf *elf, unsigned of, uint64_t offset);
/* The symbol of the function that starts at an offset of a section; -1 if there is none. */
int64_t nfp_elf__function(const struct nfp_elf *elf, unsigned section, uint64_t offset);

#endif
