/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_HPU_H
#define TESTS_DEMO_HPU_H

/*
 * Runs captured frames on the timed model of an HPU, the core of a PsPIN NIC that runs handlers. Used by the parts of `make demo`. Failures
 * end the demo.
 */
#include <hwmodel/pspin.h>

#include <spin/libspin.h>
#include "tests/demo/capture.h"

struct hpu {
	struct pspin *nic;
	const struct pspin_target *target;
};

/* Cycles of one class of packets. */
struct hpu_class {
	uint64_t packets;
	uint64_t cycles; /* sum of the handlers' bodies */
};

void hpu_open(struct hpu *hpu, const struct spin_object *object, const struct spin_rule *rule);
void hpu_close(struct hpu *hpu);

/* Returns the HPU address of a variable of the image, which must have this size. */
uint32_t hpu_symbol(const struct hpu *hpu, const char *name, size_t bytes);
/* Sets a variable to the given bytes, such as a table of the live context. */
void hpu_set(struct hpu *hpu, const char *symbol, const void *from, size_t bytes);

/* Runs one frame. The result is valid until the next call. */
const struct pspin_result *hpu_packet(struct hpu *hpu, const struct frame *frame);
void hpu_count(struct hpu_class *class, const struct pspin_result *result);
double hpu_mean_cycles(const struct hpu_class *class);

/* Returns the HPUs needed at a line rate: packet rate x (body_cycles + the cycles between two handlers). */
double hpu_needed(const struct hpu *hpu, double body_cycles, double gbit_s, double bytes_per_packet);

#endif
