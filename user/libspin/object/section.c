/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Maps data sections of BPF objects into this process: state, tables and counters that libspin reads while handlers run. Called by
 * ctx.c and by the loaders of libspin's own programs.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "user/libspin/error.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/object/section.h"

struct bpf_map *section__map(const struct bpf_object *object, const char *section)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object) {
		const char *name = bpf_map__name(map);
		size_t length = strlen(name), want = strlen(section);

		if (bpf_map__is_internal(map) && length >= want && !strcmp(name + length - want, section))
			return map;
	}
	return NULL;
}

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

int section__open(const struct bpf_object *object, const char *section, const char *who, struct spin_memory *out)
{
	const struct bpf_map *map = section__map(object, section);

	return map ? section__open_fd(object, section, bpf_map__fd(map), who, out) : 0;
}

int section__open_fd(const struct bpf_object *object, const char *section, int fd, const char *who, struct spin_memory *out)
{
	const struct bpf_map *map = section__map(object, section);
	void *addr;

	if (!map)
		return 0;
	addr = mmap(NULL, whole_pages(bpf_map__value_size(map)), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (addr == MAP_FAILED)
		return spin_fail(-errno, "cannot map the memory of %s: %s", who, strerror(errno));
	out->addr = addr;
	out->bytes = bpf_map__value_size(map);
	return 0;
}

void section__close(struct spin_memory *mem)
{
	if (mem->addr)
		munmap(mem->addr, whole_pages(mem->bytes));
	*mem = (struct spin_memory){ 0 };
}

void *section__variable(const struct bpf_object *object, const char *section, const struct spin_memory *mem, const char *name, size_t bytes)
{
	const struct btf *btf = bpf_object__btf(object);
	struct layout_variable var;

	if (!mem->addr || layout__find(btf, name, &var) || strcmp(var.section, section) || var.bytes != bytes || var.offset > mem->bytes ||
	    bytes > mem->bytes - var.offset)
		return NULL;
	return mem->addr + var.offset;
}
