/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Timing of the commands by which HPUs, the NIC's cores, send packets and access host memory: the path to the interface, and the
 * interface's transfer (commands.h). Called by the HPU driver (driver.c), which gets a command's times through soc->up->on_command_known().
 */
#include <stdlib.h>

#include "hwmodel/core/max.h"
#include "hwmodel/core/reservations.h"
#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/pages.h"
#include "hwmodel/soc/timing.h"

/* --- the interfaces: host-direct, NIC outbound, host DMA --- */

enum { HOST_DIRECT, OUTBOUND, HOST_DMA, INTERFACES };

#define IN_FLIGHT_MAX 64u

enum { LANES = 2 };

/* One direction of an interface: transfers one after the other. */
struct lane {
	uint64_t free;
	int has_run;                           /* 0: no transfer yet */
	enum memory_region region;             /* of the NIC, which the last transfer read or wrote */
	unsigned cluster;                      /* whose L1 the last transfer from or to an L1 used */
	uint64_t writer_free;                  /* when the writer into that L1 is free */
	uint64_t answered;                     /* when the last read has been answered, so another memory may be read */
	uint64_t handler_reads[HANDLER_READS]; /* when each read of handler memory makes room for another; a ring */
	unsigned handler_read;                 /* the oldest of them */
};

struct interface {
	uint64_t leaves[IN_FLIGHT_MAX]; /* when each command in flight frees its slot */
	struct lane lane[LANES];
};

struct interfaces {
	const struct pspin_target *target;
	struct l1 *const *l1;
	uint64_t cycle_ps;
	struct interface interface[INTERFACES];
	struct reservations *path; /* from each memory, one for all L1s: sends and DMAs to the host share them */
	struct reservations *port; /* of each cluster's L1: a beat per cycle, read or written (axi_to_mem_interleaved.sv) */
	uint64_t wire_free_ps, to_host_free_ps, from_host_free_ps;
	uint64_t busy_ps[HPU_COMMAND_KINDS];
};

static void interfaces__free(struct interfaces *interfaces)
{
	if (!interfaces)
		return;
	free(interfaces->port);
	free(interfaces->path);
	free(interfaces);
}

static struct interfaces *interfaces__new(const struct pspin_target *target, struct l1 *const *l1)
{
	struct interfaces *interfaces = calloc(1, sizeof(*interfaces));

	if (!interfaces)
		return NULL;
	interfaces->target = target;
	interfaces->l1 = l1;
	interfaces->cycle_ps = pspin_target__cycle_ps(target);
	interfaces->port = calloc(target->clusters, sizeof(*interfaces->port));
	interfaces->path = calloc(MEMORY_PROGRAM + 1, sizeof(*interfaces->path));
	if (interfaces->port && interfaces->path)
		return interfaces;
	interfaces__free(interfaces);
	return NULL;
}

static uint64_t interfaces__busy(const struct interfaces *interfaces, enum hpu_command_kind kind)
{
	return interfaces->busy_ps[kind] / interfaces->cycle_ps;
}

/* Latency on an idle machine, excluding the beats. */
static uint64_t latency(const struct pspin_target *target, const struct hpu_command *command, enum memory_region region)
{
	switch (command->kind) {
	case HPU_NIC_SEND: /* assumed: only the request for the host's data is sent */
		return region == MEMORY_L1 || command->host ? target->send_l1 : target->send_l2;
	case HPU_TO_HOST:
		return region == MEMORY_L1 ? target->to_host_l1 : target->to_host_l2;
	case HPU_FROM_HOST:
		return region == MEMORY_L1 ? target->from_host : target->from_host_l2;
	default:
		return target->host_direct;
	}
}

static unsigned interface__of(enum hpu_command_kind kind)
{
	return kind == HPU_NIC_SEND ? OUTBOUND : kind == HPU_HOST_DIRECT ? HOST_DIRECT : HOST_DMA;
}

/* Picoseconds that a link needs for the bytes; 0 if it is ideal. */
static uint64_t link_ps(uint64_t mbps, uint64_t bytes)
{
	return mbps ? (bytes * 8000000 + mbps - 1) / mbps : 0;
}

static uint64_t cycles_of(const struct interfaces *interfaces, uint64_t ps)
{
	return (ps + interfaces->cycle_ps - 1) / interfaces->cycle_ps;
}

