/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Selects the engines (ways to execute a handler: host build, kernel, model of the NIC, program for a card) that spinctl test and replay
 * run: those of --engine, minus those that the handler or the machine does not support.
 */
#include <string.h>
#include <unistd.h>

#include "user/spinctl/engines.h"
#include "user/spinctl/spinctl.h"

int engines__select(struct comparison_engines *engines, const struct option_list *names)
{
	for (int kind = 0; kind < ENGINE_OF_ALL && !names->count; kind++)
		engines->wanted[kind] = 1;
	for (unsigned i = 0; i < names->count; i++)
		engines->wanted[engine_find(names->items[i])] = engines->must = 1;
	if (engines->must && engines__want_kernel(engines) && geteuid())
		return report_error("--engine %s: running handlers in the kernel needs root",
				    engine_name(engines->wanted[ENGINE_BPF]        ? ENGINE_BPF
						: engines->wanted[ENGINE_ISOLATED] ? ENGINE_ISOLATED
										   : ENGINE_NFP));
	return DONE;
}

void engines__add_card(struct comparison_engines *engines, const struct handler *h)
{
	struct spin_object *object;
	size_t bytes;

	if (engines->must || spin_object__open(h->files.object, &object))
		return;
	engines->wanted[ENGINE_NFP] = spin_object__card(object, &bytes) != NULL;
	spin_object__close(object);
}

int engines__drop_host(struct comparison_engines *engines, const struct handler *h)
{
	if (!engines->wanted[ENGINE_HOST] || !h->no_host)
		return DONE;
	if (engines->must)
		return report_error("no host engine for %s: %s", h->files.object, h->no_host);
	engines->cannot[ENGINE_HOST] = strdup(h->no_host);
	return DONE;
}

int engines__drop_untrusted(struct comparison_engines *engines, const struct handler *h, int trust)
{
	static const enum engine_kind kinds[] = { ENGINE_BPF, ENGINE_ISOLATED, ENGINE_NFP };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && h->foreign && !trust; i++) {
		if (!engines->wanted[kinds[i]])
			continue;
		if (engines->must)
			return report_error("--engine %s: %s", engine_name(kinds[i]), handler_not_trusted);
		engines->cannot[kinds[i]] = strdup(handler_not_trusted);
	}
	return DONE;
}

int engines__want_kernel(const struct comparison_engines *engines)
{
	return engines->wanted[ENGINE_BPF] || engines->wanted[ENGINE_ISOLATED] || engines->wanted[ENGINE_NFP];
}

void engines__report_skipped(const struct comparison_engines *engines)
{
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		if (engines->cannot[kind])
			report_error("skipped: %s: %s", engine_name((enum engine_kind)kind), engines->cannot[kind]);
		if (engines->cannot_messages[kind])
			report_error("skipped: %s: %s", engine_name((enum engine_kind)kind), engines->cannot_messages[kind]);
		if (engines->cannot_some[kind])
			report_error("skipped: %s: %s", engine_name((enum engine_kind)kind), engines->cannot_some[kind]);
	}
}
