/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One way to execute handlers under test ("engine"): their program for a Netronome card runs in the kernel, loaded as an ordinary XDP
 * program, not offloaded, by PROG_TEST_RUN. Called through engine.c. The card stores tables as hash maps; this file converts them to the
 * arrays of the other engines, with each entry at the index where it was written, so that memory can be compared. Errors of handlers are
 * counted but cause no events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "user/conformance/types.h"
#include "user/libspin/card/card.h"

struct nfp_symbol {
	struct layout_variable var;
	uint32_t entries, entry_bytes;
	int is_hash;
	uint8_t *image; /* as last written to or read from the card */
};

struct nfp {
	struct spin_object *object;
	struct card *card;
	int prog_fd;
	unsigned count;
	struct nfp_symbol symbol[ENGINE_SYMBOLS_MAX];
	uint64_t seen[SPIN_REASON_COUNT];
};

static int as_engine_error(int err)
{
	return err ? engine_fail(err, "%s", spin_strerror_last()) : 0;
}

static int open_symbol(struct nfp *n, struct nfp_symbol *s)
{
	struct layout_table table = { .entries = 1, .entry_bytes = (uint32_t)s->var.bytes };
	int err = strcmp(s->var.name, "spin_state") ? layout__table(n->card->btf, &s->var, &table) : 0;

	if (err)
		return as_engine_error(err);
	s->entries = table.entries;
	s->entry_bytes = table.entry_bytes;
	s->is_hash = card__is_hash(n->card, s->var.name);
	s->image = calloc(1, s->var.bytes);
	return s->image ? 0 : engine_fail(-ENOMEM, "no memory");
}

static int is_on_card(const struct nfp *n, const char *name)
{
	struct layout_variable unused;

	return card__map(n->card, name, &unused) != NULL;
}

/* Allocates the images. spin_state starts with its initial value; with SPIN_NO_STATE it is not on the card and stays 0. */
static int open_symbols(struct nfp *n)
{
	struct layout_variable var;
	int err = 0;

	for (unsigned i = 0; !err && n->count < ENGINE_SYMBOLS_MAX && !layout__nth(n->card->btf, i, &var); i++) {
		struct nfp_symbol *s = &n->symbol[n->count++];

		s->var = var;
		err = open_symbol(n, s);
		if (!err && !strcmp(var.name, "spin_state") && is_on_card(n, var.name))
			err = as_engine_error(card__read_entry(n->card, var.name, 0, s->image));
	}
	return err;
}

static int nfp_open(struct engine *e, const struct engine_handler *handler, const struct engine_context *context)
{
	const struct card_options options = { .name = handler->name, .accept_partial = 1 };
	struct nfp *n = calloc(1, sizeof(*n));
	struct spin_rule rule = context->rule;
	int err;

	if (!n)
		return engine_fail(-ENOMEM, "no memory");
	e->impl = n;
	err = as_engine_error(spin_object__open(handler->object, &n->object));
	if (!err && !n->object->card)
		return engine_fail(-ENODATA, "%s has no program for a card (spincc --target nfp)", handler->name);
	if (!err && geteuid())
		return engine_fail(-EPERM, "running handlers in the kernel needs root");
	if (!err)
		err = as_engine_error(rule__complete(&rule));
	if (!err && card__takes_rule(&rule)) /* the card does not support this rule: not an error of the program */
		return engine_fail(-ENODATA, "%s", spin_strerror_last());
	if (!err && card__open(n->object, &rule, &options, &n->card))
		err = engine_fail(-EINVAL, "%s", spin_strerror_last());
	if (err)
		return err;
	n->prog_fd = card__program_fd(n->card);
	return open_symbols(n);
}

static void nfp_close(struct engine *e)
{
	struct nfp *n = e->impl;

	if (!n)
		return;
	for (unsigned i = 0; i < n->count; i++)
		free(n->symbol[i].image);
	card__close(n->card);
	spin_object__close(n->object);
	free(n);
}

static struct nfp_symbol *find_symbol(struct nfp *n, const char *name, size_t offset, size_t bytes)
{
	for (unsigned i = 0; i < n->count; i++) {
		struct nfp_symbol *s = &n->symbol[i];

		if (strcmp(s->var.name, name))
			continue;
		if (offset <= s->var.bytes && bytes <= s->var.bytes - offset)
			return s;
		engine_fail(-ERANGE, "%s has %zu bytes", name, s->var.bytes);
		return NULL;
	}
	engine_fail(-ENOENT, "the program for a card has no %s", name);
	return NULL;
}

static uint32_t entry_key(const struct nfp_symbol *s, uint32_t entry)
{
	uint32_t key = entry;

	if (s->is_hash)
		memcpy(&key, s->image + (size_t)entry * s->entry_bytes, sizeof(key));
	return key;
}

/* Returns 1 if all bytes are 0. A zero array entry is written only if it was not 0 before. */
static int is_zero(const uint8_t *at, size_t bytes)
{
	while (bytes && !*at)
		at++, bytes--;
	return !bytes;
}

