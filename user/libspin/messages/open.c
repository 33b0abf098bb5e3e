/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens a context whose handlers take messages of many packets: checks its options, sets the constants of its BPF object and maps its
 * memory. Called by ctx.c and class.c, before and after loading.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "kernel/features.h"
#include "kernel/probe.h"
#include "user/libspin/messages/in_flight.h"

#define EVENT_BYTES (1u << 20) /* bytes of the event ring: each message has an event */

static int has_options(const struct spin_message_opts *o)
{
	return o->messages || o->parking || o->idle_ms || o->age_ms || o->tombstone_ms || o->window || o->lose_events || o->put ||
	       o->no_entry || o->report_runs || o->unexpected;
}

static int check_limits(const struct spin_message_opts *o)
{
	const struct {
		const char *name, *what;
		size_t value, max;
	} limits[] = {
		{ "messages", "messages in flight", o->messages, SPIN_MPQS_MAX },
		{ "parking", "parked packets", o->parking, SPIN_PARKING_MAX },
		{ "idle_ms", "ms without packets", o->idle_ms, TIME_MS_MAX },
		{ "age_ms", "ms of a message that hardly comes on", o->age_ms, TIME_MS_MAX },
		{ "window", "packets beyond the lowest missing one", o->window, SPIN_WINDOW_MAX },
		{ "unexpected", "unexpected messages", o->unexpected, SPIN_UNEXPECTED_MAX },
		{ "tombstone_ms", "ms for a completed message's key", o->tombstone_ms, TIME_MS_MAX },
	};

	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].value > limits[i].max)
			return spin_fail(-EINVAL, "message.%s is %zu, but a context has at most %zu %s: give less", limits[i].name,
					 limits[i].value, limits[i].max, limits[i].what);
	if (o->window && o->window < SPIN_WINDOW)
		return spin_fail(-EINVAL, "message.window is %u packets, and the least is %u", o->window, SPIN_WINDOW);
	return 0;
}

/* Returns the 32-packet words of a message's wide window; 0: the window is in the MPQ. */
static uint32_t wide_words(const struct spin_message_opts *o)
{
	return o->window > SPIN_WINDOW ? spin_words_of_window(o->window) : 0;
}

/* Bytes of all windows. */
static size_t wide_bytes(const struct spin_message_opts *o)
{
	return (size_t)o->messages * wide_words(o) * sizeof(uint64_t);
}

static int check_windows(const struct spin_message_opts *o)
{
	if (wide_bytes(o) <= SPIN_WINDOWS_BYTES_MAX)
		return 0;
	return spin_fail(-EINVAL,
			 "%u messages with windows of %u packets take %zu MiB, and a context has at most %u for windows: "
			 "give less as message.messages or message.window",
			 o->messages, o->window, wide_bytes(o) >> 20, SPIN_WINDOWS_BYTES_MAX >> 20);
}

/*
 * With more host memory than the default, messages may fill it at any offset. All bitmaps together may take
 * a quarter of its size, which for 512 messages is a bit for each 512 bytes of it.
 */
static unsigned default_window(const struct spin_message_opts *o)
{
	size_t bytes = o->host_bytes / 4 < SPIN_WINDOWS_BYTES_MAX ? o->host_bytes / 4 : SPIN_WINDOWS_BYTES_MAX;
	unsigned window = SPIN_WINDOW_MAX;

	if (o->host_bytes <= SPIN_HOST_BYTES || !kernel_probe__may_goto())
		return SPIN_WINDOW;
	while (window > SPIN_WINDOW && (size_t)o->messages * spin_words_of_window(window) * sizeof(uint64_t) > bytes)
		window = (spin_words_of_window(window) / 2 - 2) * 32;
	return window > SPIN_WINDOW ? window : SPIN_WINDOW;
}

static void set_defaults(struct spin_message_opts *o, const struct spin_registration *registration)
{
	o->messages = o->messages ? o->messages : SPIN_MPQS;
	o->parking = o->parking ? o->parking : SPIN_PARKING_MAX;
	o->idle_ms = o->idle_ms ? o->idle_ms : registration->idle_ms ? registration->idle_ms : SPIN_IDLE_MS;
	o->idle_ms = o->idle_ms < TIME_MS_MAX ? o->idle_ms : TIME_MS_MAX;
	o->age_ms = o->age_ms ? o->age_ms : SPIN_AGE_MS;
	o->window = o->window ? o->window : default_window(o);
	o->tombstone_ms = o->tombstone_ms ? o->tombstone_ms : SPIN_TOMBSTONE_MS;
}

