/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --sweep: parses the parameters to vary (axes) and their values, measures every combination (point) on worker threads, and
 * prints the results in the order of the points. Called by measure.c.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cost/sweep.h"
#include "user/lib/number.h"
#include "user/tool/error.h"

#define RATE_GBPS_MAX  1000000
#define SIZE_BYTES_MIN 28

static int refuse(char *err, size_t err_bytes, const char *text, const char *reason)
{
	snprintf(err, err_bytes, "--sweep %s: %s", text, reason);
	return -1;
}

/* Finds the bounds and the unit of a parameter that can be swept. Returns -1 if there is no such parameter. */
static int find(const char *name, uint64_t *low, uint64_t *high, const char **unit)
{
	struct pspin_parameter p;

	if (!strcmp(name, "size")) {
		*low = SIZE_BYTES_MIN;
		*high = SPIN_IP_BYTES_MAX;
		*unit = "bytes";
		return 0;
	}
	if (!strcmp(name, "rate")) {
		*low = 1;
		*high = RATE_GBPS_MAX;
		*unit = "Gbit/s";
		return 0;
	}
	for (unsigned i = 0; !pspin_target__parameter(i, &p); i++) {
		if (!strcmp(name, p.name)) {
			*low = p.low;
			*high = p.high;
			*unit = p.unit;
			return 0;
		}
	}
	return -1;
}

static int add_value(struct cost_axis *axis, uint64_t value)
{
	if (axis->count == COST_SWEEP_VALUES)
		return -1;
	axis->values[axis->count++] = value;
	return 0;
}

/* Parses one item of an axis: 3, 1..8 or 64..1024:64. */
static int add_part(struct cost_axis *axis, char *part)
{
	char *range = strstr(part, ".."), *step = range ? strchr(range, ':') : NULL;
	uint64_t from, to, by = 1;

	if (step)
		*step++ = 0;
	if (range) {
		*range = 0;
		range += 2;
	}
	if (number__read(part, UINT64_MAX / 4, &from))
		return -1;
	to = from;
	if ((range && number__read(range, UINT64_MAX / 4, &to)) || (step && number__read(step, UINT64_MAX / 4, &by)) || to < from || !by)
		return -1;
	for (; from <= to; from += by)
		if (add_value(axis, from))
			return -1;
	return 0;
}

static int parse_axis(struct cost_axis *axis, const char *text, char *err, size_t err_bytes)
{
	const char *equals = strchr(text, '=');
	char values[1024], *rest = values;
	uint64_t low, high;

	if (!equals || (size_t)(equals - text) >= sizeof(axis->name) || strlen(equals + 1) >= sizeof(values))
		return refuse(err, err_bytes, text, "write NAME=VALUES, as in hpus=1,2,4..8 or size=64..1024:64");
	memcpy(axis->name, text, (size_t)(equals - text));
	strcpy(values, equals + 1);
	if (find(axis->name, &low, &high, &axis->unit))
		return refuse(err, err_bytes, text, "it is not a parameter of a target, nor size or rate; see spinctl targets");
	axis->values = calloc(COST_SWEEP_VALUES, sizeof(*axis->values));
	if (!axis->values)
		return refuse(err, err_bytes, text, "no memory");
	while (rest) {
		char *comma = strchr(rest, ',');

		if (comma)
			*comma++ = 0;
		if (add_part(axis, rest))
			return refuse(err, err_bytes, text,
				      "values are numbers or ranges, as in 1,2,4..16:4, at most "
				      "1024 of them");
		rest = comma;
	}
	for (unsigned i = 0; i < axis->count; i++) {
		if (axis->values[i] < low || axis->values[i] > high) {
			snprintf(err, err_bytes, "--sweep %s: %s is %" PRIu64 " to %" PRIu64 " %s, not %" PRIu64, text, axis->name, low,
				 high, axis->unit, axis->values[i]);
			return -1;
		}
	}
	return 0;
}

