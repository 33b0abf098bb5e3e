/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_KIT_KIT_H
#define TESTS_ACCURACY_KIT_KIT_H

/*
 * What someone with PsPIN's RTL needs to prove the model wrong: for every handler the program, what memories hold, packets with
 * their HERs, and the cycles that the model predicts for each.
 */
#include <stdio.h>

#include "tests/figures/workload.h"
#include <hwmodel/traffic.h>

struct spin_object;

/* How packets come. */
struct kit_series {
	const char *name;
	unsigned apart;   /* packets one after the other, each alone: the first is cold */
	unsigned at_once; /* and then so many as fast as the link brings them */
};
extern const struct kit_series kit_series[];
extern const unsigned kit_sizes[]; /* from the IP header on; 0 ends them */

/* The workload of a handler: PsPIN 4.3's, or packets of any content. Its object is open. */
struct workload kit_workload(const char *handler, const struct spin_object *object);

/* A NIC with the handler and its state; the same each time. NULL after a message. */
struct pspin *kit_nic(const struct spin_object *object, const struct workload *w, const struct pspin_target *target);

/* Frames of a series, in order, with the times when they are offered. 0 or negative. */
int kit_offer(struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes);
unsigned kit_series__packets(const struct kit_series *series);

/* --- files below a directory --- */

/* The file DIRECTORY/NAME, which is made. NULL after a message. */
FILE *kit_create(const char *directory, const char *name);
/* 0 or -1 after a message. */
int kit_close(FILE *file, const char *directory, const char *name);
/* What the memories hold before the first packet: memory/ and map.csv. 0 or -1. */
int kit_memories(const char *directory, struct pspin *nic, const struct pspin_target *target);
/* The same as PsPIN's Verilator model loads it: slm/. 0 or -1 after a message. */
int kit_slm(const char *directory, struct pspin *nic);
/* Offers a series, and writes what it is and what is predicted. 0 or -1. */
int kit_predict(const char *directory, struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes,
		const struct pspin_target *target);

#endif
