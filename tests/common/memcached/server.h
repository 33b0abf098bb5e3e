/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_SERVER_H
#define TESTS_COMMON_MEMCACHED_SERVER_H

/*
 * Debian's memcached as the user nobody, on UDP and TCP, alone or with handlers on its sockets; in that case spind and spin-memcached also
 * run, in the same network namespace. proc_init() must be called before. Failures end the test. Used by tests/sockets, tests/fuzz,
 * tests/bench and the demo.
 */
#include <stdint.h>
#include <sys/types.h>

#include "tests/common/spind.h"

#define MC_PORT 11211

struct mc_cache;
struct spin_ctx;
struct spin_object;

struct mc_server {
	int ns, cpu;      /* cpu: of memcached and spin-memcached; -1: any */
	unsigned threads; /* memcached's */
	int with;         /* 1: with handlers */
	pid_t pid;        /* the process that was started: memcached, or `spinctl exec` */
	pid_t memcached;
	pid_t fill;         /* spin-memcached; 0: not running */
	struct spind spind; /* only with handlers */
	struct spin_ctx *ctx;
	struct spin_object *object;
	const struct mc_cache *cache; /* the handlers' cache; NULL: without handlers */
};

/* Returns why memcached cannot run, or NULL. */
const char *mc_server__missing(void);
/* Returns why it cannot have handlers, or NULL. */
const char *mc_server__missing_handlers(void);

/* Sets pid and the fields after it; the caller sets the others. Returns when memcached listens. */
void mc_server__start(struct mc_server *server);
void mc_server__stop(struct mc_server *server);
/* Kills spin-memcached and starts it again. */
void mc_server__restart_fill(struct mc_server *server);

/* Returns the number of GETs that handlers have answered. */
uint32_t mc_server__hits(const struct mc_server *server);

#endif
