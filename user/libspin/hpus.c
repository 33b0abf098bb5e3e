/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>

#include "hpus.h"

static const char *const names[] = { "cpu", "queue", "spread" };

const char *spin_hpus_name(enum spin_hpus hpus)
{
	return (unsigned)hpus < sizeof(names) / sizeof(names[0]) ? names[hpus] : NULL;
}

static int choose_queues(struct spin_ctx *ctx)
{
	int err = queues__count(ctx->nic, &ctx->num_hpus);

	if (err)
		return err;
	if (ctx->num_hpus >= SPIN_HPUS_MAX)
		return spin_fail(-E2BIG, "%s can have %u receive queues, and a context counts on fewer than %d HPUs: "
				 "take CPUs as HPUs", ctx->nic->name, ctx->num_hpus, SPIN_HPUS_MAX);
	ctx->num_hpus += ctx->messages != NULL; /* for sweeps, which come by no queue */
	return 0;
}

int hpus__choose(struct spin_ctx *ctx, const struct spin_ctx_opts *opts)
{
	ctx->hpus = opts->hpus;
	ctx->hpu_wanted = opts->hpu_count;
	ctx->num_hpus = (uint32_t)libbpf_num_possible_cpus();
	if (opts->hpus == SPIN_HPUS_CPU && opts->hpu_count)
		ctx->num_hpus = opts->hpu_count;
	if (!spin_hpus_name(opts->hpus))
		return spin_fail(-EINVAL, "there are no HPUs of kind %d", (int)opts->hpus);
	if (opts->hpu_count && opts->hpus == SPIN_HPUS_QUEUE)
		return spin_fail(-EINVAL, "hpu_count is not for HPUs that are queues: there are as many as the interface has");
	if (opts->hpus == SPIN_HPUS_CPU)
		return 0;
	if (!ctx->nic || !ctx->nic->ifindex)
		return spin_fail(-EINVAL, "%s has no interface whose packets its HPUs could share: take CPUs as HPUs",
				 ctx->name);
	if (opts->hpus == SPIN_HPUS_QUEUE)
		return choose_queues(ctx);
	if (ctx->class == SPIN_CLASS_ISOLATED)
		return spin_fail(-EOPNOTSUPP, "%s is isolated, and packets are spread over CPUs in the trusted class only",
				 ctx->name);
	return 0;
}
