/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_H
#define LIBSPIN_H

/*
 * libspin: run sPIN handlers on a network interface.
 *
 *	struct spin_object *obj;  // a fat object made by spincc
 *	struct spin_nic *nic;     // an interface
 *	struct spin_ctx *ctx;     // an execution context: handlers + memories + match rule
 *
 *	spin_object__open("filtering.spin", &obj);
 *	spin_nic__open("eth0", &nic);
 *	spin_rule__parse("udp dport 9000", &rule);
 *	spin_ctx__create(nic, obj, &rule, &ctx);
 *	spin_ctx__attach(ctx);
 *
 * Functions return 0 or a negative errno; spin_strerror_last() has a reason for a
 * person with the next step (per thread). A context belongs to one thread at a
 * time; memory it maps may be read by any. Nothing prints or exits.
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/context.h>

struct spin_object;
struct spin_nic;
struct spin_ctx;

/* The reason for this thread's last failure: what happened, and what to do next. */
const char *spin_strerror_last(void);

/* Log callback for libbpf's and our own diagnostics; NULL (default): none. */
typedef void (*spin_log_fn)(void *arg, const char *line);
void spin_set_log(spin_log_fn fn, void *arg);

/*
 * What the kernel's verifier works on while a context is created, which takes minutes at worst: about once a second the
 * context's name, the program and for how many seconds it has been verified; once program NULL, when no more of that context
 * follows. It is not called for loads of less than a second. It is called on a thread of the library, one call at a time. NULL
 * (default): none. A signal whose handler returns does not end a load by itself: the kernel's verifier gives up when one is
 * pending, and libbpf tries again, five times.
 */
typedef void (*spin_load_progress_fn)(void *arg, const char *context, const char *program, double seconds);
void spin_set_load_progress(spin_load_progress_fn fn, void *arg);

/* --- fat objects --- */

/*
 * Reads and checks a fat object; -ENOENT, -EINVAL (no or damaged object), -ENOTSUP (newer API), -EPERM (programs, maps or
 * calls that spincc makes of no handler: it is not loaded, whoever made it).
 */
int spin_object__open(const char *path, struct spin_object **out);
/* The same of an object in memory, which is copied; `name` stands for its path in messages. */
int spin_object__open_mem(const char *name, const void *data, size_t bytes, struct spin_object **out);
void spin_object__close(struct spin_object *obj);
const struct spin_meta *spin_object__meta(const struct spin_object *obj);
/* The rv32 image inside; valid while the object is open. */
const void *spin_object__image(const struct spin_object *obj, size_t *bytes);

/* The program for a card inside (<spin/offload.h>), a BPF ELF file; NULL: it has none. Valid while the object is open. */
const void *spin_object__card(const struct spin_object *obj, size_t *bytes);
/*
 * That program with a rule in it, as a context of SPIN_MODE_OFFLOAD would load it: an ELF file for any loader. counted 0: it does
 * not count packets. *elf is the caller's to free. -ENODATA: the object has none; -EOPNOTSUPP: the rule is not one that a card matches; -ENOMEM.
 */
int spin_object__card_program(const struct spin_object *obj, const struct spin_rule *rule, int counted, void **elf, size_t *bytes);

/* --- match rules --- */

/*
 * Text to rule: words `udp` (also without it)|`icmp`|`icmp6`, `ip4`|`ip6`, `src ADDR[/LEN]`, `dst ADDR[/LEN]`,
 * `sport LIST`, `dport LIST` (UDP only), `vlan LIST`, `dscp LIST`, `ttl LIST`, in any order; LIST is N or FIRST-LAST, or several
 * with commas between them, of a VLAN also `none` (the outer tag as it is in the frame), of DSCP also ef, af11 to af43, cs0 to cs7;
 * `not` in front of one of these five takes all other numbers, and at most 8 ranges may remain; or `ether TYPE`, in hexadecimal, instead of all these. Either with
 * `u32 TEST [and TEST]...` or `u32 TEST [or TEST]...`, where TEST is INDEX[/MASK]=FIRST[-LAST] (struct spin_rule_word).
 * -EINVAL names the word.
 */
