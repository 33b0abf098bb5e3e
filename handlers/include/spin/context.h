/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_CONTEXT_H
#define SPIN_CONTEXT_H

/*
 * What a live execution context shares between its BPF program and user space:
 * not for handlers. The BPF object's names, for whoever loads it:
 *
 *	spin_xdp       the program, section "xdp"
 *	spin_copied    the program that copies the packet, section "?xdp": loaded by libspin only
 *	spin_long      array of programs: spin_copied, for frames that spin_xdp finds in several pieces
 *	spin_config    struct spin_config in .rodata, written before loading
 *	spin_name, spin_rule  the context's, in .rodata, for whoever looks from outside
 *	spin_counters  struct spin_counters[SPIN_HPUS_MAX] in .bss, mapped
 *	spin_events    ring buffer of struct spin_event
 *	spin_state     HPU state in .data, mapped; tables under their own names in .bss, mapped
 */
#include <spin/meta.h>
#include <spin/reason.h>
#include <spin/rule.h>

/* Logical processors: counters are per HPU, so a machine with more CPUs is refused. */
#define SPIN_HPUS_MAX 256

/* Contexts an interface can have at a time. Matching costs the same for one and for all of them. */
#define SPIN_CONTEXTS_MAX 64

struct spin_config {
	struct spin_rule rule;
	uint32_t accept_partial; /* 1: a bare pseudo-header sum is a good UDP checksum (local senders) */
	uint32_t matched;        /* 1: packets come from the interface's program, which has parsed and matched them */
};

/* Written by one HPU only, read by anyone. */
struct spin_counters {
	uint64_t packets[SPIN_REASON_COUNT];
} __attribute__((aligned(64)));

enum spin_event_type {
	SPIN_EVENT_FAIL = 1, /* a handler returned FAIL */
	SPIN_EVENT_SEGV = 2, /* a checked access failed */
	SPIN_EVENT_BAD_RETURN = 3,
};

enum spin_handler_kind { SPIN_KIND_HEADER, SPIN_KIND_PAYLOAD, SPIN_KIND_COMPLETION };

/* At most one per message: the first error (sPIN B.3). */
struct spin_event {
	uint32_t type;       /* enum spin_event_type */
	uint32_t handler;    /* enum spin_handler_kind */
	uint32_t hpu;
	uint32_t ip_version; /* 4 or 6 */
	uint32_t src_addr[4]; /* network byte order, IPv4 in word 0 */
	uint16_t src_port;   /* host byte order */
	uint16_t dst_port;
	uint32_t length;     /* bytes of payload */
};

_Static_assert(sizeof(struct spin_config) == 80 && sizeof(struct spin_event) == 40,
	       "shared by BPF and user space");

#endif
