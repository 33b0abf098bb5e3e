/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that each parameter of a target (a modelled NIC) counts: a change must change a reported figure in the expected direction. The
 * expectations are in target_expectations.def, one row per parameter. Run by tests/run.
 */
#include <inttypes.h>
#include <math.h>

#include "tests/common/bench.h"

#include "tests/model/common/rig.h"

enum figure {
	BODY,    /* cycles of a handler, median */
	LATENCY, /* ns from HER to feedback, median */
	MEAN,    /* same, mean */
	ARRIVAL, /* ns from offer to HER */
	LEAVING, /* ns from feedback until the last byte has left */
	GBPS,
	SPAN,   /* ns from the first feedback to the last */
	HPUS,   /* maximum busy at once */
	HELD,   /* ps that the wire was held back */
	HERS,   /* maximum in the NIC at once */
	MISSES, /* of instruction caches */
	ERROR,  /* 1 if a task failed */
	ALONE,  /* cycles of a function of rows.S or probes.S on a single HPU */
	/* as reported by spinctl cost, for a handler of handlers/ */
	ENERGY, /* nJ per packet */
	NEEDED, /* HPUs at 100 Gbit/s */
};

/* clang-format off */
static const char *const figure_names[] = {
	"body cycles",	"latency ns",	"mean latency ns", "arrival ns",   "leaving ns",
	"Gbit/s",	"span ns",	"HPUs at once",	   "ps held back", "HERs at once",
	"cache misses", "failed tasks", "cycles alone",	   "nJ",	   "HPUs needed"};

enum direction { MORE, LESS, OTHER };

/* A measurement. For ALONE and the figures after it only run.handler is used. */
struct probe {
	enum figure figure;
	struct bench_run run;
};
/* clang-format on */

