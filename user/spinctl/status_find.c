/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Interfaces as the kernel sees them: XDP links, their program, its maps, the contexts' programs and theirs. */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_link.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel/attach.h"
#include "user/spinctl/outside.h"
#include "user/spinctl/status.h"

static int read_counters(const struct outside_section *s, uint64_t *packets)
{
	const struct spin_counters *counters = outside_section__variable(s, "spin_counters", ".bss", sizeof(*counters) * SPIN_HPUS_MAX);

	if (!counters)
		return -ENOENT;
	for (unsigned hpu = 0; hpu < SPIN_HPUS_MAX; hpu++)
		for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
			packets[r] += __atomic_load_n(&counters[hpu].packets[r], __ATOMIC_RELAXED);
	return 0;
}

static int read_context(uint32_t id, struct status_context *out)
{
	uint32_t maps[OUTSIDE_MAPS_MAX];
	int count = outside__context_maps(id, maps), ours = 0;

	out->program_id = id;
	for (int i = 0; i < count; i++) {
		struct outside_section s;

		if (!outside_section__open(maps[i], ".rodata", &s)) {
			const struct spin_rule *rule = outside_section__variable(&s, "spin_rule", ".rodata", sizeof(*rule));
			const char *name = outside_section__variable(&s, "spin_name", ".rodata", sizeof(out->name));

			if (rule)
				spin_rule__format(rule, out->rule, sizeof(out->rule));
			if (name)
				memcpy(out->name, name, sizeof(out->name) - 1);
			outside_section__close(&s);
		} else if (!outside_section__open(maps[i], ".bss", &s)) {
			ours |= !read_counters(&s, out->packets);
			outside_section__close(&s);
		}
	}
	return ours ? 0 : -ENOENT;
}

/* The programs of the map that contexts are handed over by. */
static void read_contexts(uint32_t map_id, struct status_interface *out)
{
	struct bpf_map_info info = { 0 };
	uint32_t bytes = sizeof(info), program;
	int fd = bpf_map_get_fd_by_id(map_id);

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) && info.type == BPF_MAP_TYPE_PROG_ARRAY)
		for (uint32_t slot = 0; slot < SPIN_CONTEXTS_MAX && out->contexts < SPIN_CONTEXTS_MAX; slot++) {
			struct status_context *context = &out->context[out->contexts];

			memset(context, 0, sizeof(*context));
			if (!bpf_map_lookup_elem(fd, &slot, &program) && !read_context(program, context))
				out->contexts++;
		}
	close(fd);
}

/* 0 if the program is an interface's of ours. */
static int read_root(struct status_interface *out)
{
	uint32_t maps[OUTSIDE_MAPS_MAX];
	int count = outside__maps(out->program_id, "spin_root", maps), ours = 0;

	if (count < 0)
		count = outside__maps(out->program_id, "spin_root_copy", maps);

	for (int i = 0; i < count; i++) {
		struct outside_section s;

		if (outside_section__open(maps[i], ".bss", &s)) {
			read_contexts(maps[i], out);
			continue;
		}
		ours |= !read_counters(&s, out->packets);
		outside_section__close(&s);
	}
	return ours ? 0 : -ENOENT;
}

/* Indexes repeat in other namespaces: ask what this one's interface runs. */
static void name_device(struct status_interface *out)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	char name[IF_NAMESIZE];

	out->here = out->ifindex && if_indextoname((unsigned)out->ifindex, name) && !bpf_xdp_query(out->ifindex, 0, &q) &&
		    (q.prog_id == out->program_id || q.drv_prog_id == out->program_id || q.skb_prog_id == out->program_id);
	if (out->here)
		snprintf(out->device, sizeof(out->device), "%s", name);
	else if (out->ifindex)
		snprintf(out->device, sizeof(out->device), "ifindex %d", out->ifindex);
	else
		snprintf(out->device, sizeof(out->device), "(gone)");
	if (out->here)
		out->mode = q.attach_mode == XDP_ATTACHED_SKB || q.skb_prog_id == out->program_id ? SPIN_MODE_GENERIC : SPIN_MODE_NATIVE;
}

int status__each(void (*fn)(void *arg, const struct status_interface *found), void *arg)
{
	struct status_interface *found = malloc(sizeof(*found));
	uint32_t id = 0;
	int err;

	if (!found)
		return -ENOMEM;
	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = { 0 };
		uint32_t bytes = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);

		if (fd < 0)
			continue;
		err = bpf_obj_get_info_by_fd(fd, &info, &bytes);
		close(fd);
		if (err || info.type != BPF_LINK_TYPE_XDP)
			continue;
		memset(found, 0, sizeof(*found));
		found->link_id = id;
		found->ifindex = (int)info.xdp.ifindex;
		found->program_id = info.prog_id;
		if (read_root(found))
			continue;
		found->owner_pid = kernel_link__owner(id, found->owner, sizeof(found->owner));
		name_device(found);
		fn(arg, found);
	}
	err = errno == ENOENT ? 0 : -errno;
	free(found);
	return err;
}
