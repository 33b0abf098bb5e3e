/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef MEMCACHED_H
#define MEMCACHED_H

/*
 * The cache that the handlers in handlers/memcached.c and the program that fills it (user/memcached) share. Each word is written by one
 * of the two, or atomically. Times are in ticks of 2^30 ns (1.07 s) of CLOCK_MONOTONIC_COARSE, modulo 2^32.
 *
 * Coherence. A command that may change a key's value passes the handlers before memcached has it. They count it then, in
 * `version` of the key's hash; what may change all of them, or is not understood, in `epoch`. An entry has the version and the
 * epoch that were there before the program asked memcached, and is an answer only while both are still the same. Commands that have
 * passed and that memcached has not carried out yet are the program's to wait for, before it asks (user/memcached/README.md).
 */
#include <spin/bytes.h>

#define MC_KEY_BYTES_MAX 250u /* memcached's */
#define MC_TEXT_BYTES    504u /* of an answer, behind the frame header */
#define MC_WAYS          4u
#define MC_SETS          256u /* a power of two, as the next two */
#define MC_VERSIONS      16384u
#define MC_WANTED        256u

/* What handlers copy at a time: an answer is a whole number of them. */
struct mc_piece {
	uint32_t word[14];
};
#define MC_PIECES (MC_TEXT_BYTES / sizeof(struct mc_piece))

/* In front of the text of each datagram (memcached, doc/protocol.txt, "UDP protocol"). */
struct mc_frame {
	spin_be16 request, number, datagrams, reserved;
};

/* Of a key: FNV-1a, over its bytes as they are in the command. */
#define MC_HASH_START 0x811c9dc5u
#define MC_HASH_PRIME 0x01000193u

#define MC_VERSION_OF(hash) ((hash) & (MC_VERSIONS - 1))
/* Multiplied, since keys that differ in a number alone have much alike in FNV's upper bits. */
#define MC_SET_OF(hash)    ((hash)*2654435769u >> 23 & (MC_SETS - 1))
#define MC_WANTED_OF(hash) (((hash) ^ (hash) >> 15) * 2654435769u >> 24 & (MC_WANTED - 1))

/* Written by the program, but for `hits`. */
struct mc_entry {
	uint32_t tag; /* odd: it is being written; then, another even one. 0: it never was */
	uint32_t hash;
	uint32_t version, epoch; /* of the cache, when memcached was asked: epoch and missed together */
	uint32_t until;          /* the first tick at which it must not be used */
	uint32_t key_bytes;      /* 0: the entry is empty */
	uint32_t text_bytes;
	uint32_t hits;
	uint32_t key[(MC_KEY_BYTES_MAX + 3) / 4]; /* zeros behind it */
	struct mc_piece text[MC_PIECES];          /* "VALUE <key> <flags> <bytes>\r\n<data>\r\nEND\r\n" */
};

/* A key that was asked for and is not an entry: taken and written by a handler, then the program's, which frees it. */
struct mc_wanted {
	uint32_t state; /* enum mc_wanted_state */
	uint32_t hash, key_bytes;
	uint32_t key[(MC_KEY_BYTES_MAX + 3) / 4];
};

enum mc_wanted_state { MC_WANTED_FREE, MC_WANTED_BEING_WRITTEN, MC_WANTED_READY };

_Static_assert(MC_TEXT_BYTES % sizeof(struct mc_piece) == 0 && sizeof(struct mc_entry) == 788, "shared by HPU, BPF and host");

/* Where a connection, or a datagram, is in its commands. The handlers' own. */
struct mc_parser {
	uint32_t state, command, seen;
	uint32_t field, field_bytes, number;
	uint32_t hash, left;
	uint32_t at; /* in the piece at hand: in memory, as the kernel's verifier would follow a variable */
};

#define MC_CONNECTIONS 1024u

struct mc_cache {
	uint32_t on;   /* 0: memcached answers all requests. The program sets this and the next field */
	uint32_t asks; /* a key is wanted when it was asked for so often since the program cleared `asked` */
	uint32_t epoch;
	uint32_t missed;    /* spin_connections_missed(), as of the last GET that was not a hit */
	uint32_t off_until; /* a flush_all is to come: no answers, and nothing is filled, before this tick; UINT32_MAX: for ever */
	/* counted by the handlers: GETs of one key over UDP that are an entry (their answers leave where the frame has room), and that are
	 * none; commands that may change something, those that are not understood, and
	 * datagrams dropped: they end within a command */
	uint32_t hits, misses, mutations, strange, dropped;
	uint32_t unused[6];
	uint32_t version[MC_VERSIONS];
	uint32_t asked[MC_VERSIONS];
	struct mc_wanted wanted[MC_WANTED];
	struct mc_parser connection[MC_CONNECTIONS];
};

/* The entries are a table of their own, `mc_entries`: struct mc_entry[MC_ENTRIES]. A key's are the MC_WAYS from MC_FIRST_OF(hash) on. */
#define MC_ENTRIES        (MC_SETS * MC_WAYS)
#define MC_FIRST_OF(hash) (MC_SET_OF(hash) * MC_WAYS)

#endif