int cost_sweep__parse(struct cost_sweep *sweep, const struct option_list *axes, char *err, size_t err_bytes)
{
	sweep->points = 1;
	for (unsigned i = 0; i < axes->count; i++) {
		struct cost_axis *axis = &sweep->axis[sweep->axes];

		if (sweep->axes == COST_SWEEP_AXES)
			return refuse(err, err_bytes, axes->items[i], "there are 8 axes at most");
		sweep->axes++;
		if (parse_axis(axis, axes->items[i], err, err_bytes))
			return -1;
		for (unsigned j = 0; j + 1 < sweep->axes; j++)
			if (!strcmp(sweep->axis[j].name, axis->name))
				return refuse(err, err_bytes, axes->items[i], "it is an axis already");
		if (sweep->points > COST_SWEEP_POINTS / axis->count)
			return refuse(err, err_bytes, axes->items[i], "that makes more than 65536 points");
		sweep->points *= axis->count;
	}
	sweep->results = calloc(sweep->points, sizeof(*sweep->results));
	return sweep->results ? 0 : refuse(err, err_bytes, "", "no memory");
}

void cost_sweep__free(struct cost_sweep *sweep)
{
	for (unsigned i = 0; i < sweep->axes; i++)
		free(sweep->axis[i].values);
	free(sweep->results);
}

uint64_t cost_sweep__value(const struct cost_sweep *sweep, unsigned point, unsigned axis)
{
	for (unsigned i = sweep->axes - 1; i > axis; i--)
		point /= sweep->axis[i].count;
	return sweep->axis[axis].values[point % sweep->axis[axis].count];
}

/* --- worker threads: take the points of a sweep in order; each point has its own NIC and source --- */

#define BAR 40

struct pool {
	struct cost_sweep *sweep;
	pthread_mutex_t lock;
	unsigned next, done; /* points started and completed */
	unsigned failed;     /* lowest index of a point that failed; number of points: none */
	char reason[512];    /* the message of point `failed` */
	int shows_progress;
};

/* The target and the other parameters of a point. */
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

static int init_point(const struct cost_sweep *sweep, unsigned i, struct point *point)
{
	char reason[256] = "";

	point->target = pspin_target__copy(sweep->program->target);
	if (!point->target)
		return report_error("no memory");
	for (unsigned a = 0; a < sweep->axes; a++) {
		const char *name = sweep->axis[a].name;
		uint64_t value = cost_sweep__value(sweep, i, a);

		if (!strcmp(name, "size"))
			point->size = (unsigned)value;
		else if (!strcmp(name, "rate"))
			point->gbps = (double)value;
		else if (pspin_target__set(point->target, name, value, reason, sizeof(reason)))
			return report_error("%s", reason);
	}
	return pspin_target__check(point->target, reason, sizeof(reason)) ? report_error("%s", reason) : DONE;
}

static int run_passes(const struct cost_sweep *sweep, const struct cost_program *program, const struct point *point,
		      struct cost_source *source, struct cost_point *p)
{
	int status = cost_source__resize(source, point->size);

	if (!status)
		status = cost_pass__alone(program, source, NULL, &p->alone);
	if (!status && !p->alone.handled)
		return report_error("no handler ran; the rule is %s", sweep->base->rule);
	if (!status)
		status = cost_source__rewind(source);
	if (!status && cost_packets__may_repeat(sweep->base))
		cost_source__repeat(source, COST_LOADED_PACKETS);
	if (!status)
		status = cost_pass__loaded(program, source, point->gbps > 0 ? point->gbps : sweep->base->offered_gbps, NULL, &p->loaded,
					   &p->throughput, NULL);
	return status;
}

static void store_result(const struct cost_report *r, struct cost_point *p, struct cost_sweep_result *out)
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
	int status = r ? init_point(sweep, i, &point) : report_error("no memory");

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
		store_result(r, &r->main, &sweep->results[i]);
	cost_source__close(source);
	pspin_target__free(point.target);
	free(r);
	return status;
}

/* The caller holds the lock. */
static void show_progress(const struct pool *pool)
{
	const unsigned filled = pool->done * BAR / pool->sweep->points;

	if (pool->shows_progress)
		fprintf(stderr, "\r[%.*s%*s] %u of %u ", (int)filled, "########################################", (int)(BAR - filled), "",
			pool->done, pool->sweep->points);
}

