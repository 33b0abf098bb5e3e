/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * L2 as the HPUs and packet copies see it: the read port of packet memory, and the one port of all HPUs; see l2.h. Called by the HPUs'
 * bus (bus.c), packet copies and the cluster DMAs. Requests come in order of time.
 */
#include <errno.h>
#include <stdlib.h>

#include "hwmodel/core/max.h"
#include "hwmodel/core/reservations.h"
#include "hwmodel/soc/arbiter.h"
#include "hwmodel/soc/l2.h"
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/timing.h"

/* --- the read port of packet memory --- */

struct l2 {
	struct reservations bursts; /* of copies, on the read port */
	uint64_t last_request, last_load;
	uint64_t read_busy;
	void (*delayed)(void *arg, uint64_t cycle); /* beats of copies */
	void *arg;
};

struct l2 *l2__new(void)
{
	return calloc(1, sizeof(struct l2));
}

void l2__free(struct l2 *l2)
{
	free(l2);
}

void l2__on_delay(struct l2 *l2, void (*delayed)(void *arg, uint64_t cycle), void *arg)
{
	l2->delayed = delayed;
	l2->arg = arg;
}

/* One load per cycle. Beats of copies give way, but not to two loads in consecutive cycles. */
uint64_t l2__load(struct l2 *l2, uint64_t cycle)
{
	const uint64_t next = l2->last_load + 1;

	assert_in_order(&l2->last_request, cycle);
	if (cycle <= next && l2->last_load)
		cycle = reservations__next_free(&l2->bursts, next) > next ? next + 1 : next;
	l2->last_load = cycle;
	l2->read_busy++;
	if (reservations__delay(&l2->bursts, l2->last_load) && l2->delayed)
		l2->delayed(l2->arg, l2->last_load);
	return l2->last_load;
}

uint64_t l2__read(struct l2 *l2, struct dma *dma, enum memory_region from, struct parts parts, uint64_t cycle, unsigned beats)
{
	const uint32_t late = dma->short_of + pages__short_of(parts.first, DMA_PART_CYCLES);
	const uint32_t turn = dma->read_from == MEMORY_L2_PACKET ? DMA_TURN_FROM_PACKET_CYCLES : DMA_TURN_FROM_HANDLER_CYCLES;

	if (dma->read_until && dma->read_from != from)
		cycle = max_u64(cycle, dma->read_until + turn);
	if (late && dma->read_until >= cycle)
		cycle = dma->read_until + late;
	dma->short_of = pages__short_of(parts.last, DMA_PART_CYCLES);
	if (from == MEMORY_L2_PACKET) {
		l2->read_busy += beats;
		cycle = reservations__take(&l2->bursts, cycle, beats);
	}
	dma->read_from = from;
	dma->read_until = cycle + beats;
	return cycle;
}

uint64_t l2__read_busy(const struct l2 *l2)
{
	return l2->read_busy;
}

/* --- queues of accesses in front of the HPUs' port --- */

/*
 * HPUs' accesses to L2 that wait (l2.h). Each HPU has one at a time, so there is room for all. In a channel each cluster's wait
 * in order, and from them, the clusters in turn, a few are chosen that go on in that order.
 */

struct access {
	struct hpu *hpu;
	uint64_t from; /* when it could go, or its answer be back */
	uint64_t wait_cycles;
	uint64_t latency_cycles; /* on an idle machine */
	enum memory_region region;
	enum rv32_access kind;
	uint32_t addr;
	unsigned id; /* in the port */
};

/* In order. */
struct waiting {
	struct access *access;
	unsigned first, count, room;
};

struct channel {
	struct waiting *of; /* by cluster */
	unsigned clusters, count;
	struct waiting chosen;
	struct arbiter arbiter;
};

static int waiting__open(struct waiting *waiting, uint64_t room)
{
	waiting->room = (unsigned)room;
	waiting->access = calloc(room, sizeof(*waiting->access));
	return waiting->access ? 0 : -ENOMEM;
}

static void waiting__close(struct waiting *waiting)
{
	free(waiting->access);
}

static void waiting__add(struct waiting *waiting, struct access access)
{
	waiting->access[(waiting->first + waiting->count++) % waiting->room] = access;
}

static const struct access *waiting__head(const struct waiting *waiting, uint64_t cycle)
{
	const struct access *access = &waiting->access[waiting->first];

	return waiting->count && access->from <= cycle ? access : NULL;
}

static void waiting__drop(struct waiting *waiting)
{
	waiting->first = (waiting->first + 1) % waiting->room;
	waiting->count--;
}

