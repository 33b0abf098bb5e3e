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
 * person with the next step (per thread). A context may be used by one thread at a
 * time; any thread may read the memory it maps. No function prints or exits.
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/context.h>

struct spin_object;
struct spin_nic;
struct spin_ctx;

/* The reason of this thread's last failure: what happened, and what to do next. */
const char *spin_strerror_last(void);

/* Log callback for diagnostics of libbpf and libspin; NULL (default): none. */
typedef void (*spin_log_fn)(void *arg, const char *line);
void spin_set_log(spin_log_fn fn, void *arg);

/*
 * Sets a callback that reports what the kernel's verifier works on while a context is created, which may take minutes. It is called about
 * once a second with the context's name, the program, and the seconds for which that has been verified, and once with program NULL when
 * nothing more of that context follows. It is not called for loads of less than a second. It runs on a thread of the library, one call at a
 * time. NULL (default): none. A signal whose handler returns does not end a load by itself: the kernel's verifier gives up when a signal is
 * pending, but libbpf tries again, five times.
 */
typedef void (*spin_load_progress_fn)(void *arg, const char *context, const char *program, double seconds);
void spin_set_load_progress(spin_load_progress_fn fn, void *arg);

/* --- fat objects --- */

/*
 * Reads and checks a fat object. -ENOENT; -EINVAL (not an object, or damaged); -ENOTSUP (newer API); -EPERM (programs, maps or
 * calls that spincc does not generate: the object is not loaded, whoever made it).
 */
int spin_object__open(const char *path, struct spin_object **out);
/* The same for an object in memory, which is copied; `name` is used in messages in place of a path. */
int spin_object__open_mem(const char *name, const void *data, size_t bytes, struct spin_object **out);
void spin_object__close(struct spin_object *obj);
const struct spin_meta *spin_object__meta(const struct spin_object *obj);
/* The rv32 image inside; valid while the object is open. */
const void *spin_object__image(const struct spin_object *obj, size_t *bytes);

/* The program for a card inside (<spin/offload.h>), a BPF ELF file; NULL: it has none. Valid while the object is open. */
const void *spin_object__card(const struct spin_object *obj, size_t *bytes);
/*
 * Returns that program with a rule in it, as a context of SPIN_MODE_OFFLOAD would load it: an ELF file for any loader. counted 0: it does
 * not count packets. The caller frees *elf. -ENODATA: the object has none; -EOPNOTSUPP: a card cannot match the rule; -ENOMEM.
 */
int spin_object__card_program(const struct spin_object *obj, const struct spin_rule *rule, int counted, void **elf, size_t *bytes);

/* --- match rules --- */

/*
 * Parses a rule. Words in any order: `udp` (the default)|`tcp`|`icmp`|`icmp6`, `ip4`|`ip6`, `src ADDR[/LEN]`, `dst ADDR[/LEN]`,
 * `sport LIST`, `dport LIST` (UDP and TCP only), `vlan LIST`, `dscp LIST`, `ttl LIST`. LIST is N or FIRST-LAST, or several of these
 * separated by commas. A VLAN list may contain `none` (the outer tag as it is in the frame), a DSCP list ef, af11 to af43, cs0 to cs7.
 * `not` before one of these five selects all other numbers; at most 8 ranges may remain. Instead of all these: `ether TYPE`, in
 * hexadecimal. Both forms may add `u32 TEST [and TEST]...` or `u32 TEST [or TEST]...`, where TEST is INDEX[/MASK]=FIRST[-LAST]
 * (struct spin_rule_word). -EINVAL: the reason names the word.
 */
int spin_rule__parse(const char *text, struct spin_rule *out);
/* Formats a rule as text that can be parsed again. Returns what snprintf() would. */
int spin_rule__format(const struct spin_rule *rule, char *buf, size_t bytes);

/* --- interfaces --- */

/*
 * An interface to which contexts are attached. One XDP program of the library finds each
 * packet's context and hands the packet to it. There is one handle per
 * interface and process; it lives until it is closed and no context uses it. Its
 * functions may be called from any thread.
 */
