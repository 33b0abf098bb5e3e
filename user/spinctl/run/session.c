/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens, fills (--set, --insert), attaches and closes the handlers (contexts) and interfaces of one command line. Called by spinctl run and
 * recv. On failure it has printed a message; session__close() undoes what was done.
 */
#include <string.h>

#include "user/tool/parse_enum.h"
#include "kernel/probe.h"
#include "user/spinctl/run/options.h"
#include "user/tool/fill.h"

static int usage(const char *what)
{
	fprintf(stderr, "spinctl run: %s; see spinctl run --help\n", what);
	return USAGE;
}

static int open_devices(struct session *set, const struct session_options *options)
{
	const struct option_list *names = options->devices;

	if (names->count > RUN_DEVICES_MAX)
		return report_error("%u interfaces are more than the %d that a context can be on", names->count, RUN_DEVICES_MAX);
	for (unsigned i = 0; i < names->count; i++) {
		struct run_device *device = &set->device[i];

		for (unsigned other = 0; other < i; other++)
			if (!strcmp(names->items[i], names->items[other]))
				return report_error("--dev %s is given twice", names->items[i]);
		if (spin_nic__open(names->items[i], &device->nic))
			return report_error("%s", spin_strerror_last());
		set->devices++;
		spin_nic__set_mode(device->nic, options->mode); /* nothing is attached yet */
		if (spin_nic__set_share(device->nic, options->share))
			return report_error("%s", spin_strerror_last());
	}
	return DONE;
}

/* Returns 1 if an interface is hardware: then partial checksums of local senders are not accepted. */
static int has_hardware(const struct session *set)
{
	for (unsigned i = 0; i < set->devices; i++)
		if (!kernel_probe__virtual(spin_nic__name(set->device[i].nic)))
			return 1;
	return 0;
}

static const struct run_context *find(const struct session *set, const char *name, size_t length)
{
	for (unsigned i = 0; i < set->contexts; i++)
		if (strlen(set->context[i].name) == length && !strncmp(set->context[i].name, name, length))
			return &set->context[i];
	return NULL;
}

/* Returns 1 if the name can be put before a field or table with a slash: --set NAME/PATH=VALUE. */
static int is_name(const char *text)
{
	return text[0] && !text[strcspn(text, "/.=[: \t\n")];
}

static void unique_name(const struct session *set, const char *handler, char name[16])
{
	snprintf(name, 16, "%s", handler);
	for (unsigned n = 2; find(set, name, strlen(name)); n++)
		snprintf(name, 16, "%.*s-%u", n < 10 ? 13 : 12, handler, n);
}

int session__takes_messages(const struct run_context *c)
{
	return spin_object__meta(c->object)->registration.delivery == SPIN_DELIVER_ME;
}

int session__falls_back(const struct session *set, const struct session_options *options)
{
	return options->falls_back && options->mode == SPIN_MODE_OFFLOAD && !set->has_fallen_back;
}

/*
 * Creates a context. With --mode offload,native it reports a card's refusal and creates the context for native mode instead, if it is
 * the only one: then none is on a card yet.
 */
static int create(struct session *set, const struct spin_object *object, const struct spin_rule *rule, const struct spin_ctx_opts *opts,
		  const struct session_options *options, struct spin_ctx **out)
{
	int err = spin_ctx__create_opts(set->device[0].nic, object, rule, opts, out);

	if (!err || !session__falls_back(set, options) || set->contexts || options->file_count > 1)
		return err;
	fprintf(stderr, "spinctl run: not on the card, native mode instead: %s\n", spin_strerror_last());
	for (unsigned i = 0; i < set->devices; i++)
		spin_nic__set_mode(set->device[i].nic, SPIN_MODE_NATIVE);
	set->has_fallen_back = 1;
	return spin_ctx__create_opts(set->device[0].nic, object, rule, opts, out);
}

static int open_context(struct session *set, const char *file, const char *match, const char *name, const struct session_options *options)
{
	struct run_context *c = &set->context[set->contexts];
	struct spin_ctx_opts opts = {
		.bytes = sizeof(opts), .class = options->class, .strict_checksums = has_hardware(set), .capabilities = options->capabilities
	};
	struct run_memory memory;
	struct spin_rule rule;

	if (spin_object__open(file, &c->object))
		return report_error("%s", spin_strerror_last());
	if (parse_enum__match(match, c->object, &rule)) {
		spin_object__close(c->object);
		return report_error("%s", spin_strerror_last());
	}
	if (name && (strlen(name) >= sizeof(c->name) || !is_name(name))) {
		spin_object__close(c->object);
		return report_error("--name '%s': a name has 1 to 15 characters, none of them / . = [ : or a space", name);
	}
	if (name)
		snprintf(c->name, sizeof(c->name), "%s", name);
	else
		unique_name(set, spin_object__meta(c->object)->name, c->name);
	opts.name = c->name;
	opts.hpus = options->hpus;
	opts.hpu_count = options->hpu_count;
	opts.uncounted = options->uncounted;
	if (run_message__convert(options->message, session__takes_messages(c), &memory, &opts.message)) {
		spin_object__close(c->object);
		return FAILED;
	}
	if (find(set, c->name, strlen(c->name)) || create(set, c->object, &rule, &opts, options, &c->ctx)) {
		int taken = !!find(set, c->name, strlen(c->name));

		spin_object__close(c->object);
		return taken ? report_error("--name %s is given twice", c->name) : report_error("%s", spin_strerror_last());
	}
	spin_rule__format(&rule, c->rule, sizeof(c->rule));
	set->contexts++;
	return session__takes_messages(c) ? run_message__post(options->message, c->ctx) : DONE;
}

