/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_MACHINE_H
#define TESTS_ACCURACY_MACHINE_H

/* The model's machine without a NIC around it: HERs in at their cycles, records of tasks out. */
#include "hwmodel/soc/soc.h"

#define MACHINE_CONTEXTS 64
#define MACHINE_TASKS    4096

struct ended {
	struct soc_task task; /* but its HER: that is gone */
	unsigned packet;      /* of the group, in order of offers */
	uint32_t message;
	unsigned cluster, hpu;
	uint64_t her; /* cycle of its HER */
};

struct machine {
	struct soc soc;
	void *file; /* the image's */
	size_t file_bytes;
	struct hw_elf *elf;
	struct soc_context contexts[MACHINE_CONTEXTS];
	unsigned context_count;
	uint64_t from; /* cycle at which the group's first packet arrived */
	uint64_t her[MACHINE_TASKS];
	uint64_t packets; /* offered so far; the group's first */
	uint64_t first_packet;
	struct ended ended[MACHINE_TASKS]; /* of the group, in order of feedback */
	unsigned count;
	struct issue {
		uint64_t cycle;
		unsigned hpu;    /* in soc.hpus */
	} issued[MACHINE_TASKS]; /* the group's commands, in their order; the first ones */
	unsigned issues;
	int stored;    /* 1: the packets are larger and lie there already: a HER per cycle, all of 4096 bytes and 64 in L1 */
	int one_place; /* 1: all packets lie at the same place */
};

/* Boots pspin-rtl with the image in `elf_path`. Ends the process if it cannot. */
void machine__open(struct machine *machine, const char *elf_path);

/* One more with the same image. */
struct machine *machine__another(const struct machine *machine);
void machine__close(struct machine *other);

/* Address of a symbol of the image. */
uint32_t machine__symbol(const struct machine *machine, const char *name);

/* Symbols; NULL: no such handler. */
const struct soc_context *machine__context(struct machine *machine, const char *header, const char *payload, const char *completion,
					   uint32_t bytes_in_l1);
#define WHOLE 0xffffffffu

struct packet {
	uint32_t message;
	const struct soc_context *context;
	uint32_t bytes;
	int last; /* of its message */
};

/*
 * All packets are there at once on an idle machine: their HERs come as the link of 64 bytes per cycle brings them. Runs until
 * the machine is idle again. Packets have what PsPIN's examples read: IHL 5 and their length.
 */
void machine__group(struct machine *machine, const struct packet *packets, unsigned count);

/* One packet for each cluster, again and again until none had to fetch instructions. */
void machine__warm(struct machine *machine, const char *function);

/* The group's task of that kind and packet; ends the process if there is none. */
const struct ended *machine__task(const struct machine *machine, unsigned packet, enum soc_task_kind kind);
/* The group's tasks by when they started. */
void machine__sort_by_start(struct machine *machine);

_Noreturn void machine__fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
