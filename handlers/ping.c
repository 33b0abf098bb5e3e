/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ping - the NIC answers ping (FPsPIN's first demo)
 *
 * Returns an echo request over ICMP or ICMPv6 as its reply, with all its data. Everything else is passed to the host:
 * errors, neighbour discovery, router advertisements; requests to multicast or broadcast addresses, for which hosts have
 * separate rules (RFC 1122 3.2.2.6, RFC 4443 4.2); and requests whose source is not a single other host, because their
 * replies would go to many hosts or come back (RFC 1122 3.2.1.3). The handler does not know the broadcast addresses of
 * subnets: a router must refuse packets with such a source.
 *
 * The rule should contain the host's address, or the handler answers for other hosts whose packets arrive here as well:
 * "icmp dst 192.0.2.1", "icmp6 dst 2001:db8::1".
 */
#include <spin/spin.h>

#define ECHO_REPLY    0
#define ECHO_REQUEST  8
#define ECHO6_REQUEST 128
#define ECHO6_REPLY   129

struct ping {
	uint32_t answered;
};

SPIN_STATE(struct ping);

/*
 * Returns 0 for IPv4 addresses of this network (0.0.0.0/8), loopback (127.0.0.0/8), multicast and broadcast (224.0.0.0 and
 * above), and for IPv6 addresses in ::/64 (unspecified, loopback, mapped) and multicast (ff00::/8).
 */
static _Bool is_one_host(struct spin_process who)
{
	uint32_t first = spin_ntoh32(who.addr[0]) >> 24;

	if (who.ip_version == 4)
		return first && first != 127 && first < 224;
	return (who.addr[0] | who.addr[1]) && first != 255;
}

static enum spin_payload_rc ping_payload(struct spin_payload *p, struct ping *state)
{
	const struct spin_icmp *icmp = SPIN_GET(p, 0, struct spin_icmp);
	_Bool is_ip4 = spin_is_ip4(p);

	if (!icmp || spin_protocol(p) != (is_ip4 ? SPIN_IP_ICMP : SPIN_IP_ICMP6) || icmp->code)
		return SPIN_SUCCESS;
	if (icmp->type != (is_ip4 ? ECHO_REQUEST : ECHO6_REQUEST) || !is_one_host(spin_source(p)) || !is_one_host(spin_target(p)))
		return SPIN_SUCCESS;
	/* type and code are one 16-bit field, the type first */
	spin_set16(p, icmp, spin_hton16((is_ip4 ? ECHO_REPLY : ECHO6_REPLY) << 8));
	spin_add32(&state->answered, 1);
	return spin_reply(p, p->length);
}

SPIN_HANDLERS(ping,
	      .payload = ping_payload,
	      .state_placement = SPIN_STATE_IN_L1);
