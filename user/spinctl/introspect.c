/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the maps of handlers that other processes have loaded, by the id of their BPF program, through read-only mappings. Called by
 * status.c, dump.c and mpq/find.c. Needs CAP_SYS_ADMIN.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "user/libspin/object/layout.h"
#include "user/spinctl/introspect.h"

void introspect_section__close(struct introspect_section *s)
{
	if (s->mem)
		munmap(s->mem, s->bytes);
	btf__free(s->btf);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct introspect_section){ .fd = -1 };
}

int introspect_section__open(uint32_t map_id, const char *name, struct introspect_section *s)
{
	struct bpf_map_info info = { 0 };
	uint32_t bytes = sizeof(info);
	size_t length, want = strlen(name), page = (size_t)sysconf(_SC_PAGESIZE);

	*s = (struct introspect_section){ .fd = bpf_map_get_fd_by_id(map_id) };
	if (s->fd < 0 || bpf_obj_get_info_by_fd(s->fd, &info, &bytes))
		goto fail;
	length = strlen(info.name);
	if (length < want || strcmp(info.name + length - want, name) || !info.btf_id)
		goto fail;
	s->btf = btf__load_from_kernel_by_id(info.btf_id);
	s->bytes = (info.value_size + page - 1) / page * page;
	s->mem = s->btf ? mmap(NULL, s->bytes, PROT_READ, MAP_SHARED, s->fd, 0) : NULL;
	if (s->mem == MAP_FAILED)
		s->mem = NULL;
	if (s->mem)
		return 0;
fail:
	introspect_section__close(s);
	return -ENOENT;
}

int introspect_map__open(uint32_t map_id, const char *name, struct introspect_section *s)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct bpf_map_info info = { 0 };
	uint32_t bytes = sizeof(info);

	*s = (struct introspect_section){ .fd = bpf_map_get_fd_by_id(map_id) };
	if (s->fd >= 0 && !bpf_obj_get_info_by_fd(s->fd, &info, &bytes) && !strcmp(info.name, name)) {
		s->bytes = (info.value_size + page - 1) / page * page;
		s->mem = mmap(NULL, s->bytes, PROT_READ, MAP_SHARED, s->fd, 0);
		if (s->mem != MAP_FAILED)
			return 0;
		s->mem = NULL;
	}
	introspect_section__close(s);
	return -ENOENT;
}

const void *introspect_section__variable(const struct introspect_section *s, const char *name, const char *section, size_t bytes)
{
	struct layout_variable var;

	if (layout__find(s->btf, name, &var) || strcmp(var.section, section) || var.bytes != bytes || var.offset > s->bytes ||
	    bytes > s->bytes - var.offset)
		return NULL;
	return s->mem + var.offset;
}

int introspect__maps(uint32_t id, const char *name, uint32_t maps[INTROSPECT_MAPS_MAX])
{
	struct bpf_prog_info info = { .nr_map_ids = INTROSPECT_MAPS_MAX, .map_ids = (uint64_t)(uintptr_t)maps };
	uint32_t bytes = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return -ENOENT;
	err = bpf_obj_get_info_by_fd(fd, &info, &bytes) || (name && strcmp(info.name, name));
	close(fd);
	return err ? -ENOENT : (int)(info.nr_map_ids < INTROSPECT_MAPS_MAX ? info.nr_map_ids : INTROSPECT_MAPS_MAX);
}

uint32_t introspect__ring_context(uint32_t id)
{
	static const char *const names[] = { "spin_ring_0", "spin_ring_1" };
	uint32_t maps[INTROSPECT_MAPS_MAX], program;

	for (uint32_t entry = 0; entry < 2; entry++) {
		int count = introspect__maps(id, names[entry], maps);

		for (int i = 0; i < count; i++) {
			struct bpf_map_info info = { 0 };
			uint32_t bytes = sizeof(info);
			int fd = bpf_map_get_fd_by_id(maps[i]), err;

			err = fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &bytes) || strcmp(info.name, "spin_ring_progs") ||
			      info.type != BPF_MAP_TYPE_PROG_ARRAY || bpf_map_lookup_elem(fd, &entry, &program);
			if (fd >= 0)
				close(fd);
			if (!err)
				return program;
		}
	}
	return id;
}

int introspect__context_maps(uint32_t id, uint32_t maps[INTROSPECT_MAPS_MAX])
{
	return introspect__maps(id, NULL, maps);
}
