/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_PROFILE_H
#define KERNEL_NFP_PROFILE_H

/*
 * An NFP card's firmware capabilities, as its driver reads them from the symbol _abi_bpf_capabilities and the control BAR. The text form is
 * a line `KEY VALUE` for each key of profile.c's table, in any order, each once; `#` begins a comment. Called by spinctl check, spinctl
 * cost and check.c.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a card's firmware can do. */
struct nfp_profile {
	char firmware[64];
	uint32_t map_types; /* bit per enum bpf_map_type */
	uint32_t maps_max, entries_max, key_bytes_max, value_bytes_max, element_bytes_max;
	uint32_t map_lookup, map_update, map_delete, perf_event_output; /* 1: the firmware has the function */
	uint32_t random, queue_select, adjust_tail, adjust_head;
	uint32_t head_offset_min, head_offset_max;         /* bytes into the packet buffer */
	uint32_t head_guaranteed_sub, head_guaranteed_add; /* bytes that adjust_head may always remove or add */
	uint32_t instructions_max;                         /* of NFP instructions */
	uint32_t stack_bytes;
	uint32_t inline_chunks; /* INL_MTU: programs reach this many times 64 bytes, less 32, of a packet; 0: unknown */
};

/* Bytes of a packet that programs reach; 0: unknown. */
uint32_t nfp_profile__packet_bytes(const struct nfp_profile *profile);

/* The built-in profile. Returns 0, or -EINVAL for a damaged build. */
int nfp_profile__default(struct nfp_profile *out);
/*
 * Reads the text form; `path` is also used in messages. Returns 0, or -EINVAL with "PATH:LINE: what is wrong" and the next step in
 * `reason`. Every key must be there.
 */
int nfp_profile__read(const char *path, struct nfp_profile *out, char *reason, size_t reason_bytes);

/*
 * The profile of an interface of the nfp driver, found by the firmware's name, as the driver shows nothing else. Returns 0, or -errno with
 * the reason in `reason`: -ENODEV if it is another driver or the firmware is unknown.
 */
int nfp_profile__of_device(const char *ifname, struct nfp_profile *out, char *reason, size_t reason_bytes);

/* Writes the text form with a comment on each key. Returns 0 or -EIO. */
int nfp_profile__write(const struct nfp_profile *profile, FILE *to);

#endif
