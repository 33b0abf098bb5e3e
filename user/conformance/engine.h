/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_ENGINE_H
#define USER_CONFORMANCE_ENGINE_H

/*
 * Engines: all ways to execute a handler, behind one interface. They are the host build, the kernel (PROG_TEST_RUN) in both load classes
 * (trusted, and isolated: loaded without CAP_PERFMON), the model of the NIC, and the program for a card. Tests compare engines only through
 * this interface.
 *
 * Functions return 0 or a negative errno; engine_error() has the reason.
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/libspin_message.h>

#define ENGINE_FRAME_MAX   16384
#define ENGINE_SYMBOLS_MAX 16

/* The engines. */
enum engine_kind {
	ENGINE_HOST,
	ENGINE_BPF,
	ENGINE_ISOLATED,
	ENGINE_MODEL,
	ENGINE_OF_ALL,              /* the kinds above have a build of every handler */
	ENGINE_NFP = ENGINE_OF_ALL, /* only handlers with a program for a card; datagrams in single-buffer frames, no events */
	ENGINE_KINDS
};

/* The events of one packet or clock step: at most one error per message, and the messages that end. */
#define ENGINE_EVENTS_MAX 64

/* Events of one packet or clock step. */
struct engine_events {
	unsigned count;                             /* all events that occurred; may exceed ENGINE_EVENTS_MAX */
	struct spin_event event[ENGINE_EVENTS_MAX]; /* hpu is 0; other fields as in <spin/context.h> */
};

/* What handlers sent during one packet or clock step, in order: packets, and puts from host memory. */
#define ENGINE_SENDS_MAX 64

/* Packets and puts that handlers sent for one packet or clock step. */
struct engine_sends {
	unsigned count; /* may exceed ENGINE_SENDS_MAX */
	struct spin_request send[ENGINE_SENDS_MAX];
};

/* The result of a packet. */
struct engine_out {
	enum spin_verdict verdict;
	enum spin_reason reason;
	uint32_t event;              /* the first error: enum spin_event_type; 0: none */
	uint32_t event_handler;      /* enum spin_handler_kind */
	struct engine_events events; /* all events, in order */
	uint32_t frame_bytes;        /* length of the resulting frame; 0: dropped */
	uint8_t frame[ENGINE_FRAME_MAX];
};

/* The files of a handler from which engines are created. */
struct engine_handler {
	const char *name;   /* as registered */
	const char *object; /* the fat object */
	const char *host;   /* the shared object of `spincc --target host`; NULL: none, so no host engine */
};

/* A context. Fields that are 0 mean libspin's defaults. The clock is virtual and starts at 0. */
struct engine_context {
	struct spin_rule rule;
	struct spin_message_opts message;
};

struct engine;

/* The operations of an engine. */
struct engine_ops {
	const char *name;
	int has_values; /* 1: read() and write() of SPIN_PER_CLUSTER memory access its value; 0: all copies */
	int (*open)(struct engine *e, const struct engine_handler *handler, const struct engine_context *context);
	void (*close)(struct engine *e);
	int (*packet)(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out);
	int (*read)(struct engine *e, const char *symbol, size_t offset, void *to, size_t bytes);
	int (*write)(struct engine *e, const char *symbol, size_t offset, const void *from, size_t bytes);
	uint64_t (*count)(struct engine *e, enum spin_reason reason);

	/*
	 * Set the time that handlers read, and the draw from which their random numbers continue (<spin/random.h>). No effect on handlers
	 * that use neither.
	 */
	int (*set_time)(struct engine *e, uint64_t now_ns);
	int (*set_draw)(struct engine *e, uint32_t draw);

	/* The next functions are for contexts of messages; others return -EOPNOTSUPP, except for reset(). */
	/* Sets the time, then expires messages and handles the remaining parked packets. */
	int (*clock)(struct engine *e, uint32_t now_ms, struct engine_events *out);
	/*
	 * Removes messages, tombstones and matching entries; clears host memory and clock; posts the first entry again. Of a context of
	 * segments removes all connections; of datagrams may do nothing.
	 */
	int (*reset)(struct engine *e);
	int (*host_read)(struct engine *e, size_t offset, void *to, size_t bytes);
	int (*host_write)(struct engine *e, size_t offset, const void *from, size_t bytes);
	int (*me_append)(struct engine *e, const struct spin_me_opts *opts, unsigned *me);
	int (*me_unlink)(struct engine *e, unsigned me);
	int (*me_get)(struct engine *e, unsigned me, struct spin_me *out);
	int (*stats)(struct engine *e, struct spin_message_stats *out); /* since the engine was opened */

	/* The next functions are also for contexts of datagrams. There is one HPU (spin_num_hpus()), and put_id is 1. */
	int (*sends)(struct engine *e, struct engine_sends *out); /* results of the last packet or clock step */
	int (*ct)(struct engine *e, unsigned me, struct spin_ct *out);
	int (*set_ct)(struct engine *e, unsigned me, const struct spin_ct *ct);
};

/* An open engine. */
struct engine {
	const struct engine_ops *ops;
	void *impl;
};

extern const struct engine_ops engine_host, engine_bpf, engine_isolated, engine_model, engine_nfp;

const char *engine_name(enum engine_kind kind);
/* Returns the kind of that name, or ENGINE_KINDS if there is none. */
enum engine_kind engine_find(const char *name);

/*
 * Opens an engine. Some errors do not mean a faulty handler, see engine_cannot(): -EPERM (needs root), -ENODATA (the handler has no
 * build for this engine).
 */
int engine_open(enum engine_kind kind, const struct engine_handler *handler, const struct engine_context *context, struct engine **out);
/* From now on, in the kernel, trusted handlers run without a dispatcher and isolated ones behind one. */
void engine_swap_loading(void);
/* Returns 1 if the error of engine_open() means that this engine cannot run it here, not that the handler is faulty. */
int engine_cannot(int err);
void engine_close(struct engine *e);

/* Returns the reason of this process's last failure. */
const char *engine_error(void);
int engine_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__
#define engine_fail(err, ...) \
	((void)(engine_fail)(err, __VA_ARGS__), (err)) /* it cannot see that the function in another file returns err */
#endif

#endif