/* -ENODEV: no such interface. */
int spin_nic__open(const char *ifname, struct spin_nic **out);
/* Opens a handle without an interface: contexts attach to it, and packets come from spin_nic__run(). For tests and replays. */
int spin_nic__open_offline(struct spin_nic **out);
/* Takes another reference to the handle, for example for another thread. The handle lives until each reference is closed. */
struct spin_nic *spin_nic__hold(struct spin_nic *nic);
void spin_nic__close(struct spin_nic *nic);
const char *spin_nic__name(const struct spin_nic *nic);
int spin_nic__ifindex(const struct spin_nic *nic); /* 0: offline */

enum spin_mode {
	SPIN_MODE_AUTO,    /* native, or generic where the driver refuses native */
	SPIN_MODE_NATIVE,  /* in the driver, before the kernel allocates a socket buffer for the packet */
	SPIN_MODE_GENERIC, /* after that: any interface, slower */
	/*
	 * On the card, before the host sees the packet: hardware XDP. Must be set before the context is created, from an object with a
	 * program for a card (spincc --target nfp). An interface has one such context. Its memory is on the card: spin_ctx__value(),
	 * _set(), _fields(), _table_insert(), _table_delete() and _counters() make a system call for each entry. What the card counts in an
	 * entry while the entry is written is lost. There are no events, no spin_ctx__symbol(), no tap, no swap and no rule change. The
	 * counters include all packets that the interface receives.
	 */
	SPIN_MODE_OFFLOAD,
};
/* Sets the mode for the next attachment, and for OFFLOAD for the next context. -EBUSY while a context is attached. */
int spin_nic__set_mode(struct spin_nic *nic, enum spin_mode mode);

/* Options for sharing an interface with other XDP programs through libxdp's dispatcher. */
struct spin_share {
	unsigned priority; /* programs with lower values see a packet first; xdp-loader uses 50 */
	uint32_t chain;    /* bits 1 << XDP_PASS and so on: after these verdicts the next program sees the packet as well */
};
/*
 * Shares the interface with other programs; share NULL, the default: uses it alone. Applies to contexts created afterwards, and must be
 * called before the first of them is attached; later it fails with -EBUSY. An attachment by libxdp is pinned: spin_ctx__detach() removes
 * it. What a killed process leaves passes all packets on until the next spin_nic__open() or spinctl, in any process, removes it.
 * spin_ctx__attach() returns -EOPNOTSUPP where the kernel or libxdp refuses, with a reason that says what is missing. Contexts of sockets
 * and spin_nic__run() do not support sharing.
 */
int spin_nic__set_share(struct spin_nic *nic, const struct spin_share *share);

/*
 * Returns the mode in which the interface is attached, AUTO if no context is. *reason is why native was
 * refused, else NULL. It is valid until the last context leaves.
 */
enum spin_mode spin_nic__mode(struct spin_nic *nic, const char **reason);
const char *spin_mode_name(enum spin_mode mode); /* "auto", "native", "generic", "offload" */

/* Packets that matched no context, by reason, since the handle was opened; packets has SPIN_REASON_COUNT elements. */
void spin_nic__counters(const struct spin_nic *nic, uint64_t *packets);

/* --- execution contexts --- */

/* Load classes. */
enum spin_class {
	SPIN_CLASS_TRUSTED, /* handlers read the packet in place; needs CAP_PERFMON */
	/*
	 * Loaded without CAP_PERFMON, even if this process has it: the verifier then
	 * guards against Spectre and forbids variable packet pointers, so the packet is
	 * copied. Several times slower in payload loops.
	 */
	SPIN_CLASS_ISOLATED,
};
const char *spin_class_name(enum spin_class class); /* "trusted", "isolated" */

