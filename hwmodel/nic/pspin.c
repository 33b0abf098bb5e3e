/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <hwmodel/pspin.h>: an execution context on a NIC, from image to packets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "task.h"
#include "traffic.h"

const char *const *pspin__assumptions(void)
{
	static const char *const lines[] = {
		"one HPU runs one packet at a time; nothing else is on the NIC (no contention)",
		"instruction cache warm: every fetch hits",
		"matching, MPQ, scheduling, placement in L2 and L1: NIC hardware, not charged",
		"of messages, too: VLAN tags and match bits are taken out of the frame, a scratchpad is "
		"zeroed, duplicates, parking, acknowledgements; what a handler returned is known with its feedback",
		"Ethernet header and egress checksums: NIC hardware, not charged",
		"host and wire take data as fast as the NIC gives it",
		"puts: the NIC makes the packet's headers; what it keeps of matching entries is there for handlers",
		"bodies do not include commands still running at the handler's return",
		"memory protection: own stack, packet buffer and scratchpads in L1, handler "
		"memory, the packet in L2",
		NULL,
	};

	return lines;
}

static int find_entries(struct pspin *nic, char *err, size_t err_bytes)
{
	static const struct {
		const char *name;
		unsigned entry, is_ip4;
	} names[] = {
		{"hpu_header_ip4", NIC_HEADER, 1},   {"hpu_header_ip6", NIC_HEADER, 0},
		{"hpu_payload_ip4", NIC_PAYLOAD, 1}, {"hpu_payload_ip6", NIC_PAYLOAD, 0},
		{"hpu_proceed_ip4", NIC_PROCEED, 1}, {"hpu_proceed_ip6", NIC_PROCEED, 0},
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!hw_elf__symbol(nic->elf, names[i].name,
				    &nic->entry[names[i].entry][names[i].is_ip4], NULL))
			continue;
		snprintf(err, err_bytes, "the image has no %s", names[i].name);
		return -EINVAL;
	}
	if (hw_elf__symbol(nic->elf, "hpu_completion", &nic->completion, NULL)) {
		snprintf(err, err_bytes, "the image has no hpu_completion");
		return -EINVAL;
	}
	return 0;
}

/* A return instruction of the image: the shortest handler there is (B = 2). */
static uint32_t find_return(const struct pspin *nic)
{
	for (uint32_t at = PROGRAM_RESET - PROGRAM; at + 4 <= nic->program_end; at += 2) {
		const uint8_t *p = nic->soc.memory.program + at;

		if (p[0] == 0x82 && p[1] == 0x80)
			return PROGRAM + at;
		if (p[0] == 0x67 && p[1] == 0x80 && !p[2] && !p[3] && !(at & 3))
			return PROGRAM + at;
	}
	return 0;
}

/* What the runtime loop itself takes, so that it can be left out of the bodies. */
static int measure_runtime(struct pspin *nic)
{
	struct hpu_descriptor nothing = {0};
	uint32_t function = find_return(nic);
	struct rv32_stats *loop = &nic->runtime.stats;

	if (!function)
		return -EINVAL;
	soc__run_one(&nic->soc, &nic->soc.hpus[0], function, &nothing, &nic->runtime); /* leaves the boot's last access behind */
	soc__run_one(&nic->soc, &nic->soc.hpus[0], function, &nothing, &nic->runtime);
	if (nic->runtime.error)
		return -EFAULT;
	loop->instructions--;
	loop->cycle -= 2;
	loop->cycles[RV32_CYC_ISSUE]--;
	loop->cycles[RV32_CYC_JUMP]--;
	return 0;
}

static void measure_program(struct pspin *nic)
{
	struct hw_elf_segment segment;

	for (unsigned i = 0; !hw_elf__segment(nic->elf, i, &segment); i++)
		if (segment.paddr - PROGRAM < PROGRAM_BYTES &&
		    segment.paddr - PROGRAM + segment.file_bytes > nic->program_end)
			nic->program_end = segment.paddr - PROGRAM + segment.file_bytes;
}

/* Long enough for the handler's own budget to end it first: assumed per step, a look at a lock in L2 takes about half. */
#define STEP_CYCLES_MAX 64u

static uint32_t watchdog_cycles(const struct pspin *nic)
{
	uint32_t budget = nic->meta.registration.budget ? nic->meta.registration.budget : SPIN_BUDGET_STEPS;
	uint64_t cycles = (uint64_t)budget * STEP_CYCLES_MAX;
	uint32_t counts;

	if (pspin__symbol(nic, "spin_steps_", &counts, NULL) || cycles < nic->target.watchdog_cycles)
		return nic->target.watchdog_cycles;
	return cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
}

