/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_MATCH_H
#define SPIN_BPF_MATCH_H

/*
 * Step 4 of <spin/reason.h>: does a datagram belong to this context? The rule is
 * read-only data: the verifier knows its values and drops the tests it leaves out.
 */
#include <spin/rule.h>

#include "parse.h"

SPIN_INLINE _Bool spin_match_word_(spin_be32 addr, const volatile uint32_t *want,
				   const volatile uint32_t *mask)
{
	return !*mask || (addr & *mask) == *want;
}

/* Of ICMP and ICMPv6 there is only one for each IP version. Contexts that need UDP take nothing else. */
SPIN_INLINE enum spin_takes spin_takes(const volatile struct spin_rule *rule)
{
	uint8_t protocol;

	if (spin_handlers_.delivery != SPIN_DELIVER_STACK || spin_puts_)
		return SPIN_TAKES_UDP;
	if (rule->ether_type)
		return SPIN_TAKES_ETHER;
	protocol = rule->protocol;
	return protocol == SPIN_IP_ICMP || protocol == SPIN_IP_ICMP6 ? SPIN_TAKES_ICMP : SPIN_TAKES_UDP;
}

SPIN_INLINE _Bool spin_match(const volatile struct spin_rule *rule, const struct spin_datagram *d)
{
	if (d->is_ether)
		return spin_ntoh16(d->type) == rule->ether_type;
	if (rule->dst_port && spin_ntoh16(d->udp->dst_port) != rule->dst_port)
		return 0;
	if (rule->src_port && spin_ntoh16(d->udp->src_port) != rule->src_port)
		return 0;
	if (rule->ip_version && (rule->ip_version == 4) != d->is_ip4)
		return 0;
	if (d->is_icmp && (rule->protocol == SPIN_IP_ICMP) != d->is_ip4)
		return 0;
	if (d->is_ip4) {
		const struct spin_ip4 *ip = d->ip;

		return spin_match_word_(ip->src, &rule->src_addr[0], &rule->src_mask[0]) &&
		       spin_match_word_(ip->dst, &rule->dst_addr[0], &rule->dst_mask[0]);
	} else {
		const struct spin_ip6 *ip = d->ip;

		return spin_match_word_(ip->src[0], &rule->src_addr[0], &rule->src_mask[0]) &&
		       spin_match_word_(ip->src[1], &rule->src_addr[1], &rule->src_mask[1]) &&
		       spin_match_word_(ip->src[2], &rule->src_addr[2], &rule->src_mask[2]) &&
		       spin_match_word_(ip->src[3], &rule->src_addr[3], &rule->src_mask[3]) &&
		       spin_match_word_(ip->dst[0], &rule->dst_addr[0], &rule->dst_mask[0]) &&
		       spin_match_word_(ip->dst[1], &rule->dst_addr[1], &rule->dst_mask[1]) &&
		       spin_match_word_(ip->dst[2], &rule->dst_addr[2], &rule->dst_mask[2]) &&
		       spin_match_word_(ip->dst[3], &rule->dst_addr[3], &rule->dst_mask[3]);
	}
}

#endif
