/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_STATE_H
#define HWMODEL_SOC_STATE_H

/*
 * The state that the components of the SoC share: HPUs with their tasks and commands, HERs (handler execution requests, one for each
 * packet) and the machine itself. Components change it in the course of events, which run one after the other (event.h); a group of fields
 * names the component that writes it where it is one alone. State that only one component needs is private to its file: the pointers below.
 */
#include <hwmodel/pspin.h>
#include <hwmodel/rv32.h>

#include "hwmodel/core/reservations.h"
#include "hwmodel/soc/event.h"
#include "hwmodel/soc/storage.h"
#include "hwmodel/soc/tournament.h"
#include "hwmodel/target/parameters.h"

struct soc;
struct soc_task;
struct pipeline;   /* threads.h: the threads of one HPU */
struct l1;         /* l1.h: banks of one cluster */
struct l2;         /* l2.h: the read port of packet memory, */
struct l2_port;    /* and the port of all HPUs to L2 */
struct icache;     /* core/icache.h: one per cluster */
struct event_unit; /* peripherals.h: one per cluster */
struct commands;   /* commands.h: the path to the three interfaces */
struct copies;     /* copies.h: packet copies to L1 */
struct shares;     /* share.h: HPU time of each program */
struct scheduler;  /* scheduler.h: one per cluster */
struct mpqs;       /* mpq.h: the engine of the message processing queues (MPQs), and the dispatcher */

/* Why a thread of an HPU does not have the pipeline (threads.h). It waits for: */
enum park {
	PARK_NOT,
	PARK_TASK,    /* its next task, or a word from the event unit */
	PARK_COMMAND, /* its driver */
	PARK_YIELD,   /* its turn: it has yielded, */
	PARK_SLICE    /* or its slice has ended */
};

/* The driver's task registers, in order from HPU_TASK on. */
#define HPU_SCRATCHPADS 4u /* the registers are PsPIN's: further clusters have none */
struct hpu_descriptor {
	uint32_t handler_mem, handler_mem_bytes;
	uint32_t packet_l1, copied_bytes; /* bytes of the packet in L1: PsPIN's mpq_engine has the HER's xfer_size there */
	uint32_t scratchpad[HPU_SCRATCHPADS], scratchpad_bytes[HPU_SCRATCHPADS];
	uint32_t host_mem_high, host_mem_low, host_mem_bytes;
	uint32_t packet_l2, home_cluster, message_id;
	/* not in a register: */
	uint32_t packet_bytes;    /* whole packet, in L2 */
	uint32_t watchdog_cycles; /* 0: the HPU's */
	uint64_t body_cycles;     /* limit for the handler's body; 0: only the watchdog's */
	unsigned program;         /* program of the function */
};

enum hpu_command_kind { HPU_NIC_SEND, HPU_TO_HOST, HPU_FROM_HOST, HPU_HOST_DIRECT, HPU_COMMAND_KINDS };

/* A command as it leaves the HPU; its data is as of the issue. */
struct hpu_command {
	enum hpu_command_kind kind;
	uint8_t *nic;      /* source or, from the host, destination; NULL for host-direct */
	uint32_t nic_addr; /* its HPU address */
	uint64_t host;     /* host address; 0 for sends of NIC memory */
	uint32_t bytes;
	uint32_t flow;      /* of sends: HPU_SEND_* */
	const uint8_t *put; /* of HPU_SEND_PUT, _GET and _ATOMIC: struct spin_put; of _ACKED struct spin_put_acked */
	uint32_t detail;    /* of the latter two */
	uint32_t data[2];   /* host-direct */
	struct soc_task *task;
	unsigned number;           /* number within its task */
	enum memory_region region; /* location of its bytes in the NIC, */
	unsigned cluster;          /* and the cluster if that is an L1 */
	/*
	 * Cycles. left: its last byte was on the wire, at the host or, for reads, at the NIC. done: 0: never used; UINT64_MAX: not
	 * known yet.
	 */
	uint64_t issued, done, left;
};

/* Result of a task; counts begin at its assignment. */
struct hpu_task_result {
	struct rv32_stats stats; /* set only by soc__run_one(): the whole iteration of the runtime loop, to the next wait */
	struct rv32_stats body;  /* from the handler's first instruction to its return */
	uint32_t commands[HPU_COMMAND_KINDS];
	uint32_t error;                /* the first error; 0: none */
	uint32_t error_pc, error_tval; /* as in struct pspin_task */
	uint32_t value;                /* the function's return value, in a0 */
	uint64_t parked_cycles;        /* part of the body while another thread could have the HPU */
};

