/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_PSPIN_H
#define HWMODEL_PSPIN_H

/*
 * A modelled PsPIN NIC, one packet at a time: runs the rv32 image of an execution context (handlers, their memories and a match rule) on an
 * HPU, the core that runs handlers, with the inbound and outbound engines around it. A packet is given as an Ethernet frame; the result is
 * a verdict, a frame and the cycles. For a context that takes messages (SPIN_DELIVER_ME) the NIC also has the MPQ engine (message
 * processing queues), matching entries (memory that the host posts for messages) and host memory; for one that takes TCP segments
 * (SPIN_DELIVER_SEGMENTS) a table of connections. Called by spinctl (user/conformance/model.c, user/cost/) and tests.
 *
 * One HPU runs one packet at a time while the NIC is otherwise idle. Each task is timed from the first instruction of its handler entry
 * to its return. Knows nothing of Linux. Not thread-safe; instances are independent.
 */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/rv32.h>
#include <hwmodel/target.h>
#include <spin/context.h>

struct pspin;

/*
 * Loads an image (a complete PsPIN program; copied) for an execution context and boots the HPUs until they wait for their first task.
 * Returns 0; -EINVAL if the image is not such a program, -ENOMEM, -EFAULT if it traps or hangs while booting. On error err gets a
 * reason.
 */
int pspin__open(struct pspin **out, const struct pspin_target *target, const struct spin_meta *meta, const void *image, size_t image_bytes,
		const struct spin_rule *rule, char *err, size_t err_bytes);
/* Closes the NIC with all contexts that joined it; `nic` may be any of them. */
void pspin__close(struct pspin *nic);

/*
 * Adds another execution context to the NIC of `nic`, before the first packet is offered. *out is its handle. All that this header says
 * of a struct pspin holds per context (memory, tables, entries, limits, counts, profile, observer). A context gets the packets that
 * match its rule. There is one machine: pspin__offer(), pspin__run() and pspin__flush_icaches() take any of its handles. A frame goes
 * to the context whose rule matches. A frame that no rule matches goes to the first context, which passes it to the host. Time begins
 * when the last context has booted.
 *
 * Images are linked to the same addresses. On a PsPIN they would be linked to different addresses, or their addresses translated. Here
 * each context sees a memory of its own, with the timing of the addresses that it uses. For the instruction caches its code lies behind
 * the code of the other contexts. Together they must fit program memory, handler memory and L1. Packet memory, the target's MPQs and
 * L1's room for scratchpads are divided equally; a context whose part of packet memory is full holds back only its own packets. HPUs,
 * caches, ports, interfaces and the wire are shared; the target's `scheduler` decides whose task is next.
 *
 * Returns 0; errors of pspin__open(); -EEXIST if the rules of two contexts can match the same packet; -ENOSPC if there are too many
 * contexts, or they do not fit together; -EBUSY if packets have been offered; -EOPNOTSUPP if the first context is from
 * pspin__open_image(). err gets a reason. After an error the NIC can only be closed. pspin__packet() returns -EOPNOTSUPP for a NIC with
 * several contexts.
 */
int pspin__join(struct pspin **out, struct pspin *nic, const struct spin_meta *meta, const void *image, size_t image_bytes,
		const struct spin_rule *rule, char *err, size_t err_bytes);

/* Does the context's rule match the frame? Also true for a frame that is refused because its checksum is wrong. */
int pspin__matches(const struct pspin *nic, const void *frame, size_t frame_bytes);
/* Assumptions about a NIC with several contexts, as pspin__assumptions(). */
const char *const *pspin__shared_assumptions(void);

/* With scheduler = fair_hpu_time the context's HPU time is divided by this weight; default 1. -EINVAL: 0, or above PSPIN_WEIGHT_MAX. */
#define PSPIN_WEIGHT_MAX 1000u
int pspin__set_weight(struct pspin *nic, uint32_t weight);

/* Finds an object of the image by its C name ("spin_state", a table). Returns 0 or -ENOENT. */
int pspin__symbol(const struct pspin *nic, const char *name, uint32_t *addr, uint32_t *bytes);

