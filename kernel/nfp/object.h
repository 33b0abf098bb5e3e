/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_OBJECT_H
#define KERNEL_NFP_OBJECT_H

/* The XDP programs of a BPF object, linked as libbpf does, and its maps. Called by check.c, spinctl check and spinctl cost. */
#include <linux/bpf.h>

#include "kernel/nfp/btf.h"
#include "kernel/nfp/elf.h"

#define NFP_FUNCTIONS_MAX 256u /* per program: BPF_MAX_SUBPROGS */
#define NFP_MAPS_MAX      1024u
#define NFP_PROGRAMS_MAX  256u
#define NFP_INSNS_MAX     65536u

/* A map of the object. */
struct nfp_map {
	char name[64];
	struct nfp_map_definition is;
	int is_data; /* .data, .bss or .rodata: variables */
};

/* The section and offset that an instruction came from. */
struct nfp_origin {
	uint32_t section, offset_bytes;
};

/* A linked XDP program. */
struct nfp_code {
	char name[64], section[64];
	struct bpf_insn *insns; /* linked: calls are relative; the immediate of a map load is the map's index */
	struct nfp_origin *origins;
	uint8_t *starts_function; /* by instruction: NFP_STATIC or NFP_GLOBAL if a function starts there */
	uint32_t count;
	int is_frags;            /* loaded with BPF_F_XDP_HAS_FRAGS */
	int is_for_map;          /* for a devmap or cpumap, not for an interface */
	const char *cannot_link; /* NULL, or what libbpf could not resolve; static storage */
};

enum {
	NFP_STATIC = 1,
	NFP_GLOBAL = 2,
};

/* An open object. */
struct nfp_object {
	struct nfp_elf elf;
	struct nfp_btf btf;
	int has_btf;
	const void *ext; /* .BTF.ext */
	size_t ext_bytes;
	struct nfp_map *maps;
	unsigned map_count;
	struct nfp_code *programs;
	unsigned program_count;
};

/* Returns 0, or -EINVAL or -ENOMEM with the reason in `reason`. `data` must outlive *object. */
int nfp_object__open(struct nfp_object *object, const void *data, size_t bytes, char *reason, size_t reason_bytes);
void nfp_object__close(struct nfp_object *object);

/* Writes "file.c:12", the source line of an instruction, or "". */
void nfp_object__line(const struct nfp_object *object, const struct nfp_code *code, uint32_t insn, char *to, size_t to_bytes);

#endif