/* Passes a transfer over a link, from its first beat on and behind earlier ones. Returns when the link has all of it, at least `end`. */
static uint64_t pass_link(const struct interfaces *interfaces, uint64_t *free_ps, uint64_t start, uint64_t end, uint64_t takes_ps,
			  uint64_t gap_ps)
{
	uint64_t begin = max_u64(start * interfaces->cycle_ps, *free_ps), done = max_u64(begin + takes_ps, end * interfaces->cycle_ps);

	if (!takes_ps && !gap_ps)
		return end;
	*free_ps = max_u64(begin + takes_ps, begin + gap_ps);
	return cycles_of(interfaces, done);
}

/* Returns the link that the command's bytes use. */
static uint64_t *link_of(struct interfaces *interfaces, enum hpu_command_kind kind)
{
	return kind == HPU_NIC_SEND    ? &interfaces->wire_free_ps
	       : kind == HPU_FROM_HOST ? &interfaces->from_host_free_ps
				       : &interfaces->to_host_free_ps;
}

/* Moves the command's bytes from `start` on. Returns when the other end has them. */
static uint64_t move(struct interfaces *interfaces, const struct hpu_command *command, uint64_t start, uint64_t end)
{
	const struct pspin_target *target = interfaces->target;
	uint64_t bytes = command->kind == HPU_HOST_DIRECT ? target->beat_bytes : command->bytes;
	uint64_t *link = link_of(interfaces, command->kind);

	if (command->kind != HPU_NIC_SEND)
		return pass_link(interfaces, link, start, end, link_ps(target->pcie_mbps, bytes), 0);
	return pass_link(interfaces, link, start, end, link_ps(target->link_mbps, bytes + target->link_overhead_bytes),
			 target->link_gap_ps);
}

/* Cycles that the host adds: latency of a write, or of a read with its request. */
static uint64_t host_cycles(const struct interfaces *interfaces, const struct hpu_command *command)
{
	const struct pspin_target *target = interfaces->target;
	const uint64_t read_ps = target->pcie_request_ps + target->pcie_latency_ps;

	if (command->kind == HPU_FROM_HOST)
		return cycles_of(interfaces, read_ps);
	if (command->kind != HPU_NIC_SEND)
		return cycles_of(interfaces, target->pcie_latency_ps);
	if (!command->host)
		return 0;
	return cycles_of(interfaces, target->host_send_ps + read_ps + link_ps(target->pcie_mbps, command->bytes));
}

/*
 * Passes beats of a read from `cycle` on through its memory's path, in the first cycles in which it is free for all. Returns the first
 * of them.
 */
static uint64_t read_path(struct interfaces *interfaces, enum memory_region from, uint64_t cycle, uint64_t beats)
{
	struct reservations *path = &interfaces->path[from];

	if (!beats)
		return cycle;
	return reservations__reserve(path, cycle, beats);
}

/*
 * Passes beats through the port of an L1 from this cycle on, where it is free; they take the banks of their lines. Returns by how many
 * cycles the last beat is late.
 */
static uint64_t pass_port(struct interfaces *interfaces, const struct hpu_command *command, uint64_t cycle, uint64_t beats)
{
	const uint32_t line = (uint32_t)interfaces->target->beat_bytes;
	uint32_t offset = command->nic_addr % L1_STRIDE / line * line;
	uint64_t at = cycle;

	if (command->region != MEMORY_L1)
		return 0;
	for (uint64_t i = 0; i < beats; i++, offset += line) {
		at = reservations__reserve(&interfaces->port[command->cluster], at, 1);
		l1__reserve_beat(interfaces->l1[command->cluster], at++, offset);
	}
	return at - cycle - beats;
}

static uint64_t lines_touched(uint64_t at, uint64_t bytes, uint64_t line)
{
	return bytes ? (at % line + bytes + line - 1) / line : 0;
}

/* Lines that a transfer touches in the NIC's memory and in the host's, and beats from first to last. */
struct beats {
	uint64_t nic, host, all;
};

/*
 * From first to last: the lines of the destination, and one more if its first line needs two lines of the source; that one passes while
 * the next transfer is read. A send has only the lines of its source.
 */
