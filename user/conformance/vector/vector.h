/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_VECTOR_H
#define USER_CONFORMANCE_VECTOR_VECTOR_H

/*
 * A vector in memory: a test of a handler as a list of steps, each a packet or a clock time, and the results expected of every engine (way
 * to execute a handler). Read by read.c, run by run.c, for spinctl test and tests/vectors/run.c. tests/vectors/README.md describes the file
 * format.
 */
#include "user/conformance/difference.h"

#define VECTOR_HOST_BYTES 65536u /* host memory of contexts that take messages, unless a vector says otherwise */

/* What one line changes, or expects to be changed, in memory. */
enum vector_change_kind {
	CHANGE_FIELD,  /* of state or a table */
	CHANGE_ENTRY,  /* of a keyed table */
	CHANGE_HOST,   /* bytes of host memory */
	CHANGE_POST,   /* posts a matching entry; by the application only */
	CHANGE_UNLINK, /* unlinks a matching entry; by the application only */
	CHANGE_ME,     /* state of a matching entry; expected only */
	CHANGE_CT,     /* counter of a matching entry */
	CHANGE_SEED,   /* seed of random numbers; by the application only */
};

/* What the application changes before a step, or what a step is expected to change. */
struct vector_change {
	enum vector_change_kind kind;
	char *table;              /* ENTRY */
	char *text;               /* FIELD, ENTRY */
	uint8_t *bytes;           /* HOST */
	uint32_t offset, count;   /* HOST */
	struct spin_me_opts post; /* POST; its handler_mem is in segment[] */
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
	unsigned me;              /* UNLINK, ME, CT; POST: the index it gets, SPIN_MES_MAX: the lowest free one */
	int busy;                 /* UNLINK: must fail with -EBUSY, since a message uses it */
	enum spin_me_state state; /* ME */
	int counted;              /* ME: messages and me_bytes are given */
	uint64_t messages, me_bytes;
	int used_given; /* ME: used is given: bytes of a managed entry that messages occupy */
	uint64_t used;
	struct spin_ct ct; /* CT */
	uint32_t seed;     /* SEED */
};

/* Changes of memory, in the order of their lines. */
struct vector_changes {
	unsigned count;
	struct vector_change *list;
};

/* An event that is expected. */
struct vector_event {
	struct spin_event event;
	unsigned line;
	int id_given;   /* 0: the message is that of the packet */
	int from_given; /* 0: the source is that of the last packet with this id */
};

/* A packet or put that handlers are expected to send. */
struct vector_send {
	unsigned line;
	uint32_t frame_bytes;
	uint8_t *frame; /* the packet; NULL: a put from host memory, described below */
	uint32_t start, bytes;
	struct spin_process source;
	struct spin_put put;
	/* for a put that must be acknowledged */
	uint32_t acked, options, me;
	uint64_t user_ptr;
};

enum vector_step_kind { STEP_PACKET, STEP_CLOCK };

/* A step, and what is expected of it. */
struct vector_step {
	enum vector_step_kind kind;
	struct vector_changes before; /* made by the application before the packet */
	struct vector_changes after;  /* expected of the handlers */
	uint32_t in_bytes, out_bytes;
	uint8_t *in, *out;
	enum spin_verdict verdict;
	enum spin_reason reason;
	unsigned event_count;
	struct vector_event *event;
	unsigned send_count;
	struct vector_send *send;
	uint64_t now_ns; /* STEP_CLOCK */
	unsigned number; /* number of the packet, from 1; STEP_CLOCK: of the previous packet */
	unsigned line;
};

/* A vector. */
struct vector {
	char *path;
	char handler[32];
	struct engine_context context;
	struct spin_segment handler_mem[SPIN_SEGMENTS_MAX]; /* segments of the context */
	int of_messages;                                    /* 1: a line requires that the handler takes messages */
	int trusted;                                        /* 1: a line excludes the isolated class */
	int of_host_memory;                                 /* 1: a line requires that the handler has host memory */
	unsigned count;
	struct vector_step *step;
};

/* Returns 0 or a negative errno; engine_error() then names file and line. */
int vector_read(const char *path, struct vector **out);
void vector_free(struct vector *v);
/* Formats "packet 3" or "clock 2000". */
void vector_step_name(const struct vector_step *step, char *text, size_t bytes);

/* A change to the expectation of the last step, to test that the comparison fails. */
enum vector_mutation {
	MUTATE_NONE,
	MUTATE_VERDICT,
	MUTATE_FRAME,
	MUTATE_STATE,
	MUTATE_EVENT,
	MUTATE_SEND,
	MUTATE_HOST,
	MUTATE_ME,
	MUTATE_CT,
	MUTATIONS
};
const char *vector_mutation_name(enum vector_mutation mutation);
/* Returns 1 if the vector has the thing that the mutation changes. */
int vector_can_mutate(const struct vector *v, const struct types *t, enum vector_mutation mutation);

/* The result of a vector on one engine. */
struct vector_result {
	int rc; /* 0: as expected; 1: a difference; negative errno: could not run, see `reason` */
	char reason[512];
	unsigned step;              /* step with the first difference */
	struct engine_out out;      /* result of that packet; for a clock step only its events */
	struct engine_sends *sends; /* sends of that step */
	int uncounted;              /* 1: the step did not increment exactly the counter of its reason */
	struct image want, got;     /* memory after that step */
	struct host_image want_host, got_host;
	struct differences differences;
};

/* Runs a vector from the initial state to its end or to the first difference. */
void vector_run(const struct vector *v, const struct types *t, struct engine *e, const struct image *initial, enum vector_mutation mutation,
		struct vector_result *out);
void vector_result_free(struct vector_result *result);

#endif
