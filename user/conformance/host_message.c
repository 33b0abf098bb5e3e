/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the host build's engine for handlers that take messages of many packets: matching entries (host memory posted for messages),
 * time and events. Called by host.c. Unset options have the same defaults as in libspin.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/abi/mpq.h"

#include "user/conformance/guard.h"
#include "user/conformance/host.h"

/* Returns idle_ms of the handlers' registration; 0 if they set none or the host build does not export it. */
static uint32_t registered_idle_ms(const struct host *h)
{
	uint32_t (*idle_ms)(void);

	*(void **)&idle_ms = dlsym(h->lib, "spin_host_idle_ms");
	return idle_ms ? idle_ms() : 0;
}

static void configure(struct host *h, const struct spin_message_opts *o)
{
	const uint32_t registered_ms = registered_idle_ms(h);
	struct spin_config *config = h->config;

	config->mpqs = o->messages ? o->messages : SPIN_MPQS;
	config->parking = o->parking ? o->parking : SPIN_PARKING_MAX;
	config->idle_ticks = o->idle_ms ? o->idle_ms : registered_ms ? registered_ms : SPIN_IDLE_MS;
	config->tombstone_ticks = o->tombstone_ms ? o->tombstone_ms : SPIN_TOMBSTONE_MS;
	config->age_ticks = o->age_ms ? o->age_ms : SPIN_AGE_MS;
	config->age_bytes = SPIN_AGE_BYTES;
	config->window = o->window ? o->window : SPIN_WINDOW;
	config->wide_words = config->window > SPIN_WINDOW ? spin_words_of_window(config->window) : 0;
	config->take_put = !!o->put;
	config->report_runs = !!o->report_runs;
	config->virtual_clock = 1;
	h->no_entry = o->no_entry;
}

static size_t wide_bytes(const struct host *h)
{
	return (size_t)h->config->mpqs * h->config->wide_words * sizeof(*h->wide);
}

/* Allocates the memory for wide windows, if there are any. */
static int open_windows(struct host *h)
{
	uint64_t **wide;
	int err = 0;

	wide = host__symbol(h, "spin_host_wide_words", &err);
	if (err || !wide_bytes(h))
		return err;
	h->wide = calloc(1, wide_bytes(h));
	if (!h->wide)
		return engine_fail(-ENOMEM, "no memory");
	*wide = h->wide;
	return 0;
}

/* Removes all matching entries and posts the first one, unless the context starts without. */
static void reset_entries(struct host *h)
{
	memset(h->mes, 0, SPIN_MES_MAX * sizeof(*h->mes));
	h->serial = 0;
	if (h->no_entry)
		return;
	h->mes[0] = (struct spin_me){ .state = SPIN_ME_OPEN, .ignore_bits = ~0ull, .length = h->config->host_bytes, .serial = h->serial++ };
}

int host_message__open(struct host *h, const struct spin_message_opts *opts)
{
	struct spin_me *(*mes)(void);
	int err = 0;

	*(void **)&mes = host__symbol(h, "spin_host_mes", &err);
	*(void **)&h->stats = host__symbol(h, "spin_host_stats", &err);
	*(void **)&h->progress = host__symbol(h, "spin_host_progress", &err);
	*(void **)&h->set_clock = host__symbol(h, "spin_host_set_clock", &err);
	*(void **)&h->forget = host__symbol(h, "spin_host_reset", &err);
	*(void **)&h->me_held = host__symbol(h, "spin_host_me_held", &err);
	if (err)
		return err;
	h->mes = mes();
	if (h->mes && (opts->messages > SPIN_MPQS_MAX || opts->parking > SPIN_PARKING_MAX))
		return engine_fail(-EINVAL, "more messages or parked packets than a context can have");
	if (h->mes && opts->window && (opts->window < SPIN_WINDOW || opts->window > SPIN_WINDOW_MAX))
		return engine_fail(-EINVAL, "a window has %u to %u packets", SPIN_WINDOW, SPIN_WINDOW_MAX);
	if (h->mes)
		configure(h, opts);
	err = h->mes ? open_windows(h) : 0;
	if (!err)
		err = host_memory__open(h, opts);
	if (!err && h->mes)
		reset_entries(h);
	return err;
}