/* Options of contexts that take messages (libspin_message.h); zero: the default. */
struct spin_message_opts {
	size_t host_bytes;     /* host memory, also for datagrams; SPIN_HOST_BYTES, at most SPIN_HOST_BYTES_MAX */
	unsigned messages;     /* in flight at the same time; SPIN_MPQS, at most SPIN_MPQS_MAX */
	unsigned parking;      /* packets parked at the same time; SPIN_PARKING_MAX, which is the maximum */
	unsigned idle_ms;      /* a message is evicted after this time without new packets; the handler's, or SPIN_IDLE_MS */
	unsigned age_ms;       /* older messages that hardly progress yield to others that find no slot; SPIN_AGE_MS */
	unsigned tombstone_ms; /* a completed message's key is remembered for this time; SPIN_TOMBSTONE_MS */
	/*
	 * Packets beyond the lowest missing one that are handled: from SPIN_WINDOW to SPIN_WINDOW_MAX. A window that holds a whole message
	 * accepts its packets in any order, for example from a sender with several threads. A window of more than SPIN_WINDOW takes a
	 * quarter to half a byte for each packet and message in flight, and needs Linux 6.9. The default is SPIN_WINDOW. With more
	 * host_bytes than SPIN_HOST_BYTES the default is as many packets as a quarter of host_bytes can hold bits for, over all messages:
	 * for 512 messages a packet for each 512 bytes, for 16 messages one for each 64.
	 */
	unsigned window;
	/*
	 * 1: the event of a message's end is lost if spin_ctx__events() is not called often enough. Otherwise a message for whose
	 * event there is no room is not accepted, and its sender tries again. So without this option a context whose events are not
	 * read accepts some 10,000 messages and no more.
	 */
	int lose_events;
	int put;      /* 1: senders may add match bits and other fields (struct spin_slmp_put) */
	int no_entry; /* 1: the context starts without a matching entry */
	/* 1: spin_ctx__set_clock() sets the time, also for handlers of datagrams. Flows are hashed with a known key. For tests */
	int virtual_clock;
	int report_runs; /* 1: an event for every handler that runs; for tests */
	/* also for datagrams */
	const struct spin_segment *handler_mem; /* of the first entry, see struct spin_me_opts; copied */
	unsigned handler_segments;
	/*
	 * For messages: how many messages that matched an entry of the overflow list are kept, at most SPIN_UNEXPECTED_MAX, for entries
	 * posted later and for searches (libspin_message.h). While that many are kept, no further message gets such an entry, and its
	 * sender tries again. 0: none are kept.
	 */
	unsigned unexpected;
};

struct spin_hpu_mem;

/*
 * What an HPU is. In each of these kinds several HPUs handle the packets of one message at the same
 * time. Packets from spin_nic__run() arrive on queue 0, and must then be run one at a time;
 * they cannot be spread.
 */
enum spin_hpus {
	SPIN_HPUS_CPU, /* the CPU on which a packet arrives */
	/*
	 * The receive queue: one interface, in native mode. Each queue gets a kernel thread (threaded NAPI) while such
	 * contexts are attached. If the process is killed, the next spin_nic__open() or spinctl switches these threads off, also
	 * in another network namespace; a file in /run/spin, locked while the process lives, records the interfaces.
	 * Contexts of messages have one more HPU, for the library's own work.
	 */
	SPIN_HPUS_QUEUE,
	/*
	 * CPUs to which packets are passed through the kernel's CPU map: a message's packets go to its home CPU, or to the least loaded
	 * one if 20 packets are pending there (PsPIN 3.2.1). Each CPU holds up to 512; further packets are dropped as NO_HPU.
	 * Pays off where handlers take longer than some 2 us and packets arrive on fewer queues than there are CPUs.
	 * Trusted class only.
	 */
	SPIN_HPUS_SPREAD,
};
const char *spin_hpus_name(enum spin_hpus hpus); /* "cpu", "queue", "spread"; NULL: no such kind */

