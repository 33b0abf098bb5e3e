/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_INTERNAL_H
#define USER_LIBSPIN_INTERNAL_H

/*
 * Internal types and functions of libspin (an object, an interface, an execution context), shared by its files, spind and tests. Nothing
 * here is exported.
 */
#include <net/if.h>
#include <pthread.h>
#include <stdarg.h>

#include <bpf/libbpf.h>

/* The library is compiled with hidden visibility: only the public headers' functions are exported. */
#pragma GCC visibility push(default)
#include <spin/libspin.h>
#pragma GCC visibility pop

#include "kernel/threaded.h"
#include "user/libspin/error.h"
#include "user/libspin/object/section.h"

/* An open object file: its description and its programs, which are loaded once per context. */
struct spin_object {
	char *path;
	uint8_t *data;     /* the whole file */
	size_t bytes;      /* of the file without its trailer */
	size_t file_bytes; /* of the whole file */
	struct spin_meta meta;
	size_t image_offset, image_bytes;
	uint8_t *bounded; /* programs for kernels without may_goto; NULL: none */
	size_t bounded_bytes;
	uint8_t *card; /* program for a card with hardware XDP; NULL: none */
	size_t card_bytes;
	struct bpf_object *types; /* opened, never loaded: for its BTF */
	unsigned holders;         /* references: the handle, and contexts that may load it again */
};

/* Returns the rule of all packets of the protocol that the handlers take: "tcp" for segments, else "udp". obj NULL: "udp". */
const char *object__rule(const struct spin_object *obj);

/* Takes a reference; spin_object__close() drops it. */
struct spin_object *object__hold(const struct spin_object *obj);

/* Returns the BPF object to load, inside the open object. bounded: the variant with bounded loops. */
const void *object__programs(const struct spin_object *obj, int bounded, size_t *bytes);

/* Checks the registration, and adds the fields that have their own sections (scratchpad, puts). */
int object__registration(struct spin_object *obj);

/* Checks that every offset in an ELF file lies inside the file. 0, or -EINVAL with a reason. */
int spin_elf__check(const char *path, const uint8_t *data, size_t bytes, int machine);
/* The same for the file's BTF. */
int spin_btf__check(const char *path, const uint8_t *data, size_t bytes);
/* Finds a section by name. If there is none, returns 0 and *section_bytes is 0. */
int spin_elf__section(const uint8_t *data, size_t bytes, const char *name, size_t *offset, size_t *section_bytes);

struct guard;
struct remote;
struct streams;
struct root;
struct messages;
struct requests;
struct egress;
struct spin_cpu_load;
struct spin_ring;

/* A handle of an interface, with its dispatcher and the contexts that are attached to it. */
struct spin_nic {
	char name[IF_NAMESIZE];
	int ifindex; /* 0: offline */
	int is_virtual;
	unsigned holders;     /* references: the handle, and contexts that were created for it or are attached to it */
	pthread_mutex_t lock; /* protects all fields below */
	enum spin_mode wanted, used;
	char refusal[640]; /* why native was refused; "" if it was not */
	struct root *root; /* loaded with the first context */
	int link_fd;       /* -1: not attached, or shared */
	int is_shared;     /* 1: the interface also runs other XDP programs, through libxdp; see `share` */
	struct spin_share share;
	struct kernel_share *shared; /* the dispatcher as loaded by libxdp; NULL: not loaded, or not shared */
	int *devmaps;                /* the egress devmaps (requests/egress.h); NULL: not created yet */
	unsigned devmaps_generation;
	unsigned contexts;
	unsigned queue_contexts; /* contexts whose HPUs are queues */
	int threads_are_ours;    /* 1: this process switched threaded NAPI on, and must switch it off */
	struct threaded threads; /* its record */
	struct spin_ctx *slot[SPIN_CONTEXTS_MAX];
	struct spin_ring *rings; /* of contexts that were created for it */
};
void nic__hold(struct spin_nic *nic);
void nic__release(struct spin_nic *nic);

/* Maximum number of interfaces of one context. */
#define SPIN_NICS_MAX 16

/* Where a context is attached: its slot in an interface's dispatcher. */
struct spin_place {
	struct spin_nic *nic;
	unsigned slot;
};

/* Completes a rule that an application has built with what follows from its protocol. -EINVAL: the rule contradicts itself. */
int rule__complete(struct spin_rule *rule);
/* rule_set.c. `which`: the keyword in the rule's text; `one`: where a single port is stored, NULL or 0 for other fields. */
int rule__parse_set(const char *which, const char *text, int is_not, struct spin_rule_set *set, uint16_t *one);
int rule__check_set(const char *which, const struct spin_rule_set *set, unsigned one);
void rule__format_set(char *to, size_t bytes, const char *which, const struct spin_rule_set *set, unsigned one);

/* The host's side of a context (messages/host_side.h). */
struct host_side {
	struct spin_memory memory;        /* the host memory; addr is NULL until it is mapped */
	struct spin_me_memory *entry;     /* SPIN_MES_MAX of them */
	struct spin_me_memory *own_entry; /* the same for handlers without entries: only this process reads it */
	int is_own;                       /* 1: no handler reaches the host memory; only this process uses it */
	unsigned segments;                /* of the first entry; 0: none given */
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
};

