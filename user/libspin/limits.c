/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The limits of handlers on an interface (sPIN B.2.1: sizes, counts) and what it guarantees (capabilities). Called by applications, and by
 * ctx.c, which checks each limit where it applies.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/cpus.h"
#include "kernel/features.h"
#include "kernel/probe_iface.h"
#include "user/libspin/interface.h"
#include "user/libspin/ni_limits.h"

#define IP_AND_UDP_BYTES 28u /* IPv4 without options */

/* Returns the longest IP packet that handlers see. */
static uint32_t max_ip_bytes(unsigned mtu)
{
	uint32_t bytes = kernel_feature__has(KERNEL_JUMBO) ? SPIN_IP_BYTES_MAX : NI_LINEAR_BYTES_MAX;

	return mtu && mtu < bytes ? mtu : bytes;
}

int spin_nic__limits(struct spin_nic *nic, struct spin_ni_limits *out)
{
	struct spin_ni_limits limits = {
		.max_user_hdr_size = SPIN_USER_HEADER_MAX,
		.max_handler_mem = SPIN_HANDLER_MEM_MAX,
		.max_initial_state = SPIN_STATE_MAX,
		.min_fragmentation_limit = 1,
		.max_fragmentation_limit = SPIN_FRAGMENTATION_MAX,
		.max_budget = SPIN_BUDGET_MAX,
		.max_messages = SPIN_MPQS_MAX,
		.max_entries = SPIN_MES_MAX,
		.max_iovecs = SPIN_SEGMENTS_MAX,
		.max_puts = SPIN_PUTS_MAX,
		.max_put_size = SPIN_PUT_BYTES_MAX,
		.max_host_mem = SPIN_HOST_BYTES_MAX,
		.max_contexts = SPIN_CONTEXTS_MAX,
		.num_hpus = (uint32_t)kernel_cpus__possible(),
	};
	struct iface iface = { 0 };
	uint32_t ip_bytes;
	int err;

	if (out->bytes < sizeof(out->bytes))
		return spin_fail(-EINVAL, "spin_ni_limits: set bytes to sizeof(struct spin_ni_limits)");
	if (!kernel_feature__has(KERNEL_MESSAGES))
		limits.max_messages = limits.max_entries = 0;
	if (!kernel_feature__has(KERNEL_SENDING))
		limits.max_puts = limits.max_put_size = 0;
	err = nic ? iface__read(nic, &iface) : 0;
	if (err)
		return err;
	ip_bytes = max_ip_bytes(iface.mtu);
	limits.max_payload_size = ip_bytes > IP_AND_UDP_BYTES ? ip_bytes - IP_AND_UDP_BYTES : 0;
	limits.bytes = out->bytes;
	memcpy(out, &limits, out->bytes < sizeof(limits) ? out->bytes : sizeof(limits));
	return 0;
}

/* What an interface guarantees to contexts (PsPIN 3.4); libspin_hpu.h says what each means, and why. */

static const struct {
	enum spin_capability capability;
	const char *name;
	uint8_t has[SPIN_DELIVER_SEGMENTS + 1]; /* by delivery: datagrams, messages, segments; 1: contexts have it on any interface */
} rows[] = {
	{ SPIN_CAP_MESSAGE_MATCHING, "message_matching", { 1, 1, 1 } },
	{ SPIN_CAP_HEADER_FIRST, "header_first", { 1, 1, 1 } },
	{ SPIN_CAP_NO_DUPLICATES, "no_duplicates", { 0, 1, 0 } },
	{ SPIN_CAP_RELIABLE, "reliable", { 0, 1, 0 } },
	{ SPIN_CAP_IN_ORDER, "in_order", { 0, 0, 0 } },
	{ SPIN_CAP_BUDGET, "budget", { 1, 1, 1 } },
	{ SPIN_CAP_ISOLATION, "isolation", { 1, 1, 1 } },
	{ SPIN_CAP_FORWARD, "forward", { 0, 0, 0 } },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const delivery_names[] = { "datagrams", "messages", "TCP segments" };

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

	if (delivery > SPIN_DELIVER_SEGMENTS || (delivery == SPIN_DELIVER_ME && !kernel_feature__has(KERNEL_MESSAGES)))
		return 0;
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].has[delivery])
			all |= rows[i].capability;
	/* handlers of segments send nothing; if iface__read() fails, the interface is gone and forwards nothing */
	if (nic && delivery != SPIN_DELIVER_SEGMENTS && !iface__read(nic, &iface) && iface.redirects)
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
			 delivery_names[delivery], nic ? nic->name : "no interface", names);
}

int iface__read(const struct spin_nic *nic, struct iface *out)
{
	struct probe_iface found = { 0 };
	struct probe_net net;
	int err;

	memset(out, 0, sizeof(*out));
	if (!nic->ifindex)
		return 0;
	err = kernel_net__open(&net);
	if (!err)
		err = kernel_iface__read_index(&net, nic->ifindex, &found);
	kernel_net__close(&net);
	if (err == -ENODEV)
		return spin_fail(err, "interface %s has gone away", nic->name);
	if (err)
		return spin_fail(err, "cannot ask the kernel about %s: %s", nic->name, strerror(-err));
	out->mtu = found.mtu;
	if (!found.xdp_known)
		out->redirects = kernel_iface__driver_has_xdp(found.driver);
	else if (!strcmp(found.kind, "veth")) /* veth reports ndo_xmit only while a program is attached, so that bit is ignored */
		out->redirects = !!(found.xdp_features & XDP_CAN_REDIRECT);
	else
		out->redirects = !(~found.xdp_features & (XDP_CAN_REDIRECT | XDP_CAN_NDO_XMIT));
	return 0;
}