struct spin_ctx_opts {
	size_t bytes;     /* sizeof(struct spin_ctx_opts); fields beyond it count as zero */
	const char *name; /* of the context, and of its program in the kernel's list, at most 15 characters; NULL: the handler's */
	enum spin_class class;
	int strict_checksums; /* 1: refuse a local sender's partial UDP checksum on virtual interfaces as well */
	struct spin_message_opts message;
	struct spin_hpu_mem *hpu_mem; /* memory for its state (libspin_hpu.h); NULL: its own */
	const void *initial_state;    /* NULL: the handler's, or what is in hpu_mem */
	size_t initial_state_bytes;   /* from the start of the state; at most its size */
	uint32_t capabilities;        /* SPIN_CAP_* that it requires: -ENOTSUP if one is missing */
	enum spin_hpus hpus;
	uint32_t hpu_count; /* SPREAD: number of CPUs; otherwise the value of spin_num_hpus(), for queues only with given packets; 0: all */
	uint32_t put_id;    /* message_id of the first put; 0: random */
	int uncounted;      /* SPIN_MODE_OFFLOAD: 1: do not count packets by reason, which saves the card a lookup per packet */
};

/*
 * Loads the handlers into the kernel but does not attach them; the state has its initial
 * value. nic may be NULL: the context can then only be run on given packets, and
 * its program does the matching itself. opts may be NULL: all zero.
 * -EPERM (not root), -ENOSYS (kernel too old), -EINVAL (options; a rule that contradicts itself or names another
 * protocol than UDP, ICMP and ICMPv6; verifier: the reason names the handler's source line), -EOPNOTSUPP (ICMP for handlers
 * that need UDP; SPIN_MODE_OFFLOAD: the device offloads no programs, or the card does not support the rule or an option), -ENODATA
 * (OFFLOAD: the object has no program for a card), -ENOSPC (OFFLOAD: no room on the card), -E2BIG (more CPUs than SPIN_HPUS_MAX).
 */
int spin_ctx__create(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule, struct spin_ctx **out);
int spin_ctx__create_opts(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule,
			  const struct spin_ctx_opts *opts, struct spin_ctx **out);
/* Detaches and frees. Memory obtained from spin_ctx__symbol() becomes invalid. */
void spin_ctx__destroy(struct spin_ctx *ctx);
const char *spin_ctx__name(const struct spin_ctx *ctx);
/* The interface for which it was created, NULL for none; valid as long as the context. */
struct spin_nic *spin_ctx__nic(const struct spin_ctx *ctx);

/*
 * Adds the context to its interface. The first context attaches the library's program there by
 * bpf_link, so the attachment ends with this process, however it ends. No packet of another
 * context is lost or delayed by that.
 * -EBUSY: the reason names the program or process that holds the interface; it
 * is never replaced. -EEXIST: the rule overlaps with that of another context; the
 * reason names both. -ENOSPC: SPIN_CONTEXTS_MAX are attached. -EALREADY: this one
 * is. -ENODEV: the interface went away. -ENOLINK: another process has detached the program of its contexts.
 * -EOPNOTSUPP: the driver refuses the requested mode; the reason says why.
 */
int spin_ctx__attach(struct spin_ctx *ctx);
/*
 * Attaches the same context to another interface, with the same handlers, memories and rule.
 * -EINVAL: that one is hardware, and the context accepts partial checksums. -E2BIG: the context
 * is attached to 16 interfaces.
 */
int spin_ctx__attach_also(struct spin_ctx *ctx, struct spin_nic *nic);
/* Detaches from all interfaces. When it returns, no HPU runs a handler of the context any more. */
int spin_ctx__detach(struct spin_ctx *ctx);

/*
 * Returns 1 while attached and the interface exists, 0 if not attached, -ENODEV if the interface went away,
 * -ENOLINK if another process has detached its program.
 * -EIO: the library's thread for messages (spin_ctx__progress()) has failed. -ESTALE: a context of spind whose
 * memory was moved (spin_socket__migrate()).
 */
int spin_ctx__alive(struct spin_ctx *ctx);

