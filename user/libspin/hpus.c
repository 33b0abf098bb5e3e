/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <unistd.h>

#include "user/libspin/hpus.h"
#include "kernel/cpus.h"

static const char *const names[] = { "cpu", "queue", "spread" };

const char *spin_hpus_name(enum spin_hpus hpus)
{
	return (unsigned)hpus < sizeof(names) / sizeof(names[0]) ? names[hpus] : NULL;
}

static int is_real(const struct spin_ctx *ctx)
{
	return ctx->nic && ctx->nic->ifindex;
}

/* Given packets come by queue 0, one at a time: then the HPUs may be fewer than with sweeps. */
static int choose_queues(struct spin_ctx *ctx, uint32_t count)
{
	int err;

	ctx->num_hpus = 1;
	if (is_real(ctx)) {
		if (count)
			return spin_fail(-EINVAL, "hpu_count is not for the queues of %s: there are as many as it has", ctx->nic->name);
		err = queues__count(ctx->nic, &ctx->num_hpus);
		if (err)
			return err;
	} else if (count) {
		ctx->num_hpus = count;
		return 0;
	}
	if (ctx->num_hpus >= SPIN_HPUS_MAX)
		return spin_fail(-E2BIG,
				 "%s can have %u receive queues, and a context counts on fewer than %d HPUs: "
				 "take CPUs as HPUs",
				 ctx->nic->name, ctx->num_hpus, SPIN_HPUS_MAX);
	ctx->num_hpus += ctx->messages != NULL; /* for sweeps, which come by no queue */
	return 0;
}

int hpus__choose(struct spin_ctx *ctx, const struct spin_ctx_opts *opts)
{
	ctx->hpus = opts->hpus;
	ctx->hpu_wanted = opts->hpu_count;
	ctx->num_hpus = (uint32_t)kernel_cpus__possible();
	if (opts->hpus == SPIN_HPUS_CPU && opts->hpu_count)
		ctx->num_hpus = opts->hpu_count;
	if (!spin_hpus_name(opts->hpus))
		return spin_fail(-EINVAL, "there are no HPUs of kind %d", (int)opts->hpus);
	if (opts->hpus == SPIN_HPUS_QUEUE)
		return choose_queues(ctx, opts->hpu_count);
	if (opts->hpus == SPIN_HPUS_CPU)
		return 0;
	if (!is_real(ctx))
		return spin_fail(-EINVAL, "%s has no interface whose packets could be spread: take CPUs as HPUs", ctx->name);
	if (opts->hpu_count > (uint32_t)sysconf(_SC_NPROCESSORS_ONLN))
		return spin_fail(-EINVAL, "packets of %s cannot be spread over %u CPUs: this machine has %ld", ctx->name, opts->hpu_count,
				 sysconf(_SC_NPROCESSORS_ONLN));
	if (ctx->class == SPIN_CLASS_ISOLATED)
		return spin_fail(-EOPNOTSUPP, "%s is isolated, and packets are spread over CPUs in the trusted class only", ctx->name);
	return 0;
}
