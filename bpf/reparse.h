/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_REPARSE_H
#define BPF_REPARSE_H

/*
 * Derives the pointers of a parsed packet again from the offsets of its headers. Called by packet.h and nfp.bpf.c after the frame has
 * moved, and where paths of the verifier meet: the offsets are then unknown to it, so it analyses the code that follows only once.
 */
#include <spin/rule.h>

#include "bpf/parse.h"

/* Returns the offsets of the headers, as values unknown to the verifier. */
SPIN_INLINE void spin_headers_at_(const struct spin_view *view, const struct spin_datagram *d, uint32_t *ip, uint32_t *udp)
{
	if (view->access == SPIN_COPIED) {
		*ip = spin_verifier_forget_(view, d->ip_at);
		*udp = spin_verifier_forget_(view, d->udp_at);
	} else if (d->is_ether) {
		*udp = *ip = spin_barrier_var_(d->ip_at);
	} else {
		*ip = spin_barrier_var_((uint8_t *)d->ip - (uint8_t *)d->eth);
		*udp = spin_barrier_var_((uint8_t *)d->udp - (uint8_t *)d->eth);
	}
}

/* Fills in the datagram with headers at these offsets. Returns 0 if the frame is too short, which parsing has excluded. */
SPIN_INLINE _Bool spin_reparse_at_(const struct spin_view *view, const volatile struct spin_rule *rule, uint32_t ip, uint32_t udp,
				   struct spin_datagram *d)
{
	uint8_t *at;

	at = (uint8_t *)spin_barrier_pointer_(view->data + (ip & 31)); /* 14, 18 or 22 */
	d->eth = (struct spin_eth *)view->data;
	d->ip = at;
	d->ip_at = ip;
	if (d->is_ether) {
		d->udp = (struct spin_udp *)at;
		d->payload = at;
		d->payload_at = ip;
		d->ip_header_bytes = 0;
		d->payload_bytes = view->access == SPIN_COPIED ? view->bytes - ip : (uint32_t)(view->end - at);
		return spin_inside_(view, d->eth + 1) && spin_inside_(view, at);
	}
	d->udp = (struct spin_udp *)spin_barrier_pointer_(view->data + (udp & 127)); /* at most 22 + 60 */
	if (!spin_inside_(view, d->eth + 1) || !spin_inside_(view, at + sizeof(struct spin_ip4)) || !spin_inside_(view, d->udp + 1))
		return 0;
	d->ip_header_bytes = udp - ip;
	if (d->is_icmp) {
		d->is_ip4 = rule->protocol == SPIN_IP_ICMP;
		d->payload = (uint8_t *)d->udp;
		d->payload_at = udp;
		if (!d->is_ip4 && !spin_inside_(view, at + sizeof(struct spin_ip6)))
			return 0;
		d->payload_bytes = spin_behind_ip_(at, d->is_ip4, d->ip_header_bytes);
		return 1;
	}
	d->is_ip4 = spin_equal_(*at >> 4, 4);
	if (d->is_tcp) {
		uint32_t header;

		if (!spin_inside_(view, (struct spin_tcp *)d->udp + 1))
			return 0;
		header = spin_tcp_header_bytes_(d->udp);
		header = view->access == SPIN_COPIED ? (uint32_t)spin_verifier_forget_(view, header) : spin_barrier_var_(header);
		d->udp_at = udp;
		d->payload_at = udp + header;
		d->payload = (uint8_t *)spin_barrier_pointer_(view->data + (d->payload_at & 255)); /* at most 22 + 60 + 60 */
		d->payload_bytes = (spin_behind_ip_(at, d->is_ip4, d->ip_header_bytes) - header) & 0xffff;
		return 1;
	}
	d->payload = (uint8_t *)(d->udp + 1);
	d->payload_at = udp + sizeof(struct spin_udp);
	d->payload_bytes = spin_ntoh16(d->udp->length) - sizeof(struct spin_udp);
	return 1;
}

/* Parses the same datagram again: VLAN tags, IP version and options become one state, so that the verifier analyses what follows once. */
SPIN_INLINE _Bool spin_reparse_(const struct spin_view *view, const volatile struct spin_rule *rule, struct spin_datagram *d)
{
	uint32_t ip, udp;

	spin_headers_at_(view, d, &ip, &udp);
	return spin_reparse_at_(view, rule, ip, udp, d);
}

#endif
