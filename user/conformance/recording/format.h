/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_RECORDING_FORMAT_H
#define USER_CONFORMANCE_RECORDING_FORMAT_H

/*
 * The file format of recordings: packets, memory and events of live handlers, written by spinctl
 * record and read by spinctl replay (write.c, read.c, host.c).
 *
 * A recording is a little-endian pcapng file (draft-ietf-opsawg-pcapng) with one
 * section and one Ethernet interface. Data for which pcapng has no block is in blocks
 * of a local-use type, which other readers skip. The blocks, in this order:
 *
 *   Section Header         option shb_userappl
 *   Interface Description  options if_name (the interface recorded on), if_tsresol 9 (nanoseconds)
 *   START                  once
 *   OBJECT                 the fat object in pieces, in order
 *   CONTEXT                once, if the handlers have host memory: how the context was made
 *   MEMORY, moment BEFORE  every variable of state and tables, before the first handler ran
 *   HOST, ENTRY, BEFORE    host memory and matching entries at the same time
 *   Enhanced Packet        the context's packets as they arrived, before any handler; time since
 *                          1970; option epb_queue: the HPU
 *   EVENT                  the host's events, between and after the packets
 *   MEMORY, moment AFTER   the same variables, after the last handler ran
 *   HOST, ENTRY, AFTER     host memory and matching entries at that time
 *   END                    once: counters, and the trailer over the whole file
 *
 * All numbers are little-endian and all blocks are padded with zeros to multiples
 * of 4 bytes. The content of local-use blocks begins with struct recording_custom.
 * A reader refuses a later version and skips unknown kinds, so additions must be
 * new kinds. Version 1 used Custom Blocks with enterprise number 32473, which
 * Wireshark lists as packets of an "Example Enterprise". It can still be read.
 */
#include <stdint.h>

/* defined by pcapng */
#define PCAPNG_SECTION      0x0a0d0d0au
#define PCAPNG_BYTE_ORDER   0x1a2b3c4du
#define PCAPNG_INTERFACE    1u
#define PCAPNG_PACKET       6u
#define PCAPNG_CUSTOM       0x40000badu /* version 1 */
#define PCAPNG_ETHERNET     1u
#define PCAPNG_SHB_USERAPPL 4u
#define PCAPNG_IF_NAME      2u
#define PCAPNG_IF_TSRESOL   9u
#define PCAPNG_EPB_QUEUE    6u
/* Larger than any block that spinctl writes. libpcap's limit is 16 MiB. */
#define RECORDING_BLOCK_MAX (2u << 20)

#define RECORDING_BLOCK   0x80005350u /* types with the highest bit set are for local use */
#define RECORDING_PEN     32473u      /* IANA: reserved for examples and documentation */
#define RECORDING_MAGIC   0x4e495053u /* "SPIN" in memory: distinguishes our blocks from others of this type */
#define RECORDING_VERSION 2u

/* The kinds of local-use blocks, as listed above. */
enum recording_kind {
	RECORDING_START = 1,
	RECORDING_OBJECT = 2,
	RECORDING_MEMORY = 3,
	RECORDING_END = 4,
	RECORDING_CONTEXT = 5,
	RECORDING_HOST = 6,
	RECORDING_ENTRY = 7,
	RECORDING_EVENT = 8,
};
/* Before the first handler ran, or after the last one. */
enum recording_moment { RECORDING_BEFORE, RECORDING_AFTER, RECORDING_MOMENTS };

/* The start of each local-use block. */
struct recording_custom {
	uint32_t pen;   /* RECORDING_PEN in a Custom Block (version 1); else 0 */
	uint32_t magic; /* RECORDING_MAGIC */
	uint32_t kind;  /* enum recording_kind */
	uint32_t bytes; /* number of bytes after this struct, without padding */
};

/* The content of START. */
struct recording_start {
	uint32_t version; /* RECORDING_VERSION */
	uint32_t class;   /* enum spin_class in which the handlers were loaded */
	uint64_t object_bytes;
	char handler[16]; /* texts are NUL-terminated */
	char device[16];
	char rule[256]; /* as spin_rule__format() writes it */
};

