/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Worker threads take a sweep's points one after the other; each has a NIC and a source of its own.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/spinctl/cost_sweep.h"

#define BAR 40

struct pool {
	struct cost_sweep *sweep;
	pthread_mutex_t lock;
	unsigned next, done; /* points taken, and run */
	unsigned failed;     /* the first that failed, in their order; points: none */
	char why[512];       /* its message */
	int shows_progress;
};

/* What is asked of a point beside its target. */
struct point {
	struct pspin_target *target;
	unsigned size;
	double gbps;
};

static void name_point(const struct cost_sweep *sweep, unsigned i, char *name, size_t bytes)
{
	size_t at = 0;

	*name = 0;
	for (unsigned a = 0; a < sweep->axes && at < bytes; a++)
		at += (size_t)snprintf(name + at, bytes - at, "%s%s=%" PRIu64, a ? " " : "", sweep->axis[a].name,
				       cost_sweep__value(sweep, i, a));
}

static int make_point(const struct cost_sweep *sweep, unsigned i, struct point *point)
{
	char why[256] = "";

	point->target = pspin_target__copy(sweep->program->target);
	if (!point->target)
		return complain("no memory");
	for (unsigned a = 0; a < sweep->axes; a++) {
		const char *name = sweep->axis[a].name;
		uint64_t value = cost_sweep__value(sweep, i, a);

		if (!strcmp(name, "size"))
			point->size = (unsigned)value;
		else if (!strcmp(name, "rate"))
			point->gbps = (double)value;
		else if (pspin_target__set(point->target, name, value, why, sizeof(why)))
			return complain("%s", why);
	}
	return pspin_target__check(point->target, why, sizeof(why)) ? complain("%s", why) : DONE;
}

static int run_passes(const struct cost_sweep *sweep, const struct cost_program *program, const struct point *point,
		      struct cost_source *source, struct cost_point *p)
{
	int status = cost_source__resize(source, point->size);

	if (!status)
		status = cost_pass__alone(program, source, NULL, &p->alone);
	if (!status && !p->alone.handled)
		return complain("no handler ran; the rule is %s", sweep->base->rule);
	if (!status)
		status = cost_source__rewind(source);
	if (!status && (!sweep->base->takes_messages || !sweep->base->trace || sweep->base->is_image))
		cost_source__repeat(source, COST_LOADED_PACKETS);
	if (!status)
		status = cost_pass__loaded(program, source, point->gbps > 0 ? point->gbps : sweep->base->offered_gbps, NULL, &p->loaded,
					   &p->throughput, NULL);
	return status;
}

static void keep(const struct cost_report *r, struct cost_point *p, struct cost_sweep_result *out)
{
	const struct pspin_traffic *seen = &p->loaded.traffic;

	cost_rates(r, p);
	out->cycles = p->alone.packet_cycles;
	out->latency_ps = p->alone.latency_ps;
	out->packet_bytes = p->alone.packet_bytes_mean;
	out->throughput = p->throughput;
	out->hpus_busy = seen->span_ps ? (double)seen->hpu_busy_ps / (double)seen->span_ps : 0;
	out->hpus_at_100_gbps = p->rates[0].hpus;
	out->lost = seen->lost_no_buffer + seen->lost_no_message;
}

static int run_point(const struct cost_sweep *sweep, unsigned i)
{
	struct cost_program program = *sweep->program;
	struct cost_report *r = malloc(sizeof(*r));
	struct cost_source *source = NULL;
	struct point point = { 0 };
	int status = r ? make_point(sweep, i, &point) : complain("no memory");

	if (!status) {
		*r = *sweep->base;
		program.target = point.target;
		r->clock_ghz = pspin_target__clock_ghz(point.target);
		pspin_target__get(point.target, "power_mw", &r->power_mw);
		source = cost_source__open(sweep->source);
		status = source ? DONE : FAILED;
	}
	if (!status) {
		memset(&r->main, 0, sizeof(r->main));
		status = run_passes(sweep, &program, &point, source, &r->main);
	}
	if (!status)
		keep(r, &r->main, &sweep->results[i]);
	cost_source__close(source);
	pspin_target__free(point.target);
	free(r);
	return status;
}

/* The lock is held. */
static void show_progress(const struct pool *pool)
{
	const unsigned filled = pool->done * BAR / pool->sweep->points;

	if (pool->shows_progress)
		fprintf(stderr, "\r[%.*s%*s] %u of %u ", (int)filled, "########################################", (int)(BAR - filled), "",
			pool->done, pool->sweep->points);
}

static void *work(void *arg)
{
	struct pool *pool = arg;
	char why[512];

	pthread_mutex_lock(&pool->lock);
	while (pool->next < pool->sweep->points && pool->next < pool->failed) {
		unsigned i = pool->next++;
		int status;

		pthread_mutex_unlock(&pool->lock);
		why[0] = 0;
		complain_into(why, sizeof(why));
		status = run_point(pool->sweep, i);
		complain_into(NULL, 0);
		pthread_mutex_lock(&pool->lock);
		pool->done++;
		if (status && i < pool->failed) {
			pool->failed = i;
			memcpy(pool->why, why, sizeof(why));
		}
		show_progress(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int cost_sweep__run(struct cost_sweep *sweep, unsigned threads)
{
	struct pool pool = {
		.sweep = sweep, .lock = PTHREAD_MUTEX_INITIALIZER, .failed = sweep->points, .shows_progress = isatty(STDERR_FILENO)
	};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned started = 0;
	pthread_t *thread;
	char name[512];

	if (!threads)
		threads = processors > 0 ? (unsigned)processors : 1;
	if (threads > sweep->points)
		threads = sweep->points;
	thread = calloc(threads, sizeof(*thread));
	while (thread && started + 1 < threads && !pthread_create(&thread[started], NULL, work, &pool))
		started++;
	work(&pool); /* this thread is one, too, and the only one if there can be no other */
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	if (pool.shows_progress)
		fputs("\r\033[K", stderr);
	if (pool.failed == sweep->points)
		return DONE;
	name_point(sweep, pool.failed, name, sizeof(name));
	return complain("at %s: %s", name, pool.why);
}
