/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_SOC_H
#define SOC_SOC_H

/*
 * The machine: clusters of HPUs, their memories, and the hardware that gives them tasks. Knows HERs and commands, nothing
 * of sPIN, IP or hosts. Time is in cycles of the NIC's clock.
 *
 * How time goes. There are events (event.h) at their cycles, and cores that each run ahead on their own until they touch
 * something that another could have touched before: own L1 while others use it, L2, another L1, a command, the
 * doorbell, a line that is not in the instruction cache. soc__run() always lets go on who is earliest; events come before
 * cores in the same cycle, and of cores the lowest number. A core may go on while what it touches is not later than
 * soc->horizon; else the access answers RV32_BUS_STOP and is asked for again when it is the earliest. So what is shared
 * (L1 banks, L2 port, program memory, command interfaces, packet copies) sees its accesses in order of time, and each keeps
 * a calendar: asked for an access at a cycle, it says when that is granted; a bank of L1 that several want says so by an
 * event, when all who ask in a cycle are known (banks.c). What only a cluster has, its L1, is reached from others by events
 * and only after a while: there the horizon is soc->near, which is later; and while one core of the cluster runs alone it
 * does not ask for its L1 at all before that, until it launches a transfer there itself.
 */
#include "hwmodel/core/reservations.h"
#include "hwmodel/target/parameters.h"
#include "hwmodel/soc/event.h"
#include "hwmodel/soc/hpu.h"
#include "hwmodel/soc/storage.h"
#include "hwmodel/soc/turns.h"

struct l1;         /* l1.h: banks of one cluster */
struct l2;         /* l2.h: the read port of packet memory */
struct l2_port;    /* l2_port.h: the one of all HPUs to L2 */
struct icache;     /* core/icache.h: one per cluster */
struct event_unit; /* event_unit.h: one per cluster */
struct commands;   /* commands.h: the way to the three interfaces */
struct mpqs;       /* mpq.h: MPQ engine, dispatcher, */
struct pipeline;   /* threads.h: the threads of one HPU */
struct scheduler;  /* scheduler.h: and each cluster's scheduler, with its packet copies */

/* Who stands in the port of a cluster's L1 for accesses from others (remote.c). */
struct port {
	struct hpu *first, *last;
	uint64_t wait_cycles; /* of accesses, from reaching the port to their bank */
};

struct soc {
	const struct pspin_target *target;
	struct storage memory;
	struct storage *memories[SOC_PROGRAMS_MAX]; /* of each program; the first one's is `memory` */
	unsigned programs;
	uint64_t now;     /* cycle of what is being done */
	uint64_t horizon; /* of the core that runs */
	struct events events;

	struct hpu *hpus; /* target->clusters * target__threads(), cluster by cluster */
	unsigned hpu_count;
	struct pipeline *pipelines;   /* target->clusters * target->hpus; NULL: each HPU has one thread */
	struct turns turns;           /* of the HPUs, by number */
	unsigned stride, stride_bits; /* from a cluster's numbers to the next one's */
	struct hpu *turn;             /* whose turn it is; NULL: an event's */
	uint64_t reached;             /* the cycle of that turn, or of the event: `now` may be later */
	uint64_t near;                /* the horizon of what only its cluster has */
	uint64_t same;                /* when the next other one of its cluster goes on */
	int alone_in_l1;              /* and nobody else uses its L1 up to there */
	int caches;                   /* instruction caches are in use */
	int warm;                     /* 1: soc__run() does without them, too */
	int reserved;                 /* some HPU has used LR */
	uint64_t sc_answered;         /* cycle, the last SC of handler memory */
	struct l1 **l1;
	struct port ports[L1_CLUSTERS_MAX];
	struct l2 *l2;
	struct l2_port *l2_port;
	struct icache **icache;
	struct reservations program_memory; /* its port, which all instruction caches refill from */
	struct event_unit **event_units;
	struct commands *commands;
	struct scheduler **schedulers;
	struct mpqs *mpqs;

	const struct soc_nic *nic;
	void *nic_arg;
	uint64_t clear_cycles;  /* that an image which clears its variables itself may take for it, beside the watchdog's, as it boots */
	int returns_amo_word;   /* of an AMO on L2 and another's L1, too, the core gets what was there: not as the RTL has it; */
	uint64_t amo_words;     /* how often handlers got another word so than from the RTL */
	int dma_takes_no_alias; /* a transfer that names the own L1's alias ends its task (dma.c) */
	int is_foreign;         /* an image that is not ours: the first two words of a send, and what it does in L1, are its own affair */
};

/* What a HER says of its message (PsPIN 3.2.1); functions: 0: no such handler. */
struct soc_context {
	uint32_t header, payload, completion;
	uint32_t handler_mem, handler_mem_bytes;
	uint64_t host_mem;
	uint32_t host_mem_bytes;
	uint32_t scratchpad, scratchpad_bytes; /* offset in each cluster's L1 */
	uint32_t bytes_in_l1;
	unsigned program;         /* whose functions and memory */
	uint32_t watchdog_cycles; /* a task of it that runs longer is stopped; 0: as its HPU says */
};

#define SOC_MESSAGES 65536u

