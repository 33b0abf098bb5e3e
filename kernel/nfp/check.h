/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_CHECK_H
#define KERNEL_NFP_CHECK_H

/*
 * Whether the verifier and JIT of the driver of an NFP card (Netronome's NIC with hardware XDP) would accept the XDP programs of a BPF
 * object. Nothing is loaded, no privilege is needed, and no state is kept between calls: any thread may call at any time. Called by spinctl
 * check and spinctl cost.
 *
 * The verdict "accept" means: accepted by the NFP driver's verifier and JIT of the requested kernels, with the firmware of the profile. It
 * does not cover the card itself. README.md has the rules, and how they were compared with the driver.
 */
#include <stddef.h>
#include <stdint.h>

#include "kernel/nfp/profile.h"
#include "kernel/nfp/verdict.h"

/* Something that a driver refuses, or may refuse, and what to change. */
struct nfp_finding {
	const char *rule; /* short stable name, a row of rules.h; static storage */
	enum nfp_verdict verdict;
	unsigned kernels;   /* bits of enum nfp_kernel for which the finding holds */
	int insn;           /* index in the linked program, as in the kernel's log; -1: concerns the whole program or object */
	char code[96];      /* that instruction, disassembled; "" without one */
	char source[160];   /* "file.c:12", from .BTF.ext; "" if unknown */
	char what[240];     /* what is wrong */
	const char *advice; /* what to change; static storage */
};

/* The verdict on one XDP program, with what led to it. */
struct nfp_program {
	char name[64], section[64];
	enum nfp_verdict verdict;
	enum nfp_verdict of_kernel[NFP_KERNELS]; /* by host kernel; NFP_ACCEPT for kernels that were not requested */
	unsigned instructions;                   /* eBPF instructions after linking; a 64-bit load counts twice */
	unsigned nfp_instructions;               /* estimate of the JIT's output; 0: unknown, as the program is not accepted */
	unsigned stack_bytes;                    /* all frames, rounded as the driver does */
	unsigned packet_bytes;                   /* offset of the deepest byte of a packet that it may access, plus 1 */
	struct nfp_finding *findings;
	unsigned count;
};

/* The verdicts on all XDP programs of an object. */
struct nfp_report {
	struct nfp_program *programs;
	unsigned count;
};

/*
 * Checks each XDP program of an ELF object in memory. `kernels` are bits of enum nfp_kernel; `mtu` is the interface's in bytes, 0 if
 * unknown.
 *
 * Returns 0 with *report, which the caller must free, or -errno with the reason and the next step in `reason`: -EINVAL if the object is
 * damaged, -ENOMEM.
 */
int nfp_check__object(const void *data, size_t bytes, const struct nfp_profile *profile, unsigned kernels, unsigned mtu,
		      struct nfp_report **report, char *reason, size_t reason_bytes);
void nfp_report__free(struct nfp_report *report);

#endif
