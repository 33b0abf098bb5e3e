/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_INTERNAL_H
#define USER_LIBSPIN_INTERNAL_H

/* What the files of libspin share. Nothing here is exported. */
#include <net/if.h>
#include <pthread.h>
#include <stdarg.h>

#include <bpf/libbpf.h>

/* All else is compiled hidden. */
#pragma GCC visibility push(default)
#include <spin/libspin.h>
#pragma GCC visibility pop

#include "kernel/threaded.h"
#include "user/libspin/error.h"
#include "user/libspin/object/section.h"

struct spin_object {
	char *path;
	uint8_t *data; /* the whole file */
	size_t bytes;
	struct spin_meta meta;
	size_t image_offset, image_bytes;
	uint8_t *bounded; /* its programs for kernels without may_goto; NULL: it has none */
	size_t bounded_bytes;
	struct bpf_object *types; /* opened, never loaded: for its BTF */
};

/* The BPF object to load, inside the open object: the whole one, or, if it has that, the one with bounded loops. */
const void *object__programs(const struct spin_object *obj, int bounded, size_t *bytes);

/* Checks what the handlers registered, and adds what has a section of its own. */
int object__registration(struct spin_object *obj);

/* Checks that every offset in an ELF file leads into it; finds one section. 0, -EINVAL with a reason. */
int spin_elf__check(const char *path, const uint8_t *data, size_t bytes, int machine);
/* The same for its types. */
int spin_btf__check(const char *path, const uint8_t *data, size_t bytes);
/* Also 0 with *section_bytes 0 if there is none. */
int spin_elf__section(const uint8_t *data, size_t bytes, const char *name, size_t *offset, size_t *section_bytes);

struct root;
struct messages;
struct requests;
struct out;
struct spin_load;

struct spin_nic {
	char name[IF_NAMESIZE];
	int ifindex; /* 0: offline */
	int is_virtual;
	unsigned holders;     /* the handle, and the contexts made for it or attached */
	pthread_mutex_t lock; /* of all below */
	enum spin_mode wanted, used;
	char refusal[640]; /* why native was refused; "" if it was not */
	struct root *root; /* loaded with the first context */
	int link_fd;       /* -1: not attached */
	int *ways;         /* out.h; NULL: none were made */
	unsigned ways_generation;
	unsigned contexts;
	unsigned queue_contexts; /* those whose HPUs are queues */
	int threads_are_ours;    /* 1: the queues got their threads from us, and are to lose them */
	struct threaded threads; /* those, then */
	struct spin_ctx *slot[SPIN_CONTEXTS_MAX];
};
void nic__hold(struct spin_nic *nic);
void nic__release(struct spin_nic *nic);

/* Interfaces that one context can be on. */
#define SPIN_NICS_MAX 16

struct spin_place {
	struct spin_nic *nic;
	unsigned slot;
};

/* A rule of a program's own: what it leaves open and follows from the protocol is set; -EINVAL: it contradicts itself. */
int rule__complete(struct spin_rule *rule);

/* The host's side of a context (messages/host_side.h). */
struct host_side {
	struct spin_memory memory;        /* as large as it was asked for; `addr` once it is there */
	struct spin_me_memory *entry;     /* SPIN_MES_MAX of them */
	struct spin_me_memory *own_entry; /* where handlers have none: nobody but this process looks at them */
	int is_own;                       /* no handler reaches the memory: it is this process's alone */
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
	uint32_t put_id;      /* message_id of the first packet that handlers send */
	struct spin_place place[SPIN_NICS_MAX];
	unsigned places;
	struct bpf_object *bpf;
	int bounded;      /* 1: its programs are those with bounded loops */
	int failure_told; /* 1: a step before loading failed, and spin_fail() has its message */
	const struct btf *btf;
	int prog_fd;
	enum spin_hpus hpus;
	uint32_t num_hpus;             /* as handlers are told */
	uint32_t hpu_wanted;           /* CPUs to spread packets over; 0: all */
	const struct spin_load *loads; /* of CPUs, if packets are spread */
	struct spin_memory data, bss;
	struct host_side host;
	const struct spin_counters *counters;
	struct ring_buffer *ring; /* made at first use */
	void (*on_event)(void *arg, const struct spin_event *event);
	void *on_event_arg;
	int events_left;                /* to hand over in this call */
	struct spin_work_counts_ *work; /* NULL: its handlers leave no work items */
	struct tap *tap;                /* NULL: not tapped */
	struct messages *messages;      /* NULL: it takes datagrams */
	struct requests *requests;      /* NULL: its handlers send nothing, here and below */
	struct out *out;
};

/* events.c: where the context's work items are counted, if it has any. */
int work__open(struct spin_ctx *ctx);

/* Before a place is joined, if the context is tapped; the lock of its interface is held, here and below. */
int tap__join(struct spin_ctx *ctx, const struct spin_place *place);
/* After a place was left. */
void tap__leave(struct spin_ctx *ctx, const struct spin_place *place);
/* Of so many HPUs, or all CPUs if they are more. */
void counters__add(const struct spin_counters *counters, uint32_t hpus, uint64_t *packets);

/* The part of the context's class: what is loaded, with which capabilities, and which program that gives. */
int class__probe(enum spin_class class, char *why, size_t why_bytes);
int class__load(struct spin_ctx *ctx);
/* An array of programs takes only programs that agree in this: so all that can take frames in several pieces do. */
void class__take_fragments(struct bpf_object *bpf);
/* Makes what the compiler keeps on the stack such that it loads without CAP_PERFMON; before loading. */
int spill__widen(struct bpf_program *prog);
/* Makes copies of pointers such that without CAP_PERFMON the verifier's bounds of them agree; before loading. */
int pointer_bounds__join(struct bpf_program *prog);
struct bpf_program *class__program(const struct spin_ctx *ctx);

/*
 * The end of a failed bpf_object__load(): verifier log to message. 0: the log says
 * nothing; -ENOSYS: the kernel is too old; -EINVAL: it refuses the handler, or code of
 * ours, which the message says. The second is for programs that are all ours; `what`
 * names them.
 */
int spin_verifier__explain_own(const char *log, const char *what, char *why, size_t why_bytes);
/* 1: what the verifier refuses is not an instruction but more steps, jumps or stack than it has. */
int spin_verifier__is_limit(const char *log);
int spin_verifier__explain(const char *log, const char *handler, char *why, size_t why_bytes);

#endif
