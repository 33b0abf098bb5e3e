/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Contexts as the kernel sees them: XDP links, their program, its maps, their BTF. */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel/attach.h"
#include "libspin/layout.h"
#include "status.h"

#define MAPS_MAX 64

/* A value of one of the program's data sections. */
struct section {
	struct btf *btf;
	char *mem;
	size_t bytes;
	int fd;
};

static void close_section(struct section *s)
{
	if (s->mem)
		munmap(s->mem, s->bytes);
	btf__free(s->btf);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct section){ .fd = -1 };
}

/* A map if it is the data section wanted. */
static int open_section(uint32_t map_id, const char *name, struct section *s)
{
	struct bpf_map_info info = { 0 };
	uint32_t bytes = sizeof(info);
	size_t length, want = strlen(name), page = (size_t)sysconf(_SC_PAGESIZE);

	*s = (struct section){ .fd = bpf_map_get_fd_by_id(map_id) };
	if (s->fd < 0 || bpf_obj_get_info_by_fd(s->fd, &info, &bytes))
		goto no;
	length = strlen(info.name);
	if (length < want || strcmp(info.name + length - want, name) || !info.btf_id)
		goto no;
	s->btf = btf__load_from_kernel_by_id(info.btf_id);
	s->bytes = (info.value_size + page - 1) / page * page;
	s->mem = s->btf ? mmap(NULL, s->bytes, PROT_READ, MAP_SHARED, s->fd, 0) : NULL;
	if (s->mem == MAP_FAILED)
		s->mem = NULL;
	if (s->mem)
		return 0;
no:
	close_section(s);
	return -ENOENT;
}

static const void *variable(const struct section *s, const char *name, const char *section, size_t bytes)
{
	struct layout_variable var;

	if (layout__find(s->btf, name, &var) || strcmp(var.section, section) || var.bytes != bytes ||
	    var.offset > s->bytes || bytes > s->bytes - var.offset)
		return NULL;
	return s->mem + var.offset;
}

static void read_constants(const struct section *s, struct status_row *row)
{
	const struct spin_config *config = variable(s, "spin_config", ".rodata", sizeof(*config));
	const char *name = variable(s, "spin_name", ".rodata", sizeof(row->handler));

	if (config)
		spin_rule__format(&config->rule, row->rule, sizeof(row->rule));
	if (name)
		memcpy(row->handler, name, sizeof(row->handler) - 1);
}

static int read_counters(const struct section *s, struct status_row *row)
{
	const struct spin_counters *counters = variable(s, "spin_counters", ".bss",
							sizeof(*counters) * SPIN_HPUS_MAX);

	if (!counters)
		return -ENOENT;
	for (unsigned hpu = 0; hpu < SPIN_HPUS_MAX; hpu++)
		for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
			row->packets[r] += __atomic_load_n(&counters[hpu].packets[r], __ATOMIC_RELAXED);
	return 0;
}

/* 1 if the program is one of ours; fills in what its maps tell. */
static int read_program(uint32_t id, struct status_row *row)
{
	uint32_t maps[MAPS_MAX], bytes = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX, .map_ids = (uint64_t)(uintptr_t)maps };
	int fd = bpf_prog_get_fd_by_id(id), ours = 0;

	if (fd < 0)
		return 0;
	if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) && !strcmp(info.name, "spin_xdp")) {
		for (unsigned i = 0; i < info.nr_map_ids && i < MAPS_MAX; i++) {
			struct section s;

			if (!open_section(maps[i], ".rodata", &s)) {
				read_constants(&s, row);
				close_section(&s);
			} else if (!open_section(maps[i], ".bss", &s)) {
				ours |= !read_counters(&s, row);
				close_section(&s);
			}
		}
	}
	close(fd);
	return ours;
}

/* Indexes repeat in other namespaces: ask what this one's interface runs. */
static void name_device(struct status_row *row)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	char name[IF_NAMESIZE];

	row->here = row->ifindex && if_indextoname((unsigned)row->ifindex, name) &&
		    !bpf_xdp_query(row->ifindex, 0, &q) &&
		    (q.prog_id == row->program_id || q.drv_prog_id == row->program_id);
	if (row->here)
		snprintf(row->device, sizeof(row->device), "%s", name);
	else if (row->ifindex)
		snprintf(row->device, sizeof(row->device), "ifindex %d", row->ifindex);
	else
		snprintf(row->device, sizeof(row->device), "(gone)");
}

int status__each(void (*fn)(void *arg, const struct status_row *row), void *arg)
{
	uint32_t id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = { 0 };
		uint32_t bytes = sizeof(info);
		struct status_row row = { .link_id = id };
		int fd = bpf_link_get_fd_by_id(id), err;

		if (fd < 0)
			continue;
		err = bpf_obj_get_info_by_fd(fd, &info, &bytes);
		close(fd);
		if (err || info.type != BPF_LINK_TYPE_XDP)
			continue;
		row.ifindex = (int)info.xdp.ifindex;
		row.program_id = info.prog_id;
		if (!read_program(info.prog_id, &row))
			continue;
		row.owner_pid = kernel_link__owner(id, row.owner, sizeof(row.owner));
		name_device(&row);
		fn(arg, &row);
	}
	return errno == ENOENT ? 0 : -errno;
}
