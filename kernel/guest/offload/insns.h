/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Macros for the instructions of the cases' programs, as in the kernel's linux/filter.h. Used by cases.c and steps.c. */
#ifndef KERNEL_GUEST_OFFLOAD_INSNS_H
#define KERNEL_GUEST_OFFLOAD_INSNS_H

#include <linux/bpf.h>

#define MOV64_IMM(dst, value) ((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (value) })
#define MOV64_REG(dst, src)   ((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (dst), .src_reg = (src) })
#define ADD64_IMM(dst, value) ((struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (dst), .imm = (value) })
#define STORE32(dst, src, at) ((struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = (dst), .src_reg = (src), .off = (at) })
#define MAP_LOW(dst, fd) \
	((struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (dst), .src_reg = BPF_PSEUDO_MAP_FD, .imm = (fd) })
#define MAP_HIGH    ((struct bpf_insn){ .code = 0 })
#define CALL(which) ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = (which) })
#define EXIT        ((struct bpf_insn){ .code = BPF_JMP | BPF_EXIT })

#endif
