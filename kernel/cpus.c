/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counts possible CPUs, for code that sizes per-CPU buffers. libbpf_num_possible_cpus() fails in a container without /sys, and its negative
 * result is no size. Then the values of a per-CPU map are counted. The count never changes while the kernel runs.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/cpus.h"

#define CPUS_MAX 8192 /* NR_CPUS of x86-64 with MAXSMP, the maximum of all architectures */

/* Counts possible CPUs by a lookup in a per-CPU map, which writes one zero value per CPU. Returns 0 if this process may not create maps. */
static int count_values(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "spin_cpus", sizeof(uint32_t), sizeof(uint64_t), 1, NULL);
	uint64_t *value = malloc((CPUS_MAX + 1) * sizeof(*value));
	uint32_t zero = 0;
	int count = 0;

	if (fd >= 0 && value) {
		memset(value, 0xff, (CPUS_MAX + 1) * sizeof(*value));
		if (!bpf_map_lookup_elem(fd, &zero, value))
			while (count < CPUS_MAX && !value[count])
				count++;
	}
	free(value);
	if (fd >= 0)
		close(fd);
	return count;
}

int kernel_cpus__possible(void)
{
	static int known;
	int count = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (count)
		return count;
	count = libbpf_num_possible_cpus();
	if (count <= 0)
		count = count_values();
	if (count <= 0)
		count = (int)sysconf(_SC_NPROCESSORS_CONF);
	if (count <= 0)
		count = 1;
	__atomic_store_n(&known, count, __ATOMIC_RELAXED);
	return count;
}
