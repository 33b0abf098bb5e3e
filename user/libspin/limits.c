/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How much an interface takes (sPIN B.2.1); each figure is checked where it is asked for. */
#include <errno.h>
#include <string.h>

#include "user/libspin/iface.h"
#include "kernel/cpus.h"
#include "kernel/features.h"
#include "user/libspin/ni_limits.h"

#define IP_AND_UDP_BYTES 28u   /* IPv4 without options */
#define ONE_PIECE_BYTES  3500u /* of IP: what lies in one piece for sure, where frames of several are not copied */

/* The longest IP packet that handlers see. */
static uint32_t longest(unsigned mtu)
{
	uint32_t bytes = kernel_feature__has(KERNEL_JUMBO) ? SPIN_IP_BYTES_MAX : ONE_PIECE_BYTES;

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
	ip_bytes = longest(iface.mtu);
	limits.max_payload_size = ip_bytes > IP_AND_UDP_BYTES ? ip_bytes - IP_AND_UDP_BYTES : 0;
	limits.bytes = out->bytes;
	memcpy(out, &limits, out->bytes < sizeof(limits) ? out->bytes : sizeof(limits));
	return 0;
}
