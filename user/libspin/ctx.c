/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Creates an execution context (loaded packet handlers, their memories and a match rule) from an object (options, load, memory) and
 * destroys it. Called by applications and spind. If a step fails, the earlier steps are undone.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <linux/btf.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include <spin/segment.h>

#include "user/libspin/card/card.h"
#include "user/libspin/hpu/memory.h"
#include "user/libspin/hpu/hpus.h"
#include "user/libspin/internal.h"
#include "kernel/cpus.h"
#include "kernel/features.h"
#include "kernel/probe.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/load/context.h"
#include "user/libspin/requests/egress.h"
#include "user/libspin/ni_limits.h"
#include "user/libspin/requests/requests.h"
#include "user/libspin/messages/host_side.h"
#include "user/libspin/messages/in_flight.h"
#include "user/libspin/ring/ring.h"
#include "user/libspin/share.h"
#include "user/libspin/socket.h"
#include "user/libspin/streams/streams.h"
#include "user/libspin/swap/gate.h"

/*
 * Chooses a random key for the hash tables of messages and connections, so that senders cannot aim at one slot. With a virtual clock, or if
 * there is no randomness (early at boot), it is a known key: keys in the same slot evict one another, so with a random key a test would not
 * be reproducible. Handlers that replace others keep their key, to find their connections.
 */
