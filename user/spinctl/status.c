/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl status: prints the contexts (handlers attached to an interface) of all processes as text or JSON. It finds them in the kernel and
 * needs nothing from the processes that attached them. main.c runs it through status_command.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <spin/offload.h>

#include "kernel/attach.h"
#include "kernel/caps.h"
#include "kernel/share/share.h"
#include "user/spinctl/introspect.h"
#include "user/spinctl/mpq/mpq.h"
#include "user/spinctl/run/message.h"
#include "user/spinctl/status.h"

static struct status_options {
	const char *device;
	int json;
} options;

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", offsetof(struct status_options, device), "only this interface" },
	{ "json", 0, OPTION_FLAG, NULL, offsetof(struct status_options, json), "one JSON document" },
	{ 0 },
};

struct listing {
	struct json json;
	unsigned count;
};

/* Prints the packet and message counters of a context; as text if j is NULL. */
static void show_counts(const uint64_t *packets, uint32_t program_id, struct json *j)
{
	struct mpq_context c = { 0 };
	const int messages = !mpq_find__context(program_id, &c);

	if (j)
		counters__json(j, packets, messages);
	else
		counters__text(packets, messages);
	if (messages && j)
		run_message__stats_json(j, &c.stats, c.messages);
	else if (messages)
		run_message__stats_text(&c.stats, c.messages);
	if (j)
		run_memory__counters_json(j, c.ct);
	else
		run_memory__counters_text("", c.ct);
	free(c.message);
}

static void text_interface(const struct status_interface *f)
{
	printf("%s, ", f->device);
	if (f->mode)
		printf("%s mode, ", spin_mode_name(f->mode));
	if (f->owner_pid)
		printf("process %d (%s), ", f->owner_pid, f->owner);
	else
		printf("process not visible, ");
	printf("program %u, link %u%s%s\n", f->program_id, f->link_id, f->shared ? ", shared by libxdp" : "",
	       f->here ? "" : ", not in this network namespace");
	for (unsigned i = 0; i < f->contexts; i++) {
		printf("\n%s on %s, rule: %s%s\n", f->context[i].name, f->device, f->context[i].rule,
		       f->context[i].has_ring ? ", to a ring" : "");
		show_counts(f->context[i].packets, f->context[i].program_id, NULL);
	}
	printf(f->mode == SPIN_MODE_OFFLOAD ? "\npackets of the card\n" : "\npackets of no context\n");
	counters__text(f->packets, 0);
}

