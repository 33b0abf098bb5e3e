/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads small programs and maps to learn what the kernel accepts, and closes each at once. Called by other files of kernel/ and by spinctl
 * doctor.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf.h>

#include "kernel/probe_bpf.h"

#define INSN(CODE, DST, SRC, OFF, IMM) ((struct bpf_insn){ .code = (CODE), .dst_reg = (DST), .src_reg = (SRC), .off = (OFF), .imm = (IMM) })
#define RETURN(VALUE)                  INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, VALUE), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define COUNT(A)                       (sizeof(A) / sizeof((A)[0]))

static int close_fd(int fd)
{
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int load(const struct bpf_insn *insns, size_t count, uint32_t flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = flags, .expected_attach_type = BPF_XDP);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "spin_probe", "Dual BSD/GPL", insns, count, &opts);

	return fd < 0 ? -errno : fd;
}

int kernel_bpf__xdp_pass(void)
{
	const struct bpf_insn insns[] = { RETURN(XDP_PASS) };

	return load(insns, COUNT(insns), 0);
}

int kernel_bpf__map(uint32_t type, uint32_t flags)
{
	uint32_t key = 4, value = 8, entries = 1;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);
	int fd;

	switch (type) {
	case BPF_MAP_TYPE_RINGBUF:
		key = value = 0;
		entries = (uint32_t)sysconf(_SC_PAGESIZE);
		break;
	case KERNEL_MAP_ARENA:
		key = value = 0;
		opts.map_flags |= BPF_F_MMAPABLE;
		break;
	case BPF_MAP_TYPE_PROG_ARRAY:
	case BPF_MAP_TYPE_CPUMAP:
	case BPF_MAP_TYPE_DEVMAP:
		value = 4;
		break;
	}
	fd = bpf_map_create(type, "spin_probe", key, value, entries, &opts);
	return close_fd(fd < 0 ? -errno : fd);
}

static int load_returning(int action, uint32_t flags)
{
	const struct bpf_insn insns[] = { RETURN(action) };

	return load(insns, COUNT(insns), flags);
}

int kernel_bpf__xdp_fd(uint32_t flags)
{
	return load_returning(XDP_PASS, flags);
}

int kernel_bpf__xdp(uint32_t flags)
{
	return close_fd(kernel_bpf__xdp_fd(flags));
}

int kernel_bpf__atomics(void)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_10, BPF_REG_1, -8, BPF_CMPXCHG),
		RETURN(XDP_PASS),
	};

	return close_fd(load(insns, COUNT(insns), 0));
}

int kernel_bpf__may_goto(void)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, XDP_PASS),
		INSN(BPF_JMP | 0xe0 /* BPF_JCOND */, 0, 0, 1, 0), /* jumps over one: an offset of 0 is refused before 6.14 */
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, XDP_DROP),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return close_fd(load(insns, COUNT(insns), 0));
}

int kernel_bpf__packet_pointers(void)
{
	/* r2 = data; r3 = data_end; r4 = the first byte; then reads the byte at data + r4 */
	const struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, offsetof(struct xdp_md, data), 0),
		INSN(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_3, BPF_REG_1, offsetof(struct xdp_md, data_end), 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_5, BPF_REG_2, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_5, 0, 0, 1),
		INSN(BPF_JMP | BPF_JGT | BPF_X, BPF_REG_5, BPF_REG_3, 6, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_B, BPF_REG_4, BPF_REG_2, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_2, BPF_REG_4, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_5, BPF_REG_2, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_5, 0, 0, 1),
		INSN(BPF_JMP | BPF_JGT | BPF_X, BPF_REG_5, BPF_REG_3, 1, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_B, BPF_REG_4, BPF_REG_2, 0, 0),
		RETURN(XDP_PASS),
	};

	return close_fd(load(insns, COUNT(insns), 0));
}

int kernel_bpf__speculative_load(void)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, XDP_PASS),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 0),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_1, 0, 1, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_0, BPF_REG_1, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return close_fd(load(insns, COUNT(insns), 0));
}

int kernel_bpf__test_run(int live)
{
	uint8_t frame[64] = { 0 };
	/* a live frame needs a context that names its origin: all 0, no particular interface */
	struct xdp_md ctx = { .data_end = sizeof(frame) };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1);
	int fd = load_returning(XDP_DROP, 0), err;

	if (fd < 0)
		return fd;
	if (live) {
		opts.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
		opts.ctx_in = &ctx;
		opts.ctx_size_in = sizeof(ctx);
	}
	err = bpf_prog_test_run_opts(fd, &opts) ? -errno : 0;
	close(fd);
	return err;
}

int kernel_bpf__jit(void)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info);
	int fd = load_returning(XDP_PASS, 0), err;

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, &info, &bytes) ? -errno : info.jited_prog_len > 0;
	close(fd);
	return err;
}
