/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_WRITER_H
#define TESTS_COMMON_MEMCACHED_WRITER_H

/*
 * The threads that change keys of memcached while others GET them, to find stale answers. Started by checker.c. Each key is changed by one
 * thread only, so the order of its values is known.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/common/memcached/checker.h"

struct mc_check_run {
	struct mc_check *check;
	struct mc_key key[MC_CHECK_KEYS_MAX];
	pthread_rwlock_t flushing;     /* a flush takes it for writing */
	_Atomic uint64_t unsure_until; /* ns: until then a delayed flush may also remove values that are stored now */
	atomic_int stop;
	pthread_mutex_t results; /* guards the check's results */
};

struct mc_writer {
	struct mc_check_run *on;
	unsigned first, keys; /* the range of its keys */
	int short_lived;
	uint64_t seed;
	pthread_t thread;
};

/* The argument of both is a struct mc_writer. */
void *mc_writer__run(void *writer);
void *mc_writer__flush(void *writer);

/* Keeps only the first message. */
void mc_check_run__report(struct mc_check_run *on, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