#define TIME_MS_MAX 86400000u /* longest time that is counted in ticks of 32 bits: a day, far below where they wrap */

/* An execution context: handlers that were loaded from an object, their memories and their match rule. */
struct spin_ctx {
	char name[16];
	enum spin_class class;
	uint32_t budget; /* as registered; 0: none */
	struct spin_rule rule;
	struct spin_nic *nic; /* NULL: none */
	int takes_partial;    /* accepts partial checksums of local senders */
	int is_virtual;       /* its clock is virtual, also for its handlers */
	uint32_t put_id;      /* message_id of the first packet that handlers send */
	struct spin_place place[SPIN_NICS_MAX];
	unsigned places;
	struct bpf_object *bpf;
	int bounded;           /* 1: its programs are the ones with bounded loops */
	uint32_t mtu;          /* before loading: of its interfaces, for direct_bytes; 0: that of `nic` */
	uint32_t direct_bytes; /* with bounded loops: the longest IP packet that its handlers take; 0: all that lie in one buffer */
	int is_shared;         /* 1: its programs were loaded for a shared interface */
	int failure_reported;  /* 1: a step before loading failed, and spin_fail() has its message */
	const struct btf *btf;
	struct spin_object *object; /* to load it again with another rule (set_rule.c); NULL: not possible */
	char program[16];           /* name of its entry program if renamed; "": the object's name */
	void *renamed;              /* while loading: the object with that name; NULL: unchanged */
	int prog_fd;
	int needs_tailroom; /* 1: its handlers send replies longer than the requests */
	enum spin_hpus hpus;
	uint32_t num_hpus;                 /* as handlers are told */
	uint32_t hpu_wanted;               /* CPUs over which packets are spread; 0: all */
	const struct spin_cpu_load *loads; /* load of the CPUs, if packets are spread */
	struct spin_memory data, bss;
	struct host_side host;
	const struct spin_counters *counters;
	int events_fd;
	struct ring_buffer *ring; /* created on first use */
	void (*on_event)(void *arg, const struct spin_event *event);
	void *on_event_arg;
	int events_left;                /* events left in this call */
	struct spin_work_counts_ *work; /* NULL: its handlers post no work items */
	struct tap *tap;                /* NULL: not tapped */
	struct messages *messages;      /* NULL: it takes datagrams */
	struct requests *requests;      /* NULL, like the next ones: its handlers send nothing */
	struct egress *out;
	const struct spin_ctx *previous; /* during creation: the context whose handlers it replaces; else NULL */
	int moves;                       /* 1: it has its own memory nevertheless, which swap/migrate.c fills */
	int replaces;                    /* 1: it takes over the previous context's open streams */
	int shares_state;                /* 1: shares its state with another context, now or earlier */
	int has_hpu_mem;                 /* 1: its state is in HPU memory that the caller allocated */
	struct guard *guard;             /* NULL: not on a socket */
	struct gate *gate;               /* of a running migration, or of one that could not remove it; NULL: none */
	int takes_streams;               /* 1: only for TCP streams */
	uint32_t segment_idle_ms;        /* of connections whose segments it takes; 0: it takes none */
	uint64_t hash_key[3];            /* of its tables of messages or connections */
	struct streams *streams;         /* NULL: takes no streams */
	struct spin_ring *ring_delivery; /* NULL: its packets go to the host (ring/ring.h) */
	struct remote *remote;           /* NULL: a context of this process; else spind's (socket.h) */
	struct card *card; /* its program and memory are on a card (card/card.h), and the fields above are unused; NULL: not on a card */
};

static inline int ctx__takes_segments(const struct spin_ctx *ctx)
{
	return ctx->segment_idle_ms != 0;
}

/* events.c: finds the counters of the context's work items, if it has any. */
int work__open(struct spin_ctx *ctx);

/* guard.c: does nothing for NULL. */
void guard__free(struct guard *guard);
int guard__program_fd(const struct guard *guard);
/* Sets whether datagrams get room for longer replies: by the guard, and not the dispatcher, for it knows which are the socket's. */
void guard__set_room(const struct guard *guard, int needs_tailroom);
/* Sets the limits as BPF programs have them. */
struct spin_guards;
struct spin_guard_share;
void guard__limits(const struct spin_guards *guards, struct spin_guard_share *out);
/* Replaces the context's program. */
int guard__replace(struct guard *guard, int prog_fd);

/*
 * streams/. streams__units(): HPUs of a context of streams. streams__prepare(): before loading, for any context. The others: afterwards,
 * for contexts of streams; streams__free() does nothing for NULL.
 */
