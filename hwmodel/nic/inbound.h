/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_INBOUND_H
#define HWMODEL_NIC_INBOUND_H

/*
 * The inbound engine of the modelled NIC: what kind of frame has arrived, and does the match rule of an execution context select it for
 * the context's handlers? Called by contexts.c, which finds the frame's context; by her_queue.c, before the frame becomes a request to
 * run handlers; and by image.c for third-party programs.
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/meta.h>
#include <spin/reason.h>
#include <spin/rule.h>

/* A frame for the handlers. */
struct inbound {
	uint32_t ip_off;        /* offset of the IP header in the frame */
	uint32_t ip_bytes;      /* of the IP header */
	uint32_t packet_bytes;  /* of the IP packet, from its header */
	uint32_t header_bytes;  /* of UDP's or TCP's header; 0 for ICMP, whose message is the payload, and for frames that are not IP */
	uint32_t payload_bytes; /* of the UDP or TCP payload, the ICMP message, or the frame after its type */
	int is_ip4;
	int is_tcp;   /* only if the rule's protocol is TCP */
	int is_icmp;  /* ICMP or ICMPv6, by the IP version */
	int is_ether; /* not IP: the packet is all bytes after the type */
	int is_last;  /* result of the rule's test for a message's last packet, if it has one */
};

/* Runs only step 1. On SPIN_REASON_COUNT, and on NOT_IP, *ip_off and *type (the EtherType) are set. */
enum spin_reason inbound__ethernet(const uint8_t *frame, size_t bytes, uint32_t *ip_off, uint32_t *type);

/* Returns the outermost VLAN tag, in the format of the driver's register HPU_TAG; 0 if none. */
uint32_t inbound__tag(const uint8_t *frame, size_t bytes);

/*
 * Runs the tests of <spin/reason.h> in order. Returns the reason of the first that fails, or SPIN_REASON_COUNT: the frame is for the
 * handlers, and *out is set.
 */
enum spin_reason inbound__classify(const uint8_t *frame, size_t bytes, const struct spin_rule *rule, enum spin_checksum checksum,
				   struct inbound *out);

#endif
