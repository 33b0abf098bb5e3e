/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_PROCESS_H
#define KERNEL_PROBE_PROCESS_H

/* What this process may do (capabilities, sysctls) and what confines it (namespaces, seccomp, lockdown). Called by `spinctl doctor`. */
#include <stdint.h>

/* What was found out about the calling process. */
struct probe_process {
	uint64_t capabilities;      /* effective set: bit N is capability N */
	int own_user_namespace;     /* 1: its capabilities hold only in that namespace, which bpf() does not accept */
	int pid_namespace;          /* 1: processes outside are not visible */
	int kernel_threads_visible; /* 1: kthreadd is visible */
	int seccomp_filters;        /* -1: not known */
	uint64_t memlock_bytes;     /* UINT64_MAX: no limit */
	char lockdown[32];          /* "none", "integrity", "confidentiality"; "": the kernel was built without it */
	int unprivileged_bpf;       /* sysctl kernel.unprivileged_bpf_disabled; -1: not known */
	char container[32];         /* "docker", "lxc", ...; "": none detected */
	int own_bpffs;              /* 1: /sys/fs/bpf is a bpffs here */
};

void kernel_process__read(struct probe_process *out);

/* Counts the visible processes and kernel threads whose names start with prefix. */
unsigned kernel_process__count(const char *prefix);

/* Returns 1 if p has the capability, a CAP_* number of <linux/capability.h>. */
int kernel_process__can(const struct probe_process *p, int capability);

#endif
