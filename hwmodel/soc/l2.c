/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Timing of L2 memory as the HPUs (the NIC's cores) and packet copies see it: the read port of packet memory, and the one port of all HPUs
 * (l2.h). Called by the HPUs' bus (bus.c), packet copies and the cluster DMAs. Requests come in order of time.
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

/* Serves one load per cycle. A load delays beats of copies, but two loads in consecutive cycles do not. */
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
		cycle = reservations__reserve(&l2->bursts, cycle, beats);
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
 * HPUs' accesses to L2 that wait (l2.h). Each HPU has at most one, so the queues have room for all. A channel has a FIFO for each cluster,
 * and a short FIFO after it, which takes accesses from the clusters round robin.
 */

struct access {
	struct hpu *hpu;
	uint64_t from; /* earliest cycle of its next step, or of its answer */
	uint64_t wait_cycles;
	uint64_t latency_cycles; /* on an idle machine */
	enum memory_region region;
	enum rv32_access kind;
	uint32_t addr;
	unsigned id; /* in the port */
};

/* A FIFO. */
struct access_queue {
	struct access *access;
	unsigned first, count, room;
};

struct channel {
	struct access_queue *queue; /* by cluster */
	unsigned clusters, count;
	struct access_queue chosen;
	struct arbiter arbiter;
};

static int access_queue__open(struct access_queue *access_queue, uint64_t room)
{
	access_queue->room = (unsigned)room;
	access_queue->access = calloc(room, sizeof(*access_queue->access));
	return access_queue->access ? 0 : -ENOMEM;
}

static void access_queue__close(struct access_queue *access_queue)
{
	free(access_queue->access);
}

static void access_queue__push(struct access_queue *access_queue, struct access access)
{
	access_queue->access[(access_queue->first + access_queue->count++) % access_queue->room] = access;
}

static const struct access *access_queue__head(const struct access_queue *access_queue, uint64_t cycle)
{
	const struct access *access = &access_queue->access[access_queue->first];

	return access_queue->count && access->from <= cycle ? access : NULL;
}

static void access_queue__pop(struct access_queue *access_queue)
{
	access_queue->first = (access_queue->first + 1) % access_queue->room;
	access_queue->count--;
}

static int channel__open(struct channel *channel, const struct pspin_target *target)
{
	int err = access_queue__open(&channel->chosen, CHANNEL_CHOSEN);

	channel->queue = calloc(target->clusters, sizeof(*channel->queue));
	if (!channel->queue)
		return -ENOMEM;
	channel->clusters = (unsigned)target->clusters;
	for (unsigned i = 0; !err && i < channel->clusters; i++)
		err = access_queue__open(&channel->queue[i], target__threads(target));
	return err;
}

static void channel__close(struct channel *channel)
{
	for (unsigned i = 0; channel->queue && i < channel->clusters; i++)
		access_queue__close(&channel->queue[i]);
	free(channel->queue);
	access_queue__close(&channel->chosen);
}

static void channel__add(struct channel *channel, struct access access)
{
	access_queue__push(&channel->queue[access.hpu->cluster], access);
	channel->count++;
}

static int channel__can_choose(const struct channel *channel)
{
	return channel->count && channel->chosen.count < CHANNEL_CHOSEN;
}

static void channel__choose(struct channel *channel, uint64_t cycle)
{
	struct access_queue *access_queue;
	uint64_t requests = 0;

	if (!channel__can_choose(channel))
		return;
	for (unsigned i = 0; i < channel->clusters; i++)
		if (access_queue__head(&channel->queue[i], cycle))
			requests |= UINT64_C(1) << i;
	if (!requests)
		return;
	access_queue = &channel->queue[arbiter__grant(&channel->arbiter, channel->clusters, requests, 1)];
	access_queue__push(&channel->chosen, *access_queue__head(access_queue, cycle));
	access_queue__pop(access_queue);
	channel->count--;
}

/* --- the HPUs' port --- */

/*
 * Stores and AMOs in front of handler memory (axi_riscv_amos.sv), which serves one at a time. An AMO reads first: its read passes through
 * the queue of loads in order, and its write follows.
 */
enum amo_read { AMO_NONE, AMO_WAITING, AMO_HAS_CHANNEL, AMO_READING };

struct handler_writes {
	int has_next; /* `next` waits for handler memory */
	struct access next, amo;
	enum amo_read read; /* state of `amo`. HAS_CHANNEL: the read channel is reserved for it */
	uint64_t free;      /* when handler memory can serve the next one; not valid while an AMO is served */
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
	int has_reserved;                                        /* there was an LR; otherwise the tables are not searched */
};

struct l2_port {
	struct soc *soc;
	uint64_t path_cycles; /* from an ID to the memory */
	struct channel loads, stores;
	int load_before_amo; /* before the next AMO */
	int load_is_stalled; /* a load waits in the channel in front of handler memory */
	int has_store;       /* `store` is admitted and waits: until it is sent no other access is admitted */
	struct access store;
	struct access_queue admitted;          /* loads before their memory */
	struct access_queue in_handler_memory; /* in handler memory, also the read of an AMO */
	struct handler_writes handler;
	/* the first cycle in which ... */
	uint64_t next;       /* the next accesses are admitted */
	uint64_t store_free; /* a store can be sent */
	uint64_t load_free;  /* a load can be sent */
	uint64_t read_free[L2_PORT_IDS],
		write_free[L2_PORT_IDS]; /* this ID can be assigned to a read, to a write; UINT64_MAX: not known yet */
	uint64_t handler_queue_free;     /* a load can enter or leave handler memory's queue */
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
	if (channel__open(&port->loads, target) || channel__open(&port->stores, target) || access_queue__open(&port->admitted, hpus) ||
	    access_queue__open(&port->in_handler_memory, hpus)) {
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
	access_queue__close(&port->admitted);
	access_queue__close(&port->in_handler_memory);
	free(port);
}

static int is_read(const struct access *access)
{
	return access->kind == RV32_LOAD || access->kind == RV32_LR || access->kind == RV32_AMO;
}

static int is_write(const struct access *access)
{
	return access->kind != RV32_LOAD && access->kind != RV32_LR;
}

/* Returns the lowest free ID for the access: of reads for a load, of writes for a store, of both for an AMO; L2_PORT_IDS: none is free. */
static unsigned lowest_id(const struct l2_port *port, const struct access *access, uint64_t cycle)
{
	unsigned id = 0;

	while (id < L2_PORT_IDS && ((is_read(access) && port->read_free[id] > cycle) || (is_write(access) && port->write_free[id] > cycle)))
		id++;
	return id;
}

static int has_id(const struct l2_port *port, const struct access *access, uint64_t cycle)
{
	return lowest_id(port, access, cycle) < L2_PORT_IDS;
}

static void set_id_free(struct l2_port *port, const struct access *access, uint64_t cycle)
{
	if (is_read(access))
		port->read_free[access->id] = cycle;
	if (is_write(access))
		port->write_free[access->id] = cycle;
}

static int alloc_id(struct l2_port *port, struct access *access, uint64_t cycle)
{
	access->id = lowest_id(port, access, cycle);
	if (access->id == L2_PORT_IDS)
		return 0;
	set_id_free(port, access, UINT64_MAX);
	return 1;
}

/* The memory has answered, `flight_cycles` after it began with the access: the ID is free when the answer has left the port. */
static void free_id(struct l2_port *port, const struct access *access, uint64_t flight_cycles, uint64_t cycle)
{
	const uint64_t passed_cycles = L2_PORT_AROUND + flight_cycles;

	set_id_free(port, access, cycle + (access->latency_cycles > passed_cycles ? access->latency_cycles - passed_cycles : 1));
}

static void admit_load(struct l2_port *port, uint64_t cycle)
{
	struct access access = *access_queue__head(&port->loads.chosen, cycle);

	if (!alloc_id(port, &access, cycle))
		return;
	port->load_before_amo = 0;
	access.wait_cycles = cycle - access.from;
	access.from = cycle + port->path_cycles;
	access_queue__push(&port->admitted, access);
	access_queue__pop(&port->loads.chosen);
	if (port->next <= cycle)
		port->next = cycle + 1;
}

static void admit_store(struct l2_port *port, uint64_t cycle)
{
	struct access access = *access_queue__head(&port->stores.chosen, cycle);

	if (!alloc_id(port, &access, cycle))
		return;
	port->store = access;
	port->has_store = 1;
	access_queue__pop(&port->stores.chosen);
}

static struct words *words_of(struct l2_port *port, const struct access *access)
{
	return access->region == MEMORY_L2_PACKET ? &port->packet_words : &port->handler_words;
}

static int is_same_word(const struct word *word, const struct access *access)
{
	return word->memory == access->hpu->memory && !((word->addr ^ access->addr) & ~3u);
}

/* A read reaches its memory. An LR does not reserve while a write of its word is in flight. */
static void reserve(struct l2_port *port, const struct access *access, uint64_t cycle)
{
	struct words *words = words_of(port, access);

	if (access->kind != RV32_LR)
		return;
	for (unsigned id = 0; id < L2_PORT_IDS; id++)
		if (is_same_word(&words->written[id], access) && cycle < words->written[id].until)
			return;
	words->reserved[access->id] = (struct word){ .memory = access->hpu->memory, .addr = access->addr };
	words->has_reserved = 1;
}

/* A write reaches its memory. Decides whether an SC stores. */
static void write_word(struct l2_port *port, const struct access *access, uint64_t cycle)
{
	struct words *words = words_of(port, access);

	if (access->kind == RV32_SC) {
		access->hpu->sc_stores = is_same_word(&words->reserved[access->id], access);
		if (!access->hpu->sc_stores)
			return;
	}
	for (unsigned id = 0; words->has_reserved && id < L2_PORT_IDS; id++)
		if (is_same_word(&words->reserved[id], access))
			words->reserved[id].memory = NULL;
	words->written[access->id] =
		(struct word){ .memory = access->hpu->memory, .addr = access->addr, .until = cycle + L2_WRITE_FLIGHT_CYCLES };
}

/* A read enters handler memory's queue. */
static void enter_handler_queue(struct l2_port *port, struct access access, uint64_t cycle)
{
	reserve(port, &access, cycle);
	access.wait_cycles += cycle - access.from;
	access.from = cycle + port->soc->target->l2_flight_load_handler;
	port->handler_queue_free = cycle + 1;
	access_queue__push(&port->in_handler_memory, access);
}

static int has_room(const struct l2_port *port, uint64_t cycle)
{
	return port->in_handler_memory.count < port->soc->target->l2_loads_handler && port->handler_queue_free <= cycle;
}

/* An AMO blocks both channels until handler memory begins with it: loads that were admitted behind it wait. */
static int is_behind_amo(const struct l2_port *port, const struct access *load)
{
	const struct handler_writes *handler = &port->handler;

	return handler->has_next && handler->next.kind == RV32_AMO && load->from > handler->next.from;
}

/* The first admitted load advances to its memory. */
static void advance_load(struct l2_port *port, uint64_t cycle)
{
	const struct pspin_target *target = port->soc->target;
	const struct access *access = access_queue__head(&port->admitted, cycle);

	if (!access || port->load_free > cycle || is_behind_amo(port, access))
		return;
	if (access->region == MEMORY_L2_PACKET) {
		port->load_free = cycle + target->l2_gap_load_packet;
		port->busy += target->l2_gap_load_packet;
		reserve(port, access, cycle);
		free_id(port, access, port->path_cycles, cycle);
		soc__grant(access->hpu, access->wait_cycles + l2__load(port->soc->l2, cycle) - access->from, cycle);
		access_queue__pop(&port->admitted);
	} else if (port->handler.read != AMO_HAS_CHANNEL && has_room(port, cycle)) {
		port->load_free = cycle + 1;
		port->load_is_stalled = 0;
		port->busy += target->l2_gap_load_handler;
		enter_handler_queue(port, *access, cycle);
		access_queue__pop(&port->admitted);
	} else if (port->handler.read != AMO_HAS_CHANNEL) {
		port->load_is_stalled = 1;
	}
}

/* Returns the cycles for which the memory is busy with a store or AMO. */
static uint64_t store_cycles(const struct pspin_target *target, const struct access *access)
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
		handler->read = AMO_WAITING;
		return;
	}
	handler->free = cycle + store_cycles(port->soc->target, &handler->next);
	write_word(port, &handler->next, cycle);
	free_id(port, &handler->next, port->path_cycles, cycle);
	soc__grant(handler->next.hpu, handler->next.wait_cycles + cycle - handler->next.from, cycle);
}