/* A packet that lies in L2 packet memory. */
struct soc_her {
	uint64_t packet; /* whose it is, for who is told */
	/*
	 * The MPQ; home cluster: modulo clusters. Any number below SOC_MESSAGES: how many are in use at once, and that none is
	 * used again before it was freed, is the business of who gives HERs.
	 */
	uint32_t message_id;
	uint32_t l2, bytes; /* address and length */
	int end_of_message;
	uint32_t payload;                  /* not 0: this packet's, instead of its context's payload handler */
	uint64_t payload_cycles;           /* that the body of its payload handler may take; 0: what the watchdog allows */
	const struct soc_context *context; /* of the message; stays until it is free */
};

enum soc_task_kind { SOC_HEADER, SOC_PAYLOAD, SOC_COMPLETION };

/* A task that ended. Cycles. */
struct soc_task {
	const struct soc_her *her;
	enum soc_task_kind kind;
	struct hpu *hpu;
	uint64_t ready, dispatched, copied, started, first, returned, doorbell, feedback;
	int is_cold;
	uint32_t packet_l1; /* where it was copied to; 0: nothing was. Its bytes are there until ended() has returned */
	struct hpu_task_result result;
};

/* Whose machine it is. */
struct soc_nic {
	/* About to start on an HPU: what the NIC keeps for it in memory is put there now. */
	void (*starts)(void *arg, struct soc_task *task);
	/* A command of a task that runs. 0, or -EFAULT. */
	int (*command)(void *arg, struct soc_task *task, const struct hpu_command *command);
	/* Fed back, in order of time. pops: its HER is done with, its packet memory free. */
	void (*ended)(void *arg, struct soc_task *task, int pops);
	/* No HER of the message is left, and its last was the end: the MPQ is free. */
	void (*freed)(void *arg, uint32_t message_id, uint64_t cycle);
	/* soc__takes_her() said no, and would say yes now. */
	void (*room)(void *arg, uint64_t cycle);
	/* Of a command that was accepted: when it is done, and left, is known now. In each interface's order; before `ended`. */
	void (*known)(void *arg, const struct hpu_command *command);
};

/* 0, -ENOMEM or -EINVAL. The target is copied by whoever owns it and must stay. */
int soc__open(struct soc *soc, const struct pspin_target *target, const struct soc_nic *nic, void *arg);
void soc__close(struct soc *soc);

/* From reset to where all HPUs wait for tasks; takes its cycles. 0, or -EFAULT: one traps or never waits. */
int soc__boot(struct soc *soc);

/*
 * One more program, before there is any HER: its functions run in `memory` (storage__open_more(); stays the caller's), as if it
 * were linked to other addresses than those before it; its code lies so many bytes behind theirs, a multiple of
 * 256. Times are those of the addresses it has. Returns its number, or -ENOMEM, -ENOSPC. It boots as soc__boot(), after
 * those before it. `weight`: its share under scheduler = fair_hpu_time, against the others' (mpq.h); 1 at first.
 */
int soc__add_program(struct soc *soc, struct storage *memory, uint32_t code_at);
int soc__boot_program(struct soc *soc, unsigned program);
void soc__set_weight(struct soc *soc, unsigned program, uint32_t weight);

/* Instruction caches count (soc__run() begins with it), or every fetch hits (soc__run_one()). Costs something when it changes. */
void soc__caches(struct soc *soc, int used);
/* The HPU whose turn it is asks for its L1 from now on: there are beats of its own transfer. */
void soc__asks_for_l1(struct soc *soc);
/* All instruction caches are empty. */
void soc__cool(struct soc *soc);

/* The HPU goes on at that cycle. */
void soc__wake(struct soc *soc, struct hpu *hpu, uint64_t cycle);
/* Events may have been added: during a core's turn, the horizon is not behind them. */
void soc__look(struct soc *soc);

/* Until nothing is left to do, or the cycle. */
void soc__run(struct soc *soc, uint64_t until);

/* mpq.c: a HER arrives at a cycle that is not before soc->now; copied. Its accept time is in the task records (ready). */
int soc__her(struct soc *soc, uint64_t cycle, const struct soc_her *her);
/* Room for one more of this message? HERs are held back when there is none, until soc_nic.room(). */
int soc__takes_her(struct soc *soc, uint32_t message_id);
/* The message is given up between two of its packets: its MPQ is free at once. No HER of it is left. */
void soc__forget(struct soc *soc, uint32_t message_id);

/* hpu.c: for the scheduler. The HPU waits for a task; it takes this one at the cycle. */
void hpu__give(struct hpu *hpu, uint64_t cycle, uint32_t function, const struct hpu_descriptor *descriptor);
/*
 * scheduler.c: the HPU's task ended, its result is in hpu->result, its times in hpu->first and hpu->returned. Returns when the
 * HPU may go on: the cycle itself, its next load of the function register waits for a task. hpu->feedback: commands of the next
 * one wait until then, since one feedback alone can wait.
 */
uint64_t scheduler__doorbell(struct hpu *hpu, uint64_t cycle);
/* More is known of when the HPU's commands are done. */
void scheduler__commands_known(struct hpu *hpu);

/*
 * For one HPU alone on an idle machine, past scheduler and caches: runs the function as a task on it, to the next wait. What
 * tests and calibration of single mechanisms use.
 */
void soc__run_one(struct soc *soc, struct hpu *hpu, uint32_t function, const struct hpu_descriptor *descriptor,
		  struct hpu_task_result *out);

#endif
