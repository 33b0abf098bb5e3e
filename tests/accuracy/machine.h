/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_MACHINE_H
#define TESTS_ACCURACY_MACHINE_H

/*
 * The model's clusters and schedulers (hwmodel/soc) without the NIC around them, for the rows of `make accuracy`: takes HERs (handler
 * execution requests, one for each packet) at given cycles, and records the tasks that they become. Failures end the process.
 */
#include "hwmodel/soc/soc.h"

#define MACHINE_CONTEXTS 64
#define MACHINE_TASKS    4096

struct ended {
	struct soc_task task; /* its HER is no longer valid */
	unsigned packet;      /* index in the group, in the order of the packets */
	uint32_t message;
	unsigned cluster, hpu;
	uint64_t her; /* cycle at which its HER arrived */
};

struct machine {
	struct soc soc;
	void *file; /* the ELF image */
	size_t file_bytes;
	struct hw_elf *elf;
	struct soc_context contexts[MACHINE_CONTEXTS];
	unsigned context_count;
	uint64_t from; /* cycle at which the group's first packet arrived */
	uint64_t her[MACHINE_TASKS];
	uint64_t packets; /* number offered so far; first_packet: number of the group's first */
	uint64_t first_packet;
	struct ended ended[MACHINE_TASKS]; /* the group's tasks, in the order of feedback */
	unsigned count;
	struct issue {
		uint64_t cycle;
		unsigned hpu;    /* index in soc.hpus */
	} issued[MACHINE_TASKS]; /* the group's first commands, in order */
	unsigned issues;
	int stored;    /* 1: packets of 4096 bytes, 64 of them in L1, are already in L2, so one HER arrives per cycle */
	int one_place; /* 1: all packets are at the same address */
};

/* Boots pspin-rtl with the image in `elf_path`. Ends the process on failure. */
void machine__open(struct machine *machine, const char *elf_path);

/* Returns another machine with the same image. */
struct machine *machine__another(const struct machine *machine);
void machine__close(struct machine *other);

/* Returns the address of a symbol of the image. */
uint32_t machine__symbol(const struct machine *machine, const char *name);

/* Creates a context. header, payload and completion are symbols of the handlers; NULL: no such handler. */
const struct soc_context *machine__context(struct machine *machine, const char *header, const char *payload, const char *completion,
					   uint32_t bytes_in_l1);
#define WHOLE 0xffffffffu

struct packet {
	uint32_t message;
	const struct soc_context *context;
	uint32_t bytes;
	int last; /* 1: last packet of its message */
};

/*
 * Runs a group of packets on an idle machine until it is idle again. All packets are available at once, and their HERs arrive at the
 * link rate of 64 bytes per cycle. Packets contain the fields that PsPIN's examples read: IHL 5 and the length.
 */
void machine__group(struct machine *machine, const struct packet *packets, unsigned count);

/* Runs packets on each cluster until no HPU fetches instructions from L2: the instruction caches are then warm. */
void machine__warm(struct machine *machine, const char *function);

/* Returns the group's task of that packet and kind. Ends the process if there is none. */
const struct ended *machine__task(const struct machine *machine, unsigned packet, enum soc_task_kind kind);
/* Sorts the group's tasks by their start. */
void machine__sort_by_start(struct machine *machine);

_Noreturn void machine__fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
