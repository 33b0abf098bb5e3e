/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Timing of a cluster's instruction cache: tags, ports and refills, by the rules of icache.h, which are those of PsPIN's RTL. Called by
 * lines.c for the fetches of the simulated cores, and by the SoC model, which creates and flushes it. Calls must be nearly in order of
 * cycle.
 */
#include "hwmodel/core/icache.h"
#include "hwmodel/core/max.h"
#include "hwmodel/core/reservations.h"
#include "hwmodel/core/timing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NO_LINE = UINT32_MAX };

/* One core's controller. */
struct port {
	uint8_t lfsr;
	uint32_t line, way; /* being refilled; line is NO_LINE if none */
	uint64_t ready;     /* when that refill is done */
	uint64_t next;      /* earliest next lookup: a port does not look up while it waits for its own or another port's refill */
};

struct icache {
	struct icache_config config;
	uint32_t sets;
	uint32_t *lines; /* [set * ways + way]: address / line_bytes */
	struct port *ports;
	unsigned refills;         /* ports with a line being refilled */
	uint64_t controller_free; /* when the central controller may take the next request */
	uint64_t memory_free;     /* when this cache's next refill may start: reads stay in order */
	uint64_t read_before;     /* when the last refill but one was read, and thus left the FIFO */
	uint64_t read_last;
	uint64_t generation, misses, last_refill;
};

static int power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

struct icache *icache__new(const struct icache_config *config)
{
	struct icache *icache;

	if (!power_of_two(config->bytes) || !power_of_two(config->ways) || !power_of_two(config->line_bytes) || config->line_bytes < 16 ||
	    config->ways > 16 || config->bytes / config->line_bytes < config->ways || !config->ports) {
		errno = EINVAL;
		return NULL;
	}
	icache = calloc(1, sizeof(*icache));
	if (!icache)
		return NULL;
	icache->config = *config;
	icache->sets = config->bytes / config->line_bytes / config->ways;
	icache->lines = malloc(config->bytes / config->line_bytes * sizeof(*icache->lines));
	icache->ports = calloc(config->ports, sizeof(*icache->ports));
	if (!icache->lines || !icache->ports) {
		icache__free(icache);
		errno = ENOMEM;
		return NULL;
	}
	icache__flush(icache);
	return icache;
}

void icache__free(struct icache *icache)
{
	if (!icache)
		return;
	free(icache->lines);
	free(icache->ports);
	free(icache);
}

void icache__flush(struct icache *icache)
{
	for (uint32_t i = 0; i < icache->sets * icache->config.ways; i++)
		icache->lines[i] = NO_LINE;
	for (uint32_t i = 0; i < icache->config.ports; i++)
		icache->ports[i].line = NO_LINE;
	icache->refills = 0;
	icache->generation++;
}

static uint32_t *set_of(struct icache *icache, uint32_t line)
{
	return &icache->lines[line % icache->sets * icache->config.ways];
}

static void end_refill(struct icache *icache, struct port *port)
{
	set_of(icache, port->line)[port->way] = port->line;
	icache->generation++;
	port->line = NO_LINE;
	icache->refills--;
}

/* Completes the refills whose lines have arrived by this cycle. */
static void complete_refills(struct icache *icache, uint64_t cycle)
{
	for (uint32_t i = 0; icache->refills && i < icache->config.ports; i++)
		if (icache->ports[i].line != NO_LINE && icache->ports[i].ready <= cycle)
			end_refill(icache, &icache->ports[i]);
}

static int is_cached(struct icache *icache, uint32_t line)
{
	const uint32_t *set = set_of(icache, line);

	for (uint32_t way = 0; way < icache->config.ways; way++) {
		if (set[way] == line)
			return 1;
	}
	return 0;
}

/* PULP's generic_LFSR_8bit: x^8 + x^4 + x^3 + x^2, inverted, starting from 0. The way is taken from bit 1 upward. */
static uint32_t random_way(struct icache *icache, struct port *port)
{
	uint8_t old = port->lfsr;

	port->lfsr = (uint8_t)(old << 1 | (~(old >> 7 ^ old >> 3 ^ old >> 2 ^ old >> 1) & 1));
	return (old >> 1) & (icache->config.ways - 1);
}

static uint32_t choose_way(struct icache *icache, struct port *port, uint32_t line)
{
	const uint32_t *set = set_of(icache, line);

	for (uint32_t way = icache->config.ways; way-- > 0;) {
		if (set[way] == NO_LINE)
			return way;
	}
	return random_way(icache, port);
}

