/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads the BPF program that makes a new packet of a message before each run of the program under test (tests/bench/mpq.bpf.c), and maps
 * its variables (packet_feed.h). Called by the benchmarks mpq.c, two_cpus.c and ring.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "user/conformance/types.h"

#include "tests/common/built.h"
#include "tests/common/net/packet_feed.h"

static void *fail(const char *what, const char *reason)
{
	fprintf(stderr, "bench: %s: %s\n", what, reason);
	return NULL;
}

struct bpf_object *packet_feed__program(const char *name)
{
	struct bpf_program *program;
	struct bpf_object *object;
	char path[512];
	int err;

	snprintf(path, sizeof(path), "%s/tests/bench/%s.bpf.o", built_dir(), name);
	object = bpf_object__open_file(path, NULL);
	if (!object)
		return fail(path, "cannot be opened");
	err = 0;
	/* all programs of a program array must agree in this flag */
	bpf_object__for_each_program(program, object)
		err |= bpf_program__set_flags(program, BPF_F_XDP_HAS_FRAGS);
	if (!err && !bpf_object__load(object))
		return object;
	bpf_object__close(object);
	return fail(path, "cannot be loaded");
}

void *packet_feed__variable(const struct bpf_object *object, const char *name)
{
	struct layout_variable var;
	struct bpf_map *map;
	uint8_t *at;

	bpf_object__for_each_map(map, object) {
		if (!strstr(bpf_map__name(map), ".bss") || layout__find(bpf_object__btf(object), name, &var))
			continue;
		at = mmap(NULL, bpf_map__value_size(map), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
		if (at != MAP_FAILED)
			return at + var.offset;
	}
	return fail(name, "cannot be mapped");
}

int packet_feed__open(struct packet_feed *f)
{
	*f = (struct packet_feed){ .object = packet_feed__program("mpq") };
	if (!f->object)
		return -1;
	f->fd = bpf_program__fd(bpf_object__find_program_by_name(f->object, "baseline"));
	f->next_fd = bpf_object__find_map_fd_by_name(f->object, "next");
	f->feed = packet_feed__variable(f->object, "feed");
	return f->feed ? 0 : -1;
}

void packet_feed__close(struct packet_feed *f)
{
	bpf_object__close(f->object);
}

int packet_feed__set_target(struct packet_feed *f, int program_fd)
{
	uint32_t zero = 0;

	return bpf_map_update_elem(f->next_fd, &zero, &program_fd, BPF_ANY) ? -errno : 0;
}
