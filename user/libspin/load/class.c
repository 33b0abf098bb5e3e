/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads a context's BPF programs in one of two classes (enum spin_class). Called by load/context.c. Trusted: the program that reads the
 * packet in place; it tail-calls the program that copies packets for frames in several buffers. Isolated: only the copying program, loaded
 * without CAP_PERFMON.
 */
#include <errno.h>
#include <string.h>

#include <linux/bpf.h>
#include <netinet/in.h>

#include <bpf/bpf.h>

#include "user/libspin/hpu/hpus.h"
#include "user/libspin/internal.h"
#include "kernel/caps.h"
#include "kernel/probe.h"
#include "user/libspin/load/progress.h"
#include "user/libspin/messages/messages.h"
#include "user/libspin/requests/requests.h"
#include "user/libspin/object/work_limit.h"
#include "user/libspin/messages/host_side.h"

/* Program names, by what the rule matches: UDP or TCP, ICMP, an EtherType. */
static int has_ports(const struct spin_ctx *ctx)
{
	return ctx->rule.protocol == IPPROTO_UDP || ctx->rule.protocol == IPPROTO_TCP;
}

static const char *direct_name(const struct spin_ctx *ctx)
{
	return ctx->rule.ether_type ? "spin_ether" : has_ports(ctx) ? "spin_xdp" : "spin_icmp";
}

static const char *copied_name(const struct spin_ctx *ctx)
{
	if (ctx->takes_streams)
		return "spin_stream";
	return ctx->rule.ether_type ? "spin_ether_copy" : has_ports(ctx) ? "spin_copied" : "spin_icmp_copy";
}

const char *spin_class_name(enum spin_class class)
{
	return class == SPIN_CLASS_ISOLATED ? "isolated" : "trusted";
}

int class__probe(enum spin_class class, char *reason, size_t reason_bytes)
{
	return class == SPIN_CLASS_ISOLATED ? kernel_probe__xdp_isolated(reason, reason_bytes) : kernel_probe__xdp(reason, reason_bytes);
}

const char *class__program_name(const struct spin_ctx *ctx)
{
	return ctx->class == SPIN_CLASS_ISOLATED || ctx->takes_streams ? copied_name(ctx) : direct_name(ctx);
}

/* Finds a program by its name in the object. */
static struct bpf_program *find_program(const struct spin_ctx *ctx, const char *name)
{
	return bpf_object__find_program_by_name(ctx->bpf, *ctx->program && !strcmp(name, class__program_name(ctx)) ? ctx->program : name);
}

struct bpf_program *class__program(const struct spin_ctx *ctx)
{
	return find_program(ctx, class__program_name(ctx));
}

void class__take_fragments(struct bpf_object *bpf)
{
	struct bpf_program *prog;

	if (kernel_probe__fragments())
		bpf_object__for_each_program(prog, bpf)
			if (bpf_program__type(prog) == BPF_PROG_TYPE_XDP)
				bpf_program__set_flags(prog, bpf_program__flags(prog) | BPF_F_XDP_HAS_FRAGS);
}

/*
 * Sets the expected attach type to 0. On a shared interface the dispatcher is a program that replaces a function: the kernel takes its
 * attach type as 0 when it verifies it, and libxdp loads it without BPF_F_XDP_HAS_FRAGS. Its program array accepts only programs with the
 * same attach type and flag.
 */
static void clear_attach_types(struct bpf_object *bpf)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, bpf)
		if (bpf_program__type(prog) == BPF_PROG_TYPE_XDP)
			bpf_program__set_expected_attach_type(prog, 0);
}

/* Puts the copying program into the array from which the direct one tail-calls it for frames in several buffers. */
static int add_copying_program(struct spin_ctx *ctx, const struct bpf_program *copied)
{
	int array = bpf_object__find_map_fd_by_name(ctx->bpf, "spin_long"), fd = bpf_program__fd(copied), zero = 0;

	return array < 0 ? array : bpf_map_update_elem(array, &zero, &fd, BPF_ANY) ? -errno : 0;
}

static int load_trusted(struct spin_ctx *ctx, struct bpf_program *copied)
{
	int copies = copied && kernel_probe__copies() && !ctx->bounded && !ctx->takes_streams, err;

	if (copied && !ctx->takes_streams)
		bpf_program__set_autoload(copied, copies);
	err = load_progress__load(ctx->bpf, ctx->name);
	return err || !copies ? err : add_copying_program(ctx, copied);
}

/* With bounded loops the verifier follows every iteration, at most a million instructions. */
static int limit_work(struct spin_ctx *ctx, struct bpf_program *prog, int behind)
{
	const struct work_options options = { .budget = ctx->budget, .behind = behind, .follows = ctx->bounded };
	int err = work_limit__enforce(prog, &options);

	ctx->failure_reported = err != 0;
	return err;
}

/*
 * A program with a computed stack offset is loaded nevertheless: if the kernel refuses it as well, its
 * log names the handler's line. If the kernel accepts it, the load is still failed.
 */
static int load_isolated(struct spin_ctx *ctx, struct bpf_program *direct, struct bpf_program *copied)
{
	struct bpf_program *prog;
	uint64_t saved;
	int err = 0, refused = 0, lost;

	if (!copied)
		return -ENOENT;
	bpf_program__set_autoload(direct, false);
	bpf_program__set_autoload(copied, true);
	bpf_object__for_each_program(prog, ctx->bpf) {
		if (err || !bpf_program__autoload(prog))
			continue;
		err = spill__widen(prog);
		ctx->failure_reported = err != 0;
		if (!err && !refused)
			refused = limit_work(ctx, prog, prog != copied || ctx->takes_streams); /* spin_stream calls itself for each slice */
		if (refused && refused != -EACCES)
			err = refused;
		if (!err)
			err = pointer_bounds__join(prog); /* after the limit, because it adds backward jumps that are not loops */
	}
	if (!err)
		err = kernel_caps__drop_for_isolated(&saved);
	if (err)
		return err;
	err = load_progress__load(ctx->bpf, ctx->name);
	lost = kernel_caps__restore(saved);
	if (err)
		ctx->failure_reported = 0; /* report the kernel's reason */
	else
		err = lost ? lost : refused ? -EINVAL : 0;
	return err;
}

int class__load(struct spin_ctx *ctx)
{
	struct bpf_program *direct = find_program(ctx, direct_name(ctx));
	struct bpf_program *copied = find_program(ctx, copied_name(ctx));
	struct bpf_program *udp = find_program(ctx, "spin_xdp"); /* libbpf loads it by default */
	int err;

	if (!direct || !udp) {
		ctx->failure_reported = 1;
		return spin_fail(-EINVAL, "%s has no program %s; compile it again with spincc", ctx->name, direct_name(ctx));
	}
	bpf_program__set_autoload(udp, false);
	bpf_program__set_autoload(direct, !ctx->takes_streams);
	err = streams__prepare(ctx);
	if (!err)
		err = spin_messages__prepare(ctx->messages, ctx->bpf);
	if (!err)
		err = host_side__prepare(&ctx->host, ctx->bpf, ctx->messages != NULL);
	if (!err)
		err = spin_requests__prepare(ctx);
	if (!err)
		err = spread__prepare(ctx);
	if (err)
		return err;
	ctx->is_shared = ctx->nic && ctx->nic->is_shared;
	if (ctx->is_shared)
		clear_attach_types(ctx->bpf);
	else
		class__take_fragments(ctx->bpf);
	return ctx->class == SPIN_CLASS_ISOLATED ? load_isolated(ctx, direct, copied) : load_trusted(ctx, copied);
}
