/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_OFFLOAD_H
#define SPIN_OFFLOAD_H

/*
 * The program for a card with hardware XDP (Netronome's NFP), which `spincc --target nfp` adds to the fat object as a complete BPF
 * ELF file in SPIN_NFP_SECTION (<spin/meta.h>). It is not for handlers. Its names, for whoever loads it:
 *
 *	spin_nfp       the program, section "xdp", the only one. It calls no other program, and has no global variables
 *	spin_counters  array of uint64_t[SPIN_REASON_COUNT]: packets by reason, added to by all cores of the card
 *	spin_state     array of one entry: the HPU state, with its initial value in the fat object's .data; missing with SPIN_NO_STATE
 *	NAME           a SPIN_TABLE: with a SPIN_KEY a hash whose key is that field, else an array. A value is a whole entry, the
 *	               SPIN_KEY among it, laid out as in the fat object's table. In a hash an entry is there or not: no key is 0
 *
 * The host fills tables and writes the state; the program looks up, and adds to counters.
 *
 * Settings are constants in the instructions, since a card has no read-only data and a lookup would cost more than the match. An
 * instruction `mov32 rX, imm` (opcode 0xb4, registers as they come, offset 0) with imm = SPIN_NFP_WORD + n stands for word n below. The
 * loader replaces imm in all of them before loading; the verifier then removes what a rule does not ask for. Each word has at least
 * one such instruction. As the file stands, no packet matches and all pass.
 */
#include <spin/meta.h>
#include <spin/reason.h>

#define SPIN_NFP_PROGRAM "spin_nfp"
#define SPIN_NFP_WORD    0x4e465000u /* "NFP" and the number */

/* Of a rule (<spin/rule.h>): a packet matches if (field & mask) == value in all of them. IPv4 addresses are word 0, the others are 0. */
enum spin_nfp_word {
	SPIN_NFP_SRC_ADDR = 0, /* four words, network byte order */
	SPIN_NFP_SRC_MASK = 4,
	SPIN_NFP_DST_ADDR = 8,
	SPIN_NFP_DST_MASK = 12,
	SPIN_NFP_SRC_PORT = 16, /* network byte order, in the low 16 bits; value, then mask: 0xffff, or 0 and the value 0 */
	SPIN_NFP_SRC_PORT_MASK,
	SPIN_NFP_DST_PORT,
	SPIN_NFP_DST_PORT_MASK,
	SPIN_NFP_IP_VERSION, /* 4 or 6; 0: both */
	/* 1: a bare pseudo-header sum is a good UDP checksum, as local senders leave it, but no wire has it; else it is wrong */
	SPIN_NFP_PARTIAL,
	SPIN_NFP_COUNT, /* 1: packets are counted in spin_counters, which costs each a lookup; 0 */
	SPIN_NFP_WORDS,
};

/* What the card takes (Linux 6.1 and 6.12, firmware of the 2.0.6 series). */
#define SPIN_NFP_MAPS_MAX    128u
#define SPIN_NFP_ENTRIES_MAX 3072000u /* of all maps together */
#define SPIN_NFP_VALUE_MAX   56u      /* bytes; a key's are 4, so both, rounded up to 8, are at most 64 */

#endif
