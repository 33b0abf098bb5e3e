/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the messages in flight (their packets are still arriving) of handlers in other processes: this state is in a BPF map, which root
 * can read. Called by mpq.c and spinctl status.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "user/libspin/messages/in_flight.h"
#include "user/spinctl/mpq/mpq.h"
#include "user/spinctl/status.h"
#include "user/spinctl/introspect.h"

struct search {
	const char *device; /* NULL: any */
	struct mpq_context *context;
	unsigned count;
	int err;
};

static int add_message(void *arg, const struct spin_message_info *message)
{
	struct mpq_context *c = arg;

	c->message[c->messages++] = *message; /* the array has an element for each MPQ of the context */
	return 0;
}

/* The window words of a context with wide windows. */
struct windows {
	const uint64_t *word; /* NULL: none */
	size_t bytes;
};

/* Maps the window words if this is their map (spin_wide). */
static void open_windows(uint32_t map_id, struct windows *out)
{
	struct bpf_map_info info = { 0 };
	uint32_t info_bytes = sizeof(info);
	int fd = bpf_map_get_fd_by_id(map_id);
	void *at;

	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &info_bytes) && !strcmp(info.name, "spin_wide") && info.value_size == 8) {
		out->bytes = (size_t)info.max_entries * 8;
		at = mmap(NULL, out->bytes, PROT_READ, MAP_SHARED, fd, 0);
		out->word = at == MAP_FAILED ? NULL : at;
	}
	close(fd);
}

static int read_messages(const struct introspect_section *s, const struct windows *w, const struct spin_config *config,
			 struct mpq_context *out)
{
	const uint64_t *clock = introspect_section__variable(s, "spin_clock", ".bss", sizeof(*clock));
	struct messages_view v = {
		.mpq = introspect_section__variable(s, "spin_mpqs", ".bss", SPIN_MPQS_MAX * sizeof(*v.mpq)),
		.flow = introspect_section__variable(s, "spin_flows", ".bss", SPIN_FLOWS * sizeof(*v.flow)),
		.park = introspect_section__variable(s, "spin_parks", ".bss", SPIN_PARKING_MAX * sizeof(*v.park)),
		.stats = introspect_section__variable(s, "spin_message_stats", ".bss", SPIN_HPUS_MAX * sizeof(*v.stats)),
		.mpqs = config->mpqs < SPIN_MPQS_MAX ? config->mpqs : SPIN_MPQS_MAX,
		.ticks_s = messages_view__ticks_s((int)config->virtual_clock),
	};

	if (!clock || !v.mpq || !v.flow || !v.park || !v.stats)
		return -ENOENT;
	if (config->wide_words && w->bytes / 8 / config->wide_words >= v.mpqs) {
		v.wide = w->word;
		v.wide_words = config->wide_words;
	}
	v.now = (uint32_t)__atomic_load_n(clock, __ATOMIC_RELAXED);
	out->mpqs = v.mpqs;
	out->message = calloc(v.mpqs + 1, sizeof(*out->message));
	if (!out->message)
		return -ENOMEM;
	messages_view__each(&v, add_message, out);
	messages_view__stats(&v, &out->stats);
	return 0;
}

static void read_counters(const struct introspect_section *s, struct mpq_context *out)
{
	const struct spin_me_memory *entry = introspect_section__variable(s, "spin_me_memory", ".bss", SPIN_MES_MAX * sizeof(*entry));

	for (unsigned i = 0; entry && i < SPIN_MES_MAX; i++) {
		out->ct[i].success = __atomic_load_n(&entry[i].ct.success, __ATOMIC_RELAXED);
		out->ct[i].failure = __atomic_load_n(&entry[i].ct.failure, __ATOMIC_RELAXED);
	}
}

int mpq_find__context(uint32_t program_id, struct mpq_context *out)
{
	struct introspect_section rodata = { .fd = -1 }, bss = { .fd = -1 };
	uint32_t maps[INTROSPECT_MAPS_MAX];
	int count = introspect__context_maps(program_id, maps), err = -ENOENT;
	const struct spin_config *config = NULL;
	struct windows windows = { 0 };

	for (int i = 0; i < count && !windows.word; i++)
		open_windows(maps[i], &windows);
	for (int i = 0; i < count; i++)
		if ((rodata.mem || introspect_section__open(maps[i], ".rodata", &rodata)) && !bss.mem)
			introspect_section__open(maps[i], ".bss", &bss);
	if (rodata.mem)
		config = introspect_section__variable(&rodata, "spin_config", ".rodata", sizeof(*config));
	if (config && bss.mem)
		err = read_messages(&bss, &windows, config, out);
	if (bss.mem)
		read_counters(&bss, out);
	if (windows.word)
		munmap((void *)windows.word, windows.bytes);
	introspect_section__close(&rodata);
	introspect_section__close(&bss);
	return err;
}

static void add_context(struct search *s, const struct status_interface *found, const struct status_context *context)
{
	struct mpq_context *more, *c;
	int err;

	for (unsigned i = 0; i < s->count; i++)
		if (s->context[i].program_id == context->program_id)
			return;
	more = realloc(s->context, (s->count + 1) * sizeof(*more));
	if (!more) {
		s->err = -ENOMEM;
		return;
	}
	s->context = more;
	c = &more[s->count];
	memset(c, 0, sizeof(*c));
	err = mpq_find__context(context->program_id, c);
	if (err) {
		s->err = err == -ENOENT ? s->err : err;
		return;
	}
	c->program_id = context->program_id;
	c->owner_pid = found->owner_pid;
	memcpy(c->name, context->name, sizeof(c->name));
	memcpy(c->rule, context->rule, sizeof(c->rule));
	memcpy(c->device, found->device, sizeof(c->device));
	s->count++;
}

static void on_interface(void *arg, const struct status_interface *found)
{
	struct search *s = arg;

	if (s->device && (!found->here || strcmp(found->device, s->device)))
		return;
	for (unsigned i = 0; i < found->contexts; i++)
		add_context(s, found, &found->context[i]);
}

int mpq_find__contexts(const char *device, struct mpq_context **out, unsigned *count)
{
	struct search s = { .device = device };
	int err = status__each(on_interface, &s);

	*out = s.context;
	*count = s.count;
	return err ? err : s.err;
}

void mpq_find__free(struct mpq_context *context, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(context[i].message);
	free(context);
}
