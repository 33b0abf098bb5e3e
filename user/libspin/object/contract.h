/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_CONTRACT_H
#define USER_LIBSPIN_OBJECT_CONTRACT_H

/*
 * Checks what an object may load into the kernel, for object.c: only the programs and maps that <spin/context.h> names, as spincc generates
 * them, and code that calls only what the runtime calls. An object is untrusted data: anything else is refused with its name before libbpf
 * loads any of it.
 */
#include <stddef.h>
#include <stdint.h>

struct bpf_object;

/* One of the object's ELF files. bounded: 1 for the one in SPIN_BOUNDED_SECTION; card: for the one in SPIN_NFP_SECTION. */
struct contract_file {
	const char *path;    /* path of the object, for messages */
	const uint8_t *data; /* the file's bytes, which spin_elf__check() has accepted */
	size_t bytes;
	int bounded;
	int card;
	int segments; /* 1: its handlers take TCP segments, so its XDP programs may look up the kernel's sockets */
};

/* Returns 0, or -EPERM with a message that names what is foreign, here and below. */
int contract__check(const struct contract_file *file);

/* Checks programs and maps as libbpf would create them from the file. */
int contract__check_maps(const struct contract_file *file, struct bpf_object *bpf);
/* Checks sections, symbols, relocations and instructions. */
int contract__check_code(const struct contract_file *file);

/* Returns -EPERM and sets a message: the object's path, what is foreign, and what to do. */
int contract__refuse(const struct contract_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns 1 if programs for a card may call the helper, given by its number in <linux/bpf.h>. */
int contract__card_has_helper(uint32_t id);

#endif