static void choose_key(struct spin_ctx *ctx)
{
	const uint64_t known[] = SPIN_HASH_KEY;
	uint64_t key[sizeof(known) / sizeof(known[0])];

	_Static_assert(sizeof(ctx->hash_key) == sizeof(key), "a key's words");
	memcpy(ctx->hash_key, ctx->previous ? ctx->previous->hash_key : known, sizeof(key));
	if (ctx->previous || ctx->is_virtual || getrandom(key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		return;
	for (unsigned i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		ctx->hash_key[i] = key[i] | 1;
}

static int host_map_fd(const struct spin_ctx *ctx)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(ctx->bpf, "spin_host");

	return map && bpf_map__autocreate(map) ? bpf_map__fd(map) : -1;
}

/* After loading: maps the object's sections, and finds the variables and file descriptors that libspin uses. */
static int open_memory(struct spin_ctx *ctx)
{
	struct bpf_program *prog = class__program(ctx);
	int err = section__open(ctx->bpf, ".data", ctx->name, &ctx->data);

	if (!err)
		err = section__open(ctx->bpf, ".bss", ctx->name, &ctx->bss);
	if (err)
		return err;
	ctx->counters = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_counters", sizeof(struct spin_counters) * SPIN_HPUS_MAX);
	if (!prog || !ctx->counters)
		return spin_fail(-EINVAL, "%s has no counters of this version; compile it again with spincc", ctx->name);
	ctx->prog_fd = bpf_program__fd(prog);
	ctx->needs_tailroom = btf__find_by_name_kind(ctx->btf, "spin_buffer_reply", BTF_KIND_VAR) > 0; /* SPIN_REPLY */
	ctx->events_fd = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_events");
	err = spread__open(ctx);
	if (!err)
		err = ctx->previous ? host_side__open_shared(ctx, host_map_fd(ctx)) : host_side__open(ctx);
	if (!err)
		err = work__open(ctx);
	if (!err)
		err = streams__open(ctx);
	if (!err && ctx->messages)
		err = spin_messages__open(ctx);
	return err ? err : spin_requests__open(ctx);
}

int spin_ctx__create(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule, struct spin_ctx **out)
{
	return spin_ctx__create_opts(nic, obj, rule, NULL, out);
}

/* Copies the caller's options. A program built with an older header has a shorter struct; the missing fields are 0. */
static int copy_options(const struct spin_ctx_opts *from, struct spin_ctx_opts *to)
{
	memset(to, 0, sizeof(*to));
	if (!from)
		return 0;
	if (from->bytes < sizeof(from->bytes))
		return spin_fail(-EINVAL, "spin_ctx_opts: set bytes to sizeof(struct spin_ctx_opts)");
	memcpy(to, from, from->bytes < sizeof(*to) ? from->bytes : sizeof(*to));
	if (to->class != SPIN_CLASS_TRUSTED && to->class != SPIN_CLASS_ISOLATED)
		return spin_fail(-EINVAL, "there is no load class %d", (int)to->class);
	if (to->name && strlen(to->name) >= sizeof(((struct spin_ctx *)NULL)->name))
		return spin_fail(-EINVAL, "'%s' is too long for the name of a context: at most 15 characters", to->name);
	if (to->hpu_count > SPIN_HPUS_MAX)
		return spin_fail(-EINVAL, "hpu_count is %u, but a context has at most %u HPUs: give less, or 0 for all", to->hpu_count,
				 SPIN_HPUS_MAX);
	return 0;
}

/* The id must be random: a receiver remembers message ids of the last seconds. */
static uint32_t random_id(void)
{
	uint32_t id;

	return getrandom(&id, sizeof(id), 0) == sizeof(id) ? id : (uint32_t)getpid() << 16;
}

/* Handlers may take messages without SLMP only if the end of a message is all they need from it. */
static int check_framing(const struct spin_meta *meta, const struct spin_rule *rule, const struct spin_message_opts *opts)
{
	if (!rule->has_eom)
		return 0;
	if (meta->registration.delivery == SPIN_DELIVER_SEGMENTS)
		return spin_fail(-EOPNOTSUPP, "%s takes TCP segments, whose message ends with a FIN: leave eom out of its rule",
				 meta->name);
	if (meta->registration.delivery != SPIN_DELIVER_ME)
		return spin_fail(-EOPNOTSUPP, "%s takes datagrams, each of which is all of its message: leave eom out of its rule",
				 meta->name);
	if (meta->registration.takes)
		return spin_fail(-EOPNOTSUPP, "%s takes gets or atomics, which SLMP tells: leave eom out of its rule", meta->name);
	if (meta->registration.puts)
		return spin_fail(-EOPNOTSUPP, "%s sends packets (SPIN_PUTS), which SLMP acknowledges: leave eom out of its rule",
				 meta->name);
	if (opts->put)
		return spin_fail(-EOPNOTSUPP,
				 "puts with a header are SLMP's, and a rule with eom is of messages without it: leave out one of them");
	return 0;
}

/*
 * TCP is for handlers of segments, which take nothing else. Handlers may take ICMP and EtherTypes other than IP only if they do not depend
 * on UDP.
 */
static int check_protocol(const struct spin_meta *meta, const struct spin_rule *rule)
{
	const unsigned delivery = meta->registration.delivery;

	if (delivery == SPIN_DELIVER_SEGMENTS)
		return rule->protocol == IPPROTO_TCP ? 0
						     : spin_fail(-EOPNOTSUPP, "%s takes TCP segments: begin its rule with tcp", meta->name);
	if (rule->protocol == IPPROTO_TCP)
		return spin_fail(-EOPNOTSUPP,
				 "%s takes %s: its rule cannot be of tcp; for handlers of TCP segments register .delivery = "
				 "SPIN_DELIVER_SEGMENTS; a TCP socket's bytes in order: spinctl exec",
				 meta->name, delivery == SPIN_DELIVER_ME ? "messages, which come by UDP" : "datagrams");
	if (rule->protocol == IPPROTO_UDP)
		return 0;
	if (delivery == SPIN_DELIVER_ME)
		return spin_fail(-EOPNOTSUPP,
				 "%s takes messages, and those come by UDP: its rule cannot be of icmp, icmp6 or ether; write udp",
				 meta->name);
	if (meta->registration.puts)
		return spin_fail(-EOPNOTSUPP,
				 "%s sends packets (SPIN_PUTS), and those are of UDP: its rule cannot be of icmp, icmp6 or "
				 "ether; write udp",
				 meta->name);
	return 0;
}

/* Returns how long a connection whose segments the context takes is kept without new ones; 0: it takes no segments. */
static uint32_t segment_idle_ms(const struct spin_registration *registration)
{
	const uint32_t ms = registration->idle_ms ? registration->idle_ms : SPIN_SEGMENT_IDLE_MS;

	if (registration->delivery != SPIN_DELIVER_SEGMENTS)
		return 0;
	return ms < TIME_MS_MAX ? ms : TIME_MS_MAX;
}

/* Returns 1 if contexts of this interface are to run on its card. */
static int wants_card(struct spin_nic *nic)
{
	int wants;

	if (!nic)
		return 0;
	pthread_mutex_lock(&nic->lock);
	wants = nic->wanted == SPIN_MODE_OFFLOAD;
	pthread_mutex_unlock(&nic->lock);
	return wants;
}

/* Creates a context on a card: it has a name, a rule, and the functions of card.h. */
static int create_on_card(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule,
			  const struct spin_ctx_opts *wanted, struct spin_ctx **out)
{
	const struct card_options options = { .name = wanted->name ? wanted->name : obj->meta.name,
					      .ifname = nic->name,
					      .ifindex = nic->ifindex,
					      .uncounted = wanted->uncounted };
	struct spin_ctx *ctx;
	int err;

	if (!nic->ifindex)
		return spin_fail(-EINVAL, "there is no card without an interface");
	if (wanted->hpus != SPIN_HPUS_CPU || wanted->hpu_mem || wanted->class != SPIN_CLASS_TRUSTED || wanted->initial_state_bytes)
		return spin_fail(-EOPNOTSUPP, "%s: on a card there is no choice of HPUs, load class or memory: leave these options out",
				 options.name);
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return spin_fail(-ENOMEM, "no memory for a context");
	ctx->prog_fd = ctx->events_fd = -1;
	snprintf(ctx->name, sizeof(ctx->name), "%s", options.name);
	ctx->rule = *rule;
	err = card__open(obj, rule, &options, &ctx->card);
	if (err) {
		free(ctx);
		return err;
	}
	ctx->btf = bpf_object__btf(obj->types); /* the card keeps the object open */
	ctx->nic = nic;
	nic__hold(nic);
	*out = ctx;
	return 0;
}

/* How a context is created: the context whose maps it takes, if any, and what it is for. */
struct create_params {
	const struct spin_ctx *previous;
	int takes_streams, moves, replaces;
	uint32_t mtu; /* load_bytes_by_mtu() of all its interfaces; 0: of its first one */
};

/* The one way in which contexts are made: checks rule and options, loads the object and maps its memory. Attaches to no interface. */
static int create(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule, const struct spin_ctx_opts *opts,
		  const struct create_params *params, struct spin_ctx **out)
{
	const struct spin_ctx *previous = params->previous;
	struct spin_rule completed = *rule;
	struct spin_ctx_opts wanted;
	struct spin_ctx *ctx;
	char reason[SPIN_ERROR_BYTES];
	int err;

	*out = NULL;
	spin_quiet_libbpf();
	err = copy_options(opts, &wanted);
	if (err)
		return err;
	err = rule__complete(&completed);
	if (!err)
		err = check_protocol(&obj->meta, &completed);
	if (!err)
		err = check_framing(&obj->meta, &completed, &wanted.message);
	if (err)
		return err;
	if (wants_card(nic))
		return params->takes_streams || previous ? spin_fail(-EOPNOTSUPP, "a socket's context cannot be on a card")
							 : create_on_card(nic, obj, &completed, &wanted, out);
	err = class__probe(wanted.class, reason, sizeof(reason));
	if (err)
		return spin_fail(err, "%s", reason);
	if (kernel_cpus__possible() > SPIN_HPUS_MAX)
		return spin_fail(-E2BIG, "this machine has %d CPUs, a context counts on at most %d", kernel_cpus__possible(),
				 SPIN_HPUS_MAX);
	err = capabilities__check(nic, obj->meta.registration.delivery, wanted.capabilities);
	if (err)
		return err;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return spin_fail(-ENOMEM, "no memory for a context");
	ctx->prog_fd = ctx->events_fd = -1;
	snprintf(ctx->name, sizeof(ctx->name), "%s", wanted.name ? wanted.name : obj->meta.name);
	ctx->class = wanted.class;
	ctx->is_virtual = !!wanted.message.virtual_clock;
	ctx->budget = obj->meta.registration.budget;
	ctx->segment_idle_ms = segment_idle_ms(&obj->meta.registration);
	ctx->rule = completed;
	ctx->takes_partial = (!nic || nic->is_virtual) && !wanted.strict_checksums;
	ctx->put_id = wanted.put_id ? wanted.put_id : random_id();
	ctx->nic = nic;
	ctx->previous = previous;
	ctx->moves = params->moves;
	ctx->replaces = params->replaces;
	ctx->mtu = params->mtu;
	ctx->has_hpu_mem = wanted.hpu_mem != NULL;
	choose_key(ctx);
	if (nic)
		nic__hold(nic);
	err = host_side__take(&ctx->host, &wanted.message);
	if (err)
		goto destroy;
	err = spin_messages__new(obj, &wanted.message, &ctx->messages);
	if (err)
		goto destroy;
	if (ctx->messages && wanted.class == SPIN_CLASS_ISOLATED) {
		err = spin_fail(-EOPNOTSUPP, "%s takes messages, and those are for the trusted class only: load it as trusted",
				obj->meta.name);
		goto destroy;
	}
	err = hpus__choose(ctx, &wanted);
	if (err)
		goto destroy;
	ctx->takes_streams = params->takes_streams;
	ctx->num_hpus += params->takes_streams ? streams__units() : 0;
	if (previous && previous->num_hpus > ctx->num_hpus) /* the previous context may have streams: keep their HPUs */
		ctx->num_hpus = previous->num_hpus;
	err = spin_requests__new(obj, &ctx->requests);
	if (err)
		goto destroy;
	err = load_context(ctx, obj, &wanted);
	if (err)
		goto destroy;
	err = open_memory(ctx);
	if (err)
		goto destroy;
	hpu_mem__init_state(&wanted);
	ctx->previous = NULL;
	*out = ctx;
	return 0;

destroy:
	spin_ctx__destroy(ctx);
	return err;
}

int spin_ctx__create_opts(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule,
			  const struct spin_ctx_opts *opts, struct spin_ctx **out)
{
	int err = create(nic, obj, rule, opts, &(struct create_params){ 0 }, out);

	if (!err && nic && !(*out)->card && swap__is_possible(*out, obj))
		(*out)->object = object__hold(obj);
	return err;
}

static int create_sharing(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule,
			  const struct spin_ctx_opts *opts, const struct create_params *params, struct spin_ctx *share,
			  struct spin_ctx **out)
{
	int err = create(nic, obj, rule, opts, params, out);

	if (!err && share)
		share->shares_state = (*out)->shares_state = 1;
	return err;
}

int share__create(struct spin_nic *const *nics, unsigned count, const struct spin_object *obj, const struct spin_rule *rule,
		  const struct spin_ctx_opts *opts, struct spin_ctx *share, struct spin_ctx **out)
{
	const struct create_params params = { .previous = share, .mtu = load_bytes_by_mtu(nics, count) };

	return create_sharing(nics[0], obj, rule, opts, &params, share, out);
}

int spin_streams__create(const struct spin_object *obj, const struct spin_rule *rule, const struct spin_ctx_opts *opts,
			 struct spin_ctx *share, struct spin_ctx **out)
{
	int err = spin_streams__fit(obj);

	return err ? err
		   : create_sharing(NULL, obj, rule, opts, &(struct create_params){ .previous = share, .takes_streams = 1 }, share, out);
}

int ctx__create_next(const struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_rule *rule, int moves,
		     struct spin_ctx **out)
{
	const struct spin_ctx_opts opts = {
		.bytes = sizeof(opts),
		.name = ctx->name,
		.class = ctx->class,
		.strict_checksums = !ctx->takes_partial,
		.message.host_bytes = ctx->host.memory.bytes,
		.message.virtual_clock = ctx->is_virtual,
		.hpus = ctx->hpus,
		.put_id = ctx->put_id,
	};
	const struct create_params params = {
		.previous = ctx, .takes_streams = ctx->takes_streams, .moves = moves, .replaces = 1, .mtu = ctx->mtu
	};
	int err = create(ctx->nic, obj, rule, &opts, &params, out);

	if (!err && ctx->object)
		(*out)->object = object__hold(obj);
	return err;
}

void spin_ctx__destroy(struct spin_ctx *ctx)
{
	if (!ctx)
		return;
	spin_ctx__detach(ctx);
	spin_ctx__untap(ctx);
	ring__free(ctx->ring_delivery);
	streams__free(ctx->streams);
	guard__free(ctx->guard);
	gate__free(ctx->gate);
	ring_buffer__free(ctx->ring);
	remote__free(ctx->remote);
	card__close(ctx->card);
	section__close(&ctx->data);
	section__close(&ctx->bss);
	host_side__close(&ctx->host);
	spin_messages__free(ctx->messages);
	spin_requests__free(ctx->requests);
	bpf_object__close(ctx->bpf);
	free(ctx->renamed);
	egress__close(ctx);
	spin_object__close(ctx->object);
	if (ctx->nic)
		nic__release(ctx->nic);
	free(ctx);
}

const char *spin_ctx__name(const struct spin_ctx *ctx)
{
	return ctx->name;
}

struct spin_nic *spin_ctx__nic(const struct spin_ctx *ctx)
{
	return ctx->nic;
}

int spin_ctx__program_fd(const struct spin_ctx *ctx)
{
	return ctx->nic ? -1 : ctx->prog_fd;
}
