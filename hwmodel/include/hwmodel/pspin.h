/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_PSPIN_H
#define HWMODEL_PSPIN_H

/*
 * The target NIC: an execution context's rv32 image on a PsPIN HPU, with the inbound and outbound engines around it. A packet goes
 * in as an Ethernet frame; a verdict, a frame and the cycles it took come out. For a context that takes messages (SPIN_DELIVER_ME)
 * the NIC also has the MPQ engine, matching entries and host memory.
 *
 * One HPU runs one packet at a time while the NIC is otherwise idle: each task is timed from the first instruction of its handler
 * entry to its return. Knows nothing of Linux. Not thread-safe; instances are independent.
 */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/rv32.h>
#include <hwmodel/target.h>
#include <spin/context.h>

struct pspin;

/*
 * Loads an image (a complete PsPIN program, copied) for an execution context and
 * boots the HPU until it waits for its first task. Returns 0; -EINVAL for an
 * image that is no such program, -ENOMEM, -EFAULT for one that traps or hangs
 * while booting; err gets a reason.
 */
int pspin__open(struct pspin **out, const struct pspin_target *target, const struct spin_meta *meta, const void *image, size_t image_bytes,
		const struct spin_rule *rule, char *err, size_t err_bytes);
/* With all contexts that joined it, whichever is given. */
void pspin__close(struct pspin *nic);

/*
 * Another execution context on the NIC of `nic`, before the first packet is offered: *out is its handle, and all that is said here of a
 * struct pspin holds for it alone (memory, tables, entries, limits, counts, profile, observer). Its packets are those of its
 * rule. What runs is one NIC: pspin__offer(), pspin__run() and pspin__flush_icaches() may be given any of its handles; a frame goes to the
 * context whose rule matches, or as one that is not ours to the first. Time begins when the last context has booted.
 *
 * Images are linked to the same addresses. On a PsPIN they would be linked, or their addresses translated, to places of their
 * own; here each context sees a memory of its own, with the times of the addresses that it has, and its code lies behind the other
 * contexts' for the instruction caches. What they have together must fit: program memory, handler memory, L1. Packet memory, the target's
 * MPQs and L1's room for scratchpads are divided equally; a context whose part of packet memory is full holds back its own
 * packets. HPUs, caches, ports, interfaces and the wire are shared; who is next is the target's `scheduler`.
 *
 * 0; as pspin__open(), and -EEXIST: the rules of two contexts can match the same packet; -ENOSPC: too many contexts, or they do
 * not fit together; -EBUSY: packets have been offered; -EOPNOTSUPP: the first one is of pspin__open_image(). err says which.
 * After an error the NIC can only be closed. pspin__packet() is not for NICs with several contexts: -EOPNOTSUPP.
 */
int pspin__join(struct pspin **out, struct pspin *nic, const struct spin_meta *meta, const void *image, size_t image_bytes,
		const struct spin_rule *rule, char *err, size_t err_bytes);

/* Does the context's rule match the frame, whether or not it is refused for what is wrong with it? */
int pspin__matches(const struct pspin *nic, const void *frame, size_t frame_bytes);
/* What is assumed of a NIC with several contexts, as pspin__assumptions(). */
const char *const *pspin__shared_assumptions(void);

/* With scheduler = fair_hpu_time: the context's HPU time counts divided by this; 1 at first. -EINVAL: 0, or above the most. */
#define PSPIN_WEIGHT_MAX 1000u
int pspin__set_weight(struct pspin *nic, uint32_t weight);

/* An object of the image by its C name ("spin_state", a table). 0 or -ENOENT. */
int pspin__symbol(const struct pspin *nic, const char *name, uint32_t *addr, uint32_t *bytes);

/*
 * The NIC's memories by HPU address. Memory of clusters (<spin/cluster.h>) is read as the sum of its copies, by aligned words;
 * what is written goes to the first cluster's, and the others become 0. 0 or -EFAULT.
 */
int pspin__read(const struct pspin *nic, uint32_t addr, void *to, size_t bytes);
int pspin__write(struct pspin *nic, uint32_t addr, const void *from, size_t bytes);

enum pspin_task_kind { PSPIN_HEADER, PSPIN_PAYLOAD, PSPIN_COMPLETION, PSPIN_PROCEED, PSPIN_TASK_KINDS };

/* A task's error. Exceptions of the core are mcause, below 32. */
enum pspin_error {
	PSPIN_ERROR_NONE = 0,
	PSPIN_ERROR_FAIL = 0x101,       /* the handler returned FAIL, */
	PSPIN_ERROR_SEGV = 0x102,       /* SEGV, */
	PSPIN_ERROR_BAD_RETURN = 0x103, /* no code of its kind */
	PSPIN_ERROR_OVERRUN = 0x104,    /* it used up its budget */
	PSPIN_ERROR_WATCHDOG = 0x201,   /* it did not end in time */
	PSPIN_ERROR_COMMAND = 0x202,    /* a command names memory that is not there */
	PSPIN_ERROR_CYCLES = 0x203,     /* a payload handler took more cycles than the target's max_cycles_per_byte allows */
};

#define PSPIN_DMA_LAUNCH 0x1b204418u /* a load from here that traps: the cluster's DMA refuses the transfer */

