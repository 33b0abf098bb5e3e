/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads the programs of a context (loaded packet handlers) into the kernel. Called by ctx.c. An object has its programs in several
 * variants: with may_goto or bounded loops, for all packets or those of the interface's MTU. They are tried in turn until the verifier
 * accepts one, with a brief log. If none is accepted, the first one is loaded once more with the whole log, which names the source line for
 * the message.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_ether.h>

#include <spin/segment.h>

#include "kernel/features.h"
#include "kernel/probe.h"
#include "user/libspin/hpu/memory.h"
#include "user/libspin/interface.h"
#include "user/libspin/internal.h"
#include "user/libspin/load/context.h"
#include "user/libspin/load/failure.h"
#include "user/libspin/load/rename.h"
#include "user/libspin/messages/in_flight.h"
#include "user/libspin/ni_limits.h"
#include "user/libspin/requests/egress.h"
#include "user/libspin/streams/streams.h"

#define MTU_MIN         68u /* of IPv4 (RFC 791) */
#define LOG_BRIEF       4u  /* complaint and statistics only: printing the instructions takes longer than verifying */
#define BRIEF_LOG_BYTES (1u << 20)

/*
 * A log of the verifier, which load_variant() fills. level 0: libbpf loads without a log, and if the program is refused, loads it again
 * with the whole log.
 */
struct log {
	char *text;
	uint32_t bytes, level;
};

static uint32_t ticks_of_ms(uint32_t ms)
{
	return (uint32_t)(((uint64_t)ms * messages_view__ticks_s(0) + 999) / 1000);
}

/* Sets the constants that the verifier sees, and the name and rule that other processes can read. */
static int configure(struct spin_ctx *ctx)
{
	struct spin_config config = { .rule = ctx->rule,
				      .accept_partial = (uint32_t)ctx->takes_partial,
				      .matched = ctx->nic != NULL,
				      .host_bytes = (uint32_t)ctx->host.memory.bytes,
				      .put_id = ctx->put_id,
				      .hpus = ctx->num_hpus,
				      .hpu_is_queue = ctx->hpus == SPIN_HPUS_QUEUE,
				      .redirect = ctx->nic && ctx->nic->ifindex,
				      .stream_units = ctx->takes_streams ? streams__units() : 0,
				      .virtual_clock = ctx->is_virtual };
	struct bpf_map *map = section__map(ctx->bpf, ".rodata");
	struct spin_memory mem = { 0 };
	struct spin_config *to;
	struct spin_rule *rule;
	uint32_t *direct_bytes;
	char *name;

	mem.addr = map ? (char *)bpf_map__initial_value(map, &mem.bytes) : NULL;
	to = section__variable(ctx->bpf, ".rodata", &mem, "spin_config", sizeof(*to));
	rule = section__variable(ctx->bpf, ".rodata", &mem, "spin_rule", sizeof(*rule));
	direct_bytes = section__variable(ctx->bpf, ".rodata", &mem, "spin_direct_bytes", sizeof(*direct_bytes));
	name = section__variable(ctx->bpf, ".rodata", &mem, "spin_name", sizeof(ctx->name));
	if (ctx->messages)
		spin_messages__configure(ctx->messages, &config);
	if (ctx__takes_segments(ctx) && !ctx->is_virtual) { /* with a virtual clock no open connection yields to a new one by its age */
		config.idle_ticks = ticks_of_ms(ctx->segment_idle_ms);
		config.age_ticks = ticks_of_ms(SPIN_SEGMENT_STUCK_MS);
	}
	if (ctx->messages || ctx__takes_segments(ctx))
		memcpy(config.key, ctx->hash_key, sizeof(config.key));
	if (!to || !rule || !name)
		return spin_fail(-EINVAL, "%s has no configuration of this version; compile it again with spincc", ctx->name);
	*to = config;
	*rule = ctx->rule;
	if (ctx->direct_bytes && direct_bytes)
		*direct_bytes = ctx->direct_bytes;
	memcpy(name, ctx->name, sizeof(ctx->name));
	return 0;
}

uint32_t load_bytes_by_mtu(struct spin_nic *const *nics, unsigned count)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < count; i++) {
		struct iface iface = { .mtu = ETH_DATA_LEN }; /* of an interface that does not exist: tests give it packets */

		if (nics[i] && nics[i]->ifindex && iface__read(nics[i], &iface))
			continue;
		if (iface.mtu < NI_LINEAR_BYTES_MAX && iface.mtu >= MTU_MIN && iface.mtu > most)
			most = iface.mtu;
	}
	return most;
}

/* The longest IP packet by the MTU of the context's interfaces, as load_bytes_by_mtu(). */
static uint32_t bytes_by_mtu(const struct spin_ctx *ctx)
{
	return ctx->mtu ? ctx->mtu : load_bytes_by_mtu(&ctx->nic, 1);
}

/*
 * Without may_goto the verifier follows every iteration of a loop, so a handler that newer kernels load may exceed its limits. Returns
 * -ENOSYS.
 */