int spin_rule__parse(const char *text, struct spin_rule *out);
/* Rule to text, always parsable again; returns what snprintf would. */
int spin_rule__format(const struct spin_rule *rule, char *buf, size_t bytes);

/* --- interfaces --- */

/*
 * An interface that contexts are attached to: one XDP program of ours finds each
 * packet's context and hands it over. One handle per
 * interface and process; it lives until it is closed and no context holds it. Its
 * functions may be called from any thread.
 */
/* -ENODEV: no such interface. */
int spin_nic__open(const char *ifname, struct spin_nic **out);
/* No interface at all: contexts attach to it, packets come from spin_nic__run(). For tests and replays. */
int spin_nic__open_offline(struct spin_nic **out);
/* The same handle once more, for another thread, say: it lives until each is closed. */
struct spin_nic *spin_nic__hold(struct spin_nic *nic);
void spin_nic__close(struct spin_nic *nic);
const char *spin_nic__name(const struct spin_nic *nic);
int spin_nic__ifindex(const struct spin_nic *nic); /* 0: offline */

enum spin_mode {
	SPIN_MODE_AUTO,    /* native, or generic where the driver refuses native */
	SPIN_MODE_NATIVE,  /* in the driver, before the kernel makes a socket buffer of the packet */
	SPIN_MODE_GENERIC, /* after that: any interface, slower */
	/*
	 * On the card, before the host sees the packet: hardware XDP. To be set before the context is created, of an object with a program
	 * for a card (spincc --target nfp). An interface has one such context. Its memory is on the card: spin_ctx__value(), _set(), _fields(),
	 * _table_insert(), _table_delete() and _counters() are system calls, one for each entry, and what the card counts in an entry
	 * while that is written is lost. There are no events, and no spin_ctx__symbol(), tap, swap or other rule. Its counters
	 * are of all packets that the interface receives.
	 */
	SPIN_MODE_OFFLOAD,
};
/* For the next attachment, and of OFFLOAD for the next context. -EBUSY while a context is attached. */
int spin_nic__set_mode(struct spin_nic *nic, enum spin_mode mode);

/* Beside XDP programs of others, by libxdp's dispatcher. */
struct spin_share {
	unsigned priority; /* programs with lower ones see a packet before; that of xdp-loader is 50 */
	uint32_t chain;    /* bits 1 << XDP_PASS and so on: after these verdicts the programs behind see it, too */
};
/*
 * Shares the interface, or if share is NULL has it alone, as it is without this call. For contexts that are made after it, and before the
 * first of them is attached: later -EBUSY. An attachment by libxdp is pinned: spin_ctx__detach() removes it, and what a killed process
 * leaves passes all packets on until the next spin_nic__open() or spinctl, also of another process, removes it. spin_ctx__attach() gives
 * -EOPNOTSUPP where the kernel or libxdp refuses, and says what is missing. Sockets' contexts take no part, and spin_nic__run() neither.
 */
int spin_nic__set_share(struct spin_nic *nic, const struct spin_share *share);

/*
 * What it is attached as, AUTO if no context is; *reason: the reason if native was
 * refused, else NULL. It is valid until the last context leaves.
 */
enum spin_mode spin_nic__mode(struct spin_nic *nic, const char **reason);
const char *spin_mode_name(enum spin_mode mode); /* "auto", "native", "generic", "offload" */

/* Packets that went to no context, by reason, since the handle was opened; SPIN_REASON_COUNT of them. */
void spin_nic__counters(const struct spin_nic *nic, uint64_t *packets);

/* --- execution contexts --- */

