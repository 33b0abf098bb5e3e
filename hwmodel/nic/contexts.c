/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Resources that the execution contexts (handlers, their memories and a match rule) of the modelled NIC share, and their division. Called
 * by open.c when a context joins, and to find the context of a frame or of an MPQ (the state of a message in flight). The number of
 * contexts does not change after the first packet was offered.
 */
#include <errno.h>
#include <stdio.h>

#include <hwmodel/rules.h>

#include "hwmodel/nic/her_queue.h"
#include "hwmodel/nic/message_state.h"

#define CODE_ALIGN     256u     /* the longest line of an instruction cache */
#define L1_IMAGE_BYTES 0x7fc00u /* pspin.ld: state in L1 and memory of clusters */

/* Does the rule match? Also true for a packet that is refused because a checksum is wrong. */
static int matches_rule(const struct pspin *nic, const void *frame, size_t frame_bytes)
{
	struct inbound in;
	enum spin_reason reason = inbound__classify(frame, frame_bytes, &nic->rule, nic->meta.registration.checksum, &in);

	return reason == SPIN_REASON_COUNT || reason == SPIN_REASON_IP_CHECKSUM || reason == SPIN_REASON_UDP_CHECKSUM;
}

struct pspin *device__match(const struct device *device, const void *frame, size_t frame_bytes)
{
	for (unsigned i = 0; device->count > 1 && i < device->count; i++)
		if (matches_rule(device->contexts[i], frame, frame_bytes))
			return device->contexts[i];
	return device->contexts[0];
}

/* --- can another context join? --- */

int device__may_join(const struct device *device, const struct spin_rule *rule, char *err, size_t err_bytes)
{
	if (device->count == CONTEXTS_MAX) {
		snprintf(err, err_bytes, "a NIC of the model has at most %u contexts", CONTEXTS_MAX);
		return -ENOSPC;
	}
	if (device->contexts[0]->is_image) {
		snprintf(err, err_bytes, "a program that spincc did not make, or made with --api pspin, has the NIC for itself");
		return -EOPNOTSUPP;
	}
	if (device->ingress.offered) {
		snprintf(err, err_bytes, "contexts join before the first packet is offered");
		return -EBUSY;
	}
	for (unsigned i = 0; i < device->count; i++) {
		if (!rules__overlap(&device->contexts[i]->rule, rule))
			continue;
		snprintf(err, err_bytes,
			 "its rule and that of context %u can match the same packet: give rules that exclude each other, by a "
			 "port or an address",
			 i + 1);
		return -EEXIST;
	}
	return 0;
}

/* Bytes that a context's program needs of each memory, from the image. */
struct footprint {
	uint64_t code, l2, l1;
};

static uint32_t symbol(const struct pspin *nic, const char *name)
{
	uint32_t at = 0;

	return hw_elf__symbol(nic->elf, name, &at, NULL) ? 0 : at;
}

/* Adds what a context takes of program memory, L2 and L1. */
static void add_footprint(const struct pspin *nic, struct footprint *to)
{
	const uint32_t state = symbol(nic, "spin_state_start_"), buffers_end = symbol(nic, "spin_buffers_end_");
	struct hw_elf_segment segment;

	to->code += (nic->program_end + CODE_ALIGN - 1) & ~(uint64_t)(CODE_ALIGN - 1);
	for (unsigned i = 0; !hw_elf__segment(nic->elf, i, &segment); i++)
		to->l2 += segment.paddr - L2_HANDLER < L2_HANDLER_BYTES ? segment.mem_bytes : 0;
	if (state - L1_GLOBAL < L1_STRIDE)
		to->l1 += symbol(nic, "spin_state_end_") - state;
	to->l1 += (buffers_end ? buffers_end : symbol(nic, "spin_clusters_end_")) - symbol(nic, "spin_clusters_start_");
}

int device__admit(const struct device *device, struct pspin *nic, char *err, size_t err_bytes)
{
	struct footprint others = { 0 }, all;

	for (unsigned i = 0; i < device->count; i++)
		add_footprint(device->contexts[i], &others);
	all = others;
	add_footprint(nic, &all);
	nic->code_at = (uint32_t)others.code;
	if (all.code > PROGRAM_BYTES)
		snprintf(err, err_bytes, "code of %llu bytes does not fit behind the other contexts' %llu: program memory has %u",
			 (unsigned long long)(all.code - others.code), (unsigned long long)others.code, PROGRAM_BYTES);
	else if (all.l2 > L2_HANDLER_BYTES)
		snprintf(err, err_bytes,
			 "state, data and tables of %llu bytes do not fit with the other contexts' %llu: handler memory in "
			 "L2 has %u; use smaller tables",
			 (unsigned long long)(all.l2 - others.l2), (unsigned long long)others.l2, L2_HANDLER_BYTES);
	else if (all.l1 > L1_IMAGE_BYTES)
		snprintf(err, err_bytes,
			 "state in L1, memory of clusters and buffers of %llu bytes do not fit with the other contexts' %llu: there "
			 "are %u in an L1; keep one's state in L2",
			 (unsigned long long)(all.l1 - others.l1), (unsigned long long)others.l1, L1_IMAGE_BYTES);
	else
		return 0;
	return -ENOSPC;
}

int device__divide(struct device *device, char *err, size_t err_bytes)
{
	for (unsigned i = 0; i < device->count; i++) {
		struct pspin *nic = device->contexts[i];
		const uint32_t bytes = nic->slots.scratch_bytes;
		int rc;

		slots__close(nic);
		rc = slots__open(nic, nic->wanted_per_home, bytes);
		if (rc == -EINVAL)
			snprintf(err, err_bytes,
				 "messages of %u contexts do not fit: context %u wants %u with scratchpads of %u bytes on each "
				 "home cluster; ask for fewer messages or smaller scratchpads",
				 device->count, i + 1, nic->wanted_per_home, bytes);
		if (rc)
			return rc == -EINVAL ? -ENOSPC : rc;
	}
	return 0;
}

int pspin__matches(const struct pspin *nic, const void *frame, size_t frame_bytes)
{
	return matches_rule(nic, frame, frame_bytes);
}

const char *const *pspin__shared_assumptions(void)
{
	static const char *const lines[] = {
		"each context has memories of its own at the addresses that its image is linked to, as if it were linked elsewhere",
		"what contexts have in program memory, handler memory and L1 fits the NIC's together; each brings its own runtime loop",
		"packet memory, MPQs and L1's room for scratchpads are divided equally; cells of HERs are not",
		"the link pauses each context's packets on their own when its part of packet memory is full (IEEE 802.1Qbb)",
		"an HPU turns from one context's memory to another's without taking time",
		NULL,
	};

	return lines;
}

int pspin__set_weight(struct pspin *nic, uint32_t weight)
{
	if (!weight || weight > PSPIN_WEIGHT_MAX)
		return -EINVAL;
	soc__set_weight(&nic->device->soc, nic->number, weight);
	return 0;
}