static int channel__open(struct channel *channel, const struct pspin_target *target)
{
	int err = waiting__open(&channel->chosen, CHANNEL_CHOSEN);

	channel->of = calloc(target->clusters, sizeof(*channel->of));
	if (!channel->of)
		return -ENOMEM;
	channel->clusters = (unsigned)target->clusters;
	for (unsigned i = 0; !err && i < channel->clusters; i++)
		err = waiting__open(&channel->of[i], target__threads(target));
	return err;
}

static void channel__close(struct channel *channel)
{
	for (unsigned i = 0; channel->of && i < channel->clusters; i++)
		waiting__close(&channel->of[i]);
	free(channel->of);
	waiting__close(&channel->chosen);
}

static void channel__add(struct channel *channel, struct access access)
{
	waiting__add(&channel->of[access.hpu->cluster], access);
	channel->count++;
}

static int channel__waits(const struct channel *channel)
{
	return channel->count && channel->chosen.count < CHANNEL_CHOSEN;
}

static void channel__choose(struct channel *channel, uint64_t cycle)
{
	struct waiting *waiting;
	uint64_t requests = 0;

	if (!channel__waits(channel))
		return;
	for (unsigned i = 0; i < channel->clusters; i++)
		if (waiting__head(&channel->of[i], cycle))
			requests |= UINT64_C(1) << i;
	if (!requests)
		return;
	waiting = &channel->of[arbiter__grant(&channel->arbiter, channel->clusters, requests, 1)];
	waiting__add(&channel->chosen, *waiting__head(waiting, cycle));
	waiting__drop(waiting);
	channel->count--;
}

/* --- the HPUs' port --- */

/*
 * Stores and AMOs in front of handler memory (axi_riscv_amos.sv). It begins with one at a time. An AMO reads first: its read goes through
 * the queue of loads, in its turn, and the write follows.
 */
enum amo_read { AMO_NONE, AMO_WAITS, AMO_HOLDS, AMO_READS };

struct handler_writes {
	int has_next; /* `next` waits here */
	struct access next, amo;
	enum amo_read read; /* of `amo`. HOLDS: the channel of reads is its own */
	uint64_t free;      /* from when on it begins with the next one; not valid while an AMO is there */
};

/*
 * LR and SC (axi_riscv_lrsc.sv, axi_res_tbl.sv). A reservation belongs to the ID that the LR has in the port. An SC has the lowest ID
 * that is free for a write, whatever its LR's was, and stores if the last LR with that ID was of this word and the word has not been
 * written since, by whichever HPU.
 */
struct word {
	const struct storage *memory; /* NULL: none */
	uint32_t addr;
	uint64_t until; /* of a write: it is in flight */
};

struct words {
	struct word reserved[L2_PORT_IDS], written[L2_PORT_IDS]; /* by ID */
	int has_reserved;                                        /* there was an LR: else nobody looks at them */
};

struct l2_port {
	struct soc *soc;
	uint64_t path_cycles; /* from an ID to the memory */
	struct channel loads, stores;
	int load_first;  /* before the next AMO */
	int load_stalls; /* a load waits in the channel in front of handler memory */
	int has_store;   /* `store` is admitted and does not go on yet: no other access is admitted */
	struct access store;
	struct waiting admitted;          /* loads before their memory */
	struct waiting in_handler_memory; /* in handler memory, also the read of an AMO */
	struct handler_writes handler;
	/* from when on */
	uint64_t next;                                            /* the next accesses are admitted */
	uint64_t store_free;                                      /* a store can go on */
	uint64_t load_free;                                       /* a load can */
	uint64_t read_free[L2_PORT_IDS], write_free[L2_PORT_IDS]; /* of a read and of a write can be this one; UINT64_MAX: not known yet */
	uint64_t handler_queue_free;                              /* a load can enter or leave handler memory's queue */
	struct words packet_words, handler_words;
	uint64_t last_request, busy;
	struct wakeup wakeup;
};

struct l2_port *l2_port__new(struct soc *soc)
{
	struct l2_port *port = calloc(1, sizeof(*port));
	const struct pspin_target *target = soc->target;
	uint64_t hpus = target->clusters * target__threads(target);

