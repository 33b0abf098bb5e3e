/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the context (attached packet handlers) of the daemon spind that a command names, by number or name. Called by spinctl stop, swap,
 * rule, state and table. A name that several contexts have is an error.
 */
#include <string.h>

#include "user/lib/number.h"
#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"

struct search {
	const char *name;
	uint32_t id;
	unsigned found;
};

static int match_name(void *arg, const struct spin_socket_info *info)
{
	struct search *search = arg;

	if (!strcmp(info->name, search->name)) {
		search->id = info->id;
		search->found++;
	}
	return 0;
}

int find__id(const char *broker, const char *text, uint32_t *id)
{
	struct search search = { .name = text };
	uint64_t number;

	if (!number__read(text, UINT32_MAX, &number)) {
		*id = (uint32_t)number;
		return DONE;
	}
	if (spin_socket__list(broker, match_name, &search))
		return report_error("%s", spin_strerror_last());
	if (!search.found)
		return report_error("spind holds no context %s: `spinctl list` shows those that it holds", text);
	if (search.found > 1)
		return report_error("%u contexts are called %s: give the number of one, as `spinctl list` shows it", search.found, text);
	*id = search.id;
	return DONE;
}

int find__open(const char *broker, const char *text, struct spin_object **obj, struct spin_ctx **ctx)
{
	uint32_t id;
	int status = find__id(broker, text, &id);

	if (!status && spin_socket__open(id, broker, obj, ctx))
		status = report_error("%s", spin_strerror_last());
	return status;
}
