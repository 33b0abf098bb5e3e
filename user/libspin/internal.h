/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_INTERNAL_H
#define USER_LIBSPIN_INTERNAL_H

/* Internal types and functions of libspin, shared by its files. Nothing here is exported. */
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

struct spin_object {
	char *path;
	uint8_t *data;     /* the whole file */
	size_t bytes;      /* without its trailer */
	size_t file_bytes; /* with it */
	struct spin_meta meta;
	size_t image_offset, image_bytes;
	uint8_t *bounded; /* its programs for kernels without may_goto; NULL: it has none */
	size_t bounded_bytes;
	uint8_t *card; /* its program for a card with hardware XDP; NULL: it has none */
	size_t card_bytes;
	struct bpf_object *types; /* opened, never loaded: for its BTF */
	unsigned holders;         /* the handle, and contexts that may load it again */
};

/* One more holder; spin_object__close() is its end. */
struct spin_object *object__hold(const struct spin_object *obj);

/* The BPF object to load, inside the open object. bounded: the one with bounded loops, if the object has it. */
const void *object__programs(const struct spin_object *obj, int bounded, size_t *bytes);

/* Checks the registration, and adds the fields that have sections of their own (scratchpad, puts). */
int object__registration(struct spin_object *obj);

/* Checks that every offset in an ELF file lies inside the file. 0, or -EINVAL with a reason. */
int spin_elf__check(const char *path, const uint8_t *data, size_t bytes, int machine);
/* The same for the file's BTF. */
int spin_btf__check(const char *path, const uint8_t *data, size_t bytes);
/* Finds a section by name. Returns 0 also if there is none; *section_bytes is 0 then. */
int spin_elf__section(const uint8_t *data, size_t bytes, const char *name, size_t *offset, size_t *section_bytes);

struct guard;
struct remote;
struct streams;
struct root;
struct messages;
struct requests;
struct out;
struct spin_load;
struct spin_ring;

struct spin_nic {
	char name[IF_NAMESIZE];
	int ifindex; /* 0: offline */
	int is_virtual;
	unsigned holders;     /* the handle, and contexts that were made for it or are attached to it */
	pthread_mutex_t lock; /* protects all fields below */
	enum spin_mode wanted, used;
	char refusal[640]; /* why native was refused; "" if it was not */
	struct root *root; /* loaded with the first context */
	int link_fd;       /* -1: not attached, or shared */
	int is_shared;     /* 1: the interface also runs programs of others, by libxdp; see `share` */
	struct spin_share share;
	struct kernel_share *shared; /* the root program in libxdp's hands; NULL: it is not loaded, or not shared */
	int *ways;                   /* the devmaps of requests/out.h; NULL: not made yet */
	unsigned ways_generation;
	unsigned contexts;
	unsigned queue_contexts; /* those whose HPUs are queues */
	int threads_are_ours;    /* 1: this process switched threaded NAPI on, and must switch it off */
	struct threaded threads; /* the record of that */
	struct spin_ctx *slot[SPIN_CONTEXTS_MAX];
	struct spin_ring *rings; /* of contexts that were made for it */
};
void nic__hold(struct spin_nic *nic);
void nic__release(struct spin_nic *nic);

/* Interfaces that one context can be on. */
#define SPIN_NICS_MAX 16

struct spin_place {
	struct spin_nic *nic;
	unsigned slot;
};

/* Completes a rule that a program has made with what follows from its protocol. -EINVAL: the rule contradicts itself. */
int rule__complete(struct spin_rule *rule);
/* rule_set.c. `which`: the word in the rule's text; `one`: where a single port goes, NULL or 0 for other fields. */
int rule__parse_set(const char *which, const char *text, int is_not, struct spin_rule_set *set, uint16_t *one);
int rule__check_set(const char *which, const struct spin_rule_set *set, unsigned one);
void rule__format_set(char *to, size_t bytes, const char *which, const struct spin_rule_set *set, unsigned one);