/*
 * Replaces the context's handlers by the object's while it is attached. Each packet is handled by the old or the new handlers, and none is
 * lost. State, tables, counters, events and addresses from spin_ctx__symbol() stay, and so do open TCP connections, which go on with the
 * new handlers, unless the old ones refused them, or let them proceed without payload handlers. Only for handlers of datagrams without
 * SPIN_PUTS, of TCP segments, or of a TCP socket's streams, by handlers of the same kind, whose HPUs are CPUs or queues; -EOPNOTSUPP for
 * others.
 * -EINVAL: state or tables have another layout, which the reason names (spin_ctx__migrate() moves them), or the verifier refuses the new
 * handlers; the old handlers continue.
 */
int spin_ctx__swap(struct spin_ctx *ctx, const struct spin_object *obj);

/* Report of spin_ctx__migrate(). */
struct spin_migration {
	size_t bytes;         /* sizeof(struct spin_migration) */
	uint64_t moved_bytes; /* bytes of the old state, tables and counters; all were copied once */
	uint64_t late_bytes;  /* of these, bytes that packets changed afterwards and that were copied again */
	uint64_t wait_ns;     /* how long packets waited in the last try */
	uint32_t tries;       /* number of tries: packets waited wait_ns in the last, and up to 8 ms in each earlier one; 0: not attached */
	char lost[600];       /* fields and tables that the new handlers do not have: "spin_state.hits, old_table"; "": none */
};

/*
 * Like spin_ctx__swap(), for handlers whose state or tables have another layout. What both layouts have is copied by name: fields of
 * structs, entries of tables by key (SPIN_KEY), and entries of other arrays by index. An integer must keep its size, signedness and byte
 * order, or must be unsigned, in host byte order, and become wider. A counter (SPIN_COUNTER) may become an integer and the other way round.
 * New fields start with the object's values. Removed fields are lost, and are named in *report. Packet counts and connections continue. The
 * change is atomic: each packet is handled by the old handlers on the old memory, or by the new ones on the new memory, and the new ones
 * see everything that earlier packets have written. No packet and no update is lost by it. To that end, packets wait on the CPU that
 * received them while what has changed since a first copy is copied again: some tens of microseconds, and at most 8 ms for megabytes that
 * change all the time. A driver's queue that overflows in that time loses packets. During the call the application must not write to the
 * context's memory. Afterwards addresses from spin_ctx__symbol() are invalid. report may be NULL; on failure only its `tries` is valid. The
 * calling thread is temporarily moved to other CPUs.
 *
 * On failure the old handlers continue, and nothing has changed. -EINVAL: a field has an incompatible type, which the reason names; or as
 * for spin_ctx__swap(). -ENOSPC: a table has no slot for an entry that is in use. -EAGAIN: packets arrived continuously on all CPUs, so
 * that there was no opportunity. -E2BIG: more fields than can be moved. -EOPNOTSUPP: as for spin_ctx__swap(), and for contexts of streams,
 * with a ring, with a state that several contexts share or that is in HPU memory of its own, and with work items.
 */
int spin_ctx__migrate(struct spin_ctx *ctx, const struct spin_object *obj, struct spin_migration *report);
/*
 * Gives the context another rule on all its interfaces while packets arrive. A packet that both rules match always has handlers, and is
 * handled once. State, tables, counters, events and addresses from spin_ctx__symbol() stay. A TCP connection that only the old rule matches
 * goes on without handlers, and its completion handler does not run. Only for contexts that support spin_ctx__swap() and were created for
 * an interface; -EOPNOTSUPP for others, and for contexts of sockets, whose rule is the socket's. On failure the old rule stays. -EEXIST:
 * the new rule overlaps with that of another context. -EINVAL: it contradicts itself. -ENOSPC: during the change the context needs a second
 * of SPIN_CONTEXTS_MAX slots. -ENODEV, -ENOLINK: as for spin_ctx__attach(). As with all calls for one context, only one thread at a time
 * may call it; other contexts of the interface may be attached and detached at the same time.
 */
int spin_ctx__set_rule(struct spin_ctx *ctx, const struct spin_rule *rule);