static struct beats beats_of(const struct pspin_target *target, const struct hpu_command *command)
{
	const uint64_t line = target->beat_bytes;
	const uint64_t source = command->kind == HPU_FROM_HOST ? command->host : command->nic_addr;
	const uint64_t dest = command->kind == HPU_FROM_HOST ? command->nic_addr : command->host;
	struct beats beats = { 0 };

	if (!command->nic)
		return beats;
	beats.nic = lines_touched(command->nic_addr, command->bytes, line);
	if (command->kind == HPU_NIC_SEND) {
		beats.all = beats.nic;
		return beats;
	}
	beats.host = lines_touched(command->host, command->bytes, line);
	beats.all = lines_touched(dest, command->bytes, line) + (source % line > dest % line && source % line + command->bytes > line);
	return beats;
}

/* Returns the slot of the interface that is free first. */
static const uint64_t *first_free_slot(const struct interfaces *interfaces, unsigned interface)
{
	const uint64_t *leaves = interfaces->interface[interface].leaves, *first = leaves;

	for (unsigned i = 1; i < interfaces->target->interface_commands; i++)
		if (leaves[i] < *first)
			first = &leaves[i];
	return first;
}

static uint64_t interface__free_from(const struct interfaces *interfaces, unsigned interface)
{
	return *first_free_slot(interfaces, interface);
}

/*
 * Takes a slot. It is free again when the HPU learns that the command is done, less the part of command_way beyond the path to the
 * interface.
 */
static void take_slot(struct interfaces *interfaces, uint64_t cycle, const struct hpu_command *command)
{
	const unsigned interface = interface__of(command->kind);
	uint64_t *leaves = interfaces->interface[interface].leaves, until = command->done - 1 + INTERFACE_CYCLES;
	const uint64_t way = interfaces->target->command_way;

	leaves[first_free_slot(interfaces, interface) - leaves] = max_u64(until > way ? until - way : 0, cycle + 1);
}

/* Cycles by which the interface has its answer from L2 later than from L1. */
static uint64_t l2_is_later_by(const struct pspin_target *target, const struct hpu_command *command)
{
	const uint64_t l1 = latency(target, command, MEMORY_L1), l2 = latency(target, command, MEMORY_L2_HANDLER);

	return l2 > l1 ? l2 - l1 : 0;
}

/* Is the command's memory (packet memory, handler memory, each cluster's L1) that of the lane's last transfer? */
static int is_same_memory(const struct lane *lane, const struct hpu_command *command)
{
	return lane->region == command->region && (lane->region != MEMORY_L1 || lane->cluster == command->cluster);
}

/*
 * Returns when the lane may read for this command. An interface's reads have one ID, so a read of another memory waits until the last
 * beat of the reads before has come back (axi_demux in nhi_xbar.sv). Handler memory answers no more than HANDLER_READS at a time
 * (axi_id_remap there). S: seen in the RTL's signals.
 */
static uint64_t read_from(const struct lane *lane, const struct hpu_command *command)
{
	if (!is_same_memory(lane, command))
		return lane->answered;
	return command->region == MEMORY_L2_HANDLER ? lane->handler_reads[lane->handler_read] : 0;
}

/* The same for a write, which waits for the answer to the last one. */
static uint64_t write_from(const struct interfaces *interfaces, const struct lane *lane, const struct hpu_command *command)
{
	uint64_t from = lane->free;

	if (!is_same_memory(lane, command))
		from += interfaces->target->source_change;
	if (lane->region != command->region)
		from += WRITE_TURN_CYCLES + (lane->region == MEMORY_L1 ? 0 : l2_is_later_by(interfaces->target, command));
	if (command->region == MEMORY_L1 && lane->cluster == command->cluster)
		from = max_u64(from, lane->writer_free);
	return from;
}

/* Returns when a lane can begin the command; *change: the part of that for the change to another memory. */
static uint64_t lane_free_from(const struct interfaces *interfaces, const struct lane *lane, const struct hpu_command *command,
			       uint64_t *change)
{
	uint64_t from = lane->free;

	if (command->nic && lane->has_run)
		from = max_u64(from, command->kind == HPU_FROM_HOST ? write_from(interfaces, lane, command) : read_from(lane, command));
	*change = from - lane->free;
	return from;
}

/* Parts of a transfer that is written into a cluster's L1. */
static struct parts write_parts(const struct interfaces *interfaces, const struct hpu_command *command, uint64_t beats)
{
	if (command->kind != HPU_FROM_HOST || command->region != MEMORY_L1)
		return (struct parts){ 0 };
	return pages__split(command->nic_addr, (uint32_t)beats, (uint32_t)interfaces->target->beat_bytes);
}

