/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_REQUESTS_PRIVATE_H
#define USER_LIBSPIN_REQUESTS_PRIVATE_H

/* What the files of requests/ share: the context's queues of packets, puts and answers, and the threads that serve them. */
#include <spin/libspin_send.h>
#include "user/libspin/requests/out.h"
#include "user/libspin/requests/requests.h"

#define REQUESTS_PUTS_MAX    4096u /* that wait; one more fails */
#define REQUESTS_ANSWERS_MAX 64u   /* the same of answers to gets, which anyone may ask for */

/* A put that waits for its turn. */
struct put {
	struct put *next;
	uint32_t start, bytes;
	struct spin_process source;
	struct spin_put put;
	int has_data;  /* 1: its bytes are below; 0: in host memory */
	int is_answer; /* to a get */
	int leaves;    /* 1: its entry was used once, and is free when this has gone */
	/* of an answer, and of a put that is to be acknowledged */
	uint32_t acked, options, me, me_serial;
	uint64_t user_ptr;
	uint8_t data[]; /* `bytes` of it; of a put from host memory none */
};

/* Puts that wait for a thread, which sends one after the other. */
struct put_queue {
	pthread_t worker;
	pthread_cond_t wake;
	struct put *first, **last;
	unsigned waiting, most;
	struct put *sending;
};

struct requests {
	struct ring_buffer *ring;
	int (*fn)(void *arg, const struct spin_request *request);
	void *arg;
	int answer; /* of fn */
	const struct spin_out_stats *stats;
	int tell_fd; /* the program that makes an event; -1: not of datagrams */

	/* packets */
	pthread_t thread;
	int has_threads;
	int stop_fd; /* readable: they are to stop, or entries to leave */
	int raw4, raw6;
	uint64_t sent, unsent; /* atomic, as those below */

	/* ways that it finds */
	int hops_fd, hops_map; /* netlink; the table */
	int hops;              /* 1: there may be some */
	uint32_t tried[4];
	uint64_t tried_ns, looked_ns;

	/* puts; and answers, so that a stranger who never acknowledges holds up no put of this machine's */
	pthread_mutex_t lock; /* of what follows */
	struct put_queue puts, answers;
	unsigned answering;          /* the entry that an answer is being read from; SPIN_MES_MAX: none */
	pthread_cond_t answered_one; /* it is another one */
	uint64_t leaving;            /* entries whose event was read and whose answer may be in the ring, one bit each */
	int stop;
	int failure; /* what ended a thread by itself, and its reason */
	char why[SPIN_ERROR_BYTES];
	uint64_t put, unput;
	uint64_t answered, unanswered;
	uint64_t untold; /* events that found no room */
	int is_behind;   /* the worker's: the last event found none, however long it waited */
};

/* Signals are for the application's threads. */
int requests_thread__create(pthread_t *thread, void *(*run)(void *ctx), struct spin_ctx *ctx);
/* Remembers this thread's last reason as what ended it. */
void requests__fail(struct requests *r, int err);

/* --- put.c: as they are, by the host's routes --- */

int requests_packet__open(struct requests *r);
void requests_packet__close(struct requests *r);
void requests_packet__send(struct spin_ctx *ctx, const struct spin_request *request);

/* --- hop.c: what the host has found on the way is told to handlers --- */

int requests_hop__open(struct requests *r);
void requests_hop__close(struct requests *r);
/* After a packet was sent there. */
void requests_hop__learn(struct spin_ctx *ctx, const struct spin_process *target);
/* To be called when so much time has passed; -1: not at all. */
int requests_hop__wait_ms(const struct requests *r);
void requests_hop__refresh(struct requests *r);

/* --- put.c --- */

void requests_put__add(struct spin_ctx *ctx, const struct spin_request *request);
/* The thread. */
void *requests_put__run(void *ctx);
void requests_put__forget(struct spin_ctx *ctx);
/* 1: it is in the queue. */
int put_queue__add(struct requests *r, struct put_queue *q, struct put *p);
/* NULL: the thread is to stop. Until the next call it counts as being sent. */
struct put *put_queue__next(struct requests *r, struct put_queue *q);
/* Sends it, until is_over says so. 0, or a negative errno. */
int requests_put__send(struct spin_ctx *ctx, const struct put *p, int (*is_over)(void *arg, const struct spin_send_report *so_far),
		       void *arg);

/* --- answer.c --- */

/* Takes the request's copy; NULL: there was no memory for it. */
void requests_answer__add(struct spin_ctx *ctx, struct put *p);
void *requests_answer__run(void *ctx);
/* Those entries; and after the ring was read: they are free, or will be when their answers have gone. */
uint64_t requests_answer__leaving(struct requests *r);
void requests_answer__leave(struct spin_ctx *ctx, uint64_t entries);
void requests_answer__forget(struct spin_ctx *ctx);

#endif
