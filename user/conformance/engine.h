/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_ENGINE_H
#define USER_CONFORMANCE_ENGINE_H

/*
 * The executions of a handler behind one interface: the host build, the kernel
 * (PROG_TEST_RUN) in both load classes, the model of the HPU, and the program for a card. Tests that hold them to each
 * other know nothing else.
 *
 * Functions return 0 or a negative errno; engine_error() has the reason.
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/libspin_message.h>

#define ENGINE_FRAME_MAX   16384
#define ENGINE_SYMBOLS_MAX 16

enum engine_kind {
	ENGINE_HOST,
	ENGINE_BPF,
	ENGINE_ISOLATED,
	ENGINE_MODEL,
	ENGINE_OF_ALL,              /* those above have a build of every handler */
	ENGINE_NFP = ENGINE_OF_ALL, /* of those with a program for a card; datagrams of frames in one buffer, and no events */
	ENGINE_KINDS
};

/* Events of one packet, or of a step in time: at most one error per message, and the messages that end. */
#define ENGINE_EVENTS_MAX 64

struct engine_events {
	unsigned count;                             /* all that occurred, also those that are not kept */
	struct spin_event event[ENGINE_EVENTS_MAX]; /* hpu is 0; addresses and all else as in <spin/context.h> */
};

/* What handlers sent for one packet, or in a step in time, in order: packets, and puts from host memory. */
#define ENGINE_SENDS_MAX 64

struct engine_sends {
	unsigned count; /* may be more than are kept */
	struct spin_request send[ENGINE_SENDS_MAX];
};

/* The result of a packet. */
struct engine_out {
	enum spin_verdict verdict;
	enum spin_reason reason;
	uint32_t event;              /* the first error: enum spin_event_type; 0: none */
	uint32_t event_handler;      /* enum spin_handler_kind */
	struct engine_events events; /* all of them, in order */
	uint32_t frame_bytes;        /* of what comes out; 0 for a packet that is dropped */
	uint8_t frame[ENGINE_FRAME_MAX];
};

/* A handler as the files that executions are made of. */
struct engine_handler {
	const char *name;   /* as it is registered */
	const char *object; /* the fat object */
	const char *host;   /* the shared object of `spincc --target host`; NULL: none, so no host engine */
};

/* A context; zero: libspin's defaults. The clock is virtual, and 0 at first. */
struct engine_context {
	struct spin_rule rule;
	struct spin_message_opts message;
};

struct engine;

/* One execution: what differs between them. */
struct engine_ops {
	const char *name;
	int has_values; /* 1: read() and write() of SPIN_PER_CLUSTER memory take its value; 0: all copies */
	int (*open)(struct engine *e, const struct engine_handler *handler, const struct engine_context *context);
	void (*close)(struct engine *e);
	int (*packet)(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out);
	int (*read)(struct engine *e, const char *symbol, size_t offset, void *to, size_t bytes);
	int (*write)(struct engine *e, const char *symbol, size_t offset, const void *from, size_t bytes);
	uint64_t (*count)(struct engine *e, enum spin_reason reason);

	/*
	 * What handlers read as the time, and the draw behind which their random numbers go on (<spin/random.h>). Without effect where handlers
	 * ask for neither.
	 */
	int (*set_time)(struct engine *e, uint64_t now_ns);
	int (*set_draw)(struct engine *e, uint32_t draw);

	/* Contexts of messages only; else -EOPNOTSUPP. */
	/* Sets the time, then runs a sweep: evictions, and parked packets that are left over. */
	int (*clock)(struct engine *e, uint32_t now_ms, struct engine_events *out);
	/* Removes messages, tombstones and entries; clears host memory and clock; posts the first entry again. */
	int (*reset)(struct engine *e);
	int (*host_read)(struct engine *e, size_t offset, void *to, size_t bytes);
	int (*host_write)(struct engine *e, size_t offset, const void *from, size_t bytes);
	int (*me_append)(struct engine *e, const struct spin_me_opts *opts, unsigned *me);
	int (*me_unlink)(struct engine *e, unsigned me);
	int (*me_get)(struct engine *e, unsigned me, struct spin_me *out);
	int (*stats)(struct engine *e, struct spin_message_stats *out); /* since the engine was opened */

	/* Contexts of datagrams, too. There is one HPU (spin_num_hpus()), and put_id is 1. */
	int (*sends)(struct engine *e, struct engine_sends *out); /* results of the last packet or step in time */
	int (*ct)(struct engine *e, unsigned me, struct spin_ct *out);
	int (*set_ct)(struct engine *e, unsigned me, const struct spin_ct *ct);
};

struct engine {
	const struct engine_ops *ops;
	void *impl;
};

extern const struct engine_ops engine_host, engine_bpf, engine_isolated, engine_model, engine_nfp;

const char *engine_name(enum engine_kind kind);
/* ENGINE_KINDS: no engine has that name. */
enum engine_kind engine_find(const char *name);

/* The reason of an error of engine_cannot(): -EPERM (needs root), -ENODATA (the handler has no build for this engine). */
int engine_open(enum engine_kind kind, const struct engine_handler *handler, const struct engine_context *context, struct engine **out);
/* From now on trusted handlers run without a dispatcher in the kernel, and isolated ones behind one. */
void engine_swap_loading(void);
/* 1 if engine_open()'s error is not a fault of the handler: this engine cannot run here. */
int engine_cannot(int err);
void engine_close(struct engine *e);

/* This process's last failure. */
const char *engine_error(void);
int engine_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__
#define engine_fail(err, ...) ((void)(engine_fail)(err, __VA_ARGS__), (err)) /* it sees no function's result in another file */
#endif

#endif
