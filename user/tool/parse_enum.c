/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses option values that are one of a few words: mode, class, capabilities, HPUs (which CPUs or queues run the handlers), verdicts; and
 * match rules. Called by the commands of spinctl. An error lists the valid values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "user/tool/parse_enum.h"
#include "user/libspin/internal.h"
#include <spin/libspin_hpu.h>

enum spin_mode parse_enum__mode(const char *name)
{
	enum spin_mode mode = SPIN_MODE_AUTO;

	while (mode < SPIN_MODE_OFFLOAD && strcmp(name, spin_mode_name(mode)))
		mode++;
	return mode;
}

int parse_enum__falls_back(const char *name)
{
	return strchr(name, ',') != NULL;
}

enum spin_class parse_enum__class(const char *name)
{
	return strcmp(name, spin_class_name(SPIN_CLASS_ISOLATED)) ? SPIN_CLASS_TRUSTED : SPIN_CLASS_ISOLATED;
}

int parse_enum__capabilities(const char *names, uint32_t *out)
{
	*out = 0;
	while (*names) {
		size_t length = strcspn(names, ",");
		uint32_t bit = 1;
		const char *name;

		for (; bit; bit <<= 1) {
			name = spin_capability_name((enum spin_capability)bit);
			if (strlen(name) == length && !strncmp(name, names, length) && strcmp(name, "unknown"))
				break;
		}
		if (!bit)
			return spin_fail(-EINVAL, "--need '%.*s': there is no such capability; `spinctl limits` lists them", (int)length,
					 names);
		*out |= bit;
		names += length + (names[length] == ',');
	}
	return 0;
}

int parse_enum__hpus(const char *text, enum spin_hpus *hpus, uint32_t *count)
{
	size_t length = strcspn(text, "=");
	char *end;
	unsigned long n;

	*count = 0;
	for (*hpus = SPIN_HPUS_CPU; spin_hpus_name(*hpus); ++*hpus) {
		const char *name = spin_hpus_name(*hpus);

		if (strlen(name) == length && !strncmp(text, name, length))
			break;
	}
	if (!spin_hpus_name(*hpus) || (text[length] && *hpus != SPIN_HPUS_SPREAD))
		return spin_fail(-EINVAL, "--hpus %s: write cpu, queue, spread or spread=N", text);
	if (!text[length])
		return 0;
	n = strtoul(text + length + 1, &end, 10);
	if (text[length + 1] < '0' || text[length + 1] > '9' || *end || !n || n > SPIN_HPUS_MAX)
		return spin_fail(-EINVAL, "--hpus %s: the number of CPUs is from 1 to %u", text, SPIN_HPUS_MAX);
	*count = (uint32_t)n;
	return 0;
}

int parse_enum__chain(const char *text, uint32_t *out)
{
	static const char *const actions[] = { "aborted", "drop", "pass", "tx", "redirect" }; /* XDP_ABORTED is 0 */
	const unsigned count = sizeof(actions) / sizeof(actions[0]);

	*out = 0;
	if (!strcmp(text, "none"))
		return 0;
	do {
		const char *word = text + (strncasecmp(text, "XDP_", 4) ? 0 : 4);
		const size_t length = strcspn(word, ",");
		unsigned i = 0;

		while (i < count && (strlen(actions[i]) != length || strncasecmp(word, actions[i], length)))
			i++;
		if (i == count)
			return spin_fail(-EINVAL, "--chain '%.*s': the verdicts are pass, drop, tx, redirect and aborted, or write none",
					 (int)strcspn(text, ","), text);
		*out |= 1u << i;
		text = word + length;
	} while (*text++ == ',');
	return 0;
}

int parse_enum__match(const char *text, const struct spin_object *object, struct spin_rule *out)
{
	if (!text)
		return spin_rule__parse(object__rule(object), out);
	if (!text[strspn(text, " \t\n")])
		return spin_fail(-EINVAL, "--match is empty; write udp for all datagrams");
	return spin_rule__parse(text, out);
}
