/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * filter_counts - packet steering by source address, with a counter for each address
 *
 * filtering.c with a packet counter in each entry, which PsPIN's version (4.3) does not have: the
 * application sees which sources exist, and how much they send. On a CPU the counter takes
 * a nanosecond or two. On PsPIN it is an AMO in L2 for each packet, and these limit the throughput.
 */
#include <spin/spin.h>

/* Addresses and ports in network byte order. */
struct route {
	SPIN_KEY(spin_be32, src);
	SPIN_READ_ONLY(spin_be16, port);
	SPIN_READ_ONLY(uint16_t, unused);
	SPIN_COUNTER(packets);
};

SPIN_TABLE(routes, struct route, 65536);
SPIN_NO_STATE;

static enum spin_payload_rc filter_counts_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct route *route = SPIN_FIND(routes, spin_src_addr4(p));

	if (route) {
		spin_set_dst_port(p, route->port);
		spin_count(&route->packets, 1);
	}
	return SPIN_SUCCESS;
}

/* The handler reads only headers: the payload stays in L2, and the host verifies the checksum. */
SPIN_HANDLERS(filter_counts,
	      .payload = filter_counts_payload,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .checksum = SPIN_CHECKSUM_HOST);