	if (!port)
		return NULL;
	port->soc = soc;
	port->path_cycles = target->load_l2_handler > L2_PORT_AROUND + L2_PORT_PATH_CYCLES ? L2_PORT_PATH_CYCLES : 0;
	wakeup__init(&port->wakeup);
	if (channel__open(&port->loads, target) || channel__open(&port->stores, target) || waiting__open(&port->admitted, hpus) ||
	    waiting__open(&port->in_handler_memory, hpus)) {
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
	waiting__close(&port->admitted);
	waiting__close(&port->in_handler_memory);
	free(port);
}

static int reads(const struct access *access)
{
	return access->kind == RV32_LOAD || access->kind == RV32_LR || access->kind == RV32_AMO;
}

static int writes(const struct access *access)
{
	return access->kind != RV32_LOAD && access->kind != RV32_LR;
}

/* The lowest ID that an access can have: a load one of a read, a store one of a write, an AMO one of both; L2_PORT_IDS: there is none. */
static unsigned lowest_id(const struct l2_port *port, const struct access *access, uint64_t cycle)
{
	unsigned id = 0;

	while (id < L2_PORT_IDS && ((reads(access) && port->read_free[id] > cycle) || (writes(access) && port->write_free[id] > cycle)))
		id++;
	return id;
}

static int has_id(const struct l2_port *port, const struct access *access, uint64_t cycle)
{
	return lowest_id(port, access, cycle) < L2_PORT_IDS;
}

static void set_id_free(struct l2_port *port, const struct access *access, uint64_t cycle)
{
	if (reads(access))
		port->read_free[access->id] = cycle;
	if (writes(access))
		port->write_free[access->id] = cycle;
}

static int take_id(struct l2_port *port, struct access *access, uint64_t cycle)
{
	access->id = lowest_id(port, access, cycle);
	if (access->id == L2_PORT_IDS)
		return 0;
	set_id_free(port, access, UINT64_MAX);
	return 1;
}

/* Its memory has answered, `flight_cycles` after it began with it: the ID is free when the answer has left the port. */
static void give_back_id(struct l2_port *port, const struct access *access, uint64_t flight_cycles, uint64_t cycle)
{
	const uint64_t passed_cycles = L2_PORT_AROUND + flight_cycles;

	set_id_free(port, access, cycle + (access->latency_cycles > passed_cycles ? access->latency_cycles - passed_cycles : 1));
}

static void admit_load(struct l2_port *port, uint64_t cycle)
{
	struct access access = *waiting__head(&port->loads.chosen, cycle);

	if (!take_id(port, &access, cycle))
		return;
	port->load_first = 0;
	access.wait_cycles = cycle - access.from;
	access.from = cycle + port->path_cycles;
	waiting__add(&port->admitted, access);
	waiting__drop(&port->loads.chosen);
	if (port->next <= cycle)
		port->next = cycle + 1;
}

static void admit_store(struct l2_port *port, uint64_t cycle)
{
	struct access access = *waiting__head(&port->stores.chosen, cycle);

	if (!take_id(port, &access, cycle))
		return;
	port->store = access;
	port->has_store = 1;
	waiting__drop(&port->stores.chosen);
}

static struct words *words_of(struct l2_port *port, const struct access *access)
{
	return access->region == MEMORY_L2_PACKET ? &port->packet_words : &port->handler_words;
}

static int is_of(const struct word *word, const struct access *access)
{
	return word->memory == access->hpu->memory && !((word->addr ^ access->addr) & ~3u);
}

/* A read comes to its memory. An LR does not reserve while a write of its word is in flight. */
static void reserve(struct l2_port *port, const struct access *access, uint64_t cycle)
{
	struct words *words = words_of(port, access);

	if (access->kind != RV32_LR)
		return;
	for (unsigned id = 0; id < L2_PORT_IDS; id++)
		if (is_of(&words->written[id], access) && cycle < words->written[id].until)
			return;
	words->reserved[access->id] = (struct word){ .memory = access->hpu->memory, .addr = access->addr };
	words->has_reserved = 1;
}

/* A write comes to its memory: an SC stores or does not. */
static void write_word(struct l2_port *port, const struct access *access, uint64_t cycle)
{
	struct words *words = words_of(port, access);

	if (access->kind == RV32_SC) {
		access->hpu->sc_stores = is_of(&words->reserved[access->id], access);
		if (!access->hpu->sc_stores)
			return;
	}
	for (unsigned id = 0; words->has_reserved && id < L2_PORT_IDS; id++)
		if (is_of(&words->reserved[id], access))
			words->reserved[id].memory = NULL;
	words->written[access->id] =
		(struct word){ .memory = access->hpu->memory, .addr = access->addr, .until = cycle + L2_WRITE_FLIGHT_CYCLES };
}

/* A read enters handler memory's queue. */
static void enter(struct l2_port *port, struct access access, uint64_t cycle)
{
	reserve(port, &access, cycle);
	access.wait_cycles += cycle - access.from;
	access.from = cycle + port->soc->target->l2_flight_load_handler;
	port->handler_queue_free = cycle + 1;
	waiting__add(&port->in_handler_memory, access);
}

static int has_room(const struct l2_port *port, uint64_t cycle)
{
	return port->in_handler_memory.count < port->soc->target->l2_loads_handler && port->handler_queue_free <= cycle;
}

/* An AMO has both channels until handler memory begins with it: what was admitted behind it waits. */
static int is_behind_amo(const struct l2_port *port, const struct access *load)
{
	const struct handler_writes *handler = &port->handler;

	return handler->has_next && handler->next.kind == RV32_AMO && load->from > handler->next.from;
}

/* The first admitted load advances to its memory. */
static void advance(struct l2_port *port, uint64_t cycle)
{
	const struct pspin_target *target = port->soc->target;
	const struct access *access = waiting__head(&port->admitted, cycle);

	if (!access || port->load_free > cycle || is_behind_amo(port, access))
		return;
	if (access->region == MEMORY_L2_PACKET) {
		port->load_free = cycle + target->l2_gap_load_packet;
		port->busy += target->l2_gap_load_packet;
		reserve(port, access, cycle);
		give_back_id(port, access, port->path_cycles, cycle);
		soc__grant(access->hpu, access->wait_cycles + l2__load(port->soc->l2, cycle) - access->from, cycle);
		waiting__drop(&port->admitted);
	} else if (port->handler.read != AMO_HOLDS && has_room(port, cycle)) {
		port->load_free = cycle + 1;
		port->load_stalls = 0;
		port->busy += target->l2_gap_load_handler;
		enter(port, *access, cycle);
		waiting__drop(&port->admitted);
	} else if (port->handler.read != AMO_HOLDS) {
		port->load_stalls = 1;
	}
}

/* Cycles for which its memory is busy with it. */
static uint64_t store_gap(const struct pspin_target *target, const struct access *access)
{
	if (access->kind != RV32_AMO)
		return target->l2_gap_store;
	return access->region == MEMORY_L2_PACKET ? target->l2_gap_amo_packet : target->l2_gap_amo_handler;
}

/* Handler memory begins with the store or AMO that waits in front of it. */
static void begin_write(struct l2_port *port, uint64_t cycle)
{
	struct handler_writes *handler = &port->handler;

	if (!handler->has_next || handler->read != AMO_NONE || handler->free > cycle || handler->next.from > cycle)
		return;
	handler->has_next = 0;
	if (handler->next.kind == RV32_AMO) {
		handler->amo = handler->next;
		handler->read = AMO_WAITS;
		return;
	}
	handler->free = cycle + store_gap(port->soc->target, &handler->next);
	write_word(port, &handler->next, cycle);
	give_back_id(port, &handler->next, port->path_cycles, cycle);
	soc__grant(handler->next.hpu, handler->next.wait_cycles + cycle - handler->next.from, cycle);
}

/* An AMO's read takes the channel, but not from a load that waits in it already, and enters the queue. */
static void read_for_amo(struct l2_port *port, uint64_t cycle)
{
	struct handler_writes *handler = &port->handler;

	if (handler->read == AMO_WAITS && !port->load_stalls)
		handler->read = AMO_HOLDS;
	if (handler->read != AMO_HOLDS || !has_room(port, cycle))
		return;
	handler->read = AMO_READS;
	enter(port, handler->amo, cycle);
}

/* What the AMO has read is there: it goes on, and is done when the rest of its time is over. */
static void end_amo(struct l2_port *port, uint64_t cycle)
{
	const struct pspin_target *target = port->soc->target;
	struct handler_writes *handler = &port->handler;
	const uint64_t flight = target->l2_flight_load_handler, gap = target->l2_gap_amo_handler;

	handler->read = AMO_NONE;
	write_word(port, &handler->amo, cycle);
	handler->free = cycle + (gap > flight ? gap - flight : 1);
	give_back_id(port, &handler->amo, port->path_cycles + flight + AMO_ID_EARLY_CYCLES, cycle);
	soc__grant(handler->amo.hpu, handler->amo.wait_cycles + cycle - flight - handler->amo.from, cycle);
}

/*
 * The admitted store or AMO goes on; until then no other access is admitted. Handler memory is busy with an AMO for longer than the
 * port: one waits in front of that memory, and the next one, of either memory, in the port.
 */
static void send_store(struct l2_port *port, uint64_t cycle)
{
	const struct access *access = &port->store;
	const int in_handler = access->region != MEMORY_L2_PACKET;
	const struct pspin_target *target = port->soc->target;
	const uint64_t least = target->l2_gap_store, gap = store_gap(target, access);

	begin_write(port, cycle);
	if (!port->has_store || port->store_free > cycle || port->handler.has_next)
		return;
	port->has_store = 0;
	port->store_free = cycle + (in_handler && gap > least ? least : gap);
	port->busy += gap;
	if (port->next <= cycle)
		port->next = cycle + 1;
	if (!in_handler) {
		write_word(port, access, cycle);
		give_back_id(port, access, 0, cycle);
		soc__grant(access->hpu, cycle - access->from, cycle);
		return;
	}
	port->handler.next = *access;
	port->handler.next.wait_cycles = cycle - access->from;
	port->handler.next.from = cycle + port->path_cycles;
	port->handler.has_next = 1;
	begin_write(port, cycle); /* without a path to the memory in this cycle */
}

/* Admits one access of each channel. An AMO takes both: a load that could go then is the next one, and goes before the next AMO. */
static void arbitrate(struct l2_port *port, uint64_t cycle)
{
	const struct access *load = waiting__head(&port->loads.chosen, cycle);
	const struct access *store = waiting__head(&port->stores.chosen, cycle);

	if (load && store && store->kind == RV32_AMO) {
		if (port->load_first) {
			store = NULL;
		} else {
			port->load_first = has_id(port, load, cycle);
			load = NULL;
		}
	}
	if (load)
		admit_load(port, cycle);
	if (store)
		admit_store(port, cycle);
}

/* The first read of handler memory is answered, unless another one enters the queue in this cycle. */
static void answer_load(struct l2_port *port, uint64_t cycle)
{
	const struct access *access = waiting__head(&port->in_handler_memory, cycle);
	const struct pspin_target *target = port->soc->target;

	if (!access || port->handler_queue_free > cycle + (target->l2_gap_load_handler == 1))
		return;
	port->handler_queue_free = cycle + target->l2_gap_load_handler - 1;
	if (access->kind == RV32_AMO) {
		end_amo(port, cycle);
	} else {
		give_back_id(port, access, port->path_cycles + target->l2_flight_load_handler, cycle);
		soc__grant(access->hpu, access->wait_cycles + cycle - access->from, cycle);
	}
	waiting__drop(&port->in_handler_memory);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void set_wakeup(struct l2_port *port, uint64_t cycle)
{
	const struct handler_writes *handler = &port->handler;
	uint64_t next = UINT64_MAX;

	if (port->in_handler_memory.count)
		next = port->in_handler_memory.access[port->in_handler_memory.first].from;
	if (port->admitted.count)
		next = earlier(next, max_u64(port->load_free, port->admitted.access[port->admitted.first].from));
	if (handler->has_next && handler->read == AMO_NONE)
		next = earlier(next, max_u64(handler->free, handler->next.from));
	if (port->has_store && !handler->has_next)
		next = earlier(next, port->store_free);
	if (!port->has_store && (port->loads.chosen.count || port->stores.chosen.count))
		next = earlier(next, port->next);
	if (channel__waits(&port->loads) || channel__waits(&port->stores) || handler->read == AMO_WAITS || handler->read == AMO_HOLDS)
		next = cycle + 1;
	if (next != UINT64_MAX)
		wakeup__set(&port->wakeup, &port->soc->events, max_u64(next, cycle + 1), step, port);
}

static void step(void *arg, uint64_t cycle, uint64_t what)
{
	struct l2_port *port = arg;

	(void)what;
	if (!wakeup__is_first(&port->wakeup, cycle))
		return;
	channel__choose(&port->loads, cycle);
	channel__choose(&port->stores, cycle);
	if (!port->has_store && cycle >= port->next)
		arbitrate(port, cycle);
	send_store(port, cycle);
	read_for_amo(port, cycle);
	advance(port, cycle);
	answer_load(port, cycle);
	set_wakeup(port, cycle);
}

void l2_port__request(struct l2_port *port, struct hpu *hpu, uint64_t cycle, enum memory_region region, enum rv32_access kind,
		      uint32_t addr, uint64_t latency_cycles)
{
	struct channel *channel = kind == RV32_LOAD || kind == RV32_LR ? &port->loads : &port->stores;

	assert_in_order(&port->last_request, cycle);
	hpu->pending = 1;
	channel__add(channel, (struct access){ .hpu = hpu,
					       .from = cycle + L2_PORT_REACH,
					       .latency_cycles = latency_cycles,
					       .region = region,
					       .kind = kind,
					       .addr = addr });
	set_wakeup(port, cycle);
}

uint64_t l2_port__busy(const struct l2_port *port)
{
	return port->busy;
}
