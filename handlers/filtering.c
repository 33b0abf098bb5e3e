/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * filtering - packet steering by source address (PsPIN 4.3, "Packet filtering/rewriting")
 *
 * Looks up every datagram's IPv4 source address in a table of 65,536 entries.
 * If it is there, overwrites the UDP destination port with the entry's; the host
 * then delivers the datagram to the socket bound to that port. All others are
 * delivered unchanged. The application fills the table.
 */
#include <spin/spin.h>

/* Addresses and ports in network byte order. */
struct route {
	SPIN_KEY(spin_be32, src);
	SPIN_READ_ONLY(spin_be16, port);
	SPIN_READ_ONLY(uint16_t, unused);
};

SPIN_TABLE(routes, struct route, 65536);
SPIN_NO_STATE;

static enum spin_payload_rc filtering_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	struct route *route = SPIN_FIND(routes, spin_src_addr4(p));

	if (route)
		spin_set_dst_port(p, route->port);
	return SPIN_SUCCESS;
}

/* The handler reads only headers: the payload stays in L2, and the host verifies the checksum. */
SPIN_HANDLERS(filtering,
	      .payload = filtering_payload,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY,
	      .checksum = SPIN_CHECKSUM_HOST);
