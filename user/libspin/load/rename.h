/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_RENAME_H
#define USER_LIBSPIN_LOAD_RENAME_H

/*
 * Names for `bpftool prog`: libbpf takes a program's from the symbol of its function, and the kernel has no call that changes it. So the
 * symbol gets another name in a copy of the object, before libbpf reads that.
 */
#include <stddef.h>

/* bpftool takes names of 15 characters for shortened ones, and prints the function's name in the type information instead. */
#define RENAME_BYTES 15

/* What the kernel takes for a name: letters, digits, _ and . of `from`, _ for others, shortened. */
void rename__fit(const char *from, char to[RENAME_BYTES]);

/*
 * A copy of an ELF file that spin_elf__check() has passed, in which the function `symbol` is `name`. NULL: there is no such function, the name
 * is another symbol's or like one of the runtime's (spin_), or there is no memory: the program keeps its name then. The caller frees it, after
 * libbpf has read it.
 */
void *rename__function(const void *elf, size_t bytes, const char *symbol, const char *name, size_t *out_bytes);

#endif