/*
 * Reads and writes the NIC's memories by HPU address. Memory of clusters (<spin/cluster.h>) is read as the sum of its copies, by
 * aligned words. A write goes to the first cluster's copy and clears the others. Returns 0 or -EFAULT.
 */
int pspin__read(const struct pspin *nic, uint32_t addr, void *to, size_t bytes);
int pspin__write(struct pspin *nic, uint32_t addr, const void *from, size_t bytes);

enum pspin_task_kind { PSPIN_HEADER, PSPIN_PAYLOAD, PSPIN_COMPLETION, PSPIN_PROCEED, PSPIN_TASK_KINDS };

/* A task's error. Values below 32 are exceptions of the core, as in mcause. */
enum pspin_error {
	PSPIN_ERROR_NONE = 0,
	PSPIN_ERROR_FAIL = 0x101,       /* the handler returned FAIL, */
	PSPIN_ERROR_SEGV = 0x102,       /* SEGV, */
	PSPIN_ERROR_BAD_RETURN = 0x103, /* a value that is not a return code of its kind */
	PSPIN_ERROR_OVERRUN = 0x104,    /* it used up its budget */
	PSPIN_ERROR_WATCHDOG = 0x201,   /* it did not end in time */
	PSPIN_ERROR_COMMAND = 0x202,    /* a command names memory that does not exist or may not be accessed */
	PSPIN_ERROR_CYCLES = 0x203,     /* a payload handler took more cycles than the target's max_cycles_per_byte allows */
};

#define PSPIN_DMA_LAUNCH 0x1b204418u /* a load from here that traps: the cluster's DMA refuses the transfer */

/* What one task, a run of a handler, cost, and whether it failed. */
struct pspin_task {
	enum pspin_task_kind kind;
	uint64_t body_cycles; /* B: from the entry's first instruction to its return */
	uint64_t instructions;
	uint64_t cycles[RV32_CAUSE_COUNT]; /* add up to body_cycles */
	uint64_t parked_cycles;            /* part of body_cycles in which the task left its HPU to other threads */
	/* commands issued; host_dmas counts both directions, host_reads those from the host */
	uint32_t nic_sends, host_dmas, host_reads, host_writes;
	uint32_t error;      /* enum pspin_error, or mcause of a trap */
	uint32_t error_pc;   /* of a trap (even if its handler hung) or a failed command, or where the watchdog stopped it; else 0 */
	uint32_t error_tval; /* of a trap: the faulting address or the instruction */
	uint32_t value;      /* the entry's return value; only for messages */
};

/* Pointers are valid until the next call that returns a result. */
struct pspin_result {
	enum spin_verdict verdict;
	enum spin_reason reason;
	const uint8_t *frame; /* what leaves (TX) or reaches the host (PASS) */
	size_t frame_bytes;
	unsigned task_count;            /* 0: no handler ran */
	const struct pspin_task *tasks; /* in order; includes tasks of parked packets that were replayed */
	unsigned event_count;
	const struct spin_event *events; /* in order */
	unsigned send_count;
	const struct spin_request *sends; /* packets and puts that handlers sent, in order; a reply is in `frame` */
};

/*
 * Processes one packet; handlers run to their end. Also returns 0 if a handler faults: the result says so (SPIN_REASON_SEGV, task
 * error). Returns -EINVAL for a frame larger than PSPIN_FRAME_BYTES_MAX.
 */
#define PSPIN_FRAME_BYTES_MAX 16384
int pspin__packet(struct pspin *nic, const void *frame, size_t frame_bytes, struct pspin_result *out);

/*
 * From now on all handlers of the NIC read this time, or the draws that follow this one (<spin/clock.h>, <spin/random.h>), instead of
 * the NIC's registers. For tests that also run on other engines. The model's own time is not changed.
 */
void pspin__set_time(struct pspin *nic, uint64_t now_ns);
void pspin__set_random(struct pspin *nic, uint32_t draw);

/* --- host memory, and memory of handlers beyond the matching entry's own --- */

