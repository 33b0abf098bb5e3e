/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_ELF_H
#define HWMODEL_ELF_H

/*
 * Reads a 32-bit little-endian RISC-V executable from memory. The file is not trusted: hw_elf__open() checks every offset once, and all
 * pointers that the other functions return are inside the buffer. Loads nothing: the caller copies the segments to their addresses. Called
 * by hpu-run, the NIC model and the tools.
 */
#include <stddef.h>
#include <stdint.h>

struct hw_elf;

enum { HW_ELF_X = 1, HW_ELF_W = 2, HW_ELF_R = 4 };

/* One PT_LOAD segment; bytes from file_bytes to mem_bytes are zero. */
struct hw_elf_segment {
	uint32_t vaddr;
	uint32_t paddr;
	const uint8_t *data; /* file_bytes bytes, inside the caller's buffer */
	uint32_t file_bytes;
	uint32_t mem_bytes; /* >= file_bytes; vaddr + mem_bytes does not wrap */
	unsigned flags;     /* HW_ELF_* */
};

/*
 * `data` must not change until hw_elf__close(). Returns 0; -EINVAL (not a valid RV32 executable with at least one PT_LOAD segment) or
 * -ENOMEM. On error *out is NULL, and err, if not NULL, gets a reason of at most err_bytes bytes.
 */
int hw_elf__open(struct hw_elf **out, const void *data, size_t len, char *err, size_t err_bytes);
void hw_elf__close(struct hw_elf *elf); /* NULL is allowed */

uint32_t hw_elf__entry(const struct hw_elf *elf);

/* Gets PT_LOAD segment number i, in file order, counting only those with a size above 0. Returns 0, or -ENOENT past the last. */
int hw_elf__segment(const struct hw_elf *elf, unsigned i, struct hw_elf_segment *out);

/*
 * Finds a defined symbol by name, global before local. addr and size_bytes may be NULL. Returns 0, or -ENOENT if there is no such
 * symbol or the file is stripped.
 */
int hw_elf__symbol(const struct hw_elf *elf, const char *name, uint32_t *addr, uint32_t *size_bytes);

/*
 * Finds the function or label that covers addr: the nearest one at or below it, in the same segment, whose size (if it has one) reaches
 * addr. Returns its name, valid until close, and stores its address in *start (may be NULL). Returns NULL if there is none. A name with
 * control characters, which a terminal would obey, counts as none.
 */
const char *hw_elf__symbol_at(const struct hw_elf *elf, uint32_t addr, uint32_t *start);

#endif
