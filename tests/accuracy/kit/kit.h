/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_KIT_KIT_H
#define TESTS_ACCURACY_KIT_KIT_H

/*
 * The RTL kit: files with which the NIC model can be checked on PsPIN's RTL. For every handler: the program, the contents of memories,
 * packets with their HERs (handler execution requests: packets as the NIC queues them for handlers), and the cycles that the model predicts
 * for each. Included by the sources of `make rtl-kit` and by tests/model/rtl_kit_is_complete.c, which checks the files.
 */
#include <stdio.h>

#include "tests/figures/workload.h"
#include <hwmodel/traffic.h>

struct spin_object;

/* The arrival of packets. */
struct kit_series {
	const char *name;
	unsigned apart;   /* number of packets that run one at a time; the first one is cold */
	unsigned at_once; /* number of packets after that, as fast as the link delivers them, or the workload's */
};
extern const struct kit_series kit_series[];
extern const unsigned kit_sizes[]; /* packet sizes from the IP header on; ends with 0 */

/* Returns the workload of a handler: that of PsPIN 4.3 if it has one, otherwise packets with any payload. The object must be open. */
struct workload kit_workload(const char *handler, const struct spin_object *object);

/* How messages get their ids. */
enum kit_ids {
	KIT_IDS_IN_TURN, /* round robin: messages of a burst on all clusters get different ids */
	KIT_IDS_FREE,    /* the lowest id that is free in the model; rtl-check's simulator does the same on the RTL */
};

/* Creates a NIC with the handler and its state; deterministic. Returns NULL after a message. */
struct pspin *kit_nic(const struct spin_object *object, const struct workload *w, const struct pspin_target *target, enum kit_ids ids);

unsigned kit_series__packets(const struct kit_series *series, const struct workload *w);
/*
 * Offers the frames of a series at their times, and runs until all are handled. *last: the most recent HER, which the caller's observer of
 * the NIC must update. Returns 0 or a negative value.
 */
int kit_run(struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes,
	    const struct pspin_her_record *last);

/* --- files below a directory --- */

/* Creates the file DIRECTORY/NAME. Returns NULL after a message. */
FILE *kit_create(const char *directory, const char *name);
/* Returns 0, or -1 after a message. */
int kit_close(FILE *file, const char *directory, const char *name);
/* Writes the contents of memories before the first packet: memory/ and map.csv. Returns 0 or -1. */
int kit_memories(const char *directory, struct pspin *nic, const struct pspin_target *target);
/* Writes them in the format that PsPIN's Verilator model loads: slm/. Returns 0, or -1 after a message. */
int kit_slm(const char *directory, struct pspin *nic);
/* Offers a series, and writes its packets and the predictions. Returns 0 or -1. */
int kit_predict(const char *directory, struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes,
		const struct pspin_target *target);

#endif