static void json_interface(struct json *j, const struct status_interface *f)
{
	json_object(j, NULL);
	json_string(j, "device", f->device);
	json_bool(j, "in_this_namespace", f->here);
	json_int(j, "ifindex", f->ifindex);
	json_string(j, "mode", f->mode ? spin_mode_name(f->mode) : NULL);
	json_bool(j, "shared", f->shared);
	json_int(j, "owner_pid", f->owner_pid);
	json_string(j, "owner", f->owner_pid ? f->owner : NULL);
	json_uint(j, "program_id", f->program_id);
	json_uint(j, "link_id", f->link_id);
	counters__json(j, f->packets, 0);
	json_array(j, "contexts");
	for (unsigned i = 0; i < f->contexts; i++) {
		json_object(j, NULL);
		json_string(j, "context", f->context[i].name);
		json_string(j, "rule", f->context[i].rule);
		json_bool(j, "ring", f->context[i].has_ring);
		json_uint(j, "program_id", f->context[i].program_id);
		show_counts(f->context[i].packets, f->context[i].program_id, j);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void on_interface(void *arg, const struct status_interface *found)
{
	struct listing *l = arg;

	if (options.device && (!found->here || strcmp(found->device, options.device)))
		return;
	if (options.json) {
		json_interface(&l->json, found);
	} else {
		if (l->count)
			putchar('\n');
		text_interface(found);
	}
	l->count++;
}

static int run(const char **operands, unsigned count)
{
	struct listing l = { 0 };
	struct spin_nic *nic = NULL;
	int err;

	(void)operands;
	(void)count;
	if (!(kernel_caps__effective() >> CAP_SYS_ADMIN & 1))
		return report_error("status reads the programs of all processes, for which the kernel wants CAP_SYS_ADMIN: "
				    "run it as root (sudo)");
	if (options.device && spin_nic__open(options.device, &nic))
		return report_error("%s", spin_strerror_last());
	spin_nic__close(nic);
	if (options.json) {
		json_begin(&l.json, stdout, 1);
		json_object(&l.json, NULL);
		json_array(&l.json, "interfaces");
	}
	err = status__each(on_interface, &l);
	if (options.json) {
		json_array_end(&l.json);
		json_object_end(&l.json);
		json_end(&l.json);
	} else if (!l.count && !err) {
		puts("no context is attached");
	}
	return err ? report_error("cannot list what is attached: %s", strerror(-err)) : DONE;
}

static const struct command_row row = {
	.name = "spinctl status",
	.summary = "Lists interfaces with contexts on this machine, of all processes",
	.options = rows,
	.notes = "Needs root.",
	.about = "A context is shown with its process, its interface, its match rule and its counters, whichever "
		 "process attached it; one that takes messages with their numbers, too (spinctl mpq has each). Contexts "
		 "in other network namespaces are listed too, marked so.",
	.examples =
		(const struct example_row[]){
			{ "spinctl status", "What runs on this machine." },
			{ "spinctl status --dev eth0 --json", "The same of one interface, for a program." },
			{ 0 },
		},
};

const struct subcommand status_command = { "status", &row, run, &options };

/* Finds interfaces through the kernel's objects: BPF links, their programs, the programs' maps, and the contexts in these. */

static int read_counters(const struct introspect_section *s, uint64_t *packets)
{
	const struct spin_counters *counters = introspect_section__variable(s, "spin_counters", ".bss", sizeof(*counters) * SPIN_HPUS_MAX);

	if (!counters)
		return -ENOENT;
	for (unsigned hpu = 0; hpu < SPIN_HPUS_MAX; hpu++)
		for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
			packets[r] += __atomic_load_n(&counters[hpu].packets[r], __ATOMIC_RELAXED);
	return 0;
}

static int read_context(uint32_t id, struct status_context *out)
{
	const uint32_t own_id = introspect__ring_context(id);
	uint32_t maps[INTROSPECT_MAPS_MAX];
	int count = introspect__context_maps(own_id, maps), is_spin = 0;

	out->program_id = own_id;
	out->has_ring = own_id != id;
	for (int i = 0; i < count; i++) {
		struct introspect_section s;

		if (!introspect_section__open(maps[i], ".rodata", &s)) {
			const struct spin_rule *rule = introspect_section__variable(&s, "spin_rule", ".rodata", sizeof(*rule));
			const char *name = introspect_section__variable(&s, "spin_name", ".rodata", sizeof(out->name));

			if (rule)
				spin_rule__format(rule, out->rule, sizeof(out->rule));
			if (name)
				memcpy(out->name, name, sizeof(out->name) - 1);
			introspect_section__close(&s);
		} else if (!introspect_section__open(maps[i], ".bss", &s)) {
			is_spin |= !read_counters(&s, out->packets);
			introspect_section__close(&s);
		}
	}
	return is_spin ? 0 : -ENOENT;
}

/* Reads the programs in the map through which the dispatcher calls contexts. */
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

/* Returns 0 if the program is an interface's sPIN dispatcher. */
static int read_dispatcher(struct status_interface *out)
{
	uint32_t maps[INTROSPECT_MAPS_MAX];
	int count = introspect__maps(out->program_id, "spin_root", maps), is_spin = 0;

	if (count < 0)
		count = introspect__maps(out->program_id, "spin_root_copy", maps);

	for (int i = 0; i < count; i++) {
		struct introspect_section s;

		if (introspect_section__open(maps[i], ".bss", &s)) {
			read_contexts(maps[i], out);
			continue;
		}
		is_spin |= !read_counters(&s, out->packets);
		introspect_section__close(&s);
	}
	return is_spin ? 0 : -ENOENT;
}

/*
 * Returns 0 if the program runs on a card (<spin/offload.h>), and reads its counters from the card. They stay 0 if it does not count,
 * or if its interface is in another namespace.
 */
static int read_card(struct status_interface *out)
{
	uint32_t maps[INTROSPECT_MAPS_MAX];
	int count = introspect__maps(out->program_id, SPIN_NFP_PROGRAM, maps);

	for (int i = 0; i < count; i++) {
		struct bpf_map_info info = { 0 };
		uint32_t bytes = sizeof(info);
		int fd = bpf_map_get_fd_by_id(maps[i]);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) && !strcmp(info.name, "spin_counters") && info.type == BPF_MAP_TYPE_ARRAY &&
		    info.key_size == sizeof(uint32_t) && info.value_size == sizeof(uint64_t))
			for (uint32_t reason = 0; reason < SPIN_REASON_COUNT; reason++)
				bpf_map_lookup_elem(fd, &reason, &out->packets[reason]);
		close(fd);
	}
	if (count >= 0)
		out->mode = SPIN_MODE_OFFLOAD;
	return count < 0 ? -ENOENT : 0;
}

/*
 * Interface indexes are not unique across namespaces, so this checks that the interface of this namespace runs this program, or the
 * dispatcher that contains it.
 */
static void name_device(struct status_interface *out, uint32_t attached)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	char name[IF_NAMESIZE];

	out->here = out->ifindex && if_indextoname((unsigned)out->ifindex, name) && !bpf_xdp_query(out->ifindex, 0, &q) &&
		    (q.prog_id == attached || q.drv_prog_id == attached || q.skb_prog_id == attached || q.hw_prog_id == attached);
	if (out->here)
		snprintf(out->device, sizeof(out->device), "%s", name);
	else if (out->ifindex)
		snprintf(out->device, sizeof(out->device), "ifindex %d", out->ifindex);
	else
		snprintf(out->device, sizeof(out->device), "(gone)");
	if (out->here && out->mode != SPIN_MODE_OFFLOAD)
		out->mode = q.attach_mode == XDP_ATTACHED_SKB || q.skb_prog_id == attached ? SPIN_MODE_GENERIC : SPIN_MODE_NATIVE;
}

/* Returns 0 if the link belongs to a sPIN dispatcher (on an interface, or in libxdp's dispatcher on it) or to a card's program. */
static int read_link(uint32_t id, const struct bpf_link_info *info, struct status_interface *out)
{
	const int is_shared = info->type == BPF_LINK_TYPE_TRACING;

	if (info->type != BPF_LINK_TYPE_XDP && !is_shared)
		return -ENOENT;
	memset(out, 0, sizeof(*out));
	out->link_id = id;
	out->program_id = info->prog_id;
	out->shared = is_shared;
	if (read_dispatcher(out) && (is_shared || read_card(out)))
		return -ENOENT;
	if (is_shared) {
		out->owner_pid = kernel_share__owner(info->prog_id, &out->ifindex, out->owner, sizeof(out->owner));
	} else {
		out->ifindex = (int)info->xdp.ifindex;
		out->owner_pid = kernel_link__owner(id, out->owner, sizeof(out->owner));
	}
	name_device(out, is_shared ? info->tracing.target_obj_id : info->prog_id);
	return 0;
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
		if (!err && !read_link(id, &info, found))
			fn(arg, found);
	}
	err = errno == ENOENT ? 0 : -errno;
	free(found);
	return err;
}
