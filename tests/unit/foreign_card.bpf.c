/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Programs for a card that spincc would not generate. foreign_objects.c compiles this with one of the macros below at a time and puts it
 * into an ordinary object, which has tables and no state: libspin must refuse to open it, and name the offending part. Only with CARD
 * alone, or with a CARD_ROWS that is as the object's table, it conforms to <spin/offload.h> and must be accepted.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <spin/offload.h>

char card_license[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
#ifdef CARD_ENTRIES
	__uint(max_entries, 1 << 20);
#else
	__uint(max_entries, SPIN_REASON_COUNT);
#endif
#ifdef CARD_FLAGS
	__uint(map_flags, BPF_F_MMAPABLE);
#endif
#ifdef CARD_PINNED
	__uint(pinning, LIBBPF_PIN_BY_NAME);
#endif
	__type(key, unsigned);
	__type(value, unsigned long long);
} spin_counters SEC(".maps");

#ifdef CARD_TABLE
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, unsigned);
	__type(value, unsigned long long);
} hostile_map SEC(".maps");
#endif
#ifdef CARD_ROWS /* type, entries, words of an entry; the object's table has 16 entries of two words */
#define ROWS_(name, map_type, entries, words)                \
	struct {                                             \
		__uint(type, map_type);                      \
		__uint(max_entries, entries);                \
		__type(key, unsigned);                       \
		__uint(value_size, sizeof(unsigned[words])); \
	} name SEC(".maps")
#define ROWS(...) ROWS_(__VA_ARGS__)
ROWS(CARD_ROWS);
#endif
#ifdef CARD_STATE
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned);
	__type(value, unsigned long long);
} spin_state SEC(".maps");
#endif
#ifdef CARD_VARIABLE
unsigned total;
#endif

#ifndef CARD_NOTHING
SEC("xdp")
int spin_nfp(struct xdp_md *ctx)
{
#ifdef CARD_HELPER
	if (bpf_ktime_get_ns() & 1)
		return XDP_DROP;
#endif
#ifdef CARD_VARIABLE
	total++;
#endif
	return XDP_PASS;
}
#endif

#ifdef CARD_PROGRAMS
SEC("xdp")
int hostile(struct xdp_md *ctx)
{
	return XDP_PASS;
}
#endif
