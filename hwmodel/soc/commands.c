/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "commands.h"

#define IN_FLIGHT_MAX 64u
#define CLUSTERS_MAX 64u /* of a target: parameters.def */

enum { HOST_DIRECT, OUTBOUND, HOST_DMA, INTERFACES };
enum { DIRECTIONS = 2 };

/* One way of an interface: transfers one after the other. */
struct channel {
	uint64_t free;
	uint64_t starts[CLUSTERS_MAX]; /* of each cluster's L1: the last transfer */
	unsigned cluster;              /* of the last one */
	int any;
};

struct interface {
	uint64_t leaves[IN_FLIGHT_MAX]; /* when each of those in flight makes room */
	unsigned next;
	struct channel channel[DIRECTIONS];
};

struct commands {
	const struct pspin_target *target;
	uint64_t cycle_ps;
	struct interface interface[INTERFACES];
	uint64_t read_free;      /* what sends and DMAs to the host share */
	uint64_t wire_free_ps, to_host_free_ps, from_host_free_ps;
	uint64_t busy_ps[HPU_COMMAND_KINDS];
};

struct commands *commands__new(const struct pspin_target *target)
{
	struct commands *commands = calloc(1, sizeof(*commands));

	if (!commands)
		return NULL;
	commands->target = target;
	commands->cycle_ps = pspin_target__cycle_ps(target);
	return commands;
}

void commands__free(struct commands *commands)
{
	free(commands);
}