/* An AMO's read reserves the read channel, unless a load already waits in it, and enters the queue. */
static void read_for_amo(struct l2_port *port, uint64_t cycle)
{
	struct handler_writes *handler = &port->handler;

	if (handler->read == AMO_WAITING && !port->load_is_stalled)
		handler->read = AMO_HAS_CHANNEL;
	if (handler->read != AMO_HAS_CHANNEL || !has_room(port, cycle))
		return;
	handler->read = AMO_READING;
	enter_handler_queue(port, handler->amo, cycle);
}

/* The AMO's read has been answered: its write follows, and handler memory is busy for the rest of l2_gap_amo_handler. */
static void end_amo(struct l2_port *port, uint64_t cycle)
{
	const struct pspin_target *target = port->soc->target;
	struct handler_writes *handler = &port->handler;
	const uint64_t flight = target->l2_flight_load_handler, gap = target->l2_gap_amo_handler;

	handler->read = AMO_NONE;
	write_word(port, &handler->amo, cycle);
	handler->free = cycle + (gap > flight ? gap - flight : 1);
	free_id(port, &handler->amo, port->path_cycles + flight + AMO_ID_EARLY_CYCLES, cycle);
	soc__grant(handler->amo.hpu, handler->amo.wait_cycles + cycle - flight - handler->amo.from, cycle);
}

