/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_TRAFFIC_H
#define HWMODEL_TRAFFIC_H

/*
 * The whole NIC under traffic: frames are offered at given times, all HPUs work, and an observer gets a record of every packet and task.
 * The same NIC as in <hwmodel/pspin.h>: pspin__packet() is one offer on an idle NIC, run to its end. Memory, tables, entries, limits and
 * the profile are set by the functions there, while nothing runs. Called by spinctl cost (user/cost/) and tests.
 *
 * Time is in picoseconds since pspin__open(). The same input gives the same output, bit for bit. Not thread-safe; instances are
 * independent, one thread each.
 */
#include <hwmodel/pspin.h>

/* --- programs that spincc did not make, or made with --api pspin --- */

/* How its packets are laid out in packet memory (PsPIN's own examples parse them themselves). */
enum pspin_framing {
	PSPIN_FRAMING_RAW,      /* the offered bytes, unchanged */
	PSPIN_FRAMING_PSPIN,    /* PsPIN's: IPv4-like header at 0 mod 4, IHL in the high nibble, lengths in host byte order */
	PSPIN_FRAMING_IP,       /* from the IP header on */
	PSPIN_FRAMING_ETHERNET, /* the frame */
};
int pspin_framing__find(const char *name); /* "raw", "pspin", "ip", "ethernet"; -ENOENT */

/* A third-party program: its ELF file, where its handlers are, and how packets are laid out for them. */
struct pspin_image {
	/*
	 * A complete PsPIN program: boot, runtime loop, handlers; copied. Its segments lie in program memory, in handler memory, in one
	 * cluster's L1 or, at the alias of the own L1, in each cluster's; not in the packet buffer.
	 */
	const void *elf;
	size_t elf_bytes;
	const char *header, *payload, *completion; /* symbols; NULL: no such handler. At least one, unless entries_at is set: */
	uint32_t entries_at; /* of a program of PsPIN's API (pspin_api.h): address at which its start-up code leaves the handlers; else 0 */
	enum pspin_framing framing;
	uint32_t bytes_in_l1; /* of each packet; SPIN_WHOLE_PACKET: all */
	uint32_t
		scratchpad_bytes; /* per message and cluster; of a program of PsPIN's API: one per cluster for all messages, at most this */
	uint32_t handler_mem_bytes; /* size that the HER gives for the handler memory at 0x1c300000; 0: the whole MiB */
	uint32_t host_bytes;        /* of host memory; 0: SPIN_HOST_BYTES */
	uint32_t watchdog_cycles;   /* a task that runs longer is stopped; 0: the target's value */
};
/*
 * As pspin__open(); every HPU boots. err also says which symbol is missing and which symbols exist. For programs of PsPIN's API, AMOs
 * on L2 and on another cluster's L1 return the old value, as that API promises. Their commands may name host addresses outside the
 * task's memory: a write there is lost, a read returns zero (struct pspin_traffic counts them), as with PsPIN's simulator. For other
 * programs such AMOs return what the RTL returns, and such a command is an error. If a handler sent something and none failed, the
 * packet's verdict is TX with the first send as its frame; otherwise it is DROP, with SUCCESS or the first error as reason. On a target
 * whose HPUs have several threads, at most eight threads of a cluster are used: such a program has no stacks for more.
 */
int pspin__open_image(struct pspin **out, const struct pspin_target *target, const struct pspin_image *image, char *err, size_t err_bytes);

/* --- records --- */

/* The path of a task; times of steps that did not happen are 0. Pointers are valid during the call. */
struct pspin_task_record {
	uint64_t packet;               /* its number, in the order of offers from 0 */
	uint32_t message_id;           /* the NIC's: number of the MPQ */
	unsigned cluster, hpu;         /* hpu: in its cluster */
	int is_cold;                   /* 1: instructions were fetched from program memory for it */
	uint64_t ready_ps;             /* its HER was accepted and the MPQ could send this task, */
	uint64_t dispatched_ps;        /* the dispatcher gave it to the cluster, */
	uint64_t copied_ps;            /* its packet was in L1, */
	uint64_t started_ps;           /* an HPU took it, */
	uint64_t first_ps;             /* at its handler's first instruction, */
	uint64_t returned_ps;          /* it returned, */
	uint64_t doorbell_ps;          /* the HPU was free for the next one, */
	uint64_t feedback_ps;          /* all its commands were done and the NIC had the feedback */
	const struct pspin_task *task; /* its cycles and its commands */
};

/* The outcome of an offered packet. */
enum pspin_disposition {
	PSPIN_DISPOSITION_HANDLED,     /* verdict and reason are the handlers', or for messages those of <spin/message.h> */
	PSPIN_DISPOSITION_NOT_MATCHED, /* the rule does not match, or the packet is refused before any handler: to the host */
	PSPIN_DISPOSITION_NO_BUFFER,   /* packet memory was full, and the link does not wait: lost */
	PSPIN_DISPOSITION_NO_MESSAGE,  /* no MPQ was free, and none becomes free without another packet: lost */
};

/* What became of a packet, and when it passed each stage of the NIC. */
struct pspin_packet_record {
	uint64_t packet;
	enum pspin_disposition disposition;
	enum spin_verdict verdict;
	enum spin_reason reason;
	uint32_t wire_bytes, packet_bytes; /* of the frame; from the IP header on, or the whole packet if raw */
	uint32_t message_id;
	uint64_t offered_ps;  /* earliest time of its first byte, */
	uint64_t arrived_ps;  /* its first byte arrived (later if the wire was busy or the packet was held back), */
	uint64_t stored_ps;   /* its last byte was in L2 packet memory, */
	uint64_t her_ps;      /* its HER was accepted, */
	uint64_t feedback_ps; /* the task that popped it had given feedback and its memory was free, */
	uint64_t left_ps;     /* the last byte of its reply was on the wire or at the host (0: nothing leaves) */
	const uint8_t *frame; /* what leaves (TX) or reaches the host (PASS) */
	size_t frame_bytes;
};

