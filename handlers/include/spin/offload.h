/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_OFFLOAD_H
#define SPIN_OFFLOAD_H

/*
 * The program for a NIC with hardware XDP (Netronome's NFP), which `spincc --target nfp` adds to the fat object as a complete BPF
 * ELF file in SPIN_NFP_SECTION (<spin/meta.h>). Not for handlers. Its names, for loaders:
 *
 *	spin_nfp       the only program, section "xdp". It calls no other program and has no global variables
 *	spin_counters  array of uint64_t[SPIN_REASON_COUNT]: packets by reason, incremented by all cores of the NIC
 *	spin_state     array of one entry: the HPU state, with its initial value in the fat object's .data; missing with SPIN_NO_STATE
 *	NAME           a SPIN_TABLE: with a SPIN_KEY a hash whose key is that field, else an array. A value is a whole entry, including
 *	               the SPIN_KEY, laid out as in the fat object's table. A hash has no empty entries: no key is 0
 *
 * The host fills tables and writes the state; the program only looks up entries and adds to counters.
 *
 * Settings are constants in the instructions, because a NIC has no read-only data and a lookup would cost more than the match. An
 * instruction `mov32 rX, imm` (opcode 0xb4, any registers, offset 0) with imm = SPIN_NFP_WORD + n stands for word n below. The
 * loader replaces imm in all of them before loading; the verifier then removes tests that a rule does not need. Each word has at least
 * one such instruction. In the unmodified file no packet matches and all pass.
 */
#include <spin/meta.h>
#include <spin/reason.h>

#define SPIN_NFP_PROGRAM "spin_nfp"
#define SPIN_NFP_WORD    0x4e465000u /* "NFP" and the word's number */

/*
 * A rule (<spin/rule.h>): a packet matches if (field & mask) == value for all fields. IPv4 addresses are in word 0; the other words are 0.
 */
enum spin_nfp_word {
	SPIN_NFP_SRC_ADDR = 0, /* four words, network byte order */
	SPIN_NFP_SRC_MASK = 4,
	SPIN_NFP_DST_ADDR = 8,
	SPIN_NFP_DST_MASK = 12,
	SPIN_NFP_SRC_PORT = 16, /* network byte order, low 16 bits; value, then mask: 0xffff, or 0 with the value 0 */
	SPIN_NFP_SRC_PORT_MASK,
	SPIN_NFP_DST_PORT,
	SPIN_NFP_DST_PORT_MASK,
	SPIN_NFP_IP_VERSION, /* 4 or 6; 0: both */
	/* 1: a bare pseudo-header sum is a valid UDP checksum, as local senders leave it but never on the wire; else it is wrong */
	SPIN_NFP_PARTIAL,
	SPIN_NFP_COUNT, /* 1: packets are counted in spin_counters, which costs each a lookup; else 0 */
	SPIN_NFP_WORDS,
};

/* Limits of the NIC (Linux 6.1 and 6.12, firmware of the 2.0.6 series). */
#define SPIN_NFP_MAPS_MAX    128u
#define SPIN_NFP_ENTRIES_MAX 3072000u /* all maps together */
#define SPIN_NFP_VALUE_MAX   56u      /* bytes; a key has 4, and both, rounded up to 8, have at most 64 */

#endif