/* How handlers are loaded. */
enum spin_class {
	SPIN_CLASS_TRUSTED, /* handlers read the packet where it lies; needs CAP_PERFMON */
	/*
	 * Loaded without CAP_PERFMON, whatever this process has: the verifier then
	 * guards against Spectre and forbids variable packet pointers, so the packet is
	 * copied. Several times slower in payload loops.
	 */
	SPIN_CLASS_ISOLATED,
};
const char *spin_class_name(enum spin_class class); /* "trusted", "isolated" */

/* Of contexts that take messages (libspin_message.h); zero: the default. */
struct spin_message_opts {
	size_t host_bytes;     /* host memory, of datagrams, too; SPIN_HOST_BYTES, at most SPIN_HOST_BYTES_MAX */
	unsigned messages;     /* in flight at a time; SPIN_MPQS, at most SPIN_MPQS_MAX */
	unsigned parking;      /* packets parked at a time; SPIN_PARKING_MAX, which is the most */
	unsigned idle_ms;      /* without new packets for so long a message is evicted; the handler's, or SPIN_IDLE_MS */
	unsigned age_ms;       /* older ones that hardly come on yield to others when these find no room; SPIN_AGE_MS */
	unsigned tombstone_ms; /* a completed message's key is known for so long; SPIN_TOMBSTONE_MS */
	/*
	 * Packets beyond the lowest missing one that are handled: SPIN_WINDOW, which is the least, to SPIN_WINDOW_MAX. One
	 * that holds a whole message takes its packets from any offset on, as from senders of several threads. More than
	 * SPIN_WINDOW takes a quarter to half a byte for each packet and message in flight, and Linux 6.9. By default
	 * SPIN_WINDOW, and with more host_bytes than SPIN_HOST_BYTES as many as a quarter of these has room for, of all
	 * messages together: for 512 messages a packet for each 512 bytes, for 16 one for each 64.
	 */
	unsigned window;
	/*
	 * 1: the event of a message's end is lost if spin_ctx__events() is not called often enough. Otherwise a message that
	 * finds no room for it is not taken: its sender tries again. So without this a context whose events nobody
	 * reads takes some 10,000 messages and no more.
	 */
	int lose_events;
	int put;      /* 1: senders may tell match bits and the like (struct spin_slmp_put) */
	int no_entry; /* 1: no matching entry to begin with */
	/* 1: time is what spin_ctx__set_clock() says; of datagrams, too: their handlers'. Flows are hashed with a known key. For tests */
	int virtual_clock;
	int note_runs; /* 1: an event for every handler that runs; for tests */
	/* of datagrams, too */
	const struct spin_segment *handler_mem; /* the first entry's, see struct spin_me_opts; copied */
	unsigned handler_segments;
	/*
	 * Of messages: so many that had an entry of the overflow list are kept, at most SPIN_UNEXPECTED_MAX, for entries that are
	 * posted later and for searches (libspin_message.h). While as many are kept none has such an entry: its sender tries again.
	 * 0: none are kept.
	 */
	unsigned unexpected;
};

struct spin_hpu_mem;

/*
 * Which logical processor an HPU is. A message's packets are handled at the same time by
 * several HPUs in all of them. Given packets (spin_nic__run()) come by queue 0, and are to come one at a time then;
 * they cannot be spread.
 */
enum spin_hpus {
	SPIN_HPUS_CPU, /* the CPU that a packet arrives on */
	/*
	 * The receive queue: one interface, in native mode. Each queue gets a kernel thread (threaded NAPI) while such
	 * contexts are attached. What a killed process leaves is switched off by the next spin_nic__open() or spinctl, also
	 * in another network namespace; a file in /run/spin, locked while its process lives, says which interfaces these
	 * are. Messages have one HPU more, for what the library does for them.
	 */
	SPIN_HPUS_QUEUE,
	/*
	 * CPUs, to which packets are given by the kernel's CPU map: a message's to its home, or to the one that has the
	 * least to do if that holds 20 (PsPIN 3.2.1); each holds up to 512, beyond that packets are dropped as NO_HPU.
	 * Pays where handlers take longer than some 2 us and packets come by fewer queues than there are CPUs.
	 * Trusted class only.
	 */
	SPIN_HPUS_SPREAD,
};
const char *spin_hpus_name(enum spin_hpus hpus); /* "cpu", "queue", "spread"; NULL: there is no such */