static int start(struct pspin *nic, const void *image, size_t image_bytes, char *err,
		 size_t err_bytes)
{
	static const struct soc_nic hooks = {.command = nic__command};
	int rc;

	if (nic->meta.magic != SPIN_META_MAGIC || nic->meta.api_version != SPIN_API_VERSION) {
		snprintf(err, err_bytes,
			 "metadata of another version: build the handler again with this spincc");
		return -EINVAL;
	}
	nic->image = malloc(image_bytes ? image_bytes : 1);
	if (!nic->image)
		return -ENOMEM;
	memcpy(nic->image, image, image_bytes);
	rc = hw_elf__open(&nic->elf, nic->image, image_bytes, err, err_bytes);
	if (!rc)
		rc = soc__open(&nic->soc, &nic->target, &hooks, nic);
	if (rc)
		return rc;
	rc = find_entries(nic, err, err_bytes);
	if (rc)
		return rc;
	if (storage__load(&nic->soc.memory, nic->elf)) {
		snprintf(err, err_bytes,
			 "a segment of the image lies outside handler and program memory");
		return -EINVAL;
	}
	measure_program(nic);
	rc = soc__boot(&nic->soc);
	if (!rc)
		rc = measure_runtime(nic);
	if (rc) {
		snprintf(err, err_bytes, "the image traps or hangs before its first task");
		return rc;
	}
	nic->put_id = 1;
	for (unsigned i = 0; i < nic->soc.hpu_count; i++)
		nic->soc.hpus[i].watchdog_cycles = watchdog_cycles(nic);
	return nic->meta.registration.delivery == SPIN_DELIVER_ME ? nic_messages__open(nic) :
								    nic_host__open(nic, 0, NULL, 0);
}

int pspin__open(struct pspin **out, const struct pspin_target *target, const struct spin_meta *meta,
		const void *image, size_t image_bytes, const struct spin_rule *rule, char *err,
		size_t err_bytes)
{
	struct pspin *nic = calloc(1, sizeof(*nic));
	char unused[1];
	int rc;

	*out = NULL;
	if (!err || !err_bytes) {
		err = unused;
		err_bytes = sizeof(unused);
	}
	err[0] = 0;
	if (!nic) {
		snprintf(err, err_bytes, "out of memory");
		return -ENOMEM;
	}
	nic->target = *target;
	nic->meta = *meta;
	nic->rule = *rule;
	rc = start(nic, image, image_bytes, err, err_bytes);
	if (rc) {
		if (rc == -ENOMEM)
			snprintf(err, err_bytes, "out of memory");
		pspin__close(nic);
		return rc;
	}
	*out = nic;
	return 0;
}

void pspin__close(struct pspin *nic)
{
	if (!nic)
		return;
	nic_messages__free(nic);
	nic_traffic__free(nic);
	journal__free(&nic->journal);
	soc__close(&nic->soc);
	hw_elf__close(nic->elf);
	free(nic->image);
	free(nic);
}

int pspin__symbol(const struct pspin *nic, const char *name, uint32_t *addr, uint32_t *bytes)
{
	return hw_elf__symbol(nic->elf, name, addr, bytes);
}

int pspin__read(const struct pspin *nic, uint32_t addr, void *to, size_t bytes)
{
	uint8_t *at;

	if (storage__find(&nic->soc.memory, addr, bytes, 0, &at, NULL) == MEMORY_NONE)
		return -EFAULT;
	memcpy(to, at, bytes);
	return 0;
}

int pspin__write(struct pspin *nic, uint32_t addr, const void *from, size_t bytes)
{
	uint8_t *at;
	enum memory_region region = storage__find(&nic->soc.memory, addr, bytes, 0, &at, NULL);

	if (region == MEMORY_NONE)
		return -EFAULT;
	memcpy(at, from, bytes);
	if (region == MEMORY_PROGRAM)
		for (unsigned i = 0; i < nic->soc.hpu_count; i++)
			rv32_core__flush_code(nic->soc.hpus[i].core);
	return 0;
}

int pspin__packet(struct pspin *nic, const void *frame, size_t frame_bytes,
		  struct pspin_result *out)
{
	struct inbound in;
	enum spin_reason reason;

	memset(out, 0, sizeof(*out));
	journal__begin(&nic->journal);
	if (frame_bytes > PSPIN_FRAME_BYTES_MAX)
		return -EINVAL;
	reason = inbound__classify(frame, frame_bytes, &nic->rule, nic->meta.registration.checksum,
				   &in);
	if (reason == SPIN_REASON_COUNT) {
		if (nic->messages)
			nic_messages__packet(nic, frame, frame_bytes, &in, out);
		else
			datagram__handle(nic, frame, frame_bytes, &in, out);
	} else {
		out->reason = reason;
		out->verdict = SPIN_VERDICT_PASS;
		memcpy(nic->frame, frame, frame_bytes);
		out->frame = nic->frame;
		out->frame_bytes = frame_bytes;
	}
	nic->count[out->reason]++;
	return journal__end(&nic->journal, out);
}

uint64_t pspin__count(const struct pspin *nic, enum spin_reason reason)
{
	return (unsigned)reason < SPIN_REASON_COUNT ? nic->count[reason] : 0;
}

void pspin__set_profile(struct pspin *nic, struct rv32_profile *profile)
{
	for (unsigned i = 0; i < nic->soc.hpu_count; i++)
		rv32_core__set_profile(nic->soc.hpus[i].core, profile);
}

void pspin__program(const struct pspin *nic, uint32_t *addr, uint32_t *bytes)
{
	*addr = PROGRAM;
	*bytes = nic->program_end;
}
