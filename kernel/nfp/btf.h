/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_BTF_H
#define KERNEL_NFP_BTF_H

/*
 * Reads an object's BTF: the definitions of its maps, and the source line of an instruction. Called by object.c. The file is not trusted.
 */
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>

/* An object's types; refers to the caller's bytes. */
struct nfp_btf {
	const uint8_t *data;
	size_t bytes;
	const char *strings;
	size_t string_bytes;
	uint32_t *types; /* offsets of the types in `data`, by type id; id 0 is void */
	uint32_t count;
};

/* Returns 0, -EINVAL or -ENOMEM. `data` must outlive *btf. */
int nfp_btf__open(struct nfp_btf *btf, const void *data, size_t bytes);
void nfp_btf__close(struct nfp_btf *btf);

/* A map's definition; fields that it does not set are 0. */
struct nfp_map_definition {
	uint32_t type, key_bytes, value_bytes, entries, flags, numa_node;
	int has_numa_node;
};

/* Reads the definition of the variable `name` in .maps. Returns 0, -ENOENT, or -EINVAL for BTF that libbpf would also refuse. */
int nfp_btf__map(const struct nfp_btf *btf, const char *name, struct nfp_map_definition *out);

/*
 * Writes "file.c:12", the source line of the instruction at `offset` (bytes) in `section`, from .BTF.ext, or "". An instruction without a
 * line of its own has the line of the last one before it.
 */
void nfp_btf__line(const struct nfp_btf *btf, const void *ext, size_t ext_bytes, const char *section, uint32_t offset, char *to,
		   size_t to_bytes);

/* The string at an offset; "" if there is none. */
const char *nfp_btf__string(const struct nfp_btf *btf, uint32_t offset);

#endif
