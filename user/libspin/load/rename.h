/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_RENAME_H
#define USER_LIBSPIN_LOAD_RENAME_H

/*
 * Names for `bpftool prog`: libbpf names a program after the symbol of its function, and the kernel cannot rename a program. So the
 * symbol is renamed in a copy of the object before libbpf reads it.
 */
#include <stddef.h>

/* bpftool takes a name of 15 characters as truncated, and prints the function's name from the type information instead. */
#define RENAME_BYTES 15

/* Makes a name that the kernel accepts: keeps letters, digits, _ and . of `from`, replaces others by _, and truncates. */
void rename__fit(const char *from, char to[RENAME_BYTES]);

/*
 * Copies an ELF file that spin_elf__check() has accepted, and renames the function `symbol` to `name`. Returns NULL if there is no such
 * function, if another symbol has the name, if it starts with spin_ like the runtime's, or if memory is short; the program then keeps its
 * name. The caller frees the copy after libbpf has read it.
 */
void *rename__function(const void *elf, size_t bytes, const char *symbol, const char *name, size_t *out_bytes);

#endif
