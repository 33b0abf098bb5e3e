/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads spind's configuration (settings.h). Called by main.c and host.c. A line that is not understood is an error: a misspelled limit
 * would not be enforced.
 */
#include <errno.h>
#include <fnmatch.h>
#include <grp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "user/lib/number.h"
#include "user/spind/journal.h"
#include "user/spind/settings.h"

static const struct number_row {
	const char *word;
	size_t offset;
	unsigned max;
} numbers[] = {
	{ "contexts", offsetof(struct settings, contexts), 4096 },
	{ "all-contexts", offsetof(struct settings, all_contexts), 4096 },
	{ "connections", offsetof(struct settings, connections), 4096 },
	{ "memory", offsetof(struct settings, memory_mib), 1024 },
	{ "instructions", offsetof(struct settings, instructions), 1000000 },
	{ "hpu-time", offsetof(struct settings, hpu_percent), 100 },
	{ "events", offsetof(struct settings, events), 10000000 },
};

/* Returns NULL, or what is wrong. */
static const char *set_number(struct settings *settings, const struct number_row *row, const char *value)
{
	uint64_t number;

	if (number__read(value, row->max, &number))
		return "is not a number that it can be";
	*(unsigned *)((char *)settings + row->offset) = (unsigned)number;
	return NULL;
}

static const char *set_trusted_group(struct settings *settings, const char *value)
{
	const struct group *group = getgrnam(value);

	if (!group)
		return "is not a group of this machine";
	settings->trusted_group = group->gr_gid;
	return NULL;
}

static const char *add_interfaces(struct settings *settings, char *value)
{
	char *rest;

	for (char *name = strtok_r(value, " \t", &rest); name; name = strtok_r(NULL, " \t", &rest)) {
		if (settings->interfaces == SETTINGS_INTERFACES_MAX)
			return "are more interfaces than 32";
		if (strlen(name) >= sizeof(settings->interface[0]))
			return "has a name that no interface has";
		strcpy(settings->interface[settings->interfaces++], name);
	}
	return NULL;
}

static const char *add_context(struct settings *settings, const char *value)
{
	struct settings_context *context = &settings->context[settings->named];
	int rule = 0;

	if (settings->named == SETTINGS_CONTEXTS_MAX)
		return "is one context more than 64";
	memset(context, 0, sizeof(*context));
	if (sscanf(value, "%15s %255s %15s %n", context->name, context->file, context->interface, &rule) != 3 || !rule || !value[rule])
		return "is not NAME FILE IF RULE";
	if (strlen(value + rule) >= sizeof(context->rule))
		return "has a rule that is too long";
	strcpy(context->rule, value + rule);
	settings->named++;
	return NULL;
}

static const char *apply_setting(struct settings *settings, const char *word, char *value)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(word, numbers[i].word))
			return set_number(settings, &numbers[i], value);
	if (!strcmp(word, "trusted-group"))
		return set_trusted_group(settings, value);
	if (!strcmp(word, "context"))
		return add_context(settings, value);
	if (!strcmp(word, "interfaces"))
		return add_interfaces(settings, value);
	if (!strcmp(word, "namespaces") && (!strcmp(value, "yes") || !strcmp(value, "no"))) {
		settings->namespaces = value[0] == 'y';
		return NULL;
	}
	return "is not a setting; spind(8) lists them";
}

/* Applies one line of spind.conf. Returns 0, or -1 after a message that names file and line. */
static int read_line(struct settings *settings, char *line, const char *path, unsigned number)
{
	char word[32], value[640], copy[640];
	const char *problem;

	line[strcspn(line, "#\n")] = '\0';
	switch (sscanf(line, "%31s %639[^\n]", word, value)) {
	case EOF:
		return 0;
	case 1:
		problem = "has no value";
		value[0] = '\0';
		break;
	default:
		for (size_t end = strlen(value); end && strchr(" \t\r", value[end - 1]); end--)
			value[end - 1] = '\0';
		strcpy(copy, value);
		problem = apply_setting(settings, word, copy);
	}
	if (!problem)
		return 0;
	journal__say(JOURNAL_ERROR, "%s:%u: \"%s%s%s\" %s", path, number, word, value[0] ? " " : "", value, problem);
	return -1;
}

int settings__read(struct settings *settings, const char *path)
{
	FILE *file = fopen(path ? path : SETTINGS_PATH, "re");
	unsigned number = 0;
	char line[700];
	int status = 0;

	*settings = (struct settings){ .contexts = 16,
				       .all_contexts = 256,
				       .connections = 64,
				       .memory_mib = 16,
				       .instructions = 100000,
				       .hpu_percent = 80,
				       .namespaces = 1,
				       .trusted_group = (gid_t)-1 };
	if (!file) {
		if (!path && errno == ENOENT)
			return 0;
		journal__say(JOURNAL_ERROR, "cannot read %s: %s", path ? path : SETTINGS_PATH, strerror(errno));
		return -1;
	}
	while (!status && fgets(line, sizeof(line), file))
		status = read_line(settings, line, path ? path : SETTINGS_PATH, ++number);
	fclose(file);
	return status;
}

int settings__allow(const struct settings *settings, const char *interface)
{
	for (unsigned i = 0; i < settings->interfaces; i++)
		if (!fnmatch(settings->interface[i], interface, 0))
			return 1;
	return !settings->interfaces;
}
