/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds BPF maps and XDP programs that are still in the kernel although their owner was killed (leak_check.h). Called by tests that kill
 * processes, in tests/live, tests/transfer and tests/stress.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/common/net/leak_check.h"

uint32_t leak_check__own_number(void)
{
	uint16_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
		perror("FAIL: getrandom");
		exit(1);
	}
	return number >> 1;
}

unsigned leak_check__maps(uint32_t value_bytes)
{
	unsigned id = 0, found = 0;

	while (!bpf_map_get_next_id(id, &id)) {
		struct bpf_map_info info = { 0 };
		unsigned bytes = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue;
		found += !bpf_obj_get_info_by_fd(fd, &info, &bytes) && info.value_size == value_bytes;
		close(fd);
	}
	return found;
}

int leak_check__program(const char *dev)
{
	unsigned program = 0;

	return bpf_xdp_query_id((int)if_nametoindex(dev), 0, &program) || program;
}
