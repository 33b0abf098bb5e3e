/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_ADVISE_H
#define USER_COST_ADVISE_H

/*
 * spinctl cost --advise: runs the handler with other registrations (where its state lies, how much of a packet is copied to it) and
 * compiler flags, under the same conditions as the original. advise.c fills struct advice for measure.c; text and JSON are printed from it.
 */
#include <limits.h>

#include "user/cost/options.h"
#include "user/cost/run.h"
#include "user/tool/handler.h"

#define ADVICE_VARIANTS_MAX 32
/* Generated if no packets are given. */
#define ADVICE_DATAGRAMS 200
#define ADVICE_MESSAGES  8

/* A variant of the handler, and what it costs. */
struct advice_variant {
	uint8_t state_placement;            /* enum spin_placement */
	uint32_t bytes_in_l1;               /* SPIN_WHOLE_PACKET, SPIN_HEADERS_ONLY or a length */
	uint8_t payload_aligned;            /* 1: registered as aligned */
	const char *flags;                  /* compiler option, added after the default ones; "": none */
	int is_measured;                    /* 0: it could not be built or run; the error was reported */
	double cycles, cycles_with_runtime; /* mean per packet, alone */
	double hpus;                        /* needed at 400 Gbit/s of packet bytes */
	double gbps;                        /* reached under load */
	char bound[COST_BOUND_TEXT];        /* the bottleneck under load */
};

/* The result of --advise. */
struct advice {
	const struct cost_report *report; /* names handler, target, rule and packets */
	char source[PATH_MAX];
	uint32_t state_bytes;
	struct advice_variant variants[ADVICE_VARIANTS_MAX]; /* [0]: as registered and compiled */
	unsigned count;
	unsigned registration; /* index of the best variant with unchanged compiler options */
	unsigned best;         /* index of the best variant */
};

#define ADVICE_GBPS 400

/* Runs the packets through all variants and prints the advice. Returns DONE, or FAILED after a message. */
int cost_advise(const struct cost_program *program, struct cost_source *source, const struct cost_options *options,
		struct cost_report *report);

void cost_advise__text(const struct advice *a);
void cost_advise__json(const struct advice *a);

/* Finds the source file of the program's handler. Returns DONE, or FAILED after a message. */
int advise_source(const struct cost_program *program, char out[PATH_MAX]);
/* Compiles the source with the variant's registration and flags. The caller frees *elf. Returns DONE, or FAILED after a message. */
int advise_build(const char *source, const struct advice_variant *v, const struct option_list *compile, void **elf, size_t *bytes);

#endif
