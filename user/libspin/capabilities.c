/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What an interface guarantees to contexts (PsPIN 3.4); libspin_hpu.h says what each means, and why. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/libspin/iface.h"
#include "kernel/features.h"
#include "user/libspin/ni_limits.h"

static const struct {
	enum spin_capability capability;
	const char *name;
	int datagrams, messages; /* 1: the delivery has it on any interface */
} rows[] = {
	{ SPIN_CAP_MESSAGE_MATCHING, "message_matching", 1, 1 },
	{ SPIN_CAP_HEADER_FIRST, "header_first", 1, 1 },
	{ SPIN_CAP_NO_DUPLICATES, "no_duplicates", 0, 1 },
	{ SPIN_CAP_RELIABLE, "reliable", 0, 1 },
	{ SPIN_CAP_IN_ORDER, "in_order", 0, 0 },
	{ SPIN_CAP_BUDGET, "budget", 1, 1 },
	{ SPIN_CAP_ISOLATION, "isolation", 1, 1 },
	{ SPIN_CAP_FORWARD, "forward", 0, 0 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

const char *spin_capability_name(enum spin_capability capability)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].capability == capability)
			return rows[i].name;
	return "unknown";
}

uint32_t spin_nic__capabilities(struct spin_nic *nic, enum spin_delivery delivery)
{
	struct iface iface = { 0 };
	uint32_t all = 0;

	if (delivery == SPIN_DELIVER_ME && !kernel_feature__has(KERNEL_MESSAGES))
		return 0;
	for (unsigned i = 0; i < ROWS; i++)
		if (delivery == SPIN_DELIVER_ME ? rows[i].messages : rows[i].datagrams)
			all |= rows[i].capability;
	/* an interface that went away forwards nothing */
	if (nic && !iface__read(nic, &iface) && iface.redirects)
		all |= SPIN_CAP_FORWARD;
	return all;
}

int capabilities__check(struct spin_nic *nic, enum spin_delivery delivery, uint32_t wanted)
{
	uint32_t missing = wanted ? wanted & ~spin_nic__capabilities(nic, delivery) : 0;
	char names[256] = "";

	if (!missing)
		return 0;
	for (uint32_t bit = 1; bit; bit <<= 1) {
		size_t used = strlen(names);

		if (missing & bit)
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", spin_capability_name(bit));
	}
	return spin_fail(-ENOTSUP, "contexts of %s on %s do not have %s: ask spin_nic__capabilities(), and do without",
			 delivery == SPIN_DELIVER_ME ? "messages" : "datagrams", nic ? nic->name : "no interface", names);
}
