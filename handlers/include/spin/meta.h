/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_META_H
#define SPIN_META_H

#include <stdint.h>

/*
 * The fat object, which spincc writes and libspin reads, is a BPF ELF object with these additional sections:
 *
 *   .spin.meta    struct spin_meta, below
 *   .spin.rv32    a complete ELF32 executable for PsPIN's HPUs
 *   .spin.scratch the scratchpad's size in bytes, 32 bits; missing: no scratchpad
 *   .spin.bounded a BPF ELF object: the same programs for kernels without may_goto (before Linux 6.9), except for those that copy
 *                 packets or handle streams, which need may_goto
 *   .spin.nfp     a BPF ELF object: one program for a NIC with hardware XDP (<spin/offload.h>); missing: not requested
 *   .spin.puts    how many packets may be sent per arriving packet (SPIN_PUTS), 32 bits; missing: none
 *
 * libbpf, bpftool and iproute2 skip them.
 */
#define SPIN_META_SECTION    ".spin.meta"
#define SPIN_RV32_SECTION    ".spin.rv32"
#define SPIN_BOUNDED_SECTION ".spin.bounded"
#define SPIN_NFP_SECTION     ".spin.nfp"
#define SPIN_SCRATCH_SECTION ".spin.scratch"
#define SPIN_PUTS_SECTION    ".spin.puts"
#define SPIN_META_MAGIC      0x4e495053u /* "SPIN" in memory */
#define SPIN_API_VERSION     6

#define SPIN_WHOLE_PACKET 0u  /* for .bytes_in_l1: the default */
#define SPIN_HEADERS_ONLY 64u /* for .bytes_in_l1: one beat, holds any IP header and the UDP ports */

#define SPIN_LINE_BYTES        64u        /* bytes that packet memory reads or writes per cycle; for .payload_aligned */
#define SPIN_USER_HEADER_MAX   256u       /* for .user_header_bytes */
#define SPIN_FRAGMENTATION_MAX 64u        /* for .fragmentation_bytes */
#define SPIN_BUDGET_STEPS      (1u << 20) /* if no .budget is registered */
#define SPIN_BOUNDED_STEPS     512u       /* per loop, on kernels before 6.9 */
#define SPIN_BUDGET_MAX        (1u << 22) /* for .budget: about 40 ms of waiting on a common CPU */

/* Where the HPU state lives on the target NIC (PsPIN 3.3); changes cycles, never results. */
enum spin_placement {
	SPIN_STATE_IN_L2 = 0, /* handler memory, shared by all clusters */
	SPIN_STATE_IN_L1 = 1, /* the home cluster's L1 */
};

/* How checksums are checked before a handler runs. */
enum spin_checksum {
	SPIN_CHECKSUM_VERIFY = 0, /* a datagram with a wrong UDP checksum goes to the host untouched */
	SPIN_CHECKSUM_HOST = 1,   /* not checked: for handlers that read and keep nothing of the payload */
};

/* How a context's packets are delivered (spin-handler(7), "DESCRIPTION"). */
enum spin_delivery {
	/* each datagram is a message; SUCCESS passes it to the host's socket */
	SPIN_DELIVER_STACK = 0,
	/*
	 * Messages of many packets (SLMP), stored in the memory of a matching entry. The host learns of them by events; nothing reaches a
	 * socket.
	 */
	SPIN_DELIVER_ME = 1,
	/*
	 * TCP segments (<spin/segment.h>): the header handler runs on a connection's first segment, payload handlers on each segment with
	 * payload, the completion handler when all of it has come; SUCCESS passes the segment to the host's TCP
	 */
	SPIN_DELIVER_SEGMENTS = 2,
};

/* Messages that a context takes in addition to puts (<spin/slmp.h>); others are MALFORMED. */
enum {
	SPIN_TAKES_GET = 1, /* requires SPIN_PUTS, because the default action sends an answer */
	SPIN_TAKES_ATOMIC = 2,
	SPIN_TAKES_FETCH = 4, /* fetching atomics; requires SPIN_PUTS, as gets do */
};

/* What a handler file registers, with a flag instead of each function. */
struct spin_registration {
	_Bool header;
	_Bool payload;
	_Bool completion;
	_Bool message_completion;
	uint8_t state_placement;    /* enum spin_placement */
	uint8_t checksum;           /* enum spin_checksum */
	uint8_t delivery;           /* enum spin_delivery */
	uint8_t takes;              /* SPIN_TAKES_*; with SPIN_DELIVER_ME */
	uint16_t user_header_bytes; /* of a message's first payload, for the header handler only (sPIN 3.2.1) */
	/*
	 * 1: the NIC places each packet in its memory so that the payload, after the headers of UDP or SLMP, begins at a multiple of
	 * SPIN_LINE_BYTES: DMA to the host reads one line less of it. Changes cycles, never results.
	 */
	uint8_t payload_aligned;
	uint8_t pad;
	/*
	 * SPIN_WHOLE_PACKET, or at least 64 bytes, counted from the IP header; for messages from the Ethernet header, and always including
	 * all headers (PsPIN 3.2.2).
	 */
	uint32_t bytes_in_l1;
	uint32_t idle_ms;          /* a message without new packets for this long is evicted; 0: SPIN_IDLE_MS (PsPIN 3.2.3) */
	uint32_t scratchpad_bytes; /* set by SPIN_SCRATCHPAD */
	uint32_t budget;           /* steps of one handler's run (<spin/lock.h>); 0: SPIN_BUDGET_STEPS, walks not counted */
	/*
	 * The data of every payload handler begins at a multiple of this in its message and has a multiple of it as length (sPIN B.2.1,
	 * min_fragmentation_limit), whatever the message's length: the excess of the last packet is dropped. Other packets that are not a
	 * multiple are MALFORMED. A power of two, up to SPIN_FRAGMENTATION_MAX; 0 or 1: any. user_header_bytes must also be a multiple.
	 * Messages only.
	 */
	uint16_t fragmentation_bytes;
	uint16_t puts; /* set by SPIN_PUTS */
};

/* The fat object's metadata. Little-endian, no pointers, no padding. */
struct spin_meta {
	uint32_t magic;       /* SPIN_META_MAGIC */
	uint16_t api_version; /* SPIN_API_VERSION */
	uint16_t bytes;       /* sizeof(struct spin_meta) */
	char name[16];        /* of the handler, NUL-terminated */
	uint32_t state_bytes; /* size of the HPU state struct */
	struct spin_registration registration;
};

_Static_assert(sizeof(struct spin_registration) == 32, "spin_registration is a file format");
_Static_assert(sizeof(struct spin_meta) == 60, "spin_meta is a file format");

#endif
