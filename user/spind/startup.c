/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Adds the contexts (attached packet handlers) that spind's configuration names (startup.h). Called by a thread of the front process, which
 * accepts the clients: it connects to that process as a client would. An interface or an object may appear later, so the thread calls again
 * until none is missing. A context that an earlier spind has added still exists, and is not added again.
 */
#include <stdio.h>
#include <string.h>

#include <spin/libspin_socket.h>

#include "user/spind/journal.h"
#include "user/spind/startup.h"

/* Returns 1 if root has a context of this name. */
static int is_root_context(void *arg, const struct spin_socket_info *info)
{
	return !info->uid && !strcmp(info->name, arg);
}

static int add_context(struct settings_context *context, const char *path)
{
	const struct spin_socket_opts opts = { .bytes = sizeof(opts), .name = context->name, .broker = path, .trusted = 1 };
	struct spin_object *obj;
	uint32_t id;
	int err = spin_socket__list(path, is_root_context, context->name);

	if (err)
		return err > 0 ? 0 : err;
	err = spin_object__open(context->file, &obj);
	if (err)
		return err;
	err = spin_socket__add(obj, context->interface, context->rule, &opts, &id);
	spin_object__close(obj);
	return err;
}

unsigned startup__add(struct settings *settings, const char *path)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < settings->named; i++) {
		struct settings_context *context = &settings->context[i];

		if (!context->added)
			context->added = !add_context(context, path);
		if (!context->added && !context->reported++)
			journal__say(JOURNAL_WARNING, "context %s of the configuration is not added yet: %s", context->name,
				     spin_strerror_last());
		missing += !context->added;
	}
	return missing;
}
