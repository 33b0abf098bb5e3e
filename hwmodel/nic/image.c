/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Loads third-party images into the NIC model: PsPIN programs that do not use the sPIN API of this project, including those compiled by
 * `spincc --api pspin`. Writes frames to packet memory in the layout that such a program expects. Finds its handlers by symbol, or for
 * PsPIN's API (<hwmodel/pspin_api.h>) in the table that its start-up code writes to handler memory. Packets offered with the same
 * message number form one message. Called by open.c, and by her_queue.c for each packet.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/pspin_api.h>
#include <spin/wire.h>

#include "hwmodel/nic/her_queue.h"
#include "hwmodel/nic/image.h"

/* --- layout of a frame in packet memory --- */

int pspin_framing__find(const char *name)
{
	static const char *const names[] = {
		[PSPIN_FRAMING_RAW] = "raw",
		[PSPIN_FRAMING_PSPIN] = "pspin",
		[PSPIN_FRAMING_IP] = "ip",
		[PSPIN_FRAMING_ETHERNET] = "ethernet",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return (int)i;
	return -ENOENT;
}

static uint32_t be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

/* Finds the IP packet that the frame carries, by its own length field, whatever its content. */
static enum spin_reason find_ip(const uint8_t *frame, size_t bytes, struct inbound *in)
{
	uint32_t type;
	enum spin_reason reason = inbound__ethernet(frame, bytes, &in->ip_off, &type);
	const uint8_t *ip = frame + in->ip_off;

	if (reason != SPIN_REASON_COUNT)
		return reason;
	bytes -= in->ip_off;
	in->is_ip4 = type == SPIN_ETH_IP4;
	if (bytes < (in->is_ip4 ? sizeof(struct spin_ip4) : sizeof(struct spin_ip6)))
		return SPIN_REASON_TRUNCATED;
	in->ip_bytes = in->is_ip4 ? (ip[0] & 15u) * 4 : (uint32_t)sizeof(struct spin_ip6);
	in->packet_bytes = in->is_ip4 ? be16(ip + offsetof(struct spin_ip4, total_length))
				      : in->ip_bytes + be16(ip + offsetof(struct spin_ip6, payload_length));
	if (ip[0] >> 4 != (in->is_ip4 ? 4 : 6) || in->ip_bytes < sizeof(struct spin_ip4))
		return SPIN_REASON_IP_MALFORMED;
	return in->packet_bytes < in->ip_bytes || in->packet_bytes > bytes ? SPIN_REASON_IP_LENGTH : SPIN_REASON_COUNT;
}

static enum spin_reason framing__find(enum pspin_framing framing, const uint8_t *frame, size_t bytes, struct inbound *in)
{
	enum spin_reason reason;

	*in = (struct inbound){ .packet_bytes = (uint32_t)bytes };
	if (framing == PSPIN_FRAMING_RAW || framing == PSPIN_FRAMING_ETHERNET)
		return SPIN_REASON_COUNT;
	reason = find_ip(frame, bytes, in);
	if (reason == SPIN_REASON_COUNT && framing == PSPIN_FRAMING_PSPIN && !in->is_ip4)
		return SPIN_REASON_NOT_IP; /* PsPIN's header is IPv4's */
	return reason;
}

/* Converts to the byte order of an HPU. */
static void swap16(uint8_t *at)
{
	uint8_t high = at[0];

	at[0] = at[1];
	at[1] = high;
}

/* PsPIN's examples declare version and IHL in swapped order, and lengths in the HPU's byte order. */
static void to_pspin_layout(uint8_t *ip, const struct inbound *in)
{
	uint8_t *udp = ip + in->ip_bytes;

	ip[0] = (uint8_t)(ip[0] << 4 | ip[0] >> 4);
	swap16(ip + offsetof(struct spin_ip4, total_length));
	if (ip[offsetof(struct spin_ip4, protocol)] == SPIN_IP_UDP && in->packet_bytes >= in->ip_bytes + sizeof(struct spin_udp))
		swap16(udp + offsetof(struct spin_udp, length));
}

static void framing__place(enum pspin_framing framing, const uint8_t *frame, const struct inbound *in, uint8_t *to)
{
	memcpy(to, frame + in->ip_off, in->packet_bytes);
	if (framing == PSPIN_FRAMING_PSPIN)
		to_pspin_layout(to, in);
}

/* --- packets --- */

/* Returns the slot of a message that has not ended; NULL if none. */
static struct slot *find_open(const struct slots *slots, uint64_t message)
{
	for (unsigned i = 0; i < slots->homes * slots->per_home; i++)
		if (slots->all[i].is_taken && !slots->all[i].is_ending && slots->all[i].message == message)
			return &slots->all[i];
	return NULL;
}

static uint32_t classify(struct pspin *nic, struct inflight *inflight)
{
	struct arrival *a = &inflight->arrival;
	struct pspin_packet_record *record = &inflight->record;
	enum spin_reason reason = framing__find(nic->image.framing, a->frame, a->frame_bytes, &a->in);

	if (reason == SPIN_REASON_COUNT) {
		record->packet_bytes = a->in.packet_bytes;
		inflight->is_matched = find_open(&nic->slots, inflight->message) != NULL;
		return record->packet_bytes;
	}
	record->disposition = PSPIN_DISPOSITION_NOT_MATCHED;
	record->reason = reason;
	record->verdict = SPIN_VERDICT_PASS;
	return 0;
}

static uint32_t place(struct pspin *nic, struct inflight *inflight, uint8_t *to)
{
	framing__place(nic->image.framing, inflight->arrival.frame, &inflight->arrival.in, to);
	return inflight->arrival.in.packet_bytes;
}

/*
 * A message gets the MPQ of its number if that is free, and a scratchpad at the same offset in every cluster. With PsPIN's API the
 * scratchpad belongs to the context and is never cleared.
 */
static struct slot *begin_message(struct pspin *nic, uint64_t message)
{
	struct slot *slot = slots__alloc_number(nic, message);
	const struct pspin_image *image = &nic->image;
	uint32_t bytes = nic->slots.scratch_bytes;

	if (!slot)
		slot = slots__alloc(nic);
	if (!slot)
		return NULL;
	slot->message = message;
	slot->place_at = nic->memory->l1_scratchpads;
	if (!image->entries_at)
		slot->place_at += (slot->number * nic->slots.homes + slot->home) * bytes;
	for (unsigned i = 0; i < nic->device->target.clusters && !image->entries_at; i++)
		memset(nic->memory->l1[i] + slot->place_at, 0, bytes);
	slot->context = (struct soc_context){
		.header = nic->entry[NIC_HEADER][0],
		.payload = nic->entry[NIC_PAYLOAD][0],
		.completion = nic->completion,
		.handler_mem = L2_STATE,
		.handler_mem_bytes = image->handler_mem_bytes ? image->handler_mem_bytes : L2_STATE_BYTES,
		.host_mem = HOST_BASE,
		.host_mem_bytes = (uint32_t)nic->memory->host_bytes,
		.scratchpad = slot->place_at,
		.scratchpad_bytes = image->scratchpad_bytes,
		.bytes_in_l1 = image->bytes_in_l1 == SPIN_WHOLE_PACKET ? UINT32_MAX : image->bytes_in_l1,
		.watchdog_cycles = image->watchdog_cycles,
	};
	return slot;
}

/* Assigns the packet to its message, which the caller has named: there is no protocol to tell. */
static enum decision decide(struct pspin *nic, struct inflight *inflight)
{
	struct slot *slot = find_open(&nic->slots, inflight->message);

	if (!slot)
		slot = begin_message(nic, inflight->message);
	if (!slot && nic->device->ingress.loses && !nic->slots.ending_count)
		return her_queue__lose(nic, inflight);
	if (!slot)
		return DECIDED_WAIT;
	inflight->kind = PSPIN_PAYLOAD;
	inflight->handler_bytes = inflight->arrival.in.packet_bytes; /* the model does not know where its payload begins */
	inflight->reason = SPIN_REASON_SUCCESS;
	her_queue__add(nic, inflight, slot, 0, inflight->end_of_message);
	return DECIDED_HANDLED;
}

static void ended(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task)
{
	(void)nic;
	(void)kind;
	if (task->error && inflight->reason == SPIN_REASON_SUCCESS)
		inflight->reason = record__error_reason(task->error);
}

/* The first send of a handler leaves. */
static size_t leaves(struct pspin *nic, struct inflight *inflight)
{
	struct pspin_packet_record *record = &inflight->record;

	record->reason = inflight->reason;
	record->verdict = SPIN_VERDICT_DROP;
	if (!inflight->reply.done || inflight->reason != SPIN_REASON_SUCCESS)
		return 0;
	record->reason = SPIN_REASON_REPLIED;
	record->verdict = SPIN_VERDICT_TX;
	record->left_ps = record__ps(nic, inflight->reply.left);
	memcpy(nic->device->frame, inflight->reply.at, inflight->reply.bytes);
	return inflight->reply.bytes;
}

static void freed(struct pspin *nic, struct slot *slot)
{
	slot->place_at = 0; /* such slots do not own a scratchpad place */
	slot__free(nic, slot);
}

const struct nic_kind image_kind = {
	.classify = classify,
	.place = place,
	.decide = decide,
	.ended = ended,
	.leaves = leaves,
	.freed = freed,
};

/* --- opening --- */

/* Lists the names of functions in program memory, in order of address, as many as fit. */
static void list_functions(const struct pspin *nic, char *to, size_t bytes)
{
	size_t used = 0;

	for (uint32_t addr = PROGRAM, start; addr < PROGRAM + nic->program_end; addr += 2) {
		const char *name = hw_elf__symbol_at(nic->elf, addr, &start);

		if (!name || start != addr)
			continue;
		used += (size_t)snprintf(to + used, bytes - used, "%s%s", used ? ", " : "", name);
		if (used >= bytes)
			return;
	}
	if (!used)
		snprintf(to, bytes, "none, it is stripped");
}

static int find_handler(struct pspin *nic, const char *name, uint32_t *addr, char *err, size_t err_bytes)
{
	char available[512] = "";

	if (!name || !hw_elf__symbol(nic->elf, name, addr, NULL))
		return 0;
	list_functions(nic, available, sizeof(available));
	snprintf(err, err_bytes, "the image has no function %s; it has: %s", name, available);
	return -EINVAL;
}

static int find_handlers(struct pspin *nic, char *err, size_t err_bytes)
{
	const struct pspin_image *image = &nic->image;
	int rc;

	if (image->entries_at)
		return 0; /* the program's start-up code sets them */
	if (!image->header && !image->payload && !image->completion) {
		snprintf(err, err_bytes, "no handler is named: give the symbol of at least one");
		return -EINVAL;
	}
	rc = find_handler(nic, image->header, &nic->entry[NIC_HEADER][0], err, err_bytes);
	if (!rc)
		rc = find_handler(nic, image->payload, &nic->entry[NIC_PAYLOAD][0], err, err_bytes);
	if (!rc)
		rc = find_handler(nic, image->completion, &nic->completion, err, err_bytes);
	return rc;
}

/* Opens as many messages as the target has MPQs, if their scratchpads fit each L1. */
static int open_messages(struct pspin *nic, char *err, size_t err_bytes)
{
	const struct pspin_target *target = &nic->device->target;
	unsigned per_home = (unsigned)((target->mpqs + target->clusters - 1) / target->clusters);
	uint32_t bytes = nic->image.scratchpad_bytes < 64 ? 64 : (nic->image.scratchpad_bytes + 63) & ~63u;
	uint32_t room = nic->memory->l1_bytes - nic->memory->l1_scratchpads;
	unsigned homes = target->clusters < HPU_SCRATCHPADS ? (unsigned)target->clusters : HPU_SCRATCHPADS;

	if (nic->image.entries_at) {
		if (nic->image.scratchpad_bytes > room)
			nic->image.scratchpad_bytes = room & ~63u;
		return slots__open(nic, per_home, 64); /* with this API the slots' scratchpads are not used */
	}
	if (nic->image.scratchpad_bytes > room || bytes > room) {
		snprintf(err, err_bytes, "a scratchpad of %u bytes does not fit an L1: %u are left behind the packet buffer",
			 nic->image.scratchpad_bytes, room);
		return -EINVAL;
	}
	if (per_home > room / bytes / homes)
		per_home = room / bytes / homes;
	if (!per_home) {
		snprintf(err, err_bytes, "scratchpads of %u bytes: not one for each home cluster fits an L1, %u bytes are left",
			 nic->image.scratchpad_bytes, room);
		return -EINVAL;
	}
	return slots__open(nic, per_home, bytes);
}

/*
 * Watchdog allowance for start-up. In PsPIN's own start-up code every HPU clears all variables that begin as zeros, and they share one
 * port: less than a cycle per byte and HPU (hwmodel/README.md, "L2": 2.9 a word).
 */
static uint64_t clear_cycles(const struct pspin *nic)
{
	struct hw_elf_segment segment;
	uint64_t bytes = 0;

	for (unsigned i = 0; !hw_elf__segment(nic->elf, i, &segment); i++)
		bytes += segment.mem_bytes - segment.file_bytes;
	return (bytes < L2_HANDLER_BYTES ? bytes : L2_HANDLER_BYTES) * nic->device->soc.hpu_count;
}

int image__open(struct pspin *nic, const struct pspin_image *image, char *err, size_t err_bytes)
{
	uint32_t host_bytes = image->host_bytes ? image->host_bytes : SPIN_HOST_BYTES;
	int rc;

	nic->image = *image;
	nic->kind = &image_kind;
	nic->is_image = 1;
	if (host_bytes > SPIN_HOST_BYTES_MAX) {
		snprintf(err, err_bytes, "host memory of %u bytes: at most %u", host_bytes, SPIN_HOST_BYTES_MAX);
		return -EINVAL;
	}
	if (image->handler_mem_bytes > L2_STATE_BYTES) {
		snprintf(err, err_bytes, "handler memory of %u bytes: there are %u", image->handler_mem_bytes, L2_STATE_BYTES);
		return -EINVAL;
	}
	nic->device->soc.third_party_image = 1;
	nic->device->soc.lacks_extensions = 1;
	nic->device->soc.returns_amo_word = image->entries_at != 0;
	nic->device->soc.clear_cycles = clear_cycles(nic);
	rc = find_handlers(nic, err, err_bytes);
	if (!rc)
		rc = open_messages(nic, err, err_bytes);
	nic->image.elf = nic->image.header = nic->image.payload = nic->image.completion = NULL;
	return rc ? rc : storage__resize_host(nic->memory, host_bytes);
}

static int check_entry(const struct pspin *nic, const char *kind, uint32_t entry, uint32_t *out, char *err, size_t err_bytes)
{
	if (entry && (entry & 1 || entry - PROGRAM >= nic->program_end)) {
		snprintf(err, err_bytes, "init_handlers() gives a %s handler at 0x%08x, where the program has no code", kind, entry);
		return -EINVAL;
	}
	*out = entry;
	return 0;
}

/* Reads the handlers' addresses, which the program may have overwritten: each is checked. */
int image__booted(struct pspin *nic, char *err, size_t err_bytes)
{
	struct pspin_api_entries entries;
	int rc;

	if (!nic->image.entries_at)
		return 0;
	if (pspin__read(nic, nic->image.entries_at, &entries, sizeof(entries))) {
		snprintf(err, err_bytes, "its description is damaged: handlers at 0x%08x, where no memory is; compile it again",
			 nic->image.entries_at);
		return -EINVAL;
	}
	rc = check_entry(nic, "header", entries.header, &nic->entry[NIC_HEADER][0], err, err_bytes);
	if (!rc)
		rc = check_entry(nic, "payload", entries.payload, &nic->entry[NIC_PAYLOAD][0], err, err_bytes);
	if (!rc)
		rc = check_entry(nic, "completion", entries.completion, &nic->completion, err, err_bytes);
	if (!rc && !entries.header && !entries.payload && !entries.completion) {
		snprintf(err, err_bytes, "init_handlers() gives no handler: set *hh, *ph or *th to one");
		rc = -EINVAL;
	}
	return rc;
}