struct spin_ctx_opts {
	size_t bytes;     /* sizeof(struct spin_ctx_opts); fields behind it count as zero */
	const char *name; /* of the context, and of its program in the kernel's list, at most 15 characters; NULL: the handler's */
	enum spin_class class;
	int strict_checksums; /* 1: a local sender's partial UDP checksum is wrong on virtual interfaces, too */
	struct spin_message_opts message;
	struct spin_hpu_mem *hpu_mem; /* for its state (libspin_hpu.h); NULL: its own */
	const void *initial_state;    /* NULL: the handler's, or what is in hpu_mem */
	size_t initial_state_bytes;   /* from the state's start; at most its size */
	uint32_t capabilities;        /* SPIN_CAP_* that it needs: -ENOTSUP where one is missing */
	enum spin_hpus hpus;
	uint32_t hpu_count; /* SPREAD: how many CPUs; else what spin_num_hpus() says, of queues for given packets only; 0: all */
	uint32_t put_id;    /* message_id of the first put; 0: any, another one each time */
	int uncounted;      /* SPIN_MODE_OFFLOAD: 1: packets are not counted by reason, which saves the card a lookup for each */
};

/*
 * Loads the handlers into the kernel, not yet attached; state has its initial
 * value. nic may be NULL: then the context can only be run on given packets, and
 * its program does the matching itself. opts may be NULL: all zero.
 * -EPERM (not root), -ENOSYS (kernel too old), -EINVAL (options; a rule that contradicts itself, or is for another
 * protocol than UDP, ICMP and ICMPv6; verifier: the reason names the handler's source line), -EOPNOTSUPP (ICMP for handlers
 * that need UDP; of SPIN_MODE_OFFLOAD: the device offloads no programs, or the card has no means for the rule or an option), -ENODATA
 * (OFFLOAD: the object has no program for a card), -ENOSPC (OFFLOAD: no room on the card), -E2BIG (more CPUs than SPIN_HPUS_MAX).
 */
int spin_ctx__create(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule, struct spin_ctx **out);
int spin_ctx__create_opts(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule,
			  const struct spin_ctx_opts *opts, struct spin_ctx **out);
/* Detaches and frees. Memory obtained from spin_ctx__symbol() is gone. */
void spin_ctx__destroy(struct spin_ctx *ctx);
const char *spin_ctx__name(const struct spin_ctx *ctx);
/* The interface it was made for, NULL for none; valid as long as the context. */
struct spin_nic *spin_ctx__nic(const struct spin_ctx *ctx);

/*
 * Adds the context to its interface; the first one attaches our program there by
 * bpf_link: that ends with this process, however it ends. No packet of another
 * context is lost or delayed in the meantime.
 * -EBUSY: the reason names the program or process that holds the interface; it
 * is never replaced. -EEXIST: the rule overlaps with that of another context, the
 * reason names both. -ENOSPC: SPIN_CONTEXTS_MAX are attached. -EALREADY: this one
 * is. -ENODEV: the interface went away. -ENOLINK: somebody else has detached the program of its contexts.
 * -EOPNOTSUPP: the driver refuses the mode wanted, the reason says why.
 */
int spin_ctx__attach(struct spin_ctx *ctx);
/*
 * The same context on one more interface: same handlers, same memories, same rule.
 * -EINVAL: that one is hardware, and the context takes partial checksums. -E2BIG: it
 * is on 16 already.
 */