/* The host's side of a context (messages/host_side.h). */
struct host_side {
	struct spin_memory memory;        /* the host memory; addr is NULL until it is mapped */
	struct spin_me_memory *entry;     /* SPIN_MES_MAX of them */
	struct spin_me_memory *own_entry; /* the same for handlers without entries: only this process reads it */
	int is_own;                       /* 1: no handler reaches the host memory; only this process uses it */
	unsigned segments;                /* of the first entry; 0: none were given */
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
};

struct spin_ctx {
	char name[16];
	enum spin_class class;
	uint32_t budget; /* as registered; 0: none */
	struct spin_rule rule;
	struct spin_nic *nic; /* NULL: none */
	int takes_partial;    /* partial checksums of local senders are right */
	int is_virtual;       /* its clock, and what handlers read of it */
	uint32_t put_id;      /* message_id of the first packet that handlers send */
	struct spin_place place[SPIN_NICS_MAX];
	unsigned places;
	struct bpf_object *bpf;
	int bounded;          /* 1: its programs are those with bounded loops */
	int is_shared;        /* 1: they were loaded for an interface that is shared */
	int failure_reported; /* 1: a step before loading failed, and spin_fail() has its message */
	const struct btf *btf;
	struct spin_object *object; /* to load it again with another rule (set_rule.c); NULL: that is refused */
	char program[16];           /* the name of its program, instead of the object's; "": it has that */
	void *renamed;              /* while it is loaded: the object with that name; NULL: as it is */
	int prog_fd;
	int is_roomy; /* 1: its handlers make replies that are longer than their requests */
	enum spin_hpus hpus;
	uint32_t num_hpus;             /* as handlers are told */
	uint32_t hpu_wanted;           /* CPUs to spread packets over; 0: all */
	const struct spin_load *loads; /* of CPUs, if packets are spread */
	struct spin_memory data, bss;
	struct host_side host;
	const struct spin_counters *counters;
	int events_fd;
	struct ring_buffer *ring; /* made at first use */
	void (*on_event)(void *arg, const struct spin_event *event);
	void *on_event_arg;
	int events_left;                /* to hand over in this call */
	struct spin_work_counts_ *work; /* NULL: its handlers leave no work items */
	struct tap *tap;                /* NULL: not tapped */
	struct messages *messages;      /* NULL: it takes datagrams */
	struct requests *requests;      /* NULL: its handlers send nothing, here and below */
	struct out *out;
	const struct spin_ctx *previous; /* whose handlers it is to replace, while it is created; else NULL */
	int moves;                       /* 1: it has a memory of its own all the same, which swap/migrate.c fills */
	int shares_state;                /* 1: with another context, now or before */
	int has_hpu_mem;                 /* 1: its state lies in HPU memory that the caller has allocated */
	struct guard *guard;             /* NULL: it is not a socket's */
	struct gate *gate;               /* of a migration that is under way, or that could not take it away; NULL: none */
	int takes_streams;               /* 1: it is for streams of TCP alone */
	struct streams *streams;         /* NULL: it takes none */
	struct spin_ring *ring_delivery; /* NULL: its packets go to the host (ring/ring.h) */
	struct remote *remote;           /* NULL: it is this process's own; else spind's (socket.h) */
	struct card *card;               /* its program and memory are a card's (card/card.h), and it has none above; NULL: else */
};

/* events.c: where the context's work items are counted, if it has any. */
int work__open(struct spin_ctx *ctx);

/* guard.c: NULL is none. */
void guard__free(struct guard *guard);
int guard__program_fd(const struct guard *guard);
/* The context's program becomes another one. */
int guard__replace(struct guard *guard, int prog_fd);

/* streams.c: HPUs of a context for streams; before loading, of any context; afterwards, of one that takes streams; NULL is none. */
uint32_t streams__units(void);
/* How often this map of an object is made; 0: it is not, as only streams need it. */
uint64_t streams__map_entries(const struct bpf_map *map, int is_stream);
int streams__prepare(struct spin_ctx *ctx);
int streams__open(struct spin_ctx *ctx);
int streams__attach(struct spin_ctx *ctx);
void streams__detach(struct spin_ctx *ctx);
int streams__attached(const struct spin_ctx *ctx);
void streams__free(struct streams *streams);

