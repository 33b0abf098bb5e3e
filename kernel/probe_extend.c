/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests whether programs can attach to other programs (freplace, fentry), with two programs of its own. Called by `spinctl doctor` and
 * share.c, because libxdp attaches programs by freplace. Nothing stays loaded.
 */
/* Such programs need BTF for their function. */
#include <errno.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "kernel/probe_bpf.h"

static const struct bpf_insn returns_zero[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* Loads BTF for `int spin_probe(struct xdp_md *ctx)`. Returns its descriptor or -errno; *func is the function's type. */
static int load_btf(uint32_t *func)
{
	struct btf *btf = btf__new_empty();
	int fd, integer, md, pointer, proto, id;

	if (!btf)
		return -ENOMEM;
	integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	md = btf__add_struct(btf, "xdp_md", 24);
	pointer = btf__add_ptr(btf, md);
	proto = btf__add_func_proto(btf, integer);
	btf__add_func_param(btf, "ctx", pointer);
	id = btf__add_func(btf, "spin_probe", BTF_FUNC_GLOBAL, proto);
	if (id < 0 || btf__load_into_kernel(btf)) {
		fd = id < 0 ? id : -errno;
	} else {
		fd = dup(btf__fd(btf));
		fd = fd < 0 ? -errno : fd;
	}
	btf__free(btf);
	*func = (uint32_t)id;
	return fd;
}

static int load(enum bpf_prog_type type, enum bpf_attach_type attach, int btf_fd, uint32_t func, int target)
{
	struct bpf_func_info info = { .type_id = func };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach, .prog_btf_fd = (uint32_t)btf_fd, .func_info = &info,
		    .func_info_cnt = 1, .func_info_rec_size = sizeof(info));
	int fd;

	if (target >= 0) {
		opts.attach_prog_fd = (uint32_t)target;
		opts.attach_btf_id = func;
	}
	fd = bpf_prog_load(type, "spin_probe", "Dual BSD/GPL", returns_zero, 2, &opts);
	return fd < 0 ? -errno : fd;
}

/* Loads and attaches a program of this type to another one's function. Returns 0, or the -errno that the kernel gives. */
static int try_attach(enum bpf_prog_type type, enum bpf_attach_type attach)
{
	uint32_t func = 0;
	int btf = load_btf(&func), target, fd, link;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .target_btf_id = func); /* the function that is replaced */

	if (btf < 0)
		return btf;
	target = load(BPF_PROG_TYPE_XDP, BPF_XDP, btf, func, -1);
	fd = target < 0 ? target : load(type, attach, btf, func, target);
	link = fd;
	if (fd >= 0) {
		/* loading checks the types; a kernel may still refuse to attach */
		link = type == BPF_PROG_TYPE_EXT ? bpf_link_create(fd, target, attach, &opts) : bpf_raw_tracepoint_open(NULL, fd);
		link = link < 0 ? -errno : link;
		close(fd);
	}
	if (target >= 0)
		close(target);
	close(btf);
	if (link >= 0)
		close(link);
	return link < 0 ? link : 0;
}

int kernel_bpf__freplace(void)
{
	return try_attach(BPF_PROG_TYPE_EXT, 0);
}

int kernel_bpf__fentry(void)
{
	return try_attach(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY);
}