uint32_t streams__units(void);
/* Returns how many entries of this map are needed; 0: the map is not created, because only streams need it. */
uint64_t streams__map_entries(const struct bpf_map *map, int is_stream);
int streams__prepare(struct spin_ctx *ctx);
int streams__open(struct spin_ctx *ctx);
int streams__attach(struct spin_ctx *ctx);
void streams__detach(struct spin_ctx *ctx);
int streams__attached(const struct spin_ctx *ctx);
/*
 * Replaces the programs of ctx by those of next, which was created for that (ctx__create_next()): the next piece of each stream has the new
 * handlers. When it returns, nothing runs or refers to the old ones, and next has them, to be destroyed.
 */
int streams__replace(struct spin_ctx *ctx, struct spin_ctx *next);
void streams__free(struct streams *streams);
/* Adds what the limits have dropped, and the time of the handlers. */
struct spin_guard_sum;
void streams__add_counts(const struct spin_ctx *ctx, struct spin_guard_sum *sum);

/*
 * ctx.c: creates a context like ctx with the object's handlers and this rule, and with ctx's state, tables, events and host memory. moves:
 * with its own state and tables, initialized by the object.
 */
int ctx__create_next(const struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_rule *rule, int moves,
		     struct spin_ctx **out);
/* swap/swap.c: before loading, reuses the maps of the previous context. Their layouts must be the same unless ctx->moves. */
int swap__reuse_maps(struct spin_ctx *ctx);
/* Returns 1 if the program of a context with such handlers can be replaced. */
int swap__is_possible(const struct spin_ctx *ctx, const struct spin_object *obj);
/* Completes the swap: ctx takes next's programs, and next is destroyed with the old ones. */
void swap__finish(struct spin_ctx *ctx, struct spin_ctx *next);

/*
 * root_attach.c: loads the dispatcher if necessary, and attaches it; the caller holds the interface's lock. On a
 * shared interface loading also attaches it.
 */
int root_attach__load(struct spin_nic *nic);
int root_attach__attach(struct spin_nic *nic);
/* Returns 1 if this process has attached it. */
int root_attach__is_attached(const struct spin_nic *nic);
void root_attach__detach(struct spin_nic *nic);
/* Detaches and frees the dispatcher. */
void root_attach__free(struct spin_nic *nic);
/* Returns 0 if the interface exists and, if the dispatcher was attached, it still is. */
int root_attach__check(const struct spin_nic *nic);

/*
 * attach.c: returns 0 and a free slot in *slot if no context but `except` has a rule that overlaps with ctx's. The caller
 * holds the interface's lock.
 */
int attach__find_slot(const struct spin_nic *nic, const struct spin_ctx *ctx, const struct spin_ctx *except, unsigned *slot);

/*
 * Called before a tapped context joins an interface, in the place's slot or, while its rule changes, in a second one. The caller holds the
 * interface's lock, here and below.
 */
int tap__join(struct spin_ctx *ctx, const struct spin_place *place, unsigned slot);
/* Called after the context has left that slot. If it is the place's own slot and there is a second one, counting continues with that. */
void tap__leave(struct spin_ctx *ctx, const struct spin_place *place, unsigned slot);
/* Adds the counters of `hpus` HPUs, or of all CPUs if there are more, to packets[SPIN_REASON_COUNT]. */
void counters__add(const struct spin_counters *counters, uint32_t hpus, uint64_t *packets);

/* load/class.c: selects the programs and capabilities of a load class, and the context's entry program. */
int class__probe(enum spin_class class, char *reason, size_t reason_bytes);
int class__load(struct spin_ctx *ctx);
/*
 * Sets BPF_F_XDP_HAS_FRAGS on all XDP programs: a program array must not mix programs with and without it. Must not be used for contexts of
 * a shared interface: libxdp loads the program that calls them without the flag, and its own dispatcher tells the kernel that they accept
 * such frames.
 */
void class__take_fragments(struct bpf_object *bpf);
/* Before loading: widens 32-bit spills so that the program loads without CAP_PERFMON (load/spill.c). */
int spill__widen(struct bpf_program *prog);
/* Before loading: makes the verifier's bounds of copied pointers agree without CAP_PERFMON (load/pointer_bounds.c). */
int pointer_bounds__join(struct bpf_program *prog);
struct bpf_program *class__program(const struct spin_ctx *ctx);
/* Returns its name in the object, before the object is opened. */
const char *class__program_name(const struct spin_ctx *ctx);

/*
 * Turns the log of a failed bpf_object__load() into a message. Returns 0: the log says
 * nothing; -ENOSYS: the kernel is too old; -EINVAL: it refuses the handler, or code of
 * the runtime, as the message says. spin_verifier__explain_own() is for libspin's own programs; `what`
 * names them.
 */
int spin_verifier__explain_own(const char *log, const char *what, char *reason, size_t reason_bytes);
/* Returns 1 if the verifier did not refuse an instruction but ran out of steps, jumps or stack. */
int spin_verifier__is_limit(const char *log);
/* Returns 1 if the refusal may concern only a misprediction of the processor (kernel/probe.h). */
int spin_verifier__may_be_guess(const char *log);
/* Returns 1 if what was refused is the use of a pointer that is NULL. */
int spin_verifier__is_null(const char *log);
int spin_verifier__explain(const char *log, const char *handler, char *reason, size_t reason_bytes);

#endif
