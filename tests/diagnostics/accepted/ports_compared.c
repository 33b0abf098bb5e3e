/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: comparisons of ports; a wrong byte order is only a warning (accepts.sh) */
#include <spin/spin.h>

struct tally {
	uint32_t n;
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	uint16_t port = spin_src_port(p);

	if (port == spin_hton16(53) || !spin_dst_port(p))
		state->n++;
	if (port == 53) // warning: a port in network byte order is compared with 53 as it stands; write spin_hton16(53)
		state->n++;
	if (67 == spin_dst_port(p)) // warning: a port in network byte order is compared with 67 as it stands; write spin_hton16(67)
		state->n++;
	switch (spin_dst_port(p)) { // warning: a port in network byte order is compared with 123 as it stands; write spin_hton16(123)
	case 0:
		break;
	case 123:
		state->n++;
	}
	port = spin_ntoh16(port);
	if (port == 53)
		state->n++;
	port = spin_src_port(p);
	port = 53;
	if (port == 53)
		state->n++;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(ports_compared, .payload = f);