/* Returns the port whose refill of this line ends last, or NULL if the line is not being refilled. */
static const struct port *find_pending(const struct icache *icache, uint32_t line)
{
	const struct port *last = NULL;

	for (uint32_t i = 0; icache->refills && i < icache->config.ports; i++) {
		const struct port *port = &icache->ports[i];

		if (port->line == line && (!last || port->ready > last->ready))
			last = port;
	}
	return last;
}

/* Starts a refill; the central controller takes the port's request at cycle `taken`. */
static void start_refill(struct icache *icache, struct port *port, uint64_t taken)
{
	uint64_t start = max_u64(taken - ICACHE_REQUEST_CYCLES, icache->memory_free);

	if (icache->config.memory)
		start = reservations__reserve(icache->config.memory, start, icache->config.refill_cycles);
	icache->memory_free = start + icache->config.refill_cycles;
	icache->read_before = icache->read_last;
	icache->read_last = start + ICACHE_REQUEST_CYCLES + ICACHE_READ_CYCLES;
	icache->misses++;
	port->ready = start + icache->config.miss_cycles;
	icache->refills++;
	icache->last_refill = port->ready;
}

/*
 * Returns when a port has the line that its lookup missed at `cycle`. The port chooses a way before it requests the line, even if
 * another port's refill delivers it. The central controller takes one request per cycle. A request for a line in flight waits for it. A
 * request that arrives with the line, or a cycle later, looks it up again. A request that arrives later than that refills the line
 * again, since the controller does not look at the tags.
 */
static uint64_t miss(struct icache *icache, struct port *port, uint64_t cycle, uint32_t line)
{
	const struct port *other = find_pending(icache, line);
	uint32_t way = choose_way(icache, port, line);
	uint64_t taken = cycle + ICACHE_REQUEST_CYCLES, ready;

	if (icache->config.refill_cycles)
		taken = max_u64(taken, icache->controller_free);
	if (other && taken <= other->ready) {
		ready = max_u64(taken + 2, other->ready);
	} else {
		if (icache->config.refill_cycles)
			taken = max_u64(taken, icache->read_before + 1);
		port->line = line;
		port->way = way;
		start_refill(icache, port, taken);
		ready = port->ready;
	}
	icache->controller_free = taken + 1;
	if (ready > cycle)
		port->next = ready + 1; /* the port gets the line a cycle after a lookup would hit */
	return ready;
}

uint64_t icache__fetch(struct icache *icache, unsigned port_number, uint64_t cycle, uint32_t addr)
{
	struct port *port = &icache->ports[port_number];
	uint32_t line = addr / icache->config.line_bytes;
	uint64_t lookup = cycle;

	complete_refills(icache, cycle);
	if (port->next > cycle) { /* the port still waits for a line that the core no longer needs */
		cycle = port->next;
		if (port->line != NO_LINE) /* completes only this port's refill: other cores have not reached that cycle yet */
			end_refill(icache, port);
	}
	if (!is_cached(icache, line))
		cycle = max_u64(miss(icache, port, cycle, line), cycle);
	return cycle - lookup;
}

uint64_t icache__next_lookup(const struct icache *icache, unsigned port)
{
	return icache->ports[port].next;
}

/* Returns a way's line at this cycle, which other cores may not have reached, including refills that end by then. */
static uint32_t line_at_cycle(const struct icache *icache, uint64_t cycle, uint32_t set, uint32_t way)
{
	uint32_t line = icache->lines[set * icache->config.ways + way];
	uint64_t ready = 0;

	for (uint32_t i = 0; icache->refills && i < icache->config.ports; i++) {
		const struct port *port = &icache->ports[i];

		if (port->line == NO_LINE || port->line % icache->sets != set || port->way != way || port->ready > cycle ||
		    port->ready < ready)
			continue;
		line = port->line;
		ready = port->ready;
	}
	return line;
}

int icache__has(struct icache *icache, uint64_t cycle, uint32_t addr)
{
	const uint32_t line = addr / icache->config.line_bytes;

	if (cycle >= icache->last_refill + ICACHE_QUIET_CYCLES)
		complete_refills(icache, cycle);
	for (uint32_t way = 0; way < icache->config.ways; way++)
		if (line_at_cycle(icache, cycle, line % icache->sets, way) == line)
			return 1;
	return 0;
}

int icache__is_filling(const struct icache *icache)
{
	return icache->refills != 0;
}

const uint64_t *icache__generation(const struct icache *icache)
{
	return &icache->generation;
}

uint64_t icache__last_refill(const struct icache *icache)
{
	return icache->last_refill;
}

uint64_t icache__misses(const struct icache *icache)
{
	return icache->misses;
}
