/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_ELF_H
#define KERNEL_NFP_ELF_H

/* Sections, symbols and relocations of a 64-bit little-endian ELF file in memory. Every offset and count of it is checked. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct nfp_elf {
	const uint8_t *data;
	size_t bytes;
	const Elf64_Shdr *sections; /* copied, as the file may hold them unaligned */
	unsigned section_count;
	const Elf64_Sym *symbols;
	unsigned symbol_count;
	unsigned names;        /* section of section names */
	unsigned symbol_names; /* section of symbol names */
	uint16_t machine;
};

/* Returns 0, -EINVAL (no such file, or damaged) or -ENOMEM. `data` must live as long. */
int nfp_elf__open(struct nfp_elf *elf, const void *data, size_t bytes);
void nfp_elf__close(struct nfp_elf *elf);

/* The section's bytes, or NULL if there are none in the file (.bss) or the number is wrong. */
const void *nfp_elf__bytes(const struct nfp_elf *elf, unsigned section, size_t *bytes);
/* "" if there is none. */
const char *nfp_elf__section_name(const struct nfp_elf *elf, unsigned section);
const char *nfp_elf__symbol_name(const struct nfp_elf *elf, unsigned symbol);
/* Number of the section of that name; 0: there is none. */
unsigned nfp_elf__find(const struct nfp_elf *elf, const char *name);
/* Number i of the relocations of section `of`. Returns 0, or -1: there are no more. */
int nfp_elf__relocation(const struct nfp_elf *elf, unsigned of, unsigned i, Elf64_Rel *out);

#endif