/*
 * ctx.c: a context like ctx but with the object's handlers and this rule, and with ctx's state, tables, events and host memory. moves: with a
 * state and tables of its own, as its object has them at first.
 */
int ctx__create_next(const struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_rule *rule, int moves,
		     struct spin_ctx **out);
/* swap/swap.c: before loading, takes the maps of the previous context, whose layouts must be the same unless it moves. */
int swap__reuse_maps(struct spin_ctx *ctx);
/* 1: contexts of such handlers can go on with other programs. */
int swap__is_possible(const struct spin_ctx *ctx, const struct spin_object *obj);
/* Ends the exchange: next's programs are ctx's now, and next is destroyed with the old ones. */
void swap__finish(struct spin_ctx *ctx, struct spin_ctx *next);

/*
 * root_attach.c: loads the interface's program, if it is not, and attaches it; the caller holds the interface's lock. An interface that is
 * shared has it attached when it is loaded.
 */
int root_attach__load(struct spin_nic *nic);
int root_attach__attach(struct spin_nic *nic);
/* 1: it is attached, as far as this process knows. */
int root_attach__is_attached(const struct spin_nic *nic);
void root_attach__detach(struct spin_nic *nic);
/* Frees what there is, attached or not. */
void root_attach__free(struct spin_nic *nic);
/* 0 if the interface is there, with our program if that was attached. */
int root_attach__check(const struct spin_nic *nic);

/*
 * attach.c: 0 if the interface is there, and a free slot in *slot, if no context but `except` has a rule that overlaps with ctx's. The caller
 * holds the interface's lock.
 */
int attach__find_slot(const struct spin_nic *nic, const struct spin_ctx *ctx, const struct spin_ctx *except, unsigned *slot);

/*
 * Called before a tapped context joins a place, in the place's slot or, while its rule changes, in one more. The caller holds the
 * interface's lock, here and below.
 */
int tap__join(struct spin_ctx *ctx, const struct spin_place *place, unsigned slot);
/* Called after the context has left that slot. Of the place's own: what is counted then goes on with the other one, if there is one. */
void tap__leave(struct spin_ctx *ctx, const struct spin_place *place, unsigned slot);
/* Adds the counters of `hpus` HPUs, or of all CPUs if there are more, to packets[SPIN_REASON_COUNT]. */
void counters__add(const struct spin_counters *counters, uint32_t hpus, uint64_t *packets);

/* load/class.c: which programs a load class loads, with which capabilities, and which of them is the context's entry. */
int class__probe(enum spin_class class, char *reason, size_t reason_bytes);
int class__load(struct spin_ctx *ctx);
/*
 * Sets BPF_F_XDP_HAS_FRAGS on all XDP programs: an array of programs refuses a mix. Not on those of contexts whose interface is shared:
 * libxdp loads the program that calls them without it, and tells the kernel by its dispatcher that they take such frames.
 */
void class__take_fragments(struct bpf_object *bpf);
/* Before loading: widens 32-bit spills so that the program loads without CAP_PERFMON (load/spill.c). */
int spill__widen(struct bpf_program *prog);
/* Before loading: makes the verifier's bounds of copied pointers agree without CAP_PERFMON (load/pointer_bounds.c). */
int pointer_bounds__join(struct bpf_program *prog);
struct bpf_program *class__program(const struct spin_ctx *ctx);
/* Its name in the object, before it is opened. */
const char *class__program_name(const struct spin_ctx *ctx);

/*
 * The end of a failed bpf_object__load(): verifier log to message. 0: the log says
 * nothing; -ENOSYS: the kernel is too old; -EINVAL: it refuses the handler, or code of
 * ours, which the message says. The second is for programs that are all ours; `what`
 * names them.
 */
int spin_verifier__explain_own(const char *log, const char *what, char *reason, size_t reason_bytes);
/* 1: what the verifier refuses is not an instruction but more steps, jumps or stack than it has. */
int spin_verifier__is_limit(const char *log);
/* 1: what it refused may be what only a wrong guess of the processor would do (kernel/probe.h). */
int spin_verifier__may_be_guess(const char *log);
int spin_verifier__explain(const char *log, const char *handler, char *reason, size_t reason_bytes);

#endif