uint64_t commands__busy(const struct commands *commands, enum hpu_command_kind kind)
{
	return commands->busy_ps[kind] / commands->cycle_ps;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* On an idle machine, less its beats. */
static uint64_t latency(const struct pspin_target *target, const struct hpu_command *command, enum memory_region region)
{
	switch (command->kind) {
	case HPU_NIC_SEND: /* the host's is asked for alone: assumed */
		return region == MEMORY_L1 || command->host ? target->send_l1 : target->send_l2;
	case HPU_TO_HOST:
		return region == MEMORY_L1 ? target->to_host_l1 : target->to_host_l2;
	case HPU_FROM_HOST:
		return target->from_host;
	default:
		return target->host_direct;
	}
}

static unsigned interface_of(enum hpu_command_kind kind)
{
	return kind == HPU_NIC_SEND ? OUTBOUND : kind == HPU_HOST_DIRECT ? HOST_DIRECT : HOST_DMA;
}

/*
 * Does the source or destination change? Clusters are served in turn: also if a transfer of another one's L1, which came
 * before, has not begun yet.
 */
static int changes(const struct channel *channel, uint64_t cycle, unsigned cluster, unsigned clusters)
{
	if (channel->any && channel->cluster != cluster)
		return 1;
	for (unsigned i = 0; i < clusters; i++)
		if (i != cluster && channel->starts[i] > cycle)
			return 1;
	return 0;
}

/* What a link takes for so many bytes; 0: none. */
static uint64_t link_ps(uint64_t mbps, uint64_t bytes)
{
	return mbps ? (bytes * 8000000 + mbps - 1) / mbps : 0;
}

static uint64_t cycles_of(const struct commands *commands, uint64_t ps)
{
	return (ps + commands->cycle_ps - 1) / commands->cycle_ps;
}

/* A link takes it from its first beat on, after what it has: when it has all of it, but not before `end`. */
static uint64_t pass_link(const struct commands *commands, uint64_t *free_ps, uint64_t start, uint64_t end, uint64_t takes_ps,
			  uint64_t gap_ps)
{
	uint64_t begin = later(start * commands->cycle_ps, *free_ps), done = later(begin + takes_ps, end * commands->cycle_ps);

	if (!takes_ps && !gap_ps)
		return end;
	*free_ps = later(begin + takes_ps, begin + gap_ps);
	return cycles_of(commands, done);
}

/* The link that its bytes go over. */
static uint64_t *link_of(struct commands *commands, enum hpu_command_kind kind)
{
	return kind == HPU_NIC_SEND ? &commands->wire_free_ps : kind == HPU_FROM_HOST ? &commands->from_host_free_ps :
	       &commands->to_host_free_ps;
}

/* Its bytes are moved from `start` on: when the other end has them. */
static uint64_t move(struct commands *commands, const struct hpu_command *command, uint64_t start, uint64_t end)
{
	const struct pspin_target *target = commands->target;
	uint64_t bytes = command->kind == HPU_HOST_DIRECT ? target->beat_bytes : command->bytes;
	uint64_t *link = link_of(commands, command->kind);

	if (command->kind != HPU_NIC_SEND)
		return pass_link(commands, link, start, end, link_ps(target->pcie_mbps, bytes), 0);
	return pass_link(commands, link, start, end, link_ps(target->link_mbps, bytes + target->link_overhead_bytes),
			 target->link_gap_ps);
}

/* What the host adds: a write is there after its way, what is read is asked for first. */
static uint64_t host_cycles(const struct commands *commands, const struct hpu_command *command)
{
	const struct pspin_target *target = commands->target;
	const uint64_t read_ps = target->pcie_request_ps + target->pcie_latency_ps;

	if (command->kind == HPU_FROM_HOST)
		return cycles_of(commands, read_ps);
	if (command->kind != HPU_NIC_SEND)
		return cycles_of(commands, target->pcie_latency_ps);
	if (!command->host)
		return 0;
	return cycles_of(commands, target->host_send_ps + read_ps + link_ps(target->pcie_mbps, command->bytes));
}

/*
 * When the read path has a place for so many beats. It is full when all of its cycles are: what one interface leaves between
 * two sources, the other one takes.
 */
static uint64_t read_path(struct commands *commands, uint64_t cycle, uint64_t beats)
{
	commands->read_free = later(commands->read_free, cycle) + beats;
	return commands->read_free - beats;
}

uint64_t commands__issue(struct commands *commands, uint64_t cycle, unsigned cluster, const struct hpu_command *command,
			 enum memory_region region, uint64_t *left)
{
	const struct pspin_target *target = commands->target;
	struct interface *interface = &commands->interface[interface_of(command->kind)];
	struct channel *channel = &interface->channel[command->kind == HPU_FROM_HOST];
	uint64_t *leaves = &interface->leaves[interface->next++ % target->interface_commands];
	const uint64_t beats = command->nic ? command->bytes / target->beat_bytes + !!(command->bytes % target->beat_bytes) : 0;
	const int reads = command->nic && command->kind != HPU_FROM_HOST;
	uint64_t *link = link_of(commands, command->kind), link_from;
	const int is_change = region == MEMORY_L1 && changes(channel, cycle, cluster, (unsigned)target->clusters);
	const uint64_t change = is_change ? target->source_change : 0, free = channel->free + change;
	uint64_t start = later(cycle, *leaves), end, done;

	/* a link is free in the midst of a cycle: who comes next waits for the rest there, not here */
	start = later(later(start, free), *link / commands->cycle_ps);
	if (reads)
		start = later(start, read_path(commands, cycle, beats));
	end = start + beats;
	if (region == MEMORY_L1) {
		channel->starts[cluster] = start;
		channel->cluster = cluster;
		channel->any = 1;
	}
	link_from = later(*link, start * commands->cycle_ps);
	end = move(commands, command, start, end);
	channel->free = start + later(beats, 1);
	commands->busy_ps[command->kind] += later(later(beats, 1) * commands->cycle_ps, later(*link, link_from) - link_from);
	if (start == free) /* nothing else held it up: nobody's transfer could have had the cycles of the change */
		commands->busy_ps[command->kind] += change * commands->cycle_ps;
	*left = end + host_cycles(commands, command);
	if (command->kind == HPU_NIC_SEND)
		*left += cycles_of(commands, target->wire_latency_ps);
	done = end + 1 + latency(target, command, region) + host_cycles(commands, command);
	*leaves = done - 1 - (target->command_way < done - 1 - cycle ? target->command_way : done - 1 - cycle);
	return done;
}
