/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef MEMCACHED_H
#define MEMCACHED_H

/*
 * The cache shared by the handlers in handlers/memcached.c and the program that fills it (user/memcached). Each word has one writer, or is
 * written atomically. Times are in ticks of 2^30 ns (1.07 s) of CLOCK_MONOTONIC_COARSE, modulo 2^32.
 *
 * Coherence. A command that may change a key's value passes the handlers before memcached gets it. They then increment `version` of the
 * key's hash, or `epoch` for commands that may change all keys or are not understood. An entry stores the version and the epoch from before
 * the program asked memcached, and is a valid answer only while both are unchanged. The program must wait for commands that have passed but
 * that memcached has not executed yet before it asks (user/memcached/README.md).
 */
#include <spin/bytes.h>

#define MC_KEY_BYTES_MAX 250u /* memcached's limit */
#define MC_TEXT_BYTES    504u /* of an answer after the frame header */
#define MC_WAYS          4u
#define MC_SETS          256u /* a power of two, like the next two */
#define MC_VERSIONS      16384u
#define MC_WANTED        256u

/* Unit of copying: an answer is padded to a whole number of these. */
struct mc_piece {
	uint32_t word[14];
};
#define MC_PIECES (MC_TEXT_BYTES / sizeof(struct mc_piece))

/* Precedes the text of each datagram (memcached, doc/protocol.txt, "UDP protocol"). */
struct mc_frame {
	spin_be16 request, number, datagrams, reserved;
};

/* Hash of a key: FNV-1a over its bytes as they are in the command. */
#define MC_HASH_START 0x811c9dc5u
#define MC_HASH_PRIME 0x01000193u

static inline uint32_t mc_hash(uint32_t hash, uint32_t byte)
{
	return (hash ^ byte) * MC_HASH_PRIME;
}

/* The same for four bytes, the first of which is the word's least. */
static inline uint32_t mc_hash_word(uint32_t hash, uint32_t word)
{
	return mc_hash(mc_hash(mc_hash(mc_hash(hash, word & 0xff), word >> 8 & 0xff), word >> 16 & 0xff), word >> 24);
}

/*
 * Returns a word with a bit of 0x80808080 set if one of the four bytes cannot be in a key: a space, or a byte below 14, among which NUL, CR
 * and LF end a command. memcached takes all others as bytes of a key, also the rest of the control characters, and clients use them:
 * memcaslap's keys begin with a number in binary.
 */
static inline uint32_t mc_ends_key(uint32_t bytes)
{
	return ((bytes - 0x0e0e0e0eu) | ((bytes ^ 0x20202020u) - 0x01010101u)) & ~bytes;
}

#define MC_VERSION_OF(hash) ((hash) & (MC_VERSIONS - 1))
/* Multiplied, because keys that differ only in a number have similar upper bits in FNV. */
#define MC_SET_OF(hash)    ((hash)*2654435769u >> 23 & (MC_SETS - 1))
#define MC_WANTED_OF(hash) (((hash) ^ (hash) >> 15) * 2654435769u >> 24 & (MC_WANTED - 1))

/* Written by the program, except for `hits`. */
struct mc_entry {
	uint32_t tag; /* odd: being written; a different even number afterwards. 0: never written */
	uint32_t hash;
	uint32_t version, epoch; /* of the cache when memcached was asked: epoch and missed together */
	uint32_t until;          /* first tick at which the entry must not be used */
	uint32_t key_bytes;      /* 0: the entry is empty */
	uint32_t text_bytes;
	uint32_t hits;
	uint32_t key[(MC_KEY_BYTES_MAX + 3) / 4]; /* padded with zeros */
	struct mc_piece text[MC_PIECES];          /* "VALUE <key> <flags> <bytes>\r\n<data>\r\nEND\r\n" */
};

/* A key that was requested and has no entry. A handler takes and writes it; then it belongs to the program, which frees it. */
struct mc_wanted {
	uint32_t state; /* enum mc_wanted_state */
	uint32_t hash, key_bytes;
	uint32_t key[(MC_KEY_BYTES_MAX + 3) / 4];
};

enum mc_wanted_state { MC_WANTED_FREE, MC_WANTED_BEING_WRITTEN, MC_WANTED_READY };

_Static_assert(MC_TEXT_BYTES % sizeof(struct mc_piece) == 0 && sizeof(struct mc_entry) == 788, "shared by HPU, BPF and host");

/* Parser state of a connection or a datagram. Used only by the handlers. */
struct mc_parser {
	uint32_t state, command, seen;
	uint32_t field, field_bytes, number;
	uint32_t hash, left;
	uint32_t at; /* in the current piece; in memory, because the verifier would track a local variable */
};

#define MC_CONNECTIONS 1024u

struct mc_cache {
	uint32_t on;   /* 0: memcached answers all requests. The program sets this and the next field */
	uint32_t asks; /* a key is wanted after this many requests since the program cleared `asked` */
	uint32_t epoch;
	uint32_t missed;    /* spin_connections_missed(), as of the last GET that was not a hit */
	uint32_t off_until; /* a flush_all is pending: no answers and no filling before this tick; UINT32_MAX: for ever */
	/*
	 * counted by the handlers: GETs of one key over UDP with an entry (answered if the frame has room) and without one; commands that
	 * may change something; commands not understood; and datagrams dropped because they end within a command
	 */
	uint32_t hits, misses, mutations, strange, dropped;
	uint32_t flush_delay_s; /* the longest delay of a flush_all so far: for a program that starts while one is pending */
	uint32_t unused[5];
	uint32_t version[MC_VERSIONS];
	uint32_t asked[MC_VERSIONS];
	struct mc_wanted wanted[MC_WANTED];
	struct mc_parser connection[MC_CONNECTIONS];
};

/* The entries are a separate table, `mc_entries`: struct mc_entry[MC_ENTRIES]. A key uses the MC_WAYS entries from MC_FIRST_OF(hash) on. */
#define MC_ENTRIES        (MC_SETS * MC_WAYS)
#define MC_FIRST_OF(hash) (MC_SET_OF(hash) * MC_WAYS)

#endif
