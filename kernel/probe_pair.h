/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_PAIR_H
#define KERNEL_PROBE_PAIR_H

/*
 * Tries attaching on a veth pair in its own network namespace and process. All three go away together, however this process ends. Takes
 * some tens of milliseconds; the kernel frees the namespace a little later. Called by spinctl doctor.
 */
struct probe_pair {
	int made;                  /* 0, or -errno: there is no pair, and the fields below are not set (-EPERM without CAP_SYS_ADMIN) */
	int native, generic;       /* attaching by bpf_link: 0 or -errno */
	int frags;                 /* native, with a program for frames in several buffers: 0 or -errno */
	unsigned one_page_mtu;     /* the peer's largest MTU with a native program for one buffer; 0: unknown */
	unsigned frags_mtu;        /* same, with a program for several buffers */
	int tso_before, tso_after; /* the peer's TSO without and with a native program; enum probe_setting */
};

void kernel_pair__probe(struct probe_pair *out);

#endif
