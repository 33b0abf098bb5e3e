/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Accesses to another cluster's L1 on their way: through its incoming port, in order, to the bank, where the port is one
 * more requester (hwmodel/README.md, "Remote L1"). Whoever stands first in the port holds up the others.
 */
#include "hwmodel/soc/l1.h"
#include "hwmodel/soc/soc.h"

/* What an event carries: the place, the kind and when the HPU asked. */
#define OFFSET_BITS  22
#define KIND_BITS    3
#define CLUSTER_BITS 6
_Static_assert(1u << OFFSET_BITS == L1_STRIDE && L1_CLUSTERS_MAX <= 1u << CLUSTER_BITS, "an access fits");

static uint64_t pack(unsigned cluster, uint32_t offset, enum rv32_access kind)
{
	return ((uint64_t)cluster << KIND_BITS | kind) << OFFSET_BITS | offset;
}

static unsigned l1_index(uint64_t what)
{
	return (unsigned)(what >> (OFFSET_BITS + KIND_BITS));
}

static enum rv32_access kind_of(uint64_t what)
{
	return what >> OFFSET_BITS & ((1u << KIND_BITS) - 1);
}

/* The first in the port asks its bank. */
static void reach_bank(struct hpu *hpu, uint64_t cycle)
{
	banks__ask(hpu->soc, cycle, l1_index(hpu->sent), target__threads(hpu->target), hpu->sent & (L1_STRIDE - 1), kind_of(hpu->sent), 0);
}

static void enter(void *arg, uint64_t cycle, uint64_t what)
{
	struct hpu *hpu = arg;
	struct port *port = &hpu->soc->ports[l1_index(what)];

	hpu->sent = what;
	hpu->behind = NULL;
	if (port->first)
		port->last->behind = hpu;
	else
		port->first = hpu;
	port->last = hpu;
	if (port->first == hpu)
		reach_bank(hpu, cycle);
}

void remote__granted(struct soc *soc, unsigned cluster, uint64_t cycle)
{
	struct port *port = &soc->ports[cluster];
	struct hpu *hpu = port->first;

	port->wait_cycles += cycle - hpu->late;
	hpu__granted(hpu, cycle - hpu->late, cycle);
	port->first = hpu->behind;
	if (port->first)
		reach_bank(port->first, cycle + 1);
}

static void reach_port(void *arg, uint64_t cycle, uint64_t what)
{
	struct hpu *hpu = arg;
	uint64_t at = l1__incoming(hpu->soc->l1[l1_index(what)], cycle, kind_of(what));

	hpu->late = cycle;
	if (at > cycle)
		events__add(&hpu->soc->events, at, enter, hpu, what);
	else
		enter(hpu, cycle, what);
}

void remote__ask(struct hpu *hpu, uint64_t cycle, unsigned cluster, uint32_t offset, enum rv32_access kind)
{
	hpu->away = 1;
	events__add(&hpu->soc->events, cycle + hpu->target->remote_reach, reach_port, hpu, pack(cluster, offset, kind));
}