/* A thread of the pool: runs points until none is left, or until one before them has failed. */
static void *worker(void *arg)
{
	struct pool *pool = arg;
	char reason[512];

	pthread_mutex_lock(&pool->lock);
	while (pool->next < pool->sweep->points && pool->next < pool->failed) {
		unsigned i = pool->next++;
		int status;

		pthread_mutex_unlock(&pool->lock);
		reason[0] = 0;
		report_errors_to(reason, sizeof(reason));
		status = run_point(pool->sweep, i);
		report_errors_to(NULL, 0);
		pthread_mutex_lock(&pool->lock);
		pool->done++;
		if (status && i < pool->failed) {
			pool->failed = i;
			memcpy(pool->reason, reason, sizeof(reason));
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
	while (thread && started + 1 < threads && !pthread_create(&thread[started], NULL, worker, &pool))
		started++;
	worker(&pool); /* the calling thread is also a worker, the only one if no thread can be created */
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	if (pool.shows_progress)
		fputs("\r\033[K", stderr);
	if (pool.failed == sweep->points)
		return DONE;
	name_point(sweep, pool.failed, name, sizeof(name));
	return report_error("at %s: %s", name, pool.reason);
}

static int column_width(const struct cost_axis *axis)
{
	size_t length = strlen(axis->name);

	return length > 10 ? (int)length : 10;
}

void cost_sweep__text(const struct cost_sweep *sweep)
{
	printf("%s on %s, rule: %s; %u points\n"
	       "cycles and latency: medians, one packet after the other; the rest under load\n\n",
	       sweep->base->handler, sweep->base->target, sweep->base->rule, sweep->points);
	for (unsigned a = 0; a < sweep->axes; a++)
		printf("%*s ", column_width(&sweep->axis[a]), sweep->axis[a].name);
	printf("%10s %12s %9s %9s %10s  %s\n", "cycles", "latency ns", "Gbit/s", "Mpkt/s", "HPUs busy", "bound");
	for (unsigned i = 0; i < sweep->points; i++) {
		const struct cost_sweep_result *r = &sweep->results[i];
		char bound[COST_BOUND_TEXT];

		for (unsigned a = 0; a < sweep->axes; a++)
			printf("%*" PRIu64 " ", column_width(&sweep->axis[a]), cost_sweep__value(sweep, i, a));
		printf("%10" PRIu64 " %12.1f %9.1f %9.2f %10.1f  %s\n", r->cycles.median, (double)r->latency_ps.median / 1000,
		       r->throughput.gbps, r->throughput.packets_per_us, r->hpus_busy, cost_bound_name(&r->throughput, bound));
	}
}

static void json_point(struct json *j, const struct cost_sweep *sweep, unsigned i)
{
	const struct cost_sweep_result *r = &sweep->results[i];

	json_object(j, NULL);
	json_object(j, "at");
	for (unsigned a = 0; a < sweep->axes; a++)
		json_uint(j, sweep->axis[a].name, cost_sweep__value(sweep, i, a));
	json_object_end(j);
	json_double(j, "mean_packet_bytes", r->packet_bytes);
	json_uint(j, "median_cycles", r->cycles.median);
	json_uint(j, "median_latency_ps", r->latency_ps.median);
	json_uint(j, "p99_latency_ps", r->latency_ps.p99);
	json_double(j, "throughput_gbps", r->throughput.gbps);
	json_double(j, "packets_per_us", r->throughput.packets_per_us);
	json_double(j, "hpus_busy", r->hpus_busy);
	json_double(j, "hpus_needed_at_100_gbps", r->hpus_at_100_gbps);
	json_uint(j, "lost_packets", r->lost);
	json_double(j, "energy_nj_at_most", r->throughput.energy_nj);
	json_string(j, "bound", cost_resource_name(r->throughput.bound));
	json_object_end(j);
}

void cost_sweep__json(const struct cost_sweep *sweep)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "handler", sweep->base->handler);
	json_string(&j, "target", sweep->base->target);
	json_string(&j, "rule", sweep->base->rule);
	json_array(&j, "axes");
	for (unsigned a = 0; a < sweep->axes; a++) {
		json_object(&j, NULL);
		json_string(&j, "name", sweep->axis[a].name);
		json_string(&j, "unit", sweep->axis[a].unit);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_array(&j, "points");
	for (unsigned i = 0; i < sweep->points; i++)
		json_point(&j, sweep, i);
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