/* A HER as the machine gets it, with the fields of PsPIN's own. Functions: 0: none. Pointers are valid during the call. */
struct pspin_her_record {
	uint64_t packet, at_ps;
	uint32_t message_id;
	int end_of_message;
	uint32_t l2, bytes, bytes_in_l1;
	uint32_t header, payload, completion;
	uint32_t handler_mem, handler_mem_bytes;
	uint64_t host_mem;
	uint32_t host_mem_bytes;
	uint32_t scratchpad, scratchpad_bytes; /* offset in each cluster's L1 */
	const uint8_t *content;                /* `bytes` bytes at l2 */
	const uint8_t *scratch;                /* scratchpad_bytes bytes: content of the home cluster's scratchpad */
};

/* Any callback may be NULL. Called in order of time; they must not call the NIC. */
struct pspin_observer {
	void *arg;
	void (*task)(void *arg, const struct pspin_task_record *record);
	void (*packet)(void *arg, const struct pspin_packet_record *record);
	/* a packet that was reported as PARKED has been handled; its her_ps and feedback_ps are now those of its tasks */
	void (*replayed)(void *arg, const struct pspin_packet_record *record);
	void (*her)(void *arg, const struct pspin_her_record *record);
	void (*event)(void *arg, uint64_t at_ps, const struct spin_event *event);
	void (*send)(void *arg, uint64_t at_ps, const struct spin_request *request);
	/* a command begins (1) or is done (0); for traces */
	void (*command)(void *arg, uint64_t at_ps, unsigned cluster, unsigned hpu, unsigned id, const char *kind, int begins);
};
void pspin__observe(struct pspin *nic, const struct pspin_observer *observer /* NULL: nobody */);

/* --- traffic --- */

/* A frame to be offered to the NIC at a given time. */
struct pspin_offer {
	uint64_t at_ps;    /* must not be before the last offer's */
	const void *frame; /* copied */
	size_t frame_bytes;
	/* only for pspin__open_image(): */
	uint64_t message; /* any number: packets with the same number are one message */
	int end_of_message;
};
/*
 * Offers a frame. The wire is a queue: a frame waits there for its turn. Contexts of datagrams make a message of each frame. Returns 0;
 * -EINVAL: at_ps is before the last offer's, the frame is larger than PSPIN_FRAME_BYTES_MAX or than the target's packet memory, or is
 * empty; -ENOMEM.
 */
int pspin__offer(struct pspin *nic, const struct pspin_offer *offer);

/*
 * Runs to until_ps, or with UINT64_MAX until everything offered is done. Returns 0; -EDEADLK: packets are left that can never advance
 * (see pspin__stuck()); -ENOMEM.
 */
int pspin__run(struct pspin *nic, uint64_t until_ps);
/* Returns a text that says what waits for what; "" if nothing does. */
const char *pspin__stuck(const struct pspin *nic);

/* 1: a full buffer loses packets; 0 (default): it holds the wire back, like a lossless link. */
void pspin__lossy(struct pspin *nic, int lossy);

/* Flushes all instruction caches: the next tasks run cold. */
void pspin__flush_icaches(struct pspin *nic);

/*
 * Totals since pspin__open(); peaks are the most in use at once. On a NIC with several contexts (pspin__join()), packets, bytes,
 * losses, waits at the wire, MPQs, the span and HPU times are the context's; the rest is the NIC's.
 */
struct pspin_traffic {
	uint64_t now_ps;
	uint64_t packets, bytes; /* that arrived, from the IP header on */
	uint64_t lost_no_buffer, lost_no_message;
	uint64_t amo_words;       /* AMOs that returned a word other than the RTL's answer of 1: of programs of PsPIN's API */
	uint64_t host_outside;    /* commands that named host addresses outside the task's memory */
	uint64_t host_outside_at; /* the first such address */
	uint64_t held_back_ps;    /* time that packets waited at the wire for packet memory, which also delays those behind them */
	uint32_t packet_memory_peak_bytes, messages_peak, hers_peak;
	/* busy time of each, within the span from the first arrival to the last feedback */
	uint64_t span_ps;
	uint64_t hpu_busy_ps;    /* sum over HPUs: from taking a task to its doorbell; with several threads, while any of them has one */
	uint64_t hpu_blocked_ps; /* part of hpu_busy_ps: waiting for commands or for feedback to be taken */
	/* parts of hpu_busy_ps with several threads, else 0: running instructions of a thread; switching from one to another */
	uint64_t hpu_running_ps, hpu_switching_ps;
	uint64_t link_in_ps, packet_read_ps, send_ps, to_host_ps, from_host_ps, host_direct_ps, l2_port_ps;
	uint64_t icache_misses, l1_conflict_cycles;
	/* of the cluster whose L1 is accessed most by other clusters: busy time of its incoming port, and sum of the waits there */
	uint64_t l1_port_ps, l1_port_wait_ps;
	unsigned l1_port_cluster;
	unsigned hpus, hpu_threads; /* hpu_threads: threads of each HPU */
};
void pspin__traffic(const struct pspin *nic, struct pspin_traffic *out);

#endif