/* Followed by bytes of the object from `offset` on. */
struct recording_object {
	uint64_t offset;
};

/* Followed by bytes of the variable from `offset` on. Bytes in no block are 0. */
struct recording_memory_piece {
	uint32_t moment; /* enum recording_moment */
	uint32_t pad;
	uint64_t symbol_bytes; /* of the whole variable */
	uint64_t offset;
	char name[64];
};

#define RECORDING_ENTRIES_MAX  64u
#define RECORDING_SEGMENTS_MAX 16u

/* The content of CONTEXT. */
struct recording_context {
	uint64_t start_ns;                                 /* since 1970: start of the recording, and time 0 of messages */
	uint64_t host_bytes;                               /* size of host memory */
	uint32_t takes_messages;                           /* 0: datagrams; then the fields below are 0 */
	uint32_t messages, parking, idle_ms, tombstone_ms; /* as in struct spin_message_opts, with defaults filled in */
	uint32_t put;
	uint32_t age_ms; /* same; 0 or absent (older recordings): the default */
	uint32_t pad;
};

/* The bytes of the struct that all recordings have. */
#define RECORDING_CONTEXT_BYTES_MIN 40u

/* Followed by bytes of host memory from `offset` on. Bytes in no block are 0. */
struct recording_host_piece {
	uint32_t moment; /* enum recording_moment */
	uint32_t pad;
	uint64_t offset;
};

/* A matching entry. For datagrams, entry 0 has the counter and the handlers' own memory. An entry without a block is free and 0. */
struct recording_entry {
	uint32_t moment; /* enum recording_moment */
	uint32_t index;
	uint32_t state, options; /* state to bytes: as in struct spin_me */
	uint64_t match_bits, ignore_bits;
	uint32_t start, length;
	uint64_t messages, bytes;
	uint32_t success, failure; /* its counter */
	uint32_t segments, pad;    /* of the handlers' own host memory */
	struct {
		uint32_t start, length;
	} segment[RECORDING_SEGMENTS_MAX];
	/* as in struct spin_me; absent in older recordings, then 0 */
	uint64_t src[2];
	uint32_t source, source_mask;
	uint64_t used;
	uint32_t min_free, pad2;
};

/* The bytes of the struct that all recordings have. */
#define RECORDING_ENTRY_BYTES_MIN 200u

/* Followed by the event as a line of a vector (tests/vectors/README.md), without the HPU, or by nothing if there is no event. */
struct recording_event {
	uint64_t lost; /* events lost since the previous block because the ring was full */
};

/* Followed by `reasons` times struct recording_count, then struct recording_trailer. */
struct recording_end {
	uint64_t packets; /* Enhanced Packet blocks in this file */
	uint64_t lost;    /* packets not recorded because the tap's ring was full */
	uint64_t duration_ns;
	uint32_t hpus; /* number of HPUs that had packets */
	uint32_t reasons;
};

/* The counter of a reason, identified by name so that reasons may be added. */
struct recording_count {
	char reason[24];
	uint64_t packets;
};

/* The last bytes of the last block's content. */
struct recording_trailer {
	uint64_t file_bytes; /* the whole file */
	uint32_t magic;      /* RECORDING_MAGIC */
	uint32_t crc;        /* CRC-32 (zlib) of all bytes of the file before this field */
};

_Static_assert(sizeof(struct recording_custom) == 16 && sizeof(struct recording_start) == 304 &&
		       sizeof(struct recording_memory_piece) == 88 && sizeof(struct recording_end) == 32 &&
		       sizeof(struct recording_count) == 32 && sizeof(struct recording_trailer) == 16 &&
		       sizeof(struct recording_context) == 48 && sizeof(struct recording_host_piece) == 16 &&
		       sizeof(struct recording_entry) == 240 && sizeof(struct recording_event) == 8,
	       "recordings are a file format");

#endif
