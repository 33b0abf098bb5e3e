/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reports to the application which program the verifier is working on while bpf_object__load() blocks. Called by class.c and card.c. libbpf
 * loads the programs of an object in order, so it is the first program without a descriptor.
 */
#include <signal.h>
#include <time.h>

#include "user/libspin/load/progress.h"

#define POLL_MS 200

static spin_load_progress_fn progress_fn;
static void *progress_arg;
static pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER; /* contexts can be created concurrently */

struct watch {
	struct bpf_object *bpf;
	const char *name;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int has_ended;
};

void spin_set_load_progress(spin_load_progress_fn fn, void *arg)
{
	pthread_mutex_lock(&callback_lock);
	progress_fn = fn;
	progress_arg = arg;
	pthread_mutex_unlock(&callback_lock);
}

static void report(const struct watch *w, const char *program, double seconds)
{
	pthread_mutex_lock(&callback_lock);
	if (progress_fn)
		progress_fn(progress_arg, w->name, program, seconds);
	pthread_mutex_unlock(&callback_lock);
}

/* Runs concurrently with the loading thread: a descriptor is one word, which libbpf sets once. */
static const char *program_being_verified(const struct bpf_object *bpf)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, bpf)
		if (bpf_program__autoload(prog) && bpf_program__fd(prog) < 0)
			return bpf_program__name(prog);
	return NULL;
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

/* Returns 1 when the load has ended. */
static int wait_for_end(struct watch *w)
{
	struct timespec until;
	int over;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += POLL_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&w->lock);
	while (!w->has_ended && !pthread_cond_timedwait(&w->ended, &w->lock, &until))
		;
	over = w->has_ended;
	pthread_mutex_unlock(&w->lock);
	return over;
}

/* The thread that reports, once a second, which program is being verified and since when. */
static void *watch(void *arg)
{
	struct watch *w = arg;
	const char *program = NULL;
	struct timespec began;
	unsigned reported = 0; /* seconds last reported for this program */
	int has_reported = 0;

	clock_gettime(CLOCK_MONOTONIC, &began);
	while (!wait_for_end(w)) {
		const char *now = program_being_verified(w->bpf);

		if (now != program) {
			program = now;
			clock_gettime(CLOCK_MONOTONIC, &began);
			reported = 0;
		}
		if (!program || (unsigned)seconds_since(&began) <= reported)
			continue;
		reported = (unsigned)seconds_since(&began);
		report(w, program, reported);
		has_reported = 1;
	}
	if (has_reported)
		report(w, NULL, 0);
	return NULL;
}

/* Starts the thread with all signals blocked: only in the loading thread do they make the verifier give up. */
static int start(struct watch *w, pthread_t *thread)
{
	pthread_condattr_t attributes;
	sigset_t all, before;
	int err;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&w->ended, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int load_progress__load(struct bpf_object *bpf, const char *name)
{
	struct watch w = { .bpf = bpf, .name = name };
	pthread_t thread;
	int started, err;

	if (!progress_fn)
		return bpf_object__load(bpf);
	started = !start(&w, &thread); /* if the thread cannot be started, no progress is reported */
	err = bpf_object__load(bpf);
	if (started) {
		pthread_mutex_lock(&w.lock);
		w.has_ended = 1;
		pthread_cond_signal(&w.ended);
		pthread_mutex_unlock(&w.lock);
		pthread_join(thread, NULL);
	}
	pthread_cond_destroy(&w.ended);
	pthread_mutex_destroy(&w.lock);
	return err;
}
