/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_INBOUND_H
#define HWMODEL_NIC_INBOUND_H

/* The inbound engine's classification: what a frame is, and whether the context's rule matches it. */
#include <stddef.h>
#include <stdint.h>

#include <spin/meta.h>
#include <spin/reason.h>
#include <spin/rule.h>

/* A frame that goes to the handlers. */
struct inbound {
	uint32_t ip_off;        /* where the IP header starts in the frame */
	uint32_t ip_bytes;      /* of the IP header */
	uint32_t packet_bytes;  /* of the IP packet, as its header says */
	uint32_t header_bytes;  /* of UDP's header; 0 of ICMP, whose message is the payload, and of frames */
	uint32_t payload_bytes; /* of the UDP payload, or the ICMP message, or the frame's */
	int is_ip4;
	int is_icmp;  /* or ICMPv6: by the IP version */
	int is_ether; /* no IP: the packet is all that is behind the type */
	int is_last;  /* the rule's test of a message's last packet, if it has one */
};

/* Their step 1 alone: SPIN_REASON_COUNT, and *ip_off and *type (Ethernet's) are set, as they are for NOT_IP. */
enum spin_reason inbound__ethernet(const uint8_t *frame, size_t bytes, uint32_t *ip_off, uint32_t *type);

/* The outermost VLAN tag, as the driver's register HPU_TAG has it; 0: none. */
uint32_t inbound__tag(const uint8_t *frame, size_t bytes);

/*
 * Runs the tests of <spin/reason.h> in their order. Returns the reason of the
 * first that fails, or SPIN_REASON_COUNT: to the handlers, and *out is set.
 */
enum spin_reason inbound__classify(const uint8_t *frame, size_t bytes, const struct spin_rule *rule, enum spin_checksum checksum,
				   struct inbound *out);

#endif