int spin_messages__new(const struct spin_object *obj, const struct spin_message_opts *opts, struct messages **out)
{
	const struct spin_registration *registration = &obj->meta.registration;
	char reason[SPIN_ERROR_BYTES];
	struct messages *m;
	int err;

	*out = NULL;
	if (registration->delivery != SPIN_DELIVER_ME)
		return has_options(opts) ? spin_fail(-EINVAL,
						     "%s takes datagrams: options of messages are for handlers that "
						     "register .delivery = SPIN_DELIVER_ME",
						     obj->meta.name)
					 : 0;
	err = check_limits(opts);
	if (err)
		return err;
	if (!kernel_feature__has(KERNEL_MESSAGES))
		return spin_fail(-ENOSYS, "%s takes messages: %s", obj->meta.name,
				 kernel_feature__refusal(KERNEL_MESSAGES, reason, sizeof(reason)));
	if (!kernel_probe__may_goto() && !obj->bounded)
		return spin_fail(-ENOSYS,
				 "%s takes messages, and its programs need Linux %s or newer: it has none with bounded "
				 "loops, which want more stack; compile it again with spincc, with fewer local variables",
				 obj->meta.name, kernel_feature__version(KERNEL_JUMBO));
	m = calloc(1, sizeof(*m));
	if (!m)
		return spin_fail(-ENOMEM, "no memory for a context");
	m->opts = *opts;
	set_defaults(&m->opts, registration);
	m->window_is_default = !opts->window;
	m->in_pieces = registration->fragmentation_bytes > 1;
	err = check_windows(&m->opts);
	if (err) {
		free(m);
		return err;
	}
	m->ticks_s = messages_view__ticks_s(m->opts.virtual_clock);
	m->progress_fd = -1;
	pthread_mutex_init(&m->posting, NULL);
	pthread_mutex_init(&m->running, NULL);
	pthread_mutex_init(&m->lock, NULL);
	*out = m;
	return 0;
}

void spin_messages__free(struct messages *m)
{
	if (!m)
		return;
	section__close(&m->me_memory);
	if (m->wide)
		munmap(m->wide, wide_bytes(&m->opts));
	pthread_mutex_destroy(&m->posting);
	pthread_mutex_destroy(&m->running);
	pthread_mutex_destroy(&m->lock);
	free(m->used);
	free(m);
}

uint32_t spin_messages__ticks(const struct messages *m, unsigned ms)
{
	return (uint32_t)(((uint64_t)ms * m->ticks_s + 999) / 1000);
}

void spin_messages__configure(const struct messages *m, struct spin_config *config)
{
	const struct spin_message_opts *o = &m->opts;

	config->mpqs = o->messages;
	config->parking = o->parking;
	config->idle_ticks = spin_messages__ticks(m, o->idle_ms);
	config->age_ticks = spin_messages__ticks(m, o->age_ms);
	config->age_bytes = SPIN_AGE_BYTES * 1000 / m->ticks_s;
	config->tombstone_ticks = spin_messages__ticks(m, o->tombstone_ms);
	config->window = o->window;
	config->wide_words = wide_words(o);
	config->event_bytes = o->lose_events ? 0 : EVENT_BYTES;
	config->take_put = !!o->put;
	config->virtual_clock = !!o->virtual_clock;
	config->report_runs = !!o->report_runs;
	config->unexpected = o->unexpected;
}

#define ME_SECTION ".data.me"
static const char *const programs[] = { "spin_replay", "spin_begin", "spin_progress" };
#define OPENED "spin_opened" /* only in objects with bounded loops */

int spin_messages__prepare(const struct messages *m, struct bpf_object *bpf)
{
	struct bpf_map *events, *me, *wide;
	struct bpf_program *opened;

	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct bpf_program *prog = bpf_object__find_program_by_name(bpf, programs[i]);

		if (prog)
			bpf_program__set_autoload(prog, m != NULL);
		else if (m)
			return -ENOENT;
	}
	if (!m)
		return 0;
	opened = bpf_object__find_program_by_name(bpf, OPENED);
	if (opened)
		bpf_program__set_autoload(opened, true);
	me = section__map(bpf, ME_SECTION);
	if (!me || bpf_map__set_map_flags(me, bpf_map__map_flags(me) | BPF_F_MMAPABLE))
		return -ENOENT;
	wide = bpf_object__find_map_by_name(bpf, "spin_wide");
	if (!wide || (wide_words(&m->opts) && bpf_map__set_max_entries(wide, m->opts.messages * wide_words(&m->opts))))
		return -ENOENT;
	events = bpf_object__find_map_by_name(bpf, "spin_events");
	if (!events)
		return -ENOENT;
	return bpf_map__set_max_entries(events, EVENT_BYTES) ? -EINVAL : 0;
}