static int too_large_for_bounded_loops(const struct spin_ctx *ctx, const struct spin_object *obj, char *reason, size_t reason_bytes)
{
	const uint32_t tried = bytes_by_mtu(ctx);

	snprintf(reason, reason_bytes,
		 "%s takes more of this kernel's verifier (steps, jumps or stack) than it has: before Linux %s it "
		 "follows each round of every loop; boot a newer kernel, or give the handler fewer transfers, packets to send "
		 "or local variables%s",
		 obj->meta.name, kernel_feature__version(KERNEL_JUMBO),
		 tried && tried <= ETH_DATA_LEN ? "" : ", or the interface an MTU of 1500");
	return -ENOSYS;
}

/*
 * Returns the object's programs. Renames the entry program to the context's name, for bpftool and the like; not for streams, and not where
 * packets are spread over CPUs, because the code that sets those up finds the program by its own name.
 */
static const void *select_programs(struct spin_ctx *ctx, const struct spin_object *obj, size_t *bytes)
{
	const void *programs = object__programs(obj, ctx->bounded, bytes);

	free(ctx->renamed);
	rename__fit(ctx->name, ctx->program);
	ctx->renamed = ctx->nic && !ctx->takes_streams && ctx->hpus != SPIN_HPUS_SPREAD
			       ? rename__function(programs, *bytes, class__program_name(ctx), ctx->program, bytes)
			       : NULL;
	if (!ctx->renamed)
		*ctx->program = '\0';
	return ctx->renamed ? ctx->renamed : programs;
}

/*
 * Opens the object in one of its variants and loads it. Returns 0 or a negative errno; if ctx->failure_reported, the reason is set already.
 */
static int load_variant(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_ctx_opts *wanted, const struct log *log)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = ctx->name, .kernel_log_buf = log->text, .kernel_log_size = log->bytes);
	struct bpf_program *prog;
	const void *programs;
	size_t bytes;
	int err;

	*log->text = '\0';
	egress__close(ctx);
	bpf_object__close(ctx->bpf);
	ctx->bpf = NULL;
	if (ctx->bounded && ctx->messages && ctx->messages->window_is_default)
		ctx->messages->opts.window = SPIN_WINDOW;
	programs = select_programs(ctx, obj, &bytes);
	ctx->bpf = bpf_object__open_mem(programs, bytes, &opts);
	ctx->btf = ctx->bpf ? bpf_object__btf(ctx->bpf) : NULL;
	if (ctx->btf) {
		bpf_object__for_each_program(prog, ctx->bpf) /* not for the object: the log of its types would be taken for a program's */
			bpf_program__set_log_level(prog, log->level);
		err = configure(ctx);
	} else {
		err = spin_fail(-EINVAL, "%s cannot be read by libbpf", obj->path);
	}
	if (!err && ctx->bounded && ctx->messages && ctx->messages->opts.window > SPIN_WINDOW)
		err = spin_fail(-ENOSYS,
				"%s is loaded with bounded loops (before Linux %s, or because it is too large for the verifier "
				"otherwise), and has windows of %u packets then: leave message.window out",
				obj->meta.name, kernel_feature__version(KERNEL_JUMBO), SPIN_WINDOW);
	if (!err)
		err = hpu_mem__prepare(wanted, ctx->bpf, ctx->name);
	if (!err && ctx->previous)
		err = swap__reuse_maps(ctx);
	if (err) {
		ctx->failure_reported = 1;
		return err;
	}
	return class__load(ctx);
}

/*
 * Prepares the next try after the verifier has run out of steps, jumps or stack; log: its log. Returns 0 if there is no other variant. A
 * program with may_goto is also tried with bounded loops: if the handler has loops around the runtime's, some verifiers need less for that
 * (strided_ddt on 6.12). Such a context cannot take frames in several buffers. With bounded loops the verifier follows each piece of a walk
 * over a packet, so the last try accepts only packets up to the interface's MTU.
 */
static int next_try(struct spin_ctx *ctx, const struct spin_object *obj, const char *log)
{
	if (ctx->failure_reported || ctx->class != SPIN_CLASS_TRUSTED || ctx->takes_streams || !obj->bounded ||
	    !spin_verifier__is_limit(log))
		return 0;
	if (!ctx->bounded) {
		spin_log("%s is too large for the verifier: trying it with bounded loops", obj->meta.name);
		ctx->bounded = 1;
		return 1;
	}
	if (ctx->direct_bytes)
		return 0;
	ctx->direct_bytes = bytes_by_mtu(ctx);
	if (ctx->direct_bytes)
		spin_log("%s is too large for the verifier: trying it for packets of at most %u bytes", obj->meta.name, ctx->direct_bytes);
	return ctx->direct_bytes != 0;
}

