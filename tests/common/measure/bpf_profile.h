/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEASURE_BPF_PROFILE_H
#define TESTS_COMMON_MEASURE_BPF_PROFILE_H

/*
 * Profile of the BPF programs that this thread runs: the time of each source line, from samples of the instruction pointer and the line
 * information of the JITed code. It needs root and no counters of the processor (the event is the kernel's CPU clock), so it also works in
 * virtual machines. Used by benchmarks, to tell where a packet's nanoseconds are.
 */
#include <stdint.h>

struct bpf_profile {
	int fd;
	void *ring; /* of perf_event_open(2), mapped */
	uint64_t *ips;
	unsigned count, capacity;
};

/* Starts with sampling off. Returns 0 or -errno. */
int bpf_profile__open(struct bpf_profile *p);
/* Samples what the calling thread runs from now on. */
void bpf_profile__start(struct bpf_profile *p);
/* Stops, and collects the samples since the start. Returns 0 or -errno. Samples that did not fit the ring are lost: stop often enough. */
int bpf_profile__stop(struct bpf_profile *p);
/*
 * Prints the lines that take the most time, and the total of each source file. packet_ns is what a packet takes in the programs without
 * sampling, which slows them: the samples say how it is shared out. The programs must still be loaded. Returns 0 or -errno.
 */
int bpf_profile__print(struct bpf_profile *p, double packet_ns, unsigned lines_max);
void bpf_profile__close(struct bpf_profile *p);

#endif