static int find_variables(struct messages *m, const struct bpf_object *bpf, const struct spin_memory *mem)
{
	const struct bpf_program *progress = bpf_object__find_program_by_name(bpf, "spin_progress");

	m->me = section__variable(bpf, ME_SECTION, &m->me_memory, "spin_mes", SPIN_MES_MAX * sizeof(*m->me));
	m->me_end = section__variable(bpf, ME_SECTION, &m->me_memory, "spin_mes_end", sizeof(*m->me_end));
	m->mpq = section__variable(bpf, ".bss", mem, "spin_mpqs", SPIN_MPQS_MAX * sizeof(*m->mpq));
	m->flow = section__variable(bpf, ".bss", mem, "spin_flows", SPIN_FLOWS * sizeof(*m->flow));
	m->park = section__variable(bpf, ".bss", mem, "spin_parks", SPIN_PARKING_MAX * sizeof(*m->park));
	m->stats = section__variable(bpf, ".bss", mem, "spin_message_stats", SPIN_HPUS_MAX * sizeof(*m->stats));
	m->clock = section__variable(bpf, ".bss", mem, "spin_clock", sizeof(*m->clock));
	if (spin_messages__map_unexpected(m, bpf, mem) || !m->me || !m->me_end || !m->mpq || !m->flow || !m->park || !m->stats ||
	    !m->clock || !progress)
		return -EINVAL;
	m->progress_fd = bpf_program__fd(progress);
	return 0;
}

/* Maps wide windows, for readers of messages in flight and for resets. */
static int map_windows(struct messages *m, const struct bpf_object *bpf)
{
	size_t bytes = wide_bytes(&m->opts);
	void *at;

	if (!bytes)
		return 0;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_object__find_map_fd_by_name(bpf, "spin_wide"), 0);
	if (at == MAP_FAILED)
		return spin_fail(-errno, "cannot map the windows of messages: %s", strerror(errno));
	m->wide = at;
	m->wide_words = wide_words(&m->opts);
	return 0;
}

/* Parked packets and packets whose message is not open have their own programs; adds one to its array. */
static int add_program(const struct bpf_object *bpf, const char *map, uint32_t slot, const char *name)
{
	int array = bpf_object__find_map_fd_by_name(bpf, map), fd;
	const struct bpf_program *prog = bpf_object__find_program_by_name(bpf, name);

	if (array < 0 || !prog)
		return -ENOENT;
	fd = bpf_program__fd(prog);
	return bpf_map_update_elem(array, &slot, &fd, BPF_ANY) ? -errno : 0;
}

int spin_messages__open(struct spin_ctx *ctx)
{
	struct messages *m = ctx->messages;
	int err;

	err = section__open(ctx->bpf, ME_SECTION, ctx->name, &m->me_memory);
	if (!err)
		err = map_windows(m, ctx->bpf);
	if (err)
		return err;
	if (find_variables(m, ctx->bpf, &ctx->bss) || add_program(ctx->bpf, "spin_progs", SPIN_REPLAY_SLOT, programs[0]) ||
	    add_program(ctx->bpf, "spin_progs", SPIN_BEGIN_SLOT, programs[1]) ||
	    (bpf_object__find_program_by_name(ctx->bpf, OPENED) && add_program(ctx->bpf, "spin_progs", SPIN_OPENED_SLOT, OPENED)) ||
	    add_program(ctx->bpf, "spin_swept_progs", SPIN_REPLAY_SLOT, ctx->hpus == SPIN_HPUS_SPREAD ? "spin_replay_swept" : programs[0]))
		return spin_fail(-EINVAL, "%s has no message engine of this version; compile it again with spincc", ctx->name);
	err = spin_messages__run_progress(m, ctx->name); /* nothing is due: this only sets the clock */
	return err ? err : spin_messages__first_entry(ctx);
}

struct messages *spin_messages__of(const struct spin_ctx *ctx)
{
	if (!ctx->messages)
		spin_fail(-EOPNOTSUPP,
			  "%s takes datagrams: messages are for handlers that register "
			  ".delivery = SPIN_DELIVER_ME",
			  ctx->name);
	return ctx->messages;
}