/*
 * Updates the lane for a command that begins. A cluster's writer into L1 needs at least copy_gap for a transfer, or a part of one, as
 * for packet copies.
 */
static void occupy_lane(const struct interfaces *interfaces, struct lane *lane, const struct hpu_command *command, uint64_t start,
			struct beats beats, uint32_t late)
{
	const struct pspin_target *target = interfaces->target;
	const uint64_t most = max_u64(beats.nic, beats.host);
	const int in_l1 = command->region == MEMORY_L1;

	lane->free = start + max_u64(most, 1);
	if (!command->nic)
		return;
	lane->answered = start + beats.nic + target->source_change + (in_l1 ? 0 : l2_is_later_by(target, command));
	if (command->region == MEMORY_L2_HANDLER) {
		lane->handler_reads[lane->handler_read] = lane->answered;
		lane->handler_read = (lane->handler_read + 1) % HANDLER_READS;
	}
	lane->region = command->region;
	lane->has_run = 1;
	if (!in_l1)
		return;
	lane->writer_free = command->kind == HPU_FROM_HOST ? start + max_u64(most, target->copy_gap) + late : 0;
	lane->cluster = command->cluster;
}

static void interface__admit(struct interfaces *interfaces, uint64_t cycle, struct hpu_command *command)
{
	const struct pspin_target *target = interfaces->target;
	struct lane *lane = &interfaces->interface[interface__of(command->kind)].lane[command->kind == HPU_FROM_HOST];
	const struct beats beats = beats_of(target, command);
	const int reads = command->nic && command->kind != HPU_FROM_HOST;
	uint64_t *link = link_of(interfaces, command->kind), link_from, change;
	const uint64_t free = lane_free_from(interfaces, lane, command, &change);
	const struct parts parts = write_parts(interfaces, command, beats.nic);
	const uint32_t late = pages__short_of(parts.first, (uint32_t)target->copy_gap);
	uint64_t start = cycle - INTERFACE_CYCLES, end;

	/* a link becomes free within a cycle: the next transfer waits for the rest at the link, not here */
	start = max_u64(max_u64(start, free), *link / interfaces->cycle_ps);
	if (reads) {
		const uint64_t before = INTERFACE_CYCLES + (command->kind == HPU_TO_HOST ? READ_FOR_HOST_CYCLES : SEND_CYCLES);

		start = read_path(interfaces, command->region, start + before, beats.nic) - before;
		start += pass_port(interfaces, command, start + before, beats.nic);
	}
	end = start + beats.all;
	link_from = max_u64(*link, start * interfaces->cycle_ps);
	end = move(interfaces, command, start, end);
	if (command->kind == HPU_FROM_HOST) {
		const uint64_t done = end + late + host_cycles(interfaces, command) + 1 + latency(target, command, command->region);
		const uint64_t from = done > WRITTEN_CYCLES + beats.nic ? done - WRITTEN_CYCLES - beats.nic : 0;
		const uint64_t wait_cycles = pass_port(interfaces, command, from, beats.nic);

		start += wait_cycles;
		end += late + wait_cycles;
	}
	occupy_lane(interfaces, lane, command, start, beats, late + pages__short_of(parts.last, (uint32_t)target->copy_gap));
	interfaces->busy_ps[command->kind] +=
		max_u64(max_u64(max_u64(beats.nic, beats.host), 1) * interfaces->cycle_ps, max_u64(*link, link_from) - link_from);
	if (start == free) /* nothing else delayed it, so no other transfer could have used the cycles of the change */
		interfaces->busy_ps[command->kind] += change * interfaces->cycle_ps;
	command->left = end + host_cycles(interfaces, command);
	command->done = max_u64(command->left + 1 + latency(target, command, command->region), cycle + 1);
	if (command->kind == HPU_NIC_SEND)
		command->left += cycles_of(interfaces, target->wire_latency_ps);
	take_slot(interfaces, cycle, command);
}

/* --- the path to the interfaces --- */

#define REGISTER_COMMANDS 2u /* S: number; one that is read, and another while the first is blocked */

_Static_assert(L1_CLUSTERS_MAX <= 64 && SOC_CLUSTER_HPUS_MAX <= 64, "an arbiter has a bit for each");

