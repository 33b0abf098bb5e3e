/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_ADVISE_H
#define USER_COST_ADVISE_H

/*
 * spinctl cost --advise: runs the handler with other registrations and compiler flags, under the same conditions as the
 * original. Text and JSON are printed from struct advice.
 */
#include <limits.h>

#include "user/cost/options.h"
#include "user/cost/run.h"
#include "user/tool/handler.h"

#define ADVICE_VARIANTS_MAX 32
/* Generated if no packets are given. */
#define ADVICE_DATAGRAMS 200
#define ADVICE_MESSAGES  8

struct advice_variant {
	uint8_t state_placement;            /* enum spin_placement */
	uint32_t bytes_in_l1;               /* SPIN_WHOLE_PACKET, or so many */
	uint8_t payload_aligned;            /* as registered */
	const char *flags;                  /* for the compiler, behind its own; "": none */
	int is_measured;                    /* 0: it could not be built or run, which was reported */
	double cycles, cycles_with_runtime; /* mean per packet, alone */
	double hpus;                        /* needed at 400 Gbit/s of packet bytes */
	double gbps;                        /* reached under load */
	char bound[COST_BOUND_TEXT];        /* what bounds it then */
};

struct advice {
	const struct cost_report *report; /* of the unchanged program: what ran, on which target */
	char source[PATH_MAX];
	uint32_t state_bytes;
	struct advice_variant variants[ADVICE_VARIANTS_MAX]; /* the first one is as registered and compiled */
	unsigned count;
	unsigned registration; /* the best with unchanged compiler options */
	unsigned best;         /* the best of all */
};

#define ADVICE_GBPS 400

/* Runs the program's packets in all variants and prints. DONE, or FAILED after a message. */
int cost_advise(const struct cost_program *program, struct cost_source *source, const struct cost_options *options,
		struct cost_report *report);

void cost_advise__text(const struct advice *a);
void cost_advise__json(const struct advice *a);

/* Finds the source file of the program's handler. Returns DONE, or FAILED after a message. */
int advise_source(const struct cost_program *program, char out[PATH_MAX]);
/* Compiles the source as the variant says. The caller frees *elf. Returns DONE, or FAILED after a message. */
int advise_build(const char *source, const struct advice_variant *v, const struct option_list *compile, void **elf, size_t *bytes);

#endif