/*
 * Sends the admitted store or AMO to its memory; until then no other access is admitted. Handler memory is busy with an AMO for longer
 * than the port. So one store or AMO can wait in front of that memory, and another one, for either memory, in the port.
 */
static void send_store(struct l2_port *port, uint64_t cycle)
{
	const struct access *access = &port->store;
	const int in_handler = access->region != MEMORY_L2_PACKET;
	const struct pspin_target *target = port->soc->target;
	const uint64_t least = target->l2_gap_store, gap = store_cycles(target, access);

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
		free_id(port, access, 0, cycle);
		soc__grant(access->hpu, cycle - access->from, cycle);
		return;
	}
	port->handler.next = *access;
	port->handler.next.wait_cycles = cycle - access->from;
	port->handler.next.from = cycle + port->path_cycles;
	port->handler.has_next = 1;
	begin_write(port, cycle); /* if path_cycles is 0, in this cycle */
}

/* Admits one access of each channel. An AMO takes both channels; a load that has an ID at that time is admitted before the next AMO. */
static void arbitrate(struct l2_port *port, uint64_t cycle)
{
	const struct access *load = access_queue__head(&port->loads.chosen, cycle);
	const struct access *store = access_queue__head(&port->stores.chosen, cycle);

	if (load && store && store->kind == RV32_AMO) {
		if (port->load_before_amo) {
			store = NULL;
		} else {
			port->load_before_amo = has_id(port, load, cycle);
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
	const struct access *access = access_queue__head(&port->in_handler_memory, cycle);
	const struct pspin_target *target = port->soc->target;

	if (!access || port->handler_queue_free > cycle + (target->l2_gap_load_handler == 1))
		return;
	port->handler_queue_free = cycle + target->l2_gap_load_handler - 1;
	if (access->kind == RV32_AMO) {
		end_amo(port, cycle);
	} else {
		free_id(port, access, port->path_cycles + target->l2_flight_load_handler, cycle);
		soc__grant(access->hpu, access->wait_cycles + cycle - access->from, cycle);
	}
	access_queue__pop(&port->in_handler_memory);
}

static void step(void *arg, uint64_t cycle, uint64_t what);

/* Schedules the next cycle in which the port can do something; none if it is idle. */
static void set_wakeup(struct l2_port *port, uint64_t cycle)
{
	const struct handler_writes *handler = &port->handler;
	uint64_t next = UINT64_MAX;

	if (port->in_handler_memory.count)
		next = port->in_handler_memory.access[port->in_handler_memory.first].from;
	if (port->admitted.count)
		next = min_u64(next, max_u64(port->load_free, port->admitted.access[port->admitted.first].from));
	if (handler->has_next && handler->read == AMO_NONE)
		next = min_u64(next, max_u64(handler->free, handler->next.from));
	if (port->has_store && !handler->has_next)
		next = min_u64(next, port->store_free);
	if (!port->has_store && (port->loads.chosen.count || port->stores.chosen.count))
		next = min_u64(next, port->next);
	if (channel__can_choose(&port->loads) || channel__can_choose(&port->stores) || handler->read == AMO_WAITING ||
	    handler->read == AMO_HAS_CHANNEL)
		next = cycle + 1;
	if (next != UINT64_MAX)
		wakeup__set(&port->wakeup, &port->soc->events, max_u64(next, cycle + 1), step, port);
}

/* Event: one cycle of the port. */
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
	advance_load(port, cycle);
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