/* A waiting command, and the cycle from which it is seen. */
struct waiting {
	struct hpu *hpu;
	unsigned slot;
	uint64_t seen;
};

/* Queue of one HPU, for as many commands as it can have in flight. */
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
	struct wakeup wakeup;
};

struct commands *commands__new(struct soc *soc)
{
	struct commands *commands = calloc(1, sizeof(*commands));

	if (!commands)
		return NULL;
	commands->soc = soc;
	commands->interfaces = interfaces__new(soc->target, soc->l1);
	commands->cluster = calloc(soc->target->clusters, sizeof(*commands->cluster));
	wakeup__init(&commands->wakeup);
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
	wakeup__set(&commands->wakeup, &commands->soc->events, cycle, step, commands);
}

void commands__issue(struct commands *commands, uint64_t cycle, struct hpu *hpu, unsigned slot)
{
	struct cluster *cluster = &commands->cluster[hpu->cluster];
	struct queue *queue = &cluster->queue[hpu->index];

	queue->waiting[(queue->first + queue->count++) % HPU_COMMAND_SLOTS_MAX] = (struct waiting){ hpu, slot, cycle + 1 };
	cluster->has |= UINT64_C(1) << hpu->index;
	wake(commands, cycle + 1);
}

/* Moves a command of one of the cluster's HPUs to the cluster's register. */
static int collect(struct commands *commands, struct cluster *cluster, uint64_t cycle)
{
	uint64_t requests = 0;
	struct queue *queue;
	int winner;

	for (unsigned i = 0; cluster->has >> i; i++)
		if (cluster->has >> i & 1 && cluster->queue[i].waiting[cluster->queue[i].first].seen <= cycle)
			requests |= UINT64_C(1) << i;
	if (!requests)
		return 0;
	winner = arbiter__grant(&cluster->arbiter, target__threads(commands->soc->target), requests, cluster->count < REGISTER_COMMANDS);
	if (winner < 0)
		return 0;
	queue = &cluster->queue[winner];
	cluster->reg[cluster->count] = queue->waiting[queue->first];
	cluster->reg[cluster->count++].seen = cycle + 1;
	queue->first = (queue->first + 1) % HPU_COMMAND_SLOTS_MAX;
	if (!--queue->count)
		cluster->has &= ~(UINT64_C(1) << winner);
	return 1;
}

static struct hpu_command *command_of(const struct waiting *waiting)
{
	return &waiting->hpu->commands[waiting->slot];
}

/* Moves one cluster's command to the interface. */
static int admit(struct commands *commands, unsigned interface, uint64_t cycle)
{
	const unsigned clusters = (unsigned)commands->soc->target->clusters;
	uint64_t requests = 0, free_from;
	struct cluster *cluster;
	struct waiting waiting;
	int winner;

	for (unsigned i = 0; i < clusters; i++) {
		cluster = &commands->cluster[i];
		if (cluster->count && cluster->reg[0].seen <= cycle && interface__of(command_of(&cluster->reg[0])->kind) == interface)
			requests |= UINT64_C(1) << i;
	}
	if (!requests)
		return 0;
	free_from = interface__free_from(commands->interfaces, interface);
	winner = arbiter__grant(&commands->arbiter[interface], clusters, requests, free_from <= cycle);
	if (winner < 0) {
		wake(commands, free_from);
		return 0;
	}
	cluster = &commands->cluster[winner];
	waiting = cluster->reg[0];
	cluster->reg[0] = cluster->reg[1];
	cluster->count--;
	interface__admit(commands->interfaces, cycle, command_of(&waiting));
	waiting.hpu->soc->up->on_command_known(waiting.hpu, waiting.slot);
	return 1;
}

/* Registers are filled as they were at the start of the cycle, so before one is emptied. */
static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct commands *commands = arg;
	int moved = 0;

	(void)what;
	if (!wakeup__is_first(&commands->wakeup, cycle))
		return;
	for (unsigned i = 0; i < commands->soc->target->clusters; i++)
		if (commands->cluster[i].has)
			moved |= collect(commands, &commands->cluster[i], cycle);
	for (unsigned i = 0; i < INTERFACES; i++)
		moved |= admit(commands, i, cycle);
	if (moved)
		wake(commands, cycle + 1);
}
