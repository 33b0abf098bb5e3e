/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TABLE_H
#define SPIN_TABLE_H

/*
 * Tables: state that the host fills, and in which handlers look up entries and count.
 *
 *	struct route {
 *		SPIN_KEY(uint32_t, src);        // the first field; 0 marks an empty entry
 *		SPIN_READ_ONLY(uint16_t, port);
 *		SPIN_READ_ONLY(uint16_t, unused);
 *		SPIN_COUNTER(packets);
 *	};
 *	SPIN_TABLE(routes, struct route, 65536);
 *
 * Every field is either read-only to handlers or a 32-bit counter, so a
 * table can also be a map on a NIC that supports only lookup and atomic add.
 * A table is an array of structs on BPF and on the HPU, and a map on such a NIC (<spin/offload.h>).
 */
#define SPIN_KEY(TYPE, name)            \
	const TYPE name SPIN_KEY_ATTR_; \
	_Static_assert(sizeof(TYPE) == 4, "SPIN_KEY " #name ": a key has 32 bits")
#define SPIN_READ_ONLY(TYPE, name) const TYPE name
#define SPIN_COUNTER(name)         struct spin_counter name

struct spin_counter {
	uint32_t count;
};

#define SPIN_ENTRIES_(array) (sizeof(array) / sizeof((array)[0]))

/* A NIC has maps instead (<spin/target/nfp.h>). */
#ifndef SPIN_TABLE
/* `entries` must be a power of two up to 1048576. */
#define SPIN_TABLE(name, TYPE, entries_)                                                                       \
	_Static_assert((entries_) > 0 && ((entries_) & ((entries_)-1)) == 0 && (entries_) <= 1048576,          \
		       "SPIN_TABLE " #name ": entries must be a power of two up to 1048576");                  \
	_Static_assert(sizeof(TYPE) % 4 == 0, "SPIN_TABLE " #name ": pad the entry to a multiple of 4 bytes"); \
	TYPE name[entries_] SPIN_TABLE_ATTR_

/* TYPE *SPIN_AT(table, i): entry i, or NULL if there is none. The test costs nothing if the compiler can prove the range of i. */
#define SPIN_AT(table, i)                                                                                                     \
	({                                                                                                                    \
		uint32_t spin_i_ = spin_index_(i), spin_n_ = SPIN_ENTRIES_(table);                                            \
		SPIN_LIKELY_(spin_i_ < spin_n_) ? &(table)[spin_index_below_(spin_i_, spin_n_)] : (__typeof__(&(table)[0]))0; \
	})

/*
 * TYPE *SPIN_FIND(table, key): the entry whose first field, a 32-bit SPIN_KEY,
 * is `key` (not 0), or NULL. Open addressing: at most SPIN_PROBES entries from
 * spin_table_home(key) on; an empty entry ends the search.
 */
#define SPIN_PROBES 8
#define SPIN_FIND(table, key)                                                                                                    \
	({                                                                                                                       \
		uint32_t spin_key_ = (key), spin_home_ = spin_table_home(spin_key_, SPIN_ENTRIES_(table));                       \
		__typeof__(&(table)[0]) spin_found_ = 0;                                                                         \
		for (uint32_t spin_probe_ = 0; spin_probe_ < SPIN_PROBES; spin_probe_++) {                                       \
			__typeof__(&(table)[0]) spin_entry_ = &(table)[(spin_home_ + spin_probe_) & (SPIN_ENTRIES_(table) - 1)]; \
			uint32_t spin_have_ = *(const uint32_t *)spin_entry_;                                                    \
			if (spin_have_ == spin_key_ && spin_key_) {                                                              \
				spin_found_ = spin_entry_;                                                                       \
				break;                                                                                           \
			}                                                                                                        \
			if (!spin_have_)                                                                                         \
				break;                                                                                           \
		}                                                                                                                \
		spin_found_;                                                                                                     \
	})
#else
#define SPIN_PROBES 8
#endif

/* Returns the index where the search for a key starts. Fibonacci hashing: one multiplication and one shift. */
SPIN_INLINE uint32_t spin_table_home(uint32_t key, uint32_t entries)
{
	return entries > 1 ? key * 2654435769u >> (32 - __builtin_ctz(entries)) : 0;
}

/* Adds to a table's counter. All HPUs may call it concurrently. */
#define spin_count(counter, n) spin_add32(&(counter)->count, (n))

#endif