static const struct expectation {
	uint64_t value; /* replaces pspin-rtl's */
	enum direction then;
	struct probe probe;
	const char *with; /* another parameter that is changed in both runs; NULL: none */
	uint64_t with_value;
	const char *also; /* another such parameter */
	uint64_t also_value;
	const char *elsewhere; /* the test that covers the parameter; NULL: this one */
} expectations[TARGET_PARAMETERS] = {
/* clang-format off */
/*
 * Runs, for the rows. ONE: 16 packets of one message, each alone on the NIC; EACH: the same, each packet of a message of its own; MANY: all
 * packets at once. FUNCTION: a function of rows.S or probes.S, or a handler for spinctl cost.
 */
#define ONE(handler_, bytes, ...)                                                                  \
	{                                                                                          \
		.handler = handler_, .packet_bytes = bytes, .packets = 16, .messages = 1,          \
		##__VA_ARGS__                                                                      \
	}
#define EACH(handler_, bytes)                                                                      \
	{                                                                                          \
		.handler = handler_, .packet_bytes = bytes, .packets = 16, .messages = 16          \
	}
#define MANY(handler_, bytes, count, messages_, ...)                                               \
	{                                                                                          \
		.handler = handler_, .packet_bytes = bytes, .packets = count,                      \
		.messages = messages_, .at_once = 1, ##__VA_ARGS__                                 \
	}
#define FUNCTION(name)                                                                             \
	{                                                                                          \
		.handler = name, .packet_bytes = 64, .packets = 1, .messages = 1                   \
	}
#define EXPECT(parameter, value_, then_, figure_, run_, ...)                                       \
	[TARGET_##parameter] = {.value = value_,                                                   \
				.then = then_,                                                     \
				.probe = {.figure = figure_, .run = run_},                         \
				##__VA_ARGS__},
/* clang-format on */
#define EXPECT_ELSEWHERE(parameter, test) [TARGET_##parameter] = { .elsewhere = test },
#include "tests/model/target_expectations.def"
};

static const char *const direction_names[] = { "more", "less", "other" };

static double run_alone(struct rig_file rows, const struct pspin_target *target, const char *function)
{
	struct hpu_task_result result;
	struct rig rig;

	rig__open(&rig, rows, target, 0, 0);
	rig__run(&rig, function, &result);
	rig__close(&rig);
	return (double)result.stats.cycle;
}

/* Returns the value of a key in the report of spinctl cost for a sweep of one point. */
static double reported_figure(const struct pspin_target *target, const char *parameter, const struct probe *probe)
{
	static const char *const keys[] = { [ENERGY] = "energy_nj_at_most", [NEEDED] = "hpus_needed_at_100_gbps" };
	const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
	char command[1024], line[256];
	double value = NAN;
	uint64_t now;
	FILE *from;

	pspin_target__get(target, parameter, &now);
	snprintf(command, sizeof(command), "%s/bin/spinctl cost %s/handlers/%s.spin --datagrams 16 --json --sweep %s=%" PRIu64, build,
		 build, probe->run.handler, parameter, now);
	from = popen(command, "r");
	while (from && fgets(line, sizeof(line), from))
		if (strstr(line, keys[probe->figure]))
			value = strtod(strchr(line, ':') + 1, NULL);
	return from && !pclose(from) ? value : NAN;
}

static double figure_of(const struct bench_result *r, enum figure figure)
{
	switch (figure) {
	case BODY:
		return r->body_cycles;
	case LATENCY:
		return r->latency_ns;
	case MEAN:
		return r->latency_mean_ns;
	case ARRIVAL:
		return r->arrival_ns;
	case LEAVING:
		return r->leave_ns;
	case GBPS:
		return r->gbps;
	case SPAN:
		return r->span_ns;
	case HPUS:
		return r->hpus;
	case HELD:
		return (double)r->traffic.held_back_ps;
	case HERS:
		return r->traffic.hers_peak;
	case MISSES:
		return (double)r->traffic.icache_misses;
	case ERROR:
		return r->error != 0;
	default:
		return NAN;
	}
}

static double measure(struct rig_file rows, const struct bench_image *image, const struct pspin_target *target, const char *parameter,
		      const struct probe *probe, int *failures)
{
	struct bench_run run = probe->run;
	struct bench_result result;
	char err[512] = "";

	if (probe->figure == ALONE)
		return run_alone(rows, target, run.handler);
	if (probe->figure >= ENERGY)
		return reported_figure(target, parameter, probe);
	run.takes_errors = probe->figure == ERROR;
	if (!bench__run(image, target, &run, &result, err, sizeof(err)))
		return figure_of(&result, probe->figure);
	printf("FAIL %s: %s\n", run.handler, err);
	++*failures;
	return NAN;
}

static void set_parameter(struct pspin_target *target, const char *name, uint64_t value, int *failures)
{
	char err[256] = "";

	if (!pspin_target__set(target, name, value, err, sizeof(err)) && !pspin_target__check(target, err, sizeof(err)))
		return;
	printf("FAIL %s = %" PRIu64 ": %s\n", name, value, err);
	++*failures;
}

static int moves_as_expected(double from, double to, enum direction then)
{
	return then == MORE ? to > from : then == LESS ? to < from : to > from || to < from;
}

static void check(struct rig_file rows, const struct bench_image *image, const struct pspin_parameter *p, const struct expectation *e,
		  int *failures)
{
	struct pspin_target *target = pspin_target__copy(pspin_target__find("pspin-rtl"));
	double before, after;

	if (e->elsewhere) {
		printf("%-20s shown by %s\n", p->name, e->elsewhere);
		pspin_target__free(target);
		return;
	}
	if (!e->probe.run.handler) {
		printf("FAIL nothing is expected of %s: give it a row in target_expectations.def\n", p->name);
		++*failures;
		free(target);
		return;
	}
	if (e->with)
		set_parameter(target, e->with, e->with_value, failures);
	if (e->also)
		set_parameter(target, e->also, e->also_value, failures);
	before = measure(rows, image, target, p->name, &e->probe, failures);
	set_parameter(target, p->name, e->value, failures);
	after = measure(rows, image, target, p->name, &e->probe, failures);
	printf("%-20s %8" PRIu64 "  %-22s %-16s %12.6g -> %-12.6g\n", p->name, e->value, e->probe.run.handler,
	       figure_names[e->probe.figure], before, after);
	if (!moves_as_expected(before, after, e->then)) {
		printf("FAIL %s: %s of %s should be %s\n", p->name, figure_names[e->probe.figure], e->probe.run.handler,
		       direction_names[e->then]);
		++*failures;
	}
	pspin_target__free(target);
}

int main(void)
{
	struct rig_file rows = rig__build("constants", "tests/model/programs/rows.S tests/model/programs/probes.S");
	struct rig_file probes = rig__build("probes", "tests/figures/handlers.S tests/model/programs/probes.S");
	const struct bench_image image = { probes.data, probes.bytes };
	struct pspin_parameter p;
	int failures = 0;

	for (unsigned i = 0; !pspin_target__parameter(i, &p); i++)
		check(rows, &image, &p, &expectations[i], &failures);
	free(rows.data);
	free(probes.data);
	return failures != 0;
}
