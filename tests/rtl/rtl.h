/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_RTL_RTL_H
#define TESTS_RTL_RTL_H

/*
 * A series of the kit as the model predicts it and as PsPIN's RTL ran it, and the two compared. Files are read whole; what cannot
 * be read ends with a message. Functions return 0 or -1 after a message.
 */
#include <stddef.h>
#include <stdint.h>

enum rtl_kind { RTL_HEADER, RTL_PAYLOAD, RTL_COMPLETION, RTL_KINDS };
extern const char *const rtl_kind_names[RTL_KINDS];

/* A handler's run, from its first instruction to what its caller does next. */
struct rtl_body {
	enum rtl_kind kind;
	uint64_t start; /* cycle of the first instruction */
	uint64_t cycles;
	int is_cold;     /* the model's: instructions came from program memory */
	uint64_t packet; /* the model's */
};

struct rtl_bodies {
	struct rtl_body *list; /* by start */
	size_t count, room;
};

struct rtl_packet {
	uint64_t her, feedback;
	int is_cold; /* the model's alone: instructions of one of its handlers came from program memory */
};

struct rtl_series {
	uint32_t entry[RTL_KINDS]; /* functions; 0: none */
	struct rtl_packet *model, *rtl;
	size_t packets, apart; /* the first ones come alone */
	struct rtl_bodies model_bodies, rtl_bodies;
};

/* From SERIES/hers.csv, packets.csv and tasks.csv. */
int rtl_series__read_model(struct rtl_series *s, const char *series);
/* From WORK/observed.csv and WORK/trace_core_*.log. */
int rtl_series__read_rtl(struct rtl_series *s, const char *work);
void rtl_series__free(struct rtl_series *s);

/* Adds a body; sorts them. For readers. */
int rtl_bodies__add(struct rtl_bodies *b, const struct rtl_body *body);
void rtl_bodies__sort(struct rtl_bodies *b);
/*
 * The bodies of a core's trace, as PULP's riscv_tracer writes it: time, cycle, pc, instruction. A body begins at an entry that a
 * jalr leads to, and ends at the instruction behind that jalr.
 */
int rtl_trace__read(struct rtl_bodies *b, const uint32_t entry[RTL_KINDS], const char *path);

/* A row of the table: what the RTL and the model took, and the largest error of what the row sums up. */
struct rtl_row {
	char stage[40];
	double rtl, model;
	double error, aim; /* relative */
	int is_ok;
};
#define RTL_ROWS_MAX 8
/* The rows of a series: idle bodies by kind, HER to feedback warm and cold, the burst. */
size_t rtl_series__compare(const struct rtl_series *s, struct rtl_row rows[RTL_ROWS_MAX]);

#endif
