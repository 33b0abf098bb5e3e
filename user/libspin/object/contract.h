/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_CONTRACT_H
#define USER_LIBSPIN_OBJECT_CONTRACT_H

/*
 * What an object may have the kernel load: the programs and maps that <spin/context.h> names, in the form that
 * spincc gives them, and code that calls only what the runtime calls. An object is data: whoever made it, anything
 * else is refused, with its name, before libbpf loads any of it.
 */
#include <stddef.h>
#include <stdint.h>

struct bpf_object;

/* Checks one of the object's ELF files. bounded: 1 for the one in SPIN_BOUNDED_SECTION; card: for the one in SPIN_NFP_SECTION. */
struct contract_file {
	const char *path;    /* path of the object, for messages */
	const uint8_t *data; /* the file's bytes, which spin_elf__check() has accepted */
	size_t bytes;
	int bounded;
	int card;
};

/* 0, or -EPERM with a message that names what is foreign, here and below. */
int contract__check(const struct contract_file *file);

/* Its parts. Programs and maps, as libbpf would make them of the file: */
int contract__check_maps(const struct contract_file *file, struct bpf_object *bpf);
/* Sections, symbols, relocations and instructions: */
int contract__check_code(const struct contract_file *file);

/* Gives -EPERM back, with a message: the object's path, what is foreign, and what to do. */
int contract__refuse(const struct contract_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 1: programs for a card may call the helper, by its number in <linux/bpf.h>. */
int contract__card_has_helper(uint32_t id);

#endif
