/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ports - handlers of a user's project, built by tests/install/out_of_tree.sh: drop datagrams from source ports below 1024 (limits.h), and
 * count and pass the others
 */
#include <spin/spin.h>

#include "limits.h"

struct ports {
	uint32_t lowest, taken;
};

SPIN_STATE(struct ports, .lowest = PORTS_LOWEST);

static enum spin_payload_rc ports_payload(struct spin_payload *p, struct ports *state)
{
	if (spin_ntoh16(spin_src_port(p)) < state->lowest)
		return SPIN_DROP;
	spin_add32(&state->taken, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(ports, .payload = ports_payload);
