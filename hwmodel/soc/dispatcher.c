/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/soc/dispatcher.h"
#include "hwmodel/soc/latch.h"
#include "hwmodel/soc/scheduler.h"

struct dispatcher {
	struct soc *soc;
	unsigned clusters;
	struct latch *holds; /* per cluster: tasks dispatched and not fed back */
	struct job *job;     /* taken for a cluster that does not take it yet, */
	unsigned cluster;    /* which is this */
};

struct dispatcher *dispatcher__new(struct soc *soc)
{
	struct dispatcher *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->soc = soc;
	d->clusters = (unsigned)soc->target->clusters;
	d->holds = calloc(d->clusters, sizeof(*d->holds));
	if (d->holds)
		return d;
	free(d);
	return NULL;
}

void dispatcher__free(struct dispatcher *d)
{
	if (!d)
		return;
	free(d->holds);
	free(d);
}

/* S: of those that take a task; of none, the first. */
static unsigned least(const struct dispatcher *d, uint64_t cycle)
{
	int64_t fewest = INT64_MAX;
	unsigned found = 0;

	for (unsigned c = 0; c < d->clusters; c++) {
		int64_t holds = latch__read(&d->holds[c], cycle);

		if (scheduler__is_ready(d->soc->schedulers[c], cycle) && holds < fewest) {
			fewest = holds;
			found = c;
		}
	}
	return found;
}

int dispatcher__go_on(struct dispatcher *d, uint64_t cycle)
{
	if (!d->job || !scheduler__is_ready(d->soc->schedulers[d->cluster], cycle))
		return 0;
	scheduler__push(d->soc->schedulers[d->cluster], cycle, d->job);
	d->job = NULL;
	return 1;
}

int dispatcher__take(struct dispatcher *d, uint64_t cycle, struct job *job)
{
	unsigned home = job->her.message_id % d->clusters, other = least(d, cycle);

	if (latch__read(&d->holds[other], cycle) >= job->most)
		return 0;
	d->cluster = latch__read(&d->holds[home], cycle) < job->most && scheduler__is_ready(d->soc->schedulers[home], cycle) ? home : other;
	latch__add(&d->holds[d->cluster], cycle, 1);
	job->task.dispatched = cycle;
	d->job = job;
	dispatcher__go_on(d, cycle);
	return 1;
}

int dispatcher__has_room(const struct dispatcher *d, int64_t most)
{
	for (unsigned c = 0; c < d->clusters; c++)
		if (latch__next(&d->holds[c]) < most)
			return 1;
	return 0;
}

int dispatcher__is_busy(const struct dispatcher *d)
{
	return d->job != NULL;
}

void dispatcher__ended(struct dispatcher *d, uint64_t cycle, unsigned cluster)
{
	latch__add(&d->holds[cluster], cycle, -1);
}