/* A field of zero selects the default of <spin/message.h>, or for idle_ms the handler's own. */
struct pspin_limits {
	/* also for datagrams */
	uint32_t host_bytes;
	const struct spin_segment *handler_mem; /* the first entry's; copied */
	unsigned handler_segments;
	uint32_t watchdog_cycles; /* a task that runs longer is stopped; 0: the target's value, or as long as a budget of steps needs */
	/*
	 * 1: messages get the target's ids in turn, as from a host that counts messages, and wait for their id; an id is used again
	 * only after all others. 0: each message gets the lowest free id of the home cluster that has the fewest packets in flight.
	 */
	int ids_in_turn;
	/*
	 * 1: the NIC's HPUs have PsPIN's own registers only. Time, random numbers and VLAN tags are then what PsPIN's RTL answers: the last
	 * word that the HPU's command registers returned.
	 */
	int lacks_extensions;
	/* for messages only */
	uint32_t mpqs, parking;
	uint32_t window; /* packets, SPIN_WINDOW to SPIN_WINDOW_MAX */
	uint32_t idle_ms, age_ms, tombstone_ms;
	int take_put;    /* 1: packets may have struct spin_slmp_put */
	int no_entry;    /* 1: no matching entry at the start; 0: one over the whole host memory */
	int report_runs; /* 1: SPIN_EVENT_RAN for every handler that runs */
};
/*
 * Sets the limits, and resets what pspin__reset() does; pspin__open() sets the defaults. Returns 0; -EINVAL: a limit is too large, or
 * segments are outside host memory; -ENOMEM; -EOPNOTSUPP: limits of messages for another context.
 */
int pspin__limit(struct pspin *nic, const struct pspin_limits *limits);

size_t pspin__host_bytes(const struct pspin *nic);
/* Return 0 or -ERANGE. */
int pspin__host_read(const struct pspin *nic, size_t offset, void *to, size_t bytes);
int pspin__host_write(struct pspin *nic, size_t offset, const void *from, size_t bytes);

/* The entry's counter; datagrams use entry 0. -ENOENT: no such entry. */
int pspin__ct(const struct pspin *nic, unsigned me, struct spin_ct *out);
int pspin__set_ct(struct pspin *nic, unsigned me, const struct spin_ct *ct);

/* --- contexts that take messages; for others these fail with -EOPNOTSUPP --- */

/*
 * Drops messages, tombstones and entries, clears host memory and sets the time to 0. Counts are kept. Also for contexts that take segments:
 * drops their connections and clears host memory.
 */
int pspin__reset(struct pspin *nic);
/* Sets the time to now_ms and expires messages. *out has the tasks and events of that. -EINVAL: the time would go backwards. */
int pspin__clock(struct pspin *nic, uint32_t now_ms, struct pspin_result *out);

/*
 * Posts an entry after those posted before. Uses match_bits, ignore_bits, start, length, options, source (spin_me_from()) and min_free
 * of `entry`; handler_mem is its handlers' own host memory; its counter is zero. -EINVAL: outside the host memory, or options that this
 * context cannot have. -ENOSPC: all entries are in use.
 */
int pspin__me_append(struct pspin *nic, const struct spin_me *entry, const struct spin_segment *handler_mem, unsigned handler_segments,
		     unsigned *index);
/* -ENOENT: no such entry. -EBUSY: a message has taken it. */
int pspin__me_unlink(struct pspin *nic, unsigned index);
int pspin__me_get(const struct pspin *nic, unsigned index, struct spin_me *out);
/* Counts since pspin__open(). */
int pspin__message_stats(const struct pspin *nic, struct spin_message_stats *out);

/* Number of packets by reason since pspin__open(). */
uint64_t pspin__count(const struct pspin *nic, enum spin_reason reason);

/* Counts per program address while set (rv32_profile over program memory); NULL stops counting. */
void pspin__set_profile(struct pspin *nic, struct rv32_profile *profile);
void pspin__program(const struct pspin *nic, uint32_t *addr, uint32_t *bytes);

/* Costs that the model does not charge, one line each, for reports; NULL-terminated. */
const char *const *pspin__assumptions(void);

#endif