struct pspin_task {
	enum pspin_task_kind kind;
	uint64_t body_cycles; /* B: entry's first instruction to its return */
	uint64_t instructions;
	uint64_t cycles[RV32_CAUSE_COUNT]; /* add up to body_cycles */
	uint64_t parked_cycles;            /* of body_cycles, while it left its HPU to other threads */
	/* commands issued; host_dmas both ways, of them host_reads from the host */
	uint32_t nic_sends, host_dmas, host_reads, host_writes;
	uint32_t error;      /* enum pspin_error, or mcause of a trap */
	uint32_t error_pc;   /* of a trap (also if its trap handler did not end) or a command, or where it was stopped; else 0 */
	uint32_t error_tval; /* of a trap: the address that is not there, or the instruction */
	uint32_t value;      /* what the entry returned: messages' only */
};

/* Its pointers are valid until the next call that gives a result. */
struct pspin_result {
	enum spin_verdict verdict;
	enum spin_reason reason;
	const uint8_t *frame; /* what leaves (TX) or reaches the host (PASS) */
	size_t frame_bytes;
	unsigned task_count;            /* 0: no handler ran */
	const struct pspin_task *tasks; /* in their order; those of parked packets whose turn came, too */
	unsigned event_count;
	const struct spin_event *events; /* in their order */
	unsigned send_count;
	const struct spin_request *sends; /* what handlers sent, in its order; replies are `frame` */
};

/*
 * One packet in, handlers run to their end. 0 also when a handler faults: the
 * result says so (SPIN_REASON_SEGV, task error). -EINVAL for a frame larger
 * than PSPIN_FRAME_BYTES_MAX.
 */
#define PSPIN_FRAME_BYTES_MAX 16384
int pspin__packet(struct pspin *nic, const void *frame, size_t frame_bytes, struct pspin_result *out);

/*
 * From now on all handlers of the NIC read this time, or get the draws behind this one (<spin/clock.h>, <spin/random.h>), and not what
 * the NIC's registers say: for tests that other engines run, too. The model's own time goes on.
 */
void pspin__set_time(struct pspin *nic, uint64_t now_ns);
void pspin__set_draw(struct pspin *nic, uint32_t draw);

/* --- host memory, and what handlers reach through an entry in addition to the entry's own --- */

/* Zero: the default of <spin/message.h>; idle_ms: the handler's first. */
struct pspin_limits {
	/* of datagrams, too */
	uint32_t host_bytes;
	const struct spin_segment *handler_mem; /* the first entry's; copied */
	unsigned handler_segments;
	uint32_t watchdog_cycles; /* a task that runs longer is stopped; 0: the target's, or as a budget of steps asks for */
	/*
	 * 1: messages get the target's ids in turn, as from a host that counts them, and wait for their own: none is given again before all
	 * others were. 0: each gets the lowest free id of the home cluster that has the fewest packets in flight.
	 */
	int ids_in_turn;
	/* of messages */
	uint32_t mpqs, parking;
	uint32_t window; /* packets, SPIN_WINDOW to SPIN_WINDOW_MAX */
	uint32_t idle_ms, age_ms, tombstone_ms;
	int take_put;  /* 1: packets may have struct spin_slmp_put */
	int no_entry;  /* 1: no matching entry to begin with; else one over the whole host memory */
	int note_runs; /* 1: SPIN_EVENT_RAN for every handler that runs */
};
/*
 * Sets them, and resets; pspin__open() sets the defaults. -EINVAL: more than there can be, or segments outside host
 * memory, -ENOMEM. -EOPNOTSUPP: of messages, for a context of datagrams.
 */
int pspin__limit(struct pspin *nic, const struct pspin_limits *limits);

size_t pspin__host_bytes(const struct pspin *nic);
/* 0 or -ERANGE. */
int pspin__host_read(const struct pspin *nic, size_t offset, void *to, size_t bytes);
int pspin__host_write(struct pspin *nic, size_t offset, const void *from, size_t bytes);

/* The entry's counter; of datagrams entry 0's. -ENOENT: there cannot be such an entry. */
int pspin__ct(const struct pspin *nic, unsigned me, struct spin_ct *out);
int pspin__set_ct(struct pspin *nic, unsigned me, const struct spin_ct *ct);

/* --- contexts that take messages; of others these fail with -EOPNOTSUPP --- */

/* Forgets messages, tombstones and entries; host memory is zero, the time 0. Counts stay. */
int pspin__reset(struct pspin *nic);
/* The time becomes now_ms, then a sweep; *out has its tasks and events. -EINVAL: backwards. */
int pspin__clock(struct pspin *nic, uint32_t now_ms, struct pspin_result *out);

/*
 * Posts an entry behind those posted before, by its match_bits, ignore_bits, start,
 * length, options, source (spin_me_from()) and min_free, with its handlers' own host memory; its counter is
 * zero. -EINVAL: outside the host memory, or options that this context cannot have. -ENOSPC: all are in use.
 */
int pspin__me_append(struct pspin *nic, const struct spin_me *entry, const struct spin_segment *handler_mem, unsigned handler_segments,
		     unsigned *index);
/* -ENOENT: there is none. -EBUSY: a message has it. */
int pspin__me_unlink(struct pspin *nic, unsigned index);
int pspin__me_get(const struct pspin *nic, unsigned index, struct spin_me *out);
/* Since pspin__open(). */
int pspin__message_stats(const struct pspin *nic, struct spin_message_stats *out);

/* Packets seen by reason since pspin__open(). */
uint64_t pspin__count(const struct pspin *nic, enum spin_reason reason);

/* Counts per program address while set (rv32_profile over program memory); NULL ends it. */
void pspin__set_profile(struct pspin *nic, struct rv32_profile *profile);
void pspin__program(const struct pspin *nic, uint32_t *addr, uint32_t *bytes);

/* What the model does not charge, one line each, for reports; NULL-terminated. */
const char *const *pspin__assumptions(void);

#endif
