/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_NFP_H
#define SPIN_TARGET_NFP_H

/*
 * The handler API on eBPF for a NIC with hardware XDP (<spin/offload.h>), selected by <spin/spin.h>: state and tables are maps that the
 * host creates, and there are no global variables. spincc rejects what such a NIC cannot do before this is compiled (user/spincc/card.c),
 * so that is declared here but not defined.
 */
#define SPIN_BOUNDED_LOOPS

#define SPIN_TABLE_ATTR_   __attribute__((aligned(64)))
#define SPIN_PER_HPU_ATTR_ SPIN_TABLE_ATTR_
#define SPIN_SCRATCH_ATTR_ __attribute__((aligned(64)))
#define SPIN_PUTS_OF_TARGET_
#define SPIN_KEY_ATTR_ __attribute__((btf_decl_tag("spin_key")))
#define SPIN_CLUSTER_ATTR_

#define SPIN_DIRECT_BYTES_MAX SPIN_LINEAR_BYTES_MAX
#define SPIN_COPIED_BYTES_MAX SPIN_DIRECT_BYTES_MAX

/* There is no memory to read an unknown value from: the verifier follows each iteration of a loop anyway. */
#define spin_verifier_forget32(v) spin_barrier_var_(v)

#include <spin/target/verifier.h>
#include <spin/target/frame.h>

/* Without a result: the NIC's verifier rejects an atomic that returns the old value. */
SPIN_INLINE void spin_add32(uint32_t *at, uint32_t n)
{
	(void)__sync_fetch_and_add((uint32_t *)spin_barrier_pointer_((const uint8_t *)at), n);
}

SPIN_INLINE uint32_t spin_load32(const uint32_t *at)
{
	return *(const volatile uint32_t *)at;
}

uint32_t spin_fadd32_(uint32_t *at, uint32_t n);
_Bool spin_cas32(uint32_t *at, uint32_t expect, uint32_t swap);
void spin_store32(uint32_t *at, uint32_t value);
#define SPIN_USED_(x) (x)

#include <spin/target/lock.h>

/* --- maps ------------------------------------------------------------------------------------- */

/* From linux/bpf.h, which handlers do not include. */
#define SPIN_NFP_HASH_  1
#define SPIN_NFP_ARRAY_ 2

#define SPIN_NFP_MAP_(name, kind, entries_, TYPE) \
	struct {                                  \
		int (*type)[kind];                \
		int (*max_entries)[entries_];     \
		uint32_t *key;                    \
		TYPE *value;                      \
	} name __attribute__((section(".maps"), used))

static void *(*const spin_nfp_lookup_)(void *map, const void *key) = (void *)1;

/* The key or index is on the stack: the NIC accepts no other place. */
#define SPIN_NFP_ENTRY_(table, key_)                                                           \
	({                                                                                     \
		uint32_t spin_nfp_key_ = (key_);                                               \
		(__typeof__((table).value))spin_nfp_lookup_((void *)&(table), &spin_nfp_key_); \
	})

/* spincc defines spin_nfp_kind_NAME for each table: SPIN_NFP_HASH_ with a SPIN_KEY, else SPIN_NFP_ARRAY_. */
#define SPIN_TABLE(name, TYPE, entries_)                                                                       \
	_Static_assert((entries_) > 0 && ((entries_) & ((entries_)-1)) == 0 && (entries_) <= 1048576,          \
		       "SPIN_TABLE " #name ": entries must be a power of two up to 1048576");                  \
	_Static_assert(sizeof(TYPE) % 4 == 0, "SPIN_TABLE " #name ": pad the entry to a multiple of 4 bytes"); \
	SPIN_NFP_MAP_(name, spin_nfp_kind_##name, entries_, TYPE)

#define SPIN_NFP_IS_(table, kind) (sizeof(*(table).type) == (kind) * sizeof(int))

#define SPIN_AT(table, i)                                                                                  \
	({                                                                                                 \
		_Static_assert(SPIN_NFP_IS_(table, SPIN_NFP_ARRAY_),                                       \
			       "cannot offload: SPIN_AT " #table                                           \
			       ": on a card a table with a SPIN_KEY is a hash, which has no index; leave " \
			       "SPIN_KEY out, or use SPIN_FIND");                                          \
		SPIN_NFP_ENTRY_(table, i);                                                                 \
	})

#define SPIN_FIND(table, key_)                                                                              \
	({                                                                                                  \
		uint32_t spin_key_ = (key_);                                                                \
		_Static_assert(SPIN_NFP_IS_(table, SPIN_NFP_HASH_),                                         \
			       "cannot offload: SPIN_FIND " #table ": its first field must be a SPIN_KEY"); \
		spin_key_ ? SPIN_NFP_ENTRY_(table, spin_key_) : (__typeof__((table).value))0;               \
	})

/* The state is an array of one entry. The runtime looks it up for each packet and keeps its address in struct spin_packet. */
#define SPIN_STATE_(TYPE, ...)                               \
	SPIN_NFP_MAP_(spin_state, SPIN_NFP_ARRAY_, 1, TYPE); \
	SPIN_INLINE void *spin_nfp_state_(void)              \
	{                                                    \
		return SPIN_NFP_ENTRY_(spin_state, 0);       \
	}                                                    \
	static const _Bool spin_nfp_has_state_ = 1

#define SPIN_NO_STATE                                 \
	typedef struct spin_no_state spin_state_type; \
	SPIN_INLINE void *spin_nfp_state_(void)       \
	{                                             \
		return 0;                             \
	}                                             \
	static const _Bool spin_nfp_has_state_ = 0

#define SPIN_STATE_OF_(packet) ((spin_state_type *)(packet)->ctx)

#endif