/* Writes bytes of a table, and brings its entries on the card up to date. */
static int nfp_write(struct engine *e, const char *name, size_t offset, const void *from, size_t bytes)
{
	struct nfp *n = e->impl;
	struct nfp_symbol *s = find_symbol(n, name, offset, bytes);
	int err = s ? 0 : -ENOENT, on_card = s && is_on_card(n, name);

	if (!err && s->is_hash)
		err = as_engine_error(card__clear(n->card, name));
	for (uint32_t i = 0; i < (s ? s->entries : 0) && !err; i++) {
		uint8_t *entry = s->image + (size_t)i * s->entry_bytes;
		const size_t at = (size_t)i * s->entry_bytes;
		int was_zero = is_zero(entry, s->entry_bytes);

		for (size_t b = at > offset ? at : offset; b < at + s->entry_bytes && b < offset + bytes; b++)
			s->image[b] = ((const uint8_t *)from)[b - offset];
		if (!on_card || (is_zero(entry, s->entry_bytes) && (s->is_hash || was_zero)))
			continue;
		if (!s->is_hash || entry_key(s, i))
			err = as_engine_error(card__write_entry(n->card, name, entry_key(s, i), entry));
	}
	return err;
}

static int nfp_read(struct engine *e, const char *name, size_t offset, void *to, size_t bytes)
{
	struct nfp *n = e->impl;
	struct nfp_symbol *s = find_symbol(n, name, offset, bytes);
	int err = s ? 0 : -ENOENT, on_card = s && is_on_card(n, name);

	for (uint32_t i = 0; i < (on_card ? s->entries : 0) && !err; i++) {
		uint8_t *entry = s->image + (size_t)i * s->entry_bytes;

		if (s->is_hash ? entry_key(s, i) != 0 : s->entries <= 1024 || !is_zero(entry, s->entry_bytes))
			err = as_engine_error(card__read_entry(n->card, name, entry_key(s, i), entry));
	}
	if (!err)
		memcpy(to, s->image + offset, bytes);
	return err;
}

/* Finds the packet's reason: the one counter that it incremented. */
static int find_reason(struct nfp *n, enum spin_reason *out)
{
	uint64_t packets[SPIN_REASON_COUNT];
	unsigned incremented = 0;
	int err = as_engine_error(card__counters(n->card, packets));

	for (unsigned i = 0; i < SPIN_REASON_COUNT && !err; i++) {
		if (packets[i] == n->seen[i])
			continue;
		incremented += packets[i] - n->seen[i] == 1 ? 1 : 2;
		n->seen[i] = packets[i];
		*out = (enum spin_reason)i;
	}
	return err || incremented == 1 ? err : engine_fail(-EPROTO, "a packet moved %u counters, not one", incremented);
}

static int nfp_packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct nfp *n = e->impl;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = bytes, .data_out = out->frame,
		    .data_size_out = sizeof(out->frame), .repeat = 1);
	int err = bpf_prog_test_run_opts(n->prog_fd, &opts);

	out->events.count = 0;
	out->event = out->event_handler = 0;
	if (err)
		return engine_fail(err, "the kernel does not run this frame (%u bytes): too short or too long", bytes);
	if (opts.retval != XDP_PASS && opts.retval != XDP_DROP && opts.retval != XDP_TX)
		return engine_fail(-EPROTO, "the program returned action %u, which is none of ours", opts.retval);
	out->verdict = opts.retval == XDP_PASS ? SPIN_VERDICT_PASS : opts.retval == XDP_DROP ? SPIN_VERDICT_DROP : SPIN_VERDICT_TX;
	out->frame_bytes = out->verdict == SPIN_VERDICT_DROP ? 0 : opts.data_size_out;
	return find_reason(n, &out->reason);
}

static uint64_t nfp_count(struct engine *e, enum spin_reason reason)
{
	const struct nfp *n = e->impl;
	uint64_t packets[SPIN_REASON_COUNT];

	return card__counters(n->card, packets) ? 0 : packets[reason];
}

/* No effect: programs for a card cannot read the time. */
static int nfp_set_time(struct engine *e, uint64_t now_ns)
{
	(void)e;
	(void)now_ns;
	return 0;
}

static int nfp_set_draw(struct engine *e, uint32_t draw)
{
	(void)e;
	return draw ? engine_fail(-EOPNOTSUPP, "a card's random numbers begin at no seed") : 0;
}

static int nfp_sends(struct engine *e, struct engine_sends *out)
{
	(void)e;
	out->count = 0;
	return 0;
}

const struct engine_ops engine_nfp = {
	.name = "nfp",
	.open = nfp_open,
	.close = nfp_close,
	.packet = nfp_packet,
	.read = nfp_read,
	.write = nfp_write,
	.count = nfp_count,
	.set_time = nfp_set_time,
	.set_draw = nfp_set_draw,
	.sends = nfp_sends,
};
