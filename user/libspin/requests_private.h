/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_REQUESTS_PRIVATE_H
#define LIBSPIN_REQUESTS_PRIVATE_H

#include "out.h"
#include "requests.h"

#define REQUESTS_PUTS_MAX 4096u /* that wait; one more fails */

/* A put that waits for its turn. */
struct put {
	struct put *next;
	uint32_t start, bytes;
	struct spin_process source;
	struct spin_put put;
	int has_data;          /* 1: its bytes are below; 0: in host memory */
	/* of one that is to be acknowledged */
	uint32_t acked, options, me, me_serial;
	uint64_t user_ptr;
	uint8_t data[]; /* `bytes` of it; of a put from host memory none */
};

struct requests {
	struct ring_buffer *ring;
	int (*fn)(void *arg, const struct spin_request *request);
	void *arg;
	int answer;                    /* of fn */
	const struct spin_out_stats *stats;
	int tell_fd;                   /* the program that makes an event; -1: not of datagrams */

	/* packets */
	pthread_t thread;
	int has_threads;
	int stop_fd;                   /* readable: they are to stop */
	int raw4, raw6;
	uint64_t sent, unsent;         /* atomic, as those below */

	/* ways that it finds */
	int hops_fd, hops_map;         /* netlink; the table */
	int hops;                      /* 1: there may be some */
	uint32_t tried[4];
	uint64_t tried_ns, looked_ns;

	/* puts */
	pthread_t worker;
	pthread_mutex_t lock;          /* of what follows */
	pthread_cond_t wake;
	struct put *first, **last;
	unsigned waiting;
	int stop;
	int failure;                   /* what ended a thread by itself, and its reason */
	char why[SPIN_ERROR_BYTES];
	uint64_t put, unput;
};

/* Signals are for the application's threads. */
int requests_thread__create(pthread_t *thread, void *(*run)(void *ctx), struct spin_ctx *ctx);
/* Remembers this thread's last reason as what ended it. */
void requests__fail(struct requests *r, int err);

/* --- requests_packet.c: as they are, by the host's routes --- */

int requests_packet__open(struct requests *r);
void requests_packet__close(struct requests *r);
void requests_packet__send(struct spin_ctx *ctx, const struct spin_request *request);

/* --- requests_hop.c: what the host has found on the way is told to handlers --- */

int requests_hop__open(struct requests *r);
void requests_hop__close(struct requests *r);
/* After a packet was sent there. */
void requests_hop__learn(struct spin_ctx *ctx, const struct spin_process *target);
/* To be called when so much time has passed; -1: not at all. */
int requests_hop__wait_ms(const struct requests *r);
void requests_hop__refresh(struct requests *r);

/* --- requests_put.c --- */

void requests_put__add(struct spin_ctx *ctx, const struct spin_request *request);
/* The thread. */
void *requests_put__run(void *ctx);
void requests_put__forget(struct spin_ctx *ctx);

#endif
