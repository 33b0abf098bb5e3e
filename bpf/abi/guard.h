/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_ABI_GUARD_H
#define BPF_ABI_GUARD_H

/*
 * What the guard of a context (bpf/guard.bpf.c) shares with libspin, which loads one for each context of a socket. Its program and maps:
 *
 *	spin_guard         the program; the dispatcher tail-calls it instead of the context's
 *	spin_guarded       the context's program, in entry 0
 *	spin_guard_socket  the socket that the context belongs to, in entry 0; the kernel removes it when the socket is closed
 *	spin_guard_local   the addresses of the host, keys of 16 bytes (IPv4 as ::ffff:a.b.c.d); shared by the guards of a network namespace
 *	spin_guard_counts  struct spin_guard_counts[SPIN_HPUS_MAX] in .bss, mapped
 */
#include <stdint.h>

#define SPIN_GUARD_ADDRESSES 1024 /* of a network namespace */

/* Of one CPU. The context's own counters have the packets that its handlers ran for. */
struct spin_guard_counts {
	uint64_t left;    /* passed on untouched: not the socket's, or it is closed */
	uint64_t refused; /* dropped: handlers made of it a packet that would go to somebody else */
	uint64_t unused[6];
};

#endif
