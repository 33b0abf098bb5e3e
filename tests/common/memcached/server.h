/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_SERVER_H
#define TESTS_COMMON_MEMCACHED_SERVER_H

/*
 * Debian's memcached as the user nobody, on UDP and TCP, alone or with handlers on its sockets: spind and spin-memcached run then, too, in the
 * same network namespace. Call proc_init() before. Failures end the test.
 */
#include <stdint.h>
#include <sys/types.h>

#include "tests/common/spind.h"

#define MC_PORT 11211

struct mc_cache;
struct spin_ctx;
struct spin_object;

struct mc_server {
	int ns, cpu;      /* network namespace; CPU of memcached and spin-memcached, -1: any */
	unsigned threads; /* of memcached */
	int with;         /* 1: with handlers */
	pid_t pid;        /* what was started: memcached, or `spinctl exec` */
	pid_t memcached;
	pid_t fill;         /* spin-memcached; 0: it does not run */
	struct spind spind; /* if with handlers */
	struct spin_ctx *ctx;
	struct spin_object *object;
	const struct mc_cache *cache; /* of the handlers; NULL: alone */
};

/* Returns why memcached cannot be run, or NULL. */
const char *mc_server__missing(void);
/* Returns why it cannot have handlers, or NULL. */
const char *mc_server__missing_handlers(void);

/* Sets pid and the fields behind it; the others are the caller's. Returns when memcached listens. */
void mc_server__start(struct mc_server *server);
void mc_server__stop(struct mc_server *server);

/* GETs that handlers have answered. */
uint32_t mc_server__hits(const struct mc_server *server);

#endif