#define DMA_TRANSFERS_MAX     64u
#define HPU_COMMAND_SLOTS_MAX 8
#define SOC_PROGRAMS_MAX      8u

/*
 * A program on this HPU. All programs of a machine are linked to the same addresses, so each has its own core here, which stays at the
 * load of the function register while another program's tasks run.
 */
struct hpu_program {
	struct rv32_core *core;
	struct storage *memory;
	uint32_t watchdog_cycles;
	/* where its core waits for a task, and where the watchdog restarts it; 0: it has not booted */
	uint32_t idle_pc, idle_reg[32];
};

/* One HPU or, on a target whose HPUs have several threads, one thread of one. */
struct hpu {
	struct soc *soc;
	const struct pspin_target *target; /* the machine's */
	struct hpu_program programs[SOC_PROGRAMS_MAX];
	struct hpu_program *of; /* program whose task runs, or ran last; core, memory and watchdog below are its: */
	struct storage *memory;
	struct rv32_core *core;
	uint32_t watchdog_cycles; /* a task that runs longer is stopped; initially the target's */
	unsigned cluster, index;  /* index: thread * target->hpus + number of the thread's HPU */
	unsigned number;          /* number in soc->order */
	int switches_program;     /* its next task is of another program */

	/* For tests: called with each access outside the core's windows; NULL: none. */
	void (*watch)(void *arg, const struct rv32_bus_request *req);
	void *watch_arg;

	/* turns (hpu.c) */
	int idle;             /* it waits for a task */
	int begun;            /* its core has read the function register: the task runs */
	int alone;            /* soc__run_one(): without the scheduler */
	uint64_t assigned_at; /* the cycle of hpu__assign() */
	uint64_t deadline;    /* when the task is stopped: by the watchdog, which started at `watched`, */
	uint64_t watched;
	int is_limited;          /* or, while the body runs, because its cycles are used up */
	uint64_t beyond;         /* if limited: how much later the watchdog would stop it */
	uint64_t blocked_until;  /* its access is beyond the lookahead: repeated at that cycle */
	int pending;             /* its access is queued: the component that serves it calls soc__grant() */
	int grant;               /* it was served, wait_cycles later than on an idle machine */
	uint64_t wait_cycles;    /* before the grant: the cycle of the request */
	uint64_t sent;           /* its access to another L1 (l1.c), */
	struct hpu *behind;      /* and the next HPU in that L1's port */
	uint32_t stopped;        /* error with which the HPU is reclaimed at its next turn; 0: none */
	int at_doorbell;         /* it is at the doorbell without a return from its handler */
	int needs_breakpoint;    /* it is about to call a function without a breakpoint */
	struct rv32_stats enter; /* at the handler's first instruction */
	/* The task's cycles; 0: not yet. first and returned are exact: the core stops there. */
	uint64_t first, returned, doorbell;
	uint64_t fetched_for; /* cycles for the fetch of the handler's first instruction */
	int returns;          /* the instruction after the call has not been fetched yet */
	uint32_t return_pc;   /* of the running task, known from `first` on */

	/* with more than one thread (threads.h) */
	struct pipeline *pipeline; /* shared with the other threads; NULL: the HPU has one thread */
	int parked;                /* enum park: why it does not have the pipeline */
	uint64_t parked_at;        /* cycle since which it has been parked */
	uint64_t ready;            /* cycle from which its next instruction can be issued; UINT64_MAX: not known yet */
	uint64_t resumed_at;       /* cycle of the answer that it waited for; 0: none */
	int issues, yielded;       /* issues: it waits to issue a command, not for a command; yielded: at its current access */
	int slice_over;            /* its slice has ended: a ready thread goes first */

	/* driver */
	struct soc_task *running; /* owned by the scheduler; set before hpu__assign() */
	uint64_t feedback;        /* previous task's feedback, which commands wait for (set by the scheduler); UINT64_MAX: not known yet */
	uint32_t function;        /* 0: no task */
	struct hpu_descriptor task;
	uint32_t l2_packet_end; /* end of the part of L2 packet memory that the handler may access */
	struct hpu_task_result result;
	struct hpu_command commands[HPU_COMMAND_SLOTS_MAX];
	uint64_t command_free[HPU_COMMAND_SLOTS_MAX]; /* when the slot is free for the next command and for feedback; values like `done` */
	int awaits_command;                           /* its access is repeated when more is known of its commands */
	uint32_t info, words[7], last_id;
	uint32_t answered; /* the word that a command register answered last */

