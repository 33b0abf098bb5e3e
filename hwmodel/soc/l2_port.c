/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "hwmodel/soc/alarm.h"
#include "hwmodel/soc/calendar.h"
#include "hwmodel/soc/channel.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/l2_port.h"

#define REACH  1u /* the port's cycle for an access is that of its HPU, and this: no latency is shorter */
#define WRITES 1u /* D: stores and AMOs that wait at handler memory, and no longer in the port; AMOs beside stores of packet memory */
#define READS  8u /* S: loads that the port's width converter has at once */

struct l2_port {
	struct soc *soc;
	struct channel loads, stores;
	int stands;            /* a load was let through, but finds no place */
	int load_first;        /* before the next AMO */
	struct waiting passed; /* loads before their memory */
	struct waiting flight; /* in handler memory */
	/* from when on */
	uint64_t next;          /* others are let through */
	uint64_t store_free;    /* a store can go on */
	uint64_t handler_free;  /* handler memory begins with a store or an AMO */
	uint64_t begun[WRITES]; /* when it began, or will, with each of the last ones */
	unsigned writes;
	uint64_t load_free;   /* a load can */
	uint64_t flight_free; /* a load can enter or leave handler memory's queue */
	uint64_t asked, busy;
	struct alarm alarm;
};

struct l2_port *l2_port__new(struct soc *soc)
{
	struct l2_port *port = calloc(1, sizeof(*port));
	const struct pspin_target *target = soc->target;
	uint64_t hpus = target->clusters * target__threads(target);

	if (!port)
		return NULL;
	port->soc = soc;
	alarm__open(&port->alarm);
	if (channel__open(&port->loads, target) || channel__open(&port->stores, target) || waiting__open(&port->passed, hpus) ||
	    waiting__open(&port->flight, hpus)) {
		l2_port__free(port);
		return NULL;
	}
	return port;
}

void l2_port__free(struct l2_port *port)
{
	if (!port)
		return;
	channel__close(&port->loads);
	channel__close(&port->stores);
	waiting__close(&port->passed);
	waiting__close(&port->flight);
	free(port);
}

/* While it finds no place it stands, and nobody else is let through. */
static void let_load(struct l2_port *port, uint64_t cycle)
{
	port->stands = port->passed.count + port->flight.count == READS;
	if (port->stands)
		return;
	waiting__add(&port->passed, *waiting__head(&port->loads.chosen, cycle));
	waiting__drop(&port->loads.chosen);
	if (port->next <= cycle)
		port->next = cycle + 1;
}

/* The first of those that were let through goes on to its memory. */
static void go_on(struct l2_port *port, uint64_t cycle)
{
	const struct pspin_target *target = port->soc->target;
	const struct access *access = waiting__head(&port->passed, cycle);

	if (!access || port->load_free > cycle)
		return;
	if (access->region == MEMORY_L2_PACKET) {
		port->load_free = cycle + target->l2_gap_load_packet;
		port->busy += target->l2_gap_load_packet;
		hpu__granted(access->hpu, l2__load(port->soc->l2, cycle) - access->from, cycle);
		waiting__drop(&port->passed);
	} else if (port->flight.count < target->l2_loads_handler && port->flight_free <= cycle) {
		port->load_free = port->flight_free = cycle + 1;
		port->busy += target->l2_gap_load_handler;
		waiting__add(&port->flight, (struct access){ .hpu = access->hpu,
							     .from = cycle + target->l2_flight_load_handler,
							     .late = cycle - access->from });
		waiting__drop(&port->passed);
	}
}

/* Of its memory. */
static uint64_t store_gap(const struct pspin_target *target, const struct access *access)
{
	if (access->kind != RV32_AMO)
		return target->l2_gap_store;
	return access->region == MEMORY_L2_PACKET ? target->l2_gap_amo_packet : target->l2_gap_amo_handler;
}