/* --- HPU memory: read and written without system calls --- */

/*
 * Finds the state ("spin_state") or a table by name; *addr is mapped memory, shared with running handlers. For memory of clusters
 * (SPIN_PER_CLUSTER) it is the array of all SPIN_CLUSTERS_MAX copies. -ENOENT.
 */
int spin_ctx__symbol(struct spin_ctx *ctx, const char *name, void **addr, size_t *bytes);

/*
 * Reads the value of a variable; for memory of clusters, the sum of its copies. Each word is read once while handlers run. `bytes` is the
 * size of its type. -ENOENT; -EINVAL: it has another size.
 */
int spin_ctx__value(struct spin_ctx *ctx, const char *name, void *to, size_t bytes);

/*
 * Sets a field by path, from text: "spin_state.rate=100", "routes[5].port=7000".
 * Numbers are decimal or 0x hex, in host byte order; addresses such as "10.0.0.1" are stored in
 * network byte order. Names and types come from the object's BTF. -ENOENT, -ERANGE, -EINVAL.
 */
int spin_ctx__set(struct spin_ctx *ctx, const char *assignment);

/*
 * Inserts or updates an entry of a keyed table (SPIN_KEY): "src=10.0.0.1 port=7000".
 * -ENOSPC: no free entry within SPIN_PROBES of the key's home slot. -EINVAL: key 0.
 */
int spin_ctx__table_insert(struct spin_ctx *ctx, const char *table, const char *fields);

/*
 * Removes the entry with this key: "src=10.0.0.1". Entries after it may move, and then lose what handlers count in them at that moment.
 * -ENOENT: no such entry.
 */
int spin_ctx__table_delete(struct spin_ctx *ctx, const char *table, const char *key);

/* A scalar field, as passed to a callback. */
struct spin_field {
	const char *path; /* "spin_state.sets[3].tag[0]" */
	uint64_t value;   /* host byte order */
	unsigned bytes;   /* 1, 2, 4 or 8 */
};
/* Calls fn for every scalar of a variable; zero_too 0 leaves zero fields out. If fn returns non-zero, stops and returns that. */
int spin_ctx__fields(struct spin_ctx *ctx, const char *name, int zero_too, int (*fn)(void *arg, const struct spin_field *field), void *arg);

/* Names of state and tables, in the order of the object; NULL after the last. */
const char *spin_ctx__symbol_name(struct spin_ctx *ctx, unsigned i);

/* --- counters and events --- */

/*
 * Returns packets by reason, summed over all HPUs, without a system call; packets has SPIN_REASON_COUNT elements.
 * For a context with an interface: the packets that matched it.
 */
void spin_ctx__counters(const struct spin_ctx *ctx, uint64_t *packets);
/*
 * Returns the longest IP packet, in bytes, that the context's handlers take: SPIN_IP_BYTES_MAX, or SPIN_LINEAR_BYTES_MAX if their programs
 * were loaded with bounded loops (before Linux 6.9, and if other loops are too much for the verifier) or onto a card. If bounded loops are
 * also too much, it is the MTU that the interface had when the context was created (without interface 1500). Longer packets are TOO_LONG.
 */
uint32_t spin_ctx__longest_packet(const struct spin_ctx *ctx);

/*
 * Results of the packets that handlers sent (SPIN_PUTS), and of their puts from host memory; all zero for
 * handlers without SPIN_PUTS.
 */