	/* extensions of the driver */
	uint32_t clock_high; /* latched by the last read of the clock */
	uint32_t draws;

	/* cluster DMA front end */
	uint32_t dma_reg[5];
	uint64_t dma_done[DMA_TRANSFERS_MAX]; /* cycle, by id modulo DMA_TRANSFERS_MAX */
	uint32_t dma_last;

	int sc_stores;  /* its last SC stores */
	uint32_t tried; /* address of the last LR with no SC after it; 0: none */
};

/*
 * A cluster's DMA engine: beats of one transfer after another, target->dma_transfers in flight. The HPUs' front ends are in
 * peripherals.c; packet copies use the same engine. Times are in cycles.
 */
struct dma {
	uint64_t free;                      /* when the beats of the last transfer end, an HPU's or a packet's */
	uint64_t launched;                  /* the same for HPUs' transfers only: later packet copies begin behind it */
	uint64_t done;                      /* when the last transfer of an HPU is done */
	uint64_t leaves[DMA_TRANSFERS_MAX]; /* when each transfer in flight makes room */
	unsigned next;
	enum memory_region read_from; /* L2 memory of its last read, */
	uint64_t read_until;          /* and the cycle after the last beat of that read; 0: none */
	uint32_t short_of;            /* cycles that the next read waits longer behind a short part */
};

/* A message's part of its HERs (PsPIN 3.2.1); functions: 0: no such handler. */
struct soc_context {
	uint32_t header, payload, completion;
	uint32_t handler_mem, handler_mem_bytes;
	uint64_t host_mem;
	uint32_t host_mem_bytes;
	uint32_t scratchpad, scratchpad_bytes; /* offset in each cluster's L1 */
	uint32_t bytes_in_l1;
	unsigned program;         /* program of these functions and memory */
	uint32_t watchdog_cycles; /* a task of it that runs longer is stopped; 0: its HPU's limit */
};

#define SOC_MESSAGES 65536u

/* A packet in L2 packet memory. */
struct soc_her {
	uint64_t packet; /* the packet's number; passed to the callbacks */
	/*
	 * The MPQ; its home cluster is the id modulo clusters. Any number below SOC_MESSAGES. The caller limits how many are in use at
	 * once, and must not reuse one before it was freed.
	 */
	uint32_t message_id;
	uint32_t l2, bytes; /* address and length */
	uint32_t tag;       /* its VLAN tag, in the format of HPU_TAG */
	int end_of_message;
	uint32_t payload;                  /* not 0: this packet's payload handler, instead of its context's */
	uint64_t payload_cycles;           /* limit for the body of its payload handler; 0: only the watchdog's */
	const struct soc_context *context; /* of the message; must stay valid until the message is freed */
};

enum soc_task_kind { SOC_HEADER, SOC_PAYLOAD, SOC_COMPLETION };

/* A task, and the cycle at which it passed each stage. */
struct soc_task {
	const struct soc_her *her;
	enum soc_task_kind kind;
	struct hpu *hpu;
	uint64_t ready, dispatched, copied, started, first, returned, doorbell, feedback;
	int is_cold;
	uint32_t packet_l1; /* address of the copied packet; 0: none. Its bytes are valid until on_end() has returned */
	struct hpu_task_result result;
};

/* Callbacks of the machine's owner, the NIC; all but on_command may be NULL. Called in order of time. */
struct soc_nic {
	/* The task is about to start on an HPU: the NIC writes the memory that the task reads. */
	void (*on_start)(void *arg, struct soc_task *task);
	/* A running task issues a command. Returns 0, or nonzero if the command fails. */
	int (*on_command)(void *arg, struct soc_task *task, const struct hpu_command *command);
	/* The task's feedback has arrived. pops: its HER is done, and its packet memory is free. */
	void (*on_end)(void *arg, struct soc_task *task, int pops);
	/* The message has ended and has no HER left: its MPQ is free. */
	void (*on_freed)(void *arg, uint32_t message_id, uint64_t cycle);
	/* soc__takes_her() has returned 0, and would return 1 now. */
	void (*on_room)(void *arg, uint64_t cycle);
	/* The times (done, left) of an accepted command are known. Called in order for each interface, and before on_end. */
	void (*on_known)(void *arg, const struct hpu_command *command);
};

