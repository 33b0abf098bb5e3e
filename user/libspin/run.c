/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "user/libspin/internal.h"
#include "user/libspin/root.h"

static int run(int prog_fd, const char *who, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
	       struct spin_run_result *result)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = (uint32_t)frame_bytes, .data_out = frame_out,
		    .data_size_out = (uint32_t)out_bytes, .repeat = (int)repeat);
	int err = bpf_prog_test_run_opts(prog_fd, &opts);

	/* -ENOSPC: it ran, but the frame does not fit */
	if (err)
		return spin_fail(err,
				 err == -ENOSPC ? "%s: the frame that comes out needs %u bytes"
						: "%s: the kernel does not run this frame (%u bytes): too short or too long",
				 who, err == -ENOSPC ? opts.data_size_out : (uint32_t)frame_bytes);
	*result = (struct spin_run_result){ .frame_bytes = opts.data_size_out, .ns_per_packet = opts.duration };
	switch (opts.retval) {
	case XDP_PASS:
		result->verdict = SPIN_VERDICT_PASS;
		return 0;
	case XDP_DROP:
		result->verdict = SPIN_VERDICT_DROP;
		return 0;
	case XDP_TX:
		result->verdict = SPIN_VERDICT_TX;
		return 0;
	case XDP_ABORTED:
		return spin_fail(-ETIME,
				 "%s: the packet was given up: its handlers took more work than the isolated class allows "
				 "one (work_limit.h)",
				 who);
	default:
		return spin_fail(-EPROTO, "%s: the program returned action %u, which is none of ours", who, opts.retval);
	}
}

int spin_ctx__run(struct spin_ctx *ctx, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result)
{
	if (ctx->nic)
		return spin_fail(-EINVAL,
				 "%s was made for %s, whose program matches its packets: run them through that, "
				 "spin_nic__run()",
				 ctx->name, ctx->nic->name);
	return run(ctx->prog_fd, ctx->name, frame, frame_bytes, repeat, frame_out, out_bytes, result);
}

int spin_nic__run(struct spin_nic *nic, const void *frame, size_t frame_bytes, unsigned repeat, void *frame_out, size_t out_bytes,
		  struct spin_run_result *result)
{
	int prog_fd = spin_nic__program_fd(nic);

	if (prog_fd < 0)
		return spin_fail(-EINVAL, "no context was ever attached to %s", nic->name);
	return run(prog_fd, nic->name, frame, frame_bytes, repeat, frame_out, out_bytes, result);
}