struct spin_put_stats {
	uint64_t returned; /* sent in the received frame */
	uint64_t copied;   /* sent in copies of that frame, which the kernel made */
	uint64_t sent;     /* sent by this library, because they could not be sent where the handler ran */
	uint64_t puts;     /* puts from host memory, and others that asked for it, acknowledged by their targets */
	/* lost packets and puts: */
	uint64_t lost_queue;  /* no room in the queue to this library; such a put has no event, whether it wants acknowledgements or not */
	uint64_t lost_copy;   /* the kernel could not make or send the copy, or is about to */
	uint64_t lost_way;    /* the host has no route to the target */
	uint64_t puts_failed; /* each with SPIN_EVENT_PUT_FAILED if there was room for the event */
	/* gets that were answered from an entry, or not; neither has an event */
	uint64_t answers;        /* acknowledged by the requester */
	uint64_t answers_failed; /* too many at a time, no acknowledgement in time, an own address, or the entry was unlinked */
	uint64_t events_lost;    /* of PUT_ACKED and PUT_FAILED: the reader is behind */
};
int spin_ctx__put_stats(struct spin_ctx *ctx, struct spin_put_stats *out);

const char *spin_reason_name(enum spin_reason reason); /* "udp_checksum" */
const char *spin_reason_text(enum spin_reason reason);
enum spin_verdict spin_reason_verdict(enum spin_reason reason);
const char *spin_verdict_name(enum spin_verdict verdict); /* "pass", "drop", "tx" */

/* Passes pending events to fn without a system call. Returns how many, at most 4,096; there may be more. */
int spin_ctx__events(struct spin_ctx *ctx, void (*fn)(void *arg, const struct spin_event *event), void *arg);
/* A descriptor that polls readable when events are there. Owned by the context. */
int spin_ctx__event_fd(const struct spin_ctx *ctx);
/*
 * Work items (<spin/work.h>) arrive as events, SPIN_EVENT_WORK: item[] has item_bytes bytes from the handler, and the rest of it is 0. A
 * handler may reuse the item's slot once the function given to spin_ctx__events() has returned. *lost: how many items found no
 * slot since the context was created, as their handlers were told; 0 for handlers without work items.
 */
int spin_ctx__work_lost(struct spin_ctx *ctx, uint64_t *lost);

/* --- running given packets (PROG_TEST_RUN): for tests and benchmarks --- */

struct spin_run_result {
	enum spin_verdict verdict;
	size_t frame_bytes;     /* size of the resulting frame, written to frame_out */
	uint32_t ns_per_packet; /* mean over `repeat` */
};
/*
 * Runs one frame `repeat` times (at least once; the frame changes between runs if handlers change it). Only for a context
 * created without an interface; -EINVAL for others.
 */
int spin_ctx__run(struct spin_ctx *ctx, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result);

/* The same through the dispatcher, as for packets from the wire: match, hand over, handle. */
int spin_nic__run(struct spin_nic *nic, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result);

/* The dispatcher's descriptor, -1 before the first context was attached. Owned by the interface. */
int spin_nic__program_fd(struct spin_nic *nic);
/*
 * The XDP program's descriptor, for attaching by other means. Owned by the context. -1
 * if that was created for an interface: such a program runs only behind the dispatcher.
 */
int spin_ctx__program_fd(const struct spin_ctx *ctx);

/* --- taps: a context's packets as they arrive, before any handler: for recording and costing --- */

struct spin_tapped {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t hpu;
	uint32_t frame_bytes;
	const uint8_t *frame; /* valid during the call */
};

/* Copies packets from now on to a ring of this size (rounded up to a power of two). -EALREADY. */
int spin_ctx__tap(struct spin_ctx *ctx, size_t ring_bytes);
/* The same for one packet in `every`, chosen at random. */
int spin_ctx__tap_some(struct spin_ctx *ctx, size_t ring_bytes, uint32_t every);
void spin_ctx__untap(struct spin_ctx *ctx);
/*
 * Passes the packets in the ring to fn, in order of arrival, without a system call. Returns how
 * many, at most 16,384; 0: the ring is empty.
 */
int spin_ctx__tapped(struct spin_ctx *ctx, void (*fn)(void *arg, const struct spin_tapped *packet), void *arg);
/* Packets dropped since spin_ctx__tap() because the ring was full. */
uint64_t spin_ctx__tap_lost(const struct spin_ctx *ctx);
/* A descriptor that polls readable when packets are there. Owned by the context. */
int spin_ctx__tap_fd(const struct spin_ctx *ctx);

#endif
