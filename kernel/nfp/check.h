/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_CHECK_H
#define KERNEL_NFP_CHECK_H

/*
 * Whether the NFP driver's verifier and JIT would take the XDP programs of an object. Nothing is loaded, no privilege
 * is needed, and nothing is kept between calls: any thread may call at any time.
 *
 * The verdict "accept" means: accepted by the NFP driver's verifier and JIT of the kernels asked for, with firmware of
 * the profile. It says nothing of a card. README.md has the rules, and how they were compared with the driver.
 */
#include <stddef.h>
#include <stdint.h>

#include "kernel/nfp/profile.h"
#include "kernel/nfp/verdict.h"

struct nfp_finding {
	const char *rule; /* short stable name, a row of rules.c; static storage */
	enum nfp_verdict verdict;
	unsigned kernels;   /* bits of enum nfp_kernel on which it holds */
	int insn;           /* number in the linked program, as the kernel's log counts; -1: of the whole program or object */
	char code[96];      /* that instruction, disassembled; "" without one */
	char source[160];   /* "file.c:12", from .BTF.ext; "" if the object does not say */
	char what[240];     /* what is wrong */
	const char *advice; /* what to change; static storage */
};

struct nfp_program {
	char name[64], section[64];
	enum nfp_verdict verdict;
	enum nfp_verdict of_kernel[NFP_KERNELS]; /* by host kernel; NFP_ACCEPT where it was not asked for */
	unsigned instructions;                   /* eBPF, linked; a 64-bit load counts twice */
	unsigned nfp_instructions;               /* estimate of the JIT's; 0: not known, as the program is not accepted */
	unsigned stack_bytes;                    /* of all frames, as the driver rounds them */
	unsigned packet_bytes;                   /* deepest byte of a packet that it may touch, plus 1 */
	struct nfp_finding *findings;
	unsigned count;
};

struct nfp_report {
	struct nfp_program *programs;
	unsigned count;
};

/*
 * Checks each XDP program of an ELF object in memory. `kernels` are bits of enum nfp_kernel; `mtu` is the interface's in
 * bytes, 0 if not known.
 *
 * Returns 0 with *report, which the caller frees, or -errno with the reason and the next step in `reason`: -EINVAL if the object
 * is damaged, -ENOMEM.
 */
int nfp_check__object(const void *data, size_t bytes, const struct nfp_profile *profile, unsigned kernels, unsigned mtu,
		      struct nfp_report **report, char *reason, size_t reason_bytes);
void nfp_report__free(struct nfp_report *report);

#endif
