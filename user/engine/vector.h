/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_ENGINE_VECTOR_H
#define USER_ENGINE_VECTOR_H

/* Vectors: packets in, and what is expected of every engine. tests/vectors/README.md has the format. */
#include "difference.h"

#define VECTOR_EDITS_MAX 64
#define VECTOR_STEPS_MAX 64

/* A change of memory, as text: an entry of a table, or a field. */
struct vector_edit {
	char *table; /* NULL: a field */
	char *text;
};

struct vector_edits {
	unsigned count;
	struct vector_edit edit[VECTOR_EDITS_MAX];
};

struct vector_step {
	struct vector_edits before; /* made by the application before the packet */
	struct vector_edits after;  /* expected of the handlers */
	uint32_t in_bytes, out_bytes;
	uint8_t *in, *out;
	enum spin_verdict verdict;
	enum spin_reason reason;
	uint32_t event, event_handler;
	unsigned line;
};

struct vector {
	char *path;
	char handler[32];
	struct spin_rule rule;
	unsigned count;
	struct vector_step step[VECTOR_STEPS_MAX];
};

/* 0 or a negative errno; engine_why() names file and line. */
int vector_read(const char *path, struct vector **out);
void vector_free(struct vector *v);

/* What is changed in the expectation, to see a check fail. */
enum vector_flip { FLIP_NONE, FLIP_VERDICT, FLIP_FRAME, FLIP_STATE, FLIP_KINDS };
/* 1 if the vector has such a byte. */
int vector_can_flip(const struct vector *v, enum vector_flip flip);

/* What a vector came to on one engine. */
struct vector_result {
	int rc;                      /* 0: as expected; 1: a difference; negative errno: could not run, see `why` */
	char why[512];
	unsigned step;               /* where the first difference is */
	struct engine_out out;       /* what that packet came to */
	int uncounted;               /* the counter of its reason did not go up by one */
	struct image want, got;      /* memory after it */
	struct differences differences;
};

/* Runs a vector from the initial state on, to its end or to the first difference. */
void vector_run(const struct vector *v, const struct types *t, struct engine *e, const struct image *initial,
		enum vector_flip flip, struct vector_result *out);
void vector_result_free(struct vector_result *result);

#endif