void host_message__events(const struct host *h, struct engine_events *out)
{
	for (unsigned i = 0; h->mes && i < SPIN_MES_MAX; i++)
		if (h->mes[i].state == SPIN_ME_UNREAD)
			h->mes[i].state = SPIN_ME_FREE; /* the caller reads the events, which frees the entry */
	out->count = *h->event_count;
	for (unsigned i = 0; i < out->count && i < ENGINE_EVENTS_MAX; i++)
		out->event[i] = h->event[i];
}

/* Sets *out. Returns -EOPNOTSUPP if the handlers take datagrams. */
static int require_messages(struct engine *e, struct host **out)
{
	*out = e->impl;
	return (*out)->mes ? 0 : engine_fail(-EOPNOTSUPP, "these handlers take datagrams");
}

static void run_progress(void *arg)
{
	const struct host *h = arg;

	h->progress();
}

int host_message__clock(struct engine *e, uint32_t now_ms, struct engine_events *out)
{
	struct host *h;
	int err = require_messages(e, &h);

	if (err)
		return err;
	*h->event_count = *h->request_count = 0;
	h->set_clock(now_ms);
	err = guard__call(run_progress, h);
	if (!err)
		host_message__events(h, out);
	return err;
}

int host_message__reset(struct engine *e)
{
	struct host *h = e->impl;

	h->forget();
	if (!h->mes)
		return 0;
	memset(h->memory, 0, h->config->host_bytes);
	if (h->wide)
		memset(h->wide, 0, wide_bytes(h));
	reset_entries(h);
	return host_memory__start(h);
}

int host_message__me_append(struct engine *e, const struct spin_me_opts *opts, unsigned *me)
{
	struct host *h;
	int err = require_messages(e, &h);
	unsigned i = 0;

	if (err)
		return err;
	if (opts->start >= h->config->host_bytes || opts->length > h->config->host_bytes - opts->start)
		return engine_fail(-EINVAL, "an entry outside the host memory of %u bytes", h->config->host_bytes);
	if (opts->min_free && (!(opts->options & SPIN_ME_MANAGE_LOCAL) ||
			       opts->min_free > (opts->length ? opts->length : h->config->host_bytes - opts->start)))
		return engine_fail(-EINVAL, "an entry that never has %u bytes free", opts->min_free);
	while (i < SPIN_MES_MAX && (h->mes[i].state != SPIN_ME_FREE || h->me_held(i)))
		i++;
	if (i == SPIN_MES_MAX)
		return engine_fail(-ENOSPC, "there are %u entries", SPIN_MES_MAX);
	err = host_memory__segments(h, i, opts->handler_mem, opts->handler_segments);
	if (err)
		return err;
	h->mes[i] = (struct spin_me){ .state = SPIN_ME_OPEN,
				      .options = opts->options,
				      .match_bits = opts->match_bits,
				      .ignore_bits = opts->ignore_bits,
				      .start = opts->start,
				      .length = opts->length ? opts->length : h->config->host_bytes - opts->start,
				      .serial = h->serial++,
				      .min_free = opts->min_free };
	spin_me_from(&h->mes[i], &opts->source);
	*me = i;
	return 0;
}

int host_message__me_unlink(struct engine *e, unsigned me)
{
	struct host *h;
	int err = require_messages(e, &h);

	if (err)
		return err;
	if (me >= SPIN_MES_MAX || h->mes[me].state == SPIN_ME_FREE)
		return engine_fail(-ENOENT, "there is no entry %u", me);
	if (h->mes[me].state == SPIN_ME_TAKEN)
		return engine_fail(-EBUSY, "a message has entry %u", me);
	h->mes[me].state = SPIN_ME_FREE;
	return 0;
}

int host_message__me_get(struct engine *e, unsigned me, struct spin_me *out)
{
	struct host *h;
	int err = require_messages(e, &h);

	if (err)
		return err;
	if (me >= SPIN_MES_MAX)
		return engine_fail(-ENOENT, "there is no entry %u", me);
	*out = h->mes[me];
	return 0;
}

int host_message__stats(struct engine *e, struct spin_message_stats *out)
{
	struct host *h;
	int err = require_messages(e, &h);

	if (!err)
		*out = h->stats()[0];
	return err;
}
