/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_MACHINE_H
#define TESTS_ACCURACY_MACHINE_H

/* The model's machine without a NIC: HERs are fed at given cycles, and records of tasks are returned. */
#include "hwmodel/soc/soc.h"

#define MACHINE_CONTEXTS 64
#define MACHINE_TASKS    4096

struct ended {
	struct soc_task task; /* except its HER, which is no longer valid */
	unsigned packet;      /* in the group, in order of offers */
	uint32_t message;
	unsigned cluster, hpu;
	uint64_t her; /* cycle of its HER */
};

struct machine {
	struct soc soc;
	void *file; /* the image */
	size_t file_bytes;
	struct hw_elf *elf;
	struct soc_context contexts[MACHINE_CONTEXTS];
	unsigned context_count;
	uint64_t from; /* cycle at which the group's first packet arrived */
	uint64_t her[MACHINE_TASKS];
	uint64_t packets; /* offered so far; first_packet: the first of the group */
	uint64_t first_packet;
	struct ended ended[MACHINE_TASKS]; /* of the group, in order of feedback */
	unsigned count;
	struct issue {
		uint64_t cycle;
		unsigned hpu;    /* index in soc.hpus */
	} issued[MACHINE_TASKS]; /* the group's first commands, in order */
	unsigned issues;
	int stored;    /* 1: packets are already stored, with 4096 bytes each and 64 in L1, so there is a HER per cycle */
	int one_place; /* 1: all packets are at the same address */
};

/* Boots pspin-rtl with the image in `elf_path`. Ends the process on failure. */
void machine__open(struct machine *machine, const char *elf_path);

/* Returns another machine with the same image. */
struct machine *machine__another(const struct machine *machine);
void machine__close(struct machine *other);

/* Returns the address of a symbol of the image. */
uint32_t machine__symbol(const struct machine *machine, const char *name);

/* The handlers are symbols; NULL: no such handler. */
const struct soc_context *machine__context(struct machine *machine, const char *header, const char *payload, const char *completion,
					   uint32_t bytes_in_l1);
#define WHOLE 0xffffffffu

struct packet {
	uint32_t message;
	const struct soc_context *context;
	uint32_t bytes;
	int last; /* last of its message */
};

/*
 * Runs a group of packets on an idle machine, until it is idle again. All packets are available at once: their HERs arrive at
 * the rate of the link of 64 bytes per cycle. Packets have the fields that PsPIN's examples read: IHL 5 and their length.
 */
void machine__group(struct machine *machine, const struct packet *packets, unsigned count);

/* Runs one packet on each cluster, until no HPU fetches instructions. */
void machine__warm(struct machine *machine, const char *function);

/* Returns the group's task of that packet and kind. Ends the process if there is none. */
const struct ended *machine__task(const struct machine *machine, unsigned packet, enum soc_task_kind kind);
/* Sorts the group's tasks by their start. */
void machine__sort_by_start(struct machine *machine);

_Noreturn void machine__fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
