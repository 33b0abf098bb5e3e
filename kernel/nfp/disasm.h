/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_DISASM_H
#define KERNEL_NFP_DISASM_H

/* Writes an instruction as text, in llvm-objdump's syntax. Called by check.c for findings. */
#include "kernel/nfp/object.h"

void nfp_disasm(const struct nfp_object *object, const struct nfp_code *code, uint32_t insn, char *to, size_t bytes);

#endif