int spin_ctx__attach_also(struct spin_ctx *ctx, struct spin_nic *nic);
/* From all interfaces. When it returns no HPU runs a handler of the context any more. */
int spin_ctx__detach(struct spin_ctx *ctx);

/*
 * 1 while attached and the interface is there, 0 if not attached, -ENODEV if the interface went away,
 * -ENOLINK if somebody else has detached its program.
 * -EIO: the thread of the library that sees to messages (spin_ctx__progress()) has ended by a failure. -ESTALE: of a context of spind, whose
 * memory was moved (spin_socket__migrate()).
 */
int spin_ctx__alive(struct spin_ctx *ctx);

/*
 * Replaces the context's handlers by the object's while it is attached: each packet has the old ones or the new ones, and none is lost. State,
 * tables, counters, events and addresses from spin_ctx__symbol() stay. Of datagram handlers without SPIN_PUTS, whose HPUs are CPUs or
 * queues; -EOPNOTSUPP for others. -EINVAL: state or tables of another layout, which the reason names (spin_ctx__migrate() moves them), or
 * the verifier refuses the new handlers; the old ones go on.
 */
int spin_ctx__swap(struct spin_ctx *ctx, const struct spin_object *obj);

/* What spin_ctx__migrate() has done. */
struct spin_migration {
	size_t bytes;         /* sizeof(struct spin_migration) */
	uint64_t moved_bytes; /* of the old state, tables and counters, all of them at first */
	uint64_t late_bytes;  /* of these, what packets had changed since, and was moved again */
	uint64_t wait_ns;     /* how long packets waited */
	uint32_t tries;       /* how often they waited: the last time for wait_ns, before that for up to 8 ms each; 0: not attached */
	char lost[600];       /* fields and tables that the new handlers do not have: "spin_state.hits, old_table"; "": none */
};

/*
 * spin_ctx__swap() for handlers whose state or tables have another layout. What both have is taken over by name: fields of structs, entries of
 * tables by their key (SPIN_KEY), and of other arrays by their index. An integer keeps its size, signedness and byte order, or is unsigned, in
 * host byte order, and becomes wider; a counter (SPIN_COUNTER) may become an integer and the other way round. What is new begins as the
 * object says, what is gone is lost, and named in *report. Counts of packets go on. All in one moment: each packet has the old handlers with
 * the old memory, or the new ones with the new one, and the new ones see what all packets before have written; no packet is lost by it,
 * and no update. For that, packets wait on the CPU that received them while what has changed since a first copy is moved: some tens of
 * microseconds, and 8 ms at most for megabytes that change all the time. A driver's queue that overflows in that time loses packets.
 * In the meantime the application must not write to the context's memory. Afterwards addresses from spin_ctx__symbol() are invalid.
 * report may be NULL; on failure only its `tries` are of use. The calling thread is moved to other CPUs for the moment.
 *
 * On failure the old handlers go on, and nothing has changed. -EINVAL: a field has an incompatible type, which the reason names; or as of
 * spin_ctx__swap(). -ENOSPC: a table has no place for an entry that is in use. -EAGAIN: packets came all the time on all CPUs, so
 * that there was no moment. -E2BIG: more fields than can be moved. -EOPNOTSUPP: as of spin_ctx__swap(), and for contexts with a ring, with a state
 * of several contexts or in HPU memory of its own, and with work items.
 */
int spin_ctx__migrate(struct spin_ctx *ctx, const struct spin_object *obj, struct spin_migration *report);
/*
 * Gives the context another rule, on all its interfaces, while packets come: a packet that both rules match has handlers all the time, and is
 * handled once. State, tables, counters, events and addresses from spin_ctx__symbol() stay. Of contexts that spin_ctx__swap() can be
 * called for and that were made for an interface; -EOPNOTSUPP for others, and for those of sockets, whose rule is the socket's. On failure
 * the old rule goes on: -EEXIST: the new one overlaps with that of another context. -EINVAL: it contradicts itself. -ENOSPC: during the
 * change the context takes a second of SPIN_CONTEXTS_MAX places. -ENODEV, -ENOLINK: as spin_ctx__attach(). As all calls for one context,
 * from one thread at a time; other contexts of the interface may be attached and detached at the same time.
 */