/* Calls from a component to one above it. Set only by soc.c, which knows all components; so no component includes one above it. */
struct soc_upcalls {
	enum rv32_bus_status (*on_bus_access)(void *hpu,
					      struct rv32_bus_request *req); /* hpu.c -> bus.c: a core's access outside its windows */
	void (*on_command_known)(struct hpu *hpu, unsigned slot);            /* commands.c -> driver.c: the times of this command are set */
	uint64_t (*on_doorbell)(struct hpu *hpu, uint64_t cycle);            /* hpu.c -> scheduler.c: scheduler__doorbell() */
	void (*on_commands_known)(struct hpu *hpu);                          /* driver.c -> scheduler.c: scheduler__commands_known() */
	void (*on_copied)(struct soc *soc, unsigned cluster, uint64_t cycle); /* copies.c -> scheduler.c: the cluster's next copy is done */
	/* scheduler.c -> mpq.c: from the cycle on feedback can be taken, or the cluster accepts a task */
	void (*on_feedback_ready)(struct mpqs *mpqs, uint64_t cycle);
	void (*on_cluster_has_room)(struct mpqs *mpqs, uint64_t cycle);
};

/* HPUs whose accesses are in a cluster L1's incoming port (l1.c). */
struct l1_port {
	struct hpu *first, *last;
	uint64_t wait_cycles; /* sum over accesses, from reaching the port to their bank */
};

/* The machine. */
struct soc {
	const struct pspin_target *target;
	struct storage memory;
	struct storage *memories[SOC_PROGRAMS_MAX]; /* of each program; the first one's is `memory` */
	unsigned programs;
	uint64_t now;       /* cycle of the current action */
	uint64_t lookahead; /* last cycle at which the running core may touch shared state */
	struct events events;

	struct hpu *hpus; /* target->clusters * target__threads(), cluster by cluster */
	unsigned hpu_count;
	struct pipeline *pipelines;   /* target->clusters * target->hpus; NULL: each HPU has one thread */
	struct tournament order;      /* which HPU continues next, by number */
	unsigned stride, stride_bits; /* stride: distance of HPU numbers between clusters */
	struct hpu *turn;             /* the HPU that has the turn; NULL: an event happens */
	uint64_t reached;             /* cycle of that turn or event; `now` may be later */
	uint64_t lookahead_l1;        /* last cycle for what only its cluster reaches, its L1; not before `lookahead` */
	uint64_t next_in_cluster;     /* cycle at which the next other HPU of its cluster continues */
	int alone_in_l1;              /* no other HPU or event uses its L1 until then */
	int caches;                   /* instruction caches are in use */
	int ideal_icache;             /* 1: soc__run() does not use them either: every fetch hits */
	uint64_t sc_answered;         /* cycle of the answer to the last SC of handler memory */
	struct l1 **l1;
	struct l1_port l1_ports[L1_CLUSTERS_MAX];
	struct l2 *l2;
	struct l2_port *l2_port;
	struct icache **icache;
	struct reservations program_memory; /* port of program memory, from which all instruction caches refill */
	struct event_unit **event_units;
	struct dma *dmas; /* per cluster */
	struct copies *copies;
	struct shares *shares;
	struct commands *commands;
	struct scheduler **schedulers;
	struct mpqs *mpqs;

	const struct soc_upcalls *up;
	const struct soc_nic *nic;
	void *nic_arg;
	int is_virtual; /* 1: programs get these values instead of the machine's clock and draws */
	uint64_t virtual_ns;
	uint32_t virtual_draw;
	uint64_t clear_cycles;  /* added to the watchdog while an image boots that clears its variables itself */
	int returns_amo_word;   /* an AMO on L2 or on another L1 also returns the old value, unlike on the RTL; */
	uint64_t amo_words;     /* number of AMOs for which that value differs from the RTL's */
	int dma_takes_no_alias; /* a transfer that names the own L1's alias ends its task (peripherals.c) */
	int lacks_extensions;   /* HPUs have PsPIN's own registers only: no clock, draws or tag */
	int third_party_image;  /* not of spincc: a send's first two words are ignored, and all of L1 is accessible (PsPIN's PMP) */
};

#endif