/*
 * While it cannot go on nobody else is let through. What goes to handler memory, which is busy with an AMO for longer than
 * the port, waits there for its turn; in the port it stands if too many do.
 */
static void let_store(struct l2_port *port, uint64_t cycle)
{
	const struct pspin_target *target = port->soc->target;
	struct access access = *waiting__head(&port->stores.chosen, cycle);
	const int in_handler = access.region != MEMORY_L2_PACKET;
	uint64_t gap = store_gap(target, &access), at = cycle > port->store_free ? cycle : port->store_free, begins;

	waiting__drop(&port->stores.chosen);
	if (in_handler && at < port->begun[port->writes % WRITES])
		at = port->begun[port->writes % WRITES];
	begins = at;
	if (in_handler) {
		begins = at > port->handler_free ? at : port->handler_free;
		port->handler_free = begins + gap;
		port->begun[port->writes++ % WRITES] = begins;
	}
	port->store_free = at + (in_handler && gap > target->l2_gap_store ? target->l2_gap_store : gap);
	port->busy += gap;
	if (port->next <= at)
		port->next = at + 1;
	hpu__granted(access.hpu, begins - access.from, cycle);
}

/* One of each channel is. An AMO takes both, in turn with a load. */
static void let_through(struct l2_port *port, uint64_t cycle)
{
	const struct access *load = waiting__head(&port->loads.chosen, cycle);
	const struct access *store = waiting__head(&port->stores.chosen, cycle);
	int load_first = port->load_first;

	port->load_first = 0;
	if (load && store && store->kind == RV32_AMO) {
		if (load_first)
			store = NULL;
		else
			load = NULL;
		port->load_first = !load_first;
	}
	if (load)
		let_load(port, cycle);
	if (store)
		let_store(port, cycle);
}

/* The first answer goes back, unless another load enters the queue in this cycle. */
static void answer(struct l2_port *port, uint64_t cycle)
{
	const struct access *access = waiting__head(&port->flight, cycle);
	const struct pspin_target *target = port->soc->target;

	if (!access || port->flight_free > cycle + (target->l2_gap_load_handler == 1))
		return;
	port->flight_free = cycle + target->l2_gap_load_handler - 1;
	hpu__granted(access->hpu, access->late + cycle - access->from, cycle);
	waiting__drop(&port->flight);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

static void set(struct l2_port *port, uint64_t cycle)
{
	uint64_t next = UINT64_MAX, at;

	if (port->flight.count)
		next = port->flight.access[port->flight.first].from;
	if (port->passed.count && port->load_free < next)
		next = port->load_free;
	if (port->loads.chosen.count || port->stores.chosen.count) {
		at = port->stands ? cycle + 1 : port->next;
		next = at < next ? at : next;
	}
	if (channel__waits(&port->loads) || channel__waits(&port->stores))
		next = cycle + 1;
	if (next != UINT64_MAX)
		alarm__set(&port->alarm, &port->soc->events, next > cycle ? next : cycle + 1, step, port);
}

static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct l2_port *port = arg;

	(void)what;
	if (!alarm__rings(&port->alarm, cycle))
		return;
	channel__choose(&port->loads, cycle);
	channel__choose(&port->stores, cycle);
	if (port->stands)
		let_load(port, cycle);
	else if (cycle >= port->next)
		let_through(port, cycle);
	go_on(port, cycle);
	answer(port, cycle);
	set(port, cycle);
}

void l2_port__ask(struct l2_port *port, struct hpu *hpu, uint64_t cycle, enum memory_region region, enum rv32_access kind)
{
	struct channel *channel = kind == RV32_LOAD || kind == RV32_LR ? &port->loads : &port->stores;

	calendar__asked(&port->asked, cycle);
	hpu->away = 1;
	channel__add(channel, (struct access){ .hpu = hpu, .from = cycle + REACH, .region = region, .kind = kind });
	set(port, cycle);
}

uint64_t l2_port__busy(const struct l2_port *port)
{
	return port->busy;
}