/* Finds the cause of a failure, from the most to the least likely, and sets the reason. */
static int explain_failure(const struct spin_ctx *ctx, const struct spin_object *obj, int err, char *log, int is_limit)
{
	char reason[SPIN_ERROR_BYTES];
	int known;

	load_failure__log_lines(log);
	known = load_failure__shortage(err, ctx->bpf, log, reason, sizeof(reason));
	if (!known)
		known = class__probe(ctx->class, reason, sizeof(reason));
	if (!known && ctx->bounded && is_limit)
		known = too_large_for_bounded_loops(ctx, obj, reason, sizeof(reason));
	if (!known)
		known = load_failure__of_class(spin_verifier__explain(log, obj->path, reason, sizeof(reason)), ctx->class, log, reason,
					       sizeof(reason));
	return known ? spin_fail(known, "%s", reason) : spin_fail(err, "the kernel refuses to load %s: %s", obj->path, strerror(-err));
}

/* Linux before 6.4 cuts a long log off at the end, where the complaint is. Replaces the end of such a log by the brief one. */
static void complete(const struct log *whole, const char *brief)
{
	const size_t used = strlen(whole->text), more = strlen(brief) + 2;

	if (used + 1 >= whole->bytes && more < used)
		snprintf(whole->text + used - more, more + 1, "\n%s", brief);
}

/* Loads the first variant once more, for the whole log, which names the line. It may succeed, if the failure was temporary. */
static int load_for_reason(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_ctx_opts *wanted, const char *brief)
{
	const struct log whole = { .text = calloc(1, VERIFIER_LOG_BYTES), .bytes = VERIFIER_LOG_BYTES };
	int err;

	if (!whole.text)
		return spin_fail(-ENOMEM, "no memory to load %s", obj->path);
	err = load_variant(ctx, obj, wanted, &whole);
	if (err && !ctx->failure_reported) {
		complete(&whole, brief);
		err = explain_failure(ctx, obj, err, whole.text, spin_verifier__is_limit(brief));
	}
	free(whole.text);
	return err;
}

/* Loads one variant after the other until one is accepted. logs[0]: the brief log of the first try; logs[1]: of the last of several. */
static int try_all(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_ctx_opts *wanted, const struct log logs[2],
		   unsigned *tries)
{
	int err = load_variant(ctx, obj, wanted, &logs[0]);

	for (*tries = 1; err && next_try(ctx, obj, logs[*tries > 1].text); ++*tries)
		err = load_variant(ctx, obj, wanted, &logs[1]);
	return err;
}

/* Tries all variants of the object. If none loads, loads one again with a whole log, for a reason with a source line. */
static int load_or_explain(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_ctx_opts *wanted,
			   const struct log logs[2])
{
	const int is_bounded = ctx->bounded;
	const uint32_t direct_bytes = ctx->direct_bytes;
	unsigned tries;
	int err = try_all(ctx, obj, wanted, logs, &tries);

	if (!err || (tries == 1 && ctx->failure_reported))
		return err;
	if (tries > 1 && !ctx->failure_reported && !*logs[1].text) /* the load failed before the verifier ran, e.g. -ENOMEM */
		return explain_failure(ctx, obj, err, logs[1].text, 0);
	ctx->failure_reported = 0; /* discard the reason of a later try: the first variant's is reported */
	ctx->bounded = is_bounded;
	ctx->direct_bytes = direct_bytes;
	if (is_bounded && spin_verifier__is_limit(logs[0].text)) /* that reason needs no source line, so no whole log */
		return explain_failure(ctx, obj, err, logs[0].text, 1);
	return load_for_reason(ctx, obj, wanted, logs[0].text);
}

/* Loads the object's variant for this kernel. Another rule for the same handlers takes the variant that was accepted before. */
int load_context(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_ctx_opts *wanted)
{
	char *text;
	int err;

	if (ctx->takes_streams && !kernel_probe__may_goto())
		return spin_fail(-ENOSYS, "%s cannot be attached to a socket of TCP: that needs Linux %s", obj->meta.name,
				 kernel_feature__version(KERNEL_JUMBO));
	text = calloc(2, BRIEF_LOG_BYTES);
	if (!text)
		return spin_fail(-ENOMEM, "no memory to load %s", obj->path);
	ctx->bounded = !kernel_probe__may_goto() && obj->bounded;
	if (ctx->previous && ctx->previous->object == obj && !ctx->moves) { /* another rule only: the variant accepted before */
		ctx->bounded = ctx->previous->bounded;
		ctx->direct_bytes = ctx->previous->direct_bytes;
	}
	err = load_or_explain(ctx, obj, wanted,
			      (const struct log[]){ { .text = text, .bytes = BRIEF_LOG_BYTES, .level = LOG_BRIEF },
						    { .text = text + BRIEF_LOG_BYTES, .bytes = BRIEF_LOG_BYTES, .level = LOG_BRIEF } });
	free(text);
	if (!err) { /* libbpf has its own copy */
		free(ctx->renamed);
		ctx->renamed = NULL;
	}
	return err;
}

uint32_t spin_ctx__longest_packet(const struct spin_ctx *ctx)
{
	if (ctx->direct_bytes)
		return ctx->direct_bytes;
	return ctx->bounded || ctx->card ? SPIN_LINEAR_BYTES_MAX : SPIN_IP_BYTES_MAX;
}
