/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_META_H
#define SPIN_META_H

#include <stdint.h>

/*
 * The fat object that spincc writes is a BPF ELF object; these of its sections are ours:
 *
 *   .spin.meta    struct spin_meta, below
 *   .spin.rv32    a complete ELF32 executable for PsPIN's HPUs
 *   .spin.scratch the scratchpad's size in bytes, 32 bits; missing: none
 *
 * libbpf, bpftool and iproute2 skip them.
 */
#define SPIN_META_SECTION  ".spin.meta"
#define SPIN_RV32_SECTION  ".spin.rv32"
#define SPIN_SCRATCH_SECTION ".spin.scratch"
#define SPIN_META_MAGIC    0x4e495053u /* "SPIN" in memory */
#define SPIN_API_VERSION   2

#define SPIN_WHOLE_PACKET  0u  /* for .bytes_in_l1: the default */
#define SPIN_HEADERS_ONLY  64u /* for .bytes_in_l1: one beat, holds any IP header and the UDP ports */

#define SPIN_USER_HEADER_MAX 256u /* for .user_header_bytes */

/* Where the HPU state lives on the target NIC (PsPIN 3.3); changes cycles, never results. */
enum spin_placement {
	SPIN_STATE_IN_L2 = 0, /* handler memory, shared by all clusters */
	SPIN_STATE_IN_L1 = 1, /* the home cluster's L1 */
};

/* How the wire's checksums are treated before a handler runs. */
enum spin_checksum {
	SPIN_CHECKSUM_VERIFY = 0, /* a datagram with a wrong UDP checksum goes to the host untouched */
	SPIN_CHECKSUM_HOST   = 1, /* not looked at: for handlers that read and keep nothing of the payload */
};

/* What becomes of a context's packets (DESIGN, The live datapath). */
enum spin_delivery {
	/* each datagram is a message; SUCCESS passes it on to the host's socket */
	SPIN_DELIVER_STACK = 0,
	/*
	 * Messages of many packets (SLMP), put into the memory of a matching entry; the host
	 * learns of them by events, and no socket gets anything.
	 */
	SPIN_DELIVER_ME = 1,
};

/* What a handler file registers, with a flag in place of each function. */
struct spin_registration {
	_Bool    header;
	_Bool    payload;
	_Bool    completion;
	_Bool    message_completion;
	uint8_t  state_placement; /* enum spin_placement */
	uint8_t  checksum;        /* enum spin_checksum */
	uint8_t  delivery;        /* enum spin_delivery */
	uint8_t  pad[1];
	uint16_t user_header_bytes; /* of a message's first payload: the header handler's alone (sPIN 3.2.1); at most
				     * SPIN_USER_HEADER_MAX */
	uint8_t  pad2[2];
	/*
	 * SPIN_WHOLE_PACKET, or bytes, at least 64, from the IP header on; of messages from the Ethernet
	 * header on, and all headers in any case (PsPIN 3.2.2)
	 */
	uint32_t bytes_in_l1;
	uint32_t idle_ms;         /* a message without packets for so long is given up; 0: SPIN_IDLE_MS (PsPIN 3.2.3) */
	uint32_t scratchpad_bytes; /* by SPIN_SCRATCHPAD, not registered by hand */
};

/* The fat object's metadata. Little-endian, no pointers, no padding. */
struct spin_meta {
	uint32_t magic;       /* SPIN_META_MAGIC */
	uint16_t api_version; /* SPIN_API_VERSION */
	uint16_t bytes;       /* sizeof(struct spin_meta) */
	char     name[16];    /* of the handler, NUL-terminated */
	uint32_t state_bytes; /* size of the HPU state struct */
	struct spin_registration registration;
};

_Static_assert(sizeof(struct spin_registration) == 24, "spin_registration is a file format");
_Static_assert(sizeof(struct spin_meta) == 52, "spin_meta is a file format");

#endif
