/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/soc/alarm.h"
#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/soc.h"

#define REGISTER_COMMANDS 2u /* S: one that is read, one beside it while that stands */

_Static_assert(L1_CLUSTERS_MAX <= 64 && SOC_CLUSTER_HPUS_MAX <= 64, "an arbiter has a bit for each");

/* A command that waits, and from which cycle on it is seen. */
struct waiting {
	struct hpu *hpu;
	unsigned slot;
	uint64_t seen;
};

/* Of one HPU: as many as it can have in flight. */
struct queue {
	struct waiting waiting[HPU_COMMAND_SLOTS_MAX];
	unsigned first, count;
};

struct cluster {
	struct queue queue[SOC_CLUSTER_HPUS_MAX];
	uint64_t has; /* HPUs whose queue is not empty */
	struct arbiter arbiter;
	struct waiting reg[REGISTER_COMMANDS];
	unsigned count;
};

struct commands {
	struct soc *soc;
	struct interfaces *interfaces;
	struct arbiter arbiter[INTERFACES];
	struct cluster *cluster;
	struct alarm alarm;
};

struct commands *commands__new(struct soc *soc)
{
	struct commands *commands = calloc(1, sizeof(*commands));

	if (!commands)
		return NULL;
	commands->soc = soc;
	commands->interfaces = interfaces__new(soc->target, soc->l1);
	commands->cluster = calloc(soc->target->clusters, sizeof(*commands->cluster));
	alarm__open(&commands->alarm);
	if (commands->interfaces && commands->cluster)
		return commands;
	commands__free(commands);
	return NULL;
}

void commands__free(struct commands *commands)
{
	if (!commands)
		return;
	interfaces__free(commands->interfaces);
	free(commands->cluster);
	free(commands);
}

uint64_t commands__busy(const struct commands *commands, enum hpu_command_kind kind)
{
	return interfaces__busy(commands->interfaces, kind);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

static void wake(struct commands *commands, uint64_t cycle)
{
	alarm__set(&commands->alarm, &commands->soc->events, cycle, step, commands);
}

void commands__issue(struct commands *commands, uint64_t cycle, struct hpu *hpu, unsigned slot)
{
	struct cluster *cluster = &commands->cluster[hpu->cluster];
	struct queue *queue = &cluster->queue[hpu->index];

	queue->waiting[(queue->first + queue->count++) % HPU_COMMAND_SLOTS_MAX] = (struct waiting){ hpu, slot, cycle + 1 };
	cluster->has |= UINT64_C(1) << hpu->index;
	wake(commands, cycle + 1);
}

/* One of the cluster's HPUs' commands goes to its register. */
static int collect(struct commands *commands, struct cluster *cluster, uint64_t cycle)
{
	uint64_t asks = 0;
	struct queue *queue;
	int who;

	for (unsigned i = 0; cluster->has >> i; i++)
		if (cluster->has >> i & 1 && cluster->queue[i].waiting[cluster->queue[i].first].seen <= cycle)
			asks |= UINT64_C(1) << i;
	if (!asks)
		return 0;
	who = arbiter__grant(&cluster->arbiter, target__threads(commands->soc->target), asks, cluster->count < REGISTER_COMMANDS);
	if (who < 0)
		return 0;
	queue = &cluster->queue[who];
	cluster->reg[cluster->count] = queue->waiting[queue->first];
	cluster->reg[cluster->count++].seen = cycle + 1;
	queue->first = (queue->first + 1) % HPU_COMMAND_SLOTS_MAX;
	if (!--queue->count)
		cluster->has &= ~(UINT64_C(1) << who);
	return 1;
}

static struct hpu_command *command_of(const struct waiting *waiting)
{
	return &waiting->hpu->commands[waiting->slot];
}

/* One of the clusters' commands goes to the interface. */
static int admit(struct commands *commands, unsigned interface, uint64_t cycle)
{
	const unsigned clusters = (unsigned)commands->soc->target->clusters;
	uint64_t asks = 0, place;
	struct cluster *cluster;
	struct waiting waiting;
	int who;

	for (unsigned i = 0; i < clusters; i++) {
		cluster = &commands->cluster[i];
		if (cluster->count && cluster->reg[0].seen <= cycle && interface__of(command_of(&cluster->reg[0])->kind) == interface)
			asks |= UINT64_C(1) << i;
	}
	if (!asks)
		return 0;
	place = interface__has_place(commands->interfaces, interface);
	who = arbiter__grant(&commands->arbiter[interface], clusters, asks, place <= cycle);
	if (who < 0) {
		wake(commands, place);
		return 0;
	}
	cluster = &commands->cluster[who];
	waiting = cluster->reg[0];
	cluster->reg[0] = cluster->reg[1];
	cluster->count--;
	interface__take(commands->interfaces, cycle, command_of(&waiting));
	command__known(waiting.hpu, waiting.slot);
	return 1;
}

/* Into a register as it was at the cycle's begin, so before one goes out of it. */
static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct commands *commands = arg;
	int moved = 0;

	(void)what;
	if (!alarm__rings(&commands->alarm, cycle))
		return;
	for (unsigned i = 0; i < commands->soc->target->clusters; i++)
		if (commands->cluster[i].has)
			moved |= collect(commands, &commands->cluster[i], cycle);
	for (unsigned i = 0; i < INTERFACES; i++)
		moved |= admit(commands, i, cycle);
	if (moved)
		wake(commands, cycle + 1);
}