/* Refuses options of messages if no context takes messages. */
static int check_messages(const struct session *set, const struct message_options *o)
{
	for (unsigned i = 0; i < set->contexts; i++)
		if (session__takes_messages(&set->context[i]))
			return DONE;
	return run_message__has_options(o) ? report_error("%s takes datagrams: leave options of messages out, or give handlers that "
							  "register .delivery = SPIN_DELIVER_ME",
							  set->context[0].name)
					   : DONE;
}

int session__open(struct session *set, const struct session_options *options)
{
	int status;

	if (options->file_count > 1 && options->matches->count != options->file_count)
		return usage("with several files, give one --match for each, in the same order");
	if (options->matches->count > options->file_count || options->names->count > options->file_count)
		return usage("more --match or --name than files");
	status = open_devices(set, options);
	for (unsigned i = 0; i < options->file_count && !status; i++)
		status = open_context(set, options->files[i], i < options->matches->count ? options->matches->items[i] : NULL,
				      i < options->names->count ? options->names->items[i] : NULL, options);
	return status ? status : check_messages(set, options->message);
}

/* Returns the context that "NAME/rest" addresses, and advances *text to the rest. Without a slash: the only context. */
static struct spin_ctx *find_addressed(struct session *set, const char **text)
{
	size_t length = strcspn(*text, "/.=[: ");
	const struct run_context *c;

	if ((*text)[length] != '/') {
		if (set->contexts == 1)
			return set->context[0].ctx;
		report_error("'%s': several contexts run, so write NAME/%s", *text, *text);
		return NULL;
	}
	c = find(set, *text, length);
	if (!c)
		report_error("'%s': no context is called %.*s", *text, (int)length, *text);
	*text += length + 1;
	return c ? c->ctx : NULL;
}

static int set_field(void *arg, const char *assignment)
{
	struct spin_ctx *ctx = find_addressed(arg, &assignment);

	return ctx ? spin_ctx__set(ctx, assignment) : FILL_REPORTED;
}

static int insert(void *arg, const char *table, const char *fields)
{
	struct spin_ctx *ctx = find_addressed(arg, &table);

	return ctx ? spin_ctx__table_insert(ctx, table, fields) : FILL_REPORTED;
}

int session__fill(struct session *set, const struct fill_options *fill)
{
	const struct fill_target target = { .arg = set, .set = set_field, .insert = insert };

	return fill__apply(fill, &target);
}

int session__attach(struct session *set)
{
	for (unsigned i = 0; i < set->contexts; i++)
		for (unsigned d = 0; d < set->devices; d++)
			if (d ? spin_ctx__attach_also(set->context[i].ctx, set->device[d].nic) : spin_ctx__attach(set->context[i].ctx))
				return report_error("%s", spin_strerror_last());
	return DONE;
}

static void update_counts(struct run_counts *c, const uint64_t *packets)
{
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++) {
		c->in_interval[r] = packets[r] - c->packets[r];
		c->packets[r] = packets[r];
	}
}

void session__count(struct session *set)
{
	uint64_t packets[SPIN_REASON_COUNT];

	for (unsigned i = 0; i < set->contexts; i++) {
		spin_ctx__counters(set->context[i].ctx, packets);
		update_counts(&set->context[i].counts, packets);
	}
	for (unsigned d = 0; d < set->devices; d++) {
		spin_nic__counters(set->device[d].nic, packets);
		update_counts(&set->device[d].counts, packets);
	}
}

int session__alive(struct session *set)
{
	/* all contexts are on the same interfaces */
	return spin_ctx__alive(set->context[0].ctx) < 0 ? report_error("%s", spin_strerror_last()) : DONE;
}

void session__detach(struct session *set)
{
	for (unsigned i = 0; i < set->contexts; i++)
		spin_ctx__detach(set->context[i].ctx);
}

void session__close(struct session *set)
{
	for (unsigned i = 0; i < set->contexts; i++) {
		spin_ctx__destroy(set->context[i].ctx);
		spin_object__close(set->context[i].object);
	}
	for (unsigned d = 0; d < set->devices; d++)
		spin_nic__close(set->device[d].nic);
	memset(set, 0, sizeof(*set));
}