int spin_ctx__set_rule(struct spin_ctx *ctx, const struct spin_rule *rule);

/* --- HPU memory: read and written without system calls --- */

/*
 * State ("spin_state") or a table by name; *addr is mapped, shared with running handlers. Of memory of clusters
 * (SPIN_PER_CLUSTER) it is the array of all SPIN_CLUSTERS_MAX copies. -ENOENT.
 */
int spin_ctx__symbol(struct spin_ctx *ctx, const char *name, void **addr, size_t *bytes);

/*
 * The value of a variable, of memory of clusters the sum of its copies, each word read once while handlers run. `bytes` is the
 * size of its type. -ENOENT; -EINVAL: it has another size.
 */
int spin_ctx__value(struct spin_ctx *ctx, const char *name, void *to, size_t bytes);

/*
 * Sets a field by path, from text: "spin_state.rate=100", "routes[5].port=7000".
 * Numbers are decimal or 0x hex, host byte order; addresses "10.0.0.1" give
 * network order. Names and types come from the object's BTF. -ENOENT, -ERANGE, -EINVAL.
 */
int spin_ctx__set(struct spin_ctx *ctx, const char *assignment);

/*
 * Inserts or updates an entry of a keyed table (SPIN_KEY): "src=10.0.0.1 port=7000".
 * -ENOSPC: no free entry within SPIN_PROBES of the key's place. -EINVAL: key 0.
 */
int spin_ctx__table_insert(struct spin_ctx *ctx, const char *table, const char *fields);

/*
 * Removes the entry with this key: "src=10.0.0.1". Entries behind it may move, and lose what handlers count in them in that moment.
 * -ENOENT: there is none.
 */
int spin_ctx__table_delete(struct spin_ctx *ctx, const char *table, const char *key);

/* A variable as JSON-ready text through a callback, one field at a time. */
struct spin_field {
	const char *path; /* "spin_state.sets[3].tag[0]" */
	uint64_t value;   /* host byte order */
	unsigned bytes;   /* 1, 2, 4 or 8 */
};
/* Calls fn for every scalar of a variable; zero_too 0 leaves zero fields out. Stops when fn returns non-zero and returns that. */
int spin_ctx__fields(struct spin_ctx *ctx, const char *name, int zero_too, int (*fn)(void *arg, const struct spin_field *field), void *arg);

/* Names of state and tables, in the order of the object; NULL after the last. */
const char *spin_ctx__symbol_name(struct spin_ctx *ctx, unsigned i);

/* --- counters and events --- */

/*
 * Packets by reason, summed over all HPUs; packets is SPIN_REASON_COUNT long. No
 * system call. Of a context that has an interface: the packets that matched it.
 */
void spin_ctx__counters(const struct spin_ctx *ctx, uint64_t *packets);

/*
 * What became of the packets that handlers sent (SPIN_PUTS), and of their puts from host memory; all zero for
 * handlers without.
 */
struct spin_put_stats {
	uint64_t returned; /* left in the frame that came */
	uint64_t copied;   /* left in copies of that frame, which the kernel made */
	uint64_t sent;     /* by this library, as they could not leave from where the handler ran */
	uint64_t puts;     /* from host memory, and others that asked for it, acknowledged by their targets */
	/* and what was lost of them */
	uint64_t lost_queue;  /* no room in the queue to this library; such a put, acknowledged or not, has no event */
	uint64_t lost_copy;   /* the kernel could not make or send the copy, or is about to */
	uint64_t lost_way;    /* the host has no way to the target */
	uint64_t puts_failed; /* each with SPIN_EVENT_PUT_FAILED, as far as there was room for that */
	/* and gets that were answered from an entry, or not; neither has an event */
	uint64_t answers;        /* acknowledged by who asked */
	uint64_t answers_failed; /* too many at a time, no acknowledgement in time, an own address, or the entry was unlinked */
	uint64_t events_lost;    /* of PUT_ACKED and PUT_FAILED: the reader is behind */
};
int spin_ctx__put_stats(struct spin_ctx *ctx, struct spin_put_stats *out);

