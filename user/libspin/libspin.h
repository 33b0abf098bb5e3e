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
 * Functions return 0 or a negative errno; spin_strerror_last() has a sentence for a
 * person with the next step (per thread). A context belongs to one thread at a
 * time; memory it maps may be read by any. Nothing prints or exits.
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/context.h>

struct spin_object;
struct spin_nic;
struct spin_ctx;

/* The sentence for this thread's last failure: what happened, and what to do next. */
const char *spin_strerror_last(void);

/* Log callback for libbpf's and our own diagnostics; NULL (default): none. */
typedef void (*spin_log_fn)(void *arg, const char *line);
void spin_set_log(spin_log_fn fn, void *arg);

/* --- fat objects --- */

/* Reads and checks a fat object; -ENOENT, -EINVAL (no or damaged object), -ENOTSUP (newer API). */
int spin_object__open(const char *path, struct spin_object **out);
void spin_object__close(struct spin_object *obj);
const struct spin_meta *spin_object__meta(const struct spin_object *obj);
/* The rv32 image inside; valid while the object is open. */
const void *spin_object__image(const struct spin_object *obj, size_t *bytes);

/* --- match rules --- */

/*
 * Text to rule: words `udp`, `ip4`|`ip6`, `src ADDR[/LEN]`, `dst ADDR[/LEN]`,
 * `sport N`, `dport N`, in any order. -EINVAL names the word.
 */
int spin_rule__parse(const char *text, struct spin_rule *out);
/* Rule to text, always parsable again; returns what snprintf would. */
int spin_rule__format(const struct spin_rule *rule, char *buf, size_t bytes);

/* --- interfaces --- */

/* -ENODEV: no such interface. */
int spin_nic__open(const char *ifname, struct spin_nic **out);
void spin_nic__close(struct spin_nic *nic);
const char *spin_nic__name(const struct spin_nic *nic);
int spin_nic__ifindex(const struct spin_nic *nic);

/* --- execution contexts --- */

/*
 * Loads the handlers into the kernel, not yet attached; state has its initial
 * value. nic may be NULL: then the context can only be run on given packets.
 * -EPERM (not root), -ENOSYS (kernel too old), -EINVAL (verifier: the sentence
 * names the handler's source line), -E2BIG (more CPUs than SPIN_HPUS_MAX).
 */
int spin_ctx__create(struct spin_nic *nic, const struct spin_object *obj,
		     const struct spin_rule *rule, struct spin_ctx **out);
/* Detaches and frees. Memory obtained from spin_ctx__symbol() is gone. */
void spin_ctx__destroy(struct spin_ctx *ctx);

/*
 * Native XDP by bpf_link: ends with this process, however it ends. -EBUSY: the
 * sentence names the program or process that holds the interface; it is never
 * replaced. -ENODEV: the interface went away. -ERANGE: MTU too large.
 */
int spin_ctx__attach(struct spin_ctx *ctx);
int spin_ctx__detach(struct spin_ctx *ctx);

/* 1 while attached and the interface is there, 0 if not attached, -ENODEV if the interface went away. */
int spin_ctx__alive(struct spin_ctx *ctx);

/* --- HPU memory: read and written without system calls --- */

/* State ("spin_state") or a table by name; *addr is mapped, shared with running handlers. -ENOENT. */
int spin_ctx__symbol(struct spin_ctx *ctx, const char *name, void **addr, size_t *bytes);

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

/* A variable as JSON-ready text through a callback, one field at a time. */
struct spin_field {
	const char *path;    /* "spin_state.sets[3].tag[0]" */
	uint64_t value;      /* host byte order */
	unsigned bytes;      /* 1, 2, 4 or 8 */
};
/* Calls fn for every scalar of a variable; zero_too 0 leaves zero fields out. Stops when fn returns non-zero and returns that. */
int spin_ctx__fields(struct spin_ctx *ctx, const char *name, int zero_too,
		     int (*fn)(void *arg, const struct spin_field *field), void *arg);

/* Names of state and tables, in the order of the object; NULL after the last. */
const char *spin_ctx__symbol_name(struct spin_ctx *ctx, unsigned i);

/* --- counters and events --- */

/* Packets by reason, summed over all HPUs; packets is SPIN_REASON_COUNT long. No system call. */
void spin_ctx__counters(const struct spin_ctx *ctx, uint64_t *packets);

const char *spin_reason_name(enum spin_reason reason); /* "udp_checksum" */
const char *spin_reason_text(enum spin_reason reason);
enum spin_verdict spin_reason_verdict(enum spin_reason reason);
const char *spin_verdict_name(enum spin_verdict verdict); /* "pass", "drop", "tx" */

/* Hands pending events to fn without a system call; returns how many. */
int spin_ctx__events(struct spin_ctx *ctx, void (*fn)(void *arg, const struct spin_event *event), void *arg);
/* A descriptor that polls readable when events are there. Owned by the context. */
int spin_ctx__event_fd(const struct spin_ctx *ctx);

/* --- running given packets (PROG_TEST_RUN): for tests and benchmarks --- */

struct spin_run_result {
	enum spin_verdict verdict;
	size_t frame_bytes;       /* of what comes out, written to frame_out */
	uint32_t ns_per_packet;   /* mean over `repeat` */
};
/* Runs one frame `repeat` times (1 or more; packets change in between if handlers change them). */
int spin_ctx__run(struct spin_ctx *ctx, const void *frame, size_t frame_bytes, unsigned repeat,
		  void *frame_out, size_t out_bytes, struct spin_run_result *result);

/* The XDP program's descriptor, for attaching by other means. Owned by the context. */
int spin_ctx__program_fd(const struct spin_ctx *ctx);

#endif
