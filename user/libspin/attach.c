/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <unistd.h>

#include "internal.h"
#include "kernel/attach.h"

int spin_ctx__attach(struct spin_ctx *ctx)
{
	char why[SPIN_SENTENCE_BYTES];
	int fd;

	if (!ctx->nic.ifindex)
		return spin_fail(-EINVAL, "this context was made without an interface: it runs given packets only");
	if (ctx->link_fd >= 0)
		return spin_fail(-EALREADY, "this context is attached to %s already", ctx->nic.name);
	fd = kernel_attach__link(ctx->prog_fd, ctx->nic.ifindex, ctx->nic.name, why, sizeof(why));
	if (fd < 0)
		return spin_fail(fd, "%s", why);
	ctx->link_fd = fd;
	return 0;
}

int spin_ctx__detach(struct spin_ctx *ctx)
{
	if (ctx->link_fd >= 0)
		close(ctx->link_fd);
	ctx->link_fd = -1;
	return 0;
}

int spin_ctx__alive(struct spin_ctx *ctx)
{
	int ifindex;

	if (ctx->link_fd < 0)
		return 0;
	ifindex = kernel_link__ifindex(ctx->link_fd);
	if (ifindex < 0)
		return spin_fail(ifindex, "the link to %s cannot be queried", ctx->nic.name);
	if (!ifindex)
		return spin_fail(-ENODEV, "interface %s has gone away: nothing is attached any more", ctx->nic.name);
	return 1;
}