const char *spin_reason_name(enum spin_reason reason); /* "udp_checksum" */
const char *spin_reason_text(enum spin_reason reason);
enum spin_verdict spin_reason_verdict(enum spin_reason reason);
const char *spin_verdict_name(enum spin_verdict verdict); /* "pass", "drop", "tx" */

/* Hands pending events to fn without a system call; returns how many: at most 4,096, there may be more. */
int spin_ctx__events(struct spin_ctx *ctx, void (*fn)(void *arg, const struct spin_event *event), void *arg);
/* A descriptor that polls readable when events are there. Owned by the context. */
int spin_ctx__event_fd(const struct spin_ctx *ctx);
/*
 * Work items (<spin/work.h>) come as events, SPIN_EVENT_WORK: item[] has item_bytes bytes of the handler's, and the rest of it is 0. A
 * handler may leave another one in its place when the function given to spin_ctx__events() has returned. *lost: how many found no
 * room since the context was created, as their handlers were told; 0 of handlers without any.
 */
int spin_ctx__work_lost(struct spin_ctx *ctx, uint64_t *lost);

/* --- running given packets (PROG_TEST_RUN): for tests and benchmarks --- */

struct spin_run_result {
	enum spin_verdict verdict;
	size_t frame_bytes;     /* of what comes out, written to frame_out */
	uint32_t ns_per_packet; /* mean over `repeat` */
};
/*
 * Of a context made without an interface; -EINVAL for others.
 * Runs one frame `repeat` times (1 or more; packets change in between if handlers change them). */
int spin_ctx__run(struct spin_ctx *ctx, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result);

/* The same through the interface's program, as packets from the wire go: match, hand over, handle. */
int spin_nic__run(struct spin_nic *nic, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result);

/* The interface's program's descriptor, -1 before the first context came. Owned by the interface. */
int spin_nic__program_fd(struct spin_nic *nic);
/*
 * The XDP program's descriptor, for attaching by other means. Owned by the context. -1
 * if that was made for an interface: such a program runs behind the interface's only.
 */
int spin_ctx__program_fd(const struct spin_ctx *ctx);

/* --- taps: a context's packets as they arrive, before any handler: for recording and costing --- */

struct spin_tapped {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t hpu;
	uint32_t frame_bytes;
	const uint8_t *frame; /* valid during the call */
};

/* Copies the packets from now on to a ring of so many bytes (rounded up to a power of two). -EALREADY. */
int spin_ctx__tap(struct spin_ctx *ctx, size_t ring_bytes);
/* The same of one packet in `every`, by chance; the others are not copied. */
int spin_ctx__tap_some(struct spin_ctx *ctx, size_t ring_bytes, uint32_t every);
void spin_ctx__untap(struct spin_ctx *ctx);
/*
 * Hands what is in the ring to fn, in order of arrival, without a system call; returns how
 * many. With more than 16,384 in the ring it hands over that many; 0: the ring is empty.
 */
int spin_ctx__tapped(struct spin_ctx *ctx, void (*fn)(void *arg, const struct spin_tapped *packet), void *arg);
/* Packets that found the ring full since spin_ctx__tap(). */
uint64_t spin_ctx__tap_lost(const struct spin_ctx *ctx);
/* A descriptor that polls readable when packets are there. Owned by the context. */
int spin_ctx__tap_fd(const struct spin_ctx *ctx);

#endif
