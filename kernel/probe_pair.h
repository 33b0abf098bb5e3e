/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_PROBE_PAIR_H
#define KERNEL_PROBE_PAIR_H

/*
 * Tries attaching on a veth pair in a network namespace and a process of its own. All three are gone together, however this process
 * ends. Takes some tens of milliseconds; the kernel frees the namespace a little later.
 */
struct probe_pair {
	int made;                  /* 0, or -errno: no pair, nothing below is known (-EPERM without CAP_SYS_ADMIN) */
	int native, generic;       /* attaching by bpf_link: 0 or -errno */
	int frags;                 /* native, a program that takes frames of several buffers: 0 or -errno */
	unsigned one_page_mtu;     /* the peer's largest MTU with a native program that takes one buffer; 0: not known */
	unsigned frags_mtu;        /* with one that takes several */
	int tso_before, tso_after; /* the peer's, without and with a native program; enum probe_setting */
};

void kernel_pair__probe(struct probe_pair *out);

#endif
