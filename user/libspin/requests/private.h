/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_REQUESTS_PRIVATE_H
#define USER_LIBSPIN_REQUESTS_PRIVATE_H

/*
 * Shared by the files of requests/, which send what a context's handlers ask the host to send: packets, puts (messages that write to the
 * target's memory) and answers to gets. Each of the three has a thread; puts and answers also have a queue.
 */
#include <spin/libspin_send.h>
#include "user/libspin/requests/egress.h"
#include "user/libspin/requests/requests.h"

#define REQUESTS_PUTS_MAX    4096u /* maximum number of pending puts; one more fails */
#define REQUESTS_ANSWERS_MAX 64u   /* maximum number of pending answers to gets, which any sender can request */

/* A pending put: a message that will be sent to write into the target's memory, or the answer to a get. */
struct put {
	struct put *next;
	uint32_t start, bytes;
	struct spin_process source;
	struct spin_put put;
	int has_data;  /* 1: its data follows the struct; 0: it is in host memory */
	int is_answer; /* 1: it answers a get */
	int leaves;    /* 1: the matching entry that it is read from becomes free when this has been sent */
	/* for an answer, and for a put that must be acknowledged */
	uint32_t acked, options, me, me_serial;
	uint64_t user_ptr;
	uint8_t data[]; /* `bytes` long; empty for a put from host memory */
};

/* A queue of pending puts, and the thread that sends them one after the other. */
struct put_queue {
	pthread_t worker;
	pthread_cond_t wake;
	struct put *first, **last;
	unsigned waiting, most;
	struct put *sending;
};

/* What a context whose handlers send has in addition. */
struct requests {
	struct ring_buffer *ring;
	int (*fn)(void *arg, const struct spin_request *request);
	void *arg;
	int answer; /* last return value of fn */
	const struct spin_out_stats *stats;
	int event_fd; /* the program that emits an event; -1 in contexts of datagrams */

	/* packets */
	pthread_t thread;
	int has_threads;
	int stop_fd; /* readable when the threads must stop, or an entry must no longer be read */
	int raw4, raw6;
	uint64_t sent, unsent; /* atomic, like the next ones */

	/* the neighbour cache */
	int hops_fd, hops_map;        /* netlink; the table */
	int hops;                     /* 1: the cache has entries */
	uint32_t tried[4];            /* the address that was resolved last, so that a failing one is not resolved for each packet */
	uint64_t tried_ns, looked_ns; /* when that was, and when the entries were refreshed */

	/* puts and answers; in two queues, so that a requester that never acknowledges cannot delay this machine's puts */
	pthread_mutex_t lock; /* protects the fields below */
	struct put_queue puts, answers;
	unsigned answering;          /* the entry that an answer is being read from; SPIN_MES_MAX: none */
	pthread_cond_t answered_one; /* signalled when `answering` changes */
	uint64_t leaving;            /* a bit per entry whose event was read and whose answer may still be in the ring */
	int stop;
	int failure; /* the error that ended a thread, and its reason */
	char reason[SPIN_ERROR_BYTES];
	uint64_t put, unput;
	uint64_t answered, unanswered;
	uint64_t untold; /* events lost because the ring was full */
	int is_behind;   /* used by the worker: the last event was lost although it waited */
};

/* Starts a thread with all signals blocked: they are for the application's threads. */
int requests_thread__create(pthread_t *thread, void *(*run)(void *ctx), struct spin_ctx *ctx);
/* Records why the calling thread ends: err and its last reason. spin_requests__failure() reports the first one. */
void requests__fail(struct requests *r, int err);

/* --- put.c: packets that handlers have built, sent unchanged by raw sockets over the host's routes --- */

int requests_packet__open(struct requests *r);
void requests_packet__close(struct requests *r);
void requests_packet__send(struct spin_ctx *ctx, const struct spin_request *request);

/* --- neigh.c: a table from which handlers' programs read the next hops that the host has resolved --- */

int requests_neigh__open(struct requests *r);
void requests_neigh__close(struct requests *r);
/* Called after a packet was sent to that target. */
void requests_neigh__learn(struct spin_ctx *ctx, const struct spin_process *target);
/* Refreshes entries. requests_neigh__wait_ms() returns the milliseconds until the next call; -1: none is needed. */
int requests_neigh__wait_ms(const struct requests *r);
void requests_neigh__refresh(struct requests *r);

/* --- put.c: puts, sent as messages and acknowledged --- */

/* Queues a handler's put; if that fails, reports the failure to the application by an event. */
void requests_put__add(struct spin_ctx *ctx, const struct spin_request *request);
/* Main function of the thread that sends puts. */
void *requests_put__run(void *ctx);
/* Reports all puts that are still queued as failed, after the thread has ended. */
void requests_put__forget(struct spin_ctx *ctx);
/* Appends the put, which the queue then owns. Returns 0 if the queue is full: the caller keeps the put. */
int put_queue__add(struct requests *r, struct put_queue *q, struct put *p);
/* Waits for the next put; NULL: the thread must stop. The put counts as being sent until the next call. */
struct put *put_queue__next(struct requests *r, struct put_queue *q);
/* Sends a put until it is acknowledged or is_over() returns 1. Returns 0 or a negative errno. */
int requests_put__send(struct spin_ctx *ctx, const struct put *p, int (*is_over)(void *arg, const struct spin_send_report *so_far),
		       void *arg);

/* --- answer.c --- */

/* Queues the answer to a get. p: a copy that the queue frees; NULL: out of memory. */
void requests_answer__add(struct spin_ctx *ctx, struct put *p);
void *requests_answer__run(void *ctx);
/*
 * Returns the entries whose events were read. requests_answer__leave(), after the ring was read, frees them now or when their answers have
 * been sent.
 */
uint64_t requests_answer__leaving(struct requests *r);
void requests_answer__leave(struct spin_ctx *ctx, uint64_t entries);
void requests_answer__forget(struct spin_ctx *ctx);

#endif
