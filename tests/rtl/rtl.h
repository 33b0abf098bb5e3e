/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_RTL_RTL_H
#define TESTS_RTL_RTL_H

/*
 * Reads a series of packets as predicted by the NIC model (files of `make rtl-kit`) and as run by PsPIN's RTL, and compares the cycles of
 * the two. Used by rtl-check (`make rtl-check`) and tests/model/rtl_check_compares.c. Files are read as a whole. Functions return 0, or -1
 * after a message. A HER, below, is the request to run a packet's handlers; feedback is its end.
 */
#include <stddef.h>
#include <stdint.h>

enum rtl_kind { RTL_HEADER, RTL_PAYLOAD, RTL_COMPLETION, RTL_KINDS };
extern const char *const rtl_kind_names[RTL_KINDS];

/* One run of a handler, from its first instruction to its caller's next one. */
struct rtl_body {
	enum rtl_kind kind;
	uint64_t start; /* cycle of the first instruction */
	uint64_t cycles;
	int is_cold;     /* model only: instructions came from program memory */
	uint64_t packet; /* model only */
};

struct rtl_bodies {
	struct rtl_body *list; /* sorted by start */
	size_t count, room;
};

struct rtl_packet {
	uint64_t her, feedback;
	int is_cold; /* model only: instructions of one of its handlers came from program memory */
};

struct rtl_series {
	uint32_t entry[RTL_KINDS]; /* entry points; 0: none */
	struct rtl_packet *model, *rtl;
	size_t packets, apart; /* apart: number of leading packets that are sent one at a time */
	struct rtl_bodies model_bodies, rtl_bodies;
};

/* Reads SERIES/hers.csv, packets.csv and tasks.csv. */
int rtl_series__read_model(struct rtl_series *s, const char *series);
/* Reads WORK/observed.csv and WORK/trace_core_*.log. */
int rtl_series__read_rtl(struct rtl_series *s, const char *work);
void rtl_series__free(struct rtl_series *s);

/* Adds a body; sorts the bodies. Called by the readers. */
int rtl_bodies__add(struct rtl_bodies *b, const struct rtl_body *body);
void rtl_bodies__sort(struct rtl_bodies *b);
/*
 * Reads the bodies from a core's trace, in the format of PULP's riscv_tracer: time, cycle, pc, instruction. A body begins at an entry that
 * is reached by a jalr, and ends at the instruction after that jalr.
 */
int rtl_trace__read(struct rtl_bodies *b, const uint32_t entry[RTL_KINDS], const char *path);

/* A row of the table: means of the RTL and the model, and the largest error of its samples. */
struct rtl_row {
	char stage[40];
	double rtl, model;
	double error, aim; /* relative */
	int is_ok;
};
#define RTL_ROWS_MAX 8
/* Computes the rows of a series: idle bodies by kind, HER to feedback warm and cold, the burst. */
size_t rtl_series__compare(const struct rtl_series *s, struct rtl_row rows[RTL_ROWS_MAX]);

#endif
