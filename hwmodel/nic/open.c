/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Opens the NIC model: checks an image (a complete program with the handlers), loads it, boots the machine, and joins further contexts.
 * Implements pspin__open(), __join(), __open_image() and __close(). On error a new NIC is closed again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/wire.h>

#include "hwmodel/soc/peripherals.h"
#include "hwmodel/soc/timing.h"
#include "hwmodel/nic/connection.h"
#include "hwmodel/nic/image.h"
#include "hwmodel/nic/memory.h"
#include "hwmodel/nic/message_state.h"
#include "hwmodel/nic/her_queue.h"
#include "hwmodel/nic/ingress.h"

static int is_icmp(const struct spin_rule *rule)
{
	return rule->protocol == SPIN_IP_ICMP || rule->protocol == SPIN_IP_ICMP6;
}

/* The rules of <spin/rule.h> for protocols and ranges. err says which one is broken. */
static int has_too_many_ranges(const struct spin_rule *rule)
{
	return rule->src_ports.count > SPIN_RULE_RANGES_MAX || rule->dst_ports.count > SPIN_RULE_RANGES_MAX ||
	       rule->vlan.count > SPIN_RULE_RANGES_MAX || rule->dscp.count > SPIN_RULE_RANGES_MAX || rule->ttl.count > SPIN_RULE_RANGES_MAX;
}

/* Rules of TCP are for handlers of segments, and for no others. Returns 0, or -1 with the reason in err. */
static int check_segments(const struct pspin *nic, char *err, size_t err_bytes)
{
	const struct spin_registration *registration = &nic->meta.registration;
	const int takes_segments = registration->delivery == SPIN_DELIVER_SEGMENTS;

	if (!takes_segments && nic->rule.protocol == SPIN_IP_TCP)
		snprintf(err, err_bytes,
			 "the rule asks for TCP, and the handler does not take segments: register .delivery = SPIN_DELIVER_SEGMENTS, or "
			 "give a rule of another protocol");
	else if (takes_segments && nic->rule.protocol != SPIN_IP_TCP)
		snprintf(err, err_bytes, "the handler takes segments, which are of TCP: its rule must be TCP's");
	else if (takes_segments && (registration->takes || registration->puts || nic->rule.has_eom))
		snprintf(err, err_bytes,
			 "the handler takes segments: it cannot send packets, nor take gets or atomics, and its rule cannot say which "
			 "packet is a message's last");
	else
		return 0;
	return -1;
}

static int check_rule(const struct pspin *nic, char *err, size_t err_bytes)
{
	const struct spin_registration *registration = &nic->meta.registration;
	const struct spin_rule *rule = &nic->rule;

	if (rule->ether_type && rule->protocol)
		snprintf(err, err_bytes, "the rule asks for a type of Ethernet and for protocol %u: give one", rule->protocol);
	else if (rule->protocol && rule->protocol != SPIN_IP_UDP && rule->protocol != SPIN_IP_TCP && !is_icmp(rule))
		snprintf(err, err_bytes, "the rule asks for protocol %u: handlers take UDP, TCP, ICMP or ICMPv6", rule->protocol);
	else if (check_segments(nic, err, err_bytes))
		return -EINVAL;
	else if ((is_icmp(rule) || rule->ether_type) && (registration->delivery == SPIN_DELIVER_ME || registration->puts))
		snprintf(err, err_bytes, "the handler takes messages or sends packets, which are of UDP: its rule must be UDP's");
	else if (rule->words > SPIN_RULE_WORDS_MAX)
		snprintf(err, err_bytes, "the rule has %u words: at most %u", rule->words, SPIN_RULE_WORDS_MAX);
	else if (has_too_many_ranges(rule))
		snprintf(err, err_bytes, "the rule has a field with more than %u ranges", SPIN_RULE_RANGES_MAX);
	else if (rule->has_eom && registration->delivery != SPIN_DELIVER_ME)
		snprintf(err, err_bytes, "the rule says which packet is a message's last, and the handler takes datagrams");
	else if (rule->has_eom && (registration->takes || registration->puts))
		snprintf(err, err_bytes,
			 "the rule is of messages without SLMP, and the handler takes gets or atomics, or sends packets: these "
			 "are SLMP's");
	else
		return 0;
	return -EINVAL;
}

/* If an image's code leaves no room for the entries of rules other than UDP's, spincc has left out all of these. */
static int no_entry(const struct pspin *nic, const char *name, char *err, size_t err_bytes)
{
	uint32_t at;

	if ((!is_icmp(&nic->rule) && !nic->rule.ether_type) || hw_elf__symbol(nic->elf, "hpu_payload_ip4", &at, NULL) ||
	    !hw_elf__symbol(nic->elf, "hpu_payload_icmp", &at, NULL))
		snprintf(err, err_bytes, "the image has no %s: compile it again with spincc", name);
	else
		snprintf(
			err, err_bytes,
			"the handler's HPU program is for UDP alone, as the code for ICMP and other types of Ethernet "
			"would not go into the %u KiB of program memory with it: repeat less of the code in the handler, or give a rule of udp",
			PROGRAM_BYTES / 1024);
	return -EINVAL;
}

/* Finds the image's functions for the packets of the rule: of UDP, of ICMP or of an EtherType. */
static int find_entries(struct pspin *nic, char *err, size_t err_bytes)
{
	static const struct {
		const char *name, *icmp, *ether;
		unsigned entry, is_ip4;
	} names[] = {
		{ "hpu_header_ip4", "hpu_header_icmp", "hpu_header_ether", NIC_HEADER, 1 },
		{ "hpu_header_ip6", "hpu_header_icmp6", "hpu_header_ether", NIC_HEADER, 0 },
		{ "hpu_payload_ip4", "hpu_payload_icmp", "hpu_payload_ether", NIC_PAYLOAD, 1 },
		{ "hpu_payload_ip6", "hpu_payload_icmp6", "hpu_payload_ether", NIC_PAYLOAD, 0 },
		{ "hpu_proceed_ip4", "hpu_proceed_icmp", "hpu_proceed_ether", NIC_PROCEED, 1 },
		{ "hpu_proceed_ip6", "hpu_proceed_icmp6", "hpu_proceed_ether", NIC_PROCEED, 0 },
	};
	const char *completion;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = nic->rule.ether_type ? names[i].ether : is_icmp(&nic->rule) ? names[i].icmp : names[i].name;

		if (!hw_elf__symbol(nic->elf, name, &nic->entry[names[i].entry][names[i].is_ip4], NULL))
			continue;
		return no_entry(nic, name, err, err_bytes);
	}
	completion = nic->rule.ether_type ? "hpu_completion_ether" : is_icmp(&nic->rule) ? "hpu_completion_icmp" : "hpu_completion";
	return hw_elf__symbol(nic->elf, completion, &nic->completion, NULL) ? no_entry(nic, completion, err, err_bytes) : 0;
}

static void measure_program(struct pspin *nic)
{
	struct hw_elf_segment segment;

	for (unsigned i = 0; !hw_elf__segment(nic->elf, i, &segment); i++)
		if (segment.paddr - PROGRAM < PROGRAM_BYTES && segment.paddr - PROGRAM + segment.file_bytes > nic->program_end)
			nic->program_end = segment.paddr - PROGRAM + segment.file_bytes;
}

#define L1_KIB 1024u /* size for which pspin.ld lays out images */

static uint32_t watchdog_cycles(const struct pspin *nic)
{
	uint32_t budget = nic->meta.registration.budget ? nic->meta.registration.budget : SPIN_BUDGET_STEPS;
	uint64_t cycles = (uint64_t)budget * WATCHDOG_STEP_CYCLES;
	uint32_t counts;

	if (pspin__symbol(nic, "spin_steps_", &counts, NULL) || cycles < nic->device->target.watchdog_cycles)
		return nic->device->target.watchdog_cycles;
	return cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
}

/* Writes the numbers of HPUs and clusters into images that have words for them, and finds the counts of work items. */
static void set_image_words(struct pspin *nic)
{
	const uint32_t hpus = nic->device->soc.hpu_count, clusters = (uint32_t)nic->device->target.clusters;
	uint32_t at;

	if (!pspin__symbol(nic, "spin_hpus_", &at, NULL))
		pspin__write(nic, at, &hpus, sizeof(hpus));
	if (!pspin__symbol(nic, "spin_clusters_", &at, NULL))
		pspin__write(nic, at, &clusters, sizeof(clusters));
	if (pspin__symbol(nic, "spin_work_counts", &nic->work_counts, NULL))
		nic->work_counts = 0;
}

/* Opens as many MPQs as the target has. */
static int open_datagrams(struct pspin *nic)
{
	const struct pspin_target *target = &nic->device->target;
	int rc = slots__open(nic, (unsigned)((target->mpqs + target->clusters - 1) / target->clusters), slot__scratch_bytes(0));

	nic->kind = &datagram_kind;
	return rc ? rc : nic_host__open(nic, 0, NULL, 0);
}

/* Names the segment that does not fit, and the memories that there are. */
static void report_bad_segment(const struct pspin *nic, char *err, size_t err_bytes)
{
	const struct storage *memory = nic->memory;
	struct hw_elf_segment segment;
	enum storage_fit fit = STORAGE_FITS;

	for (unsigned i = 0; fit == STORAGE_FITS && !hw_elf__segment(nic->elf, i, &segment); i++)
		fit = storage__fit(memory, &segment);
	if (fit == STORAGE_IN_PACKET_BUFFER)
		snprintf(err, err_bytes,
			 "the image does not fit: its segment of %u bytes at 0x%08x overlaps the packet buffer, 0x%x to 0x%x in each L1, "
			 "where arriving packets would overwrite it: link it to addresses behind that",
			 segment.mem_bytes, segment.paddr, L1_PACKETS, L1_PACKETS + memory->l1_packet_bytes - 1);
	else
		snprintf(
			err, err_bytes,
			"the image does not fit: its segment of %u bytes at 0x%08x lies outside handler memory (0x%08x, %u KiB), program "
			"memory (0x%08x, %u KiB) and L1 (0x%08x + cluster * 0x%x, or every cluster's at 0x%08x; %u clusters, %u KiB each): "
			"link it into one of them",
			segment.mem_bytes, segment.paddr, L2_HANDLER, L2_HANDLER_BYTES / 1024, PROGRAM, PROGRAM_BYTES / 1024, L1_GLOBAL,
			L1_STRIDE, L1_OWN, memory->clusters, memory->l1_bytes / 1024);
}

/* Loads the program into memory, which must be zero. */
static int load(struct pspin *nic, char *err, size_t err_bytes)
{
	if (storage__load(nic->memory, nic->elf)) {
		report_bad_segment(nic, err, err_bytes);
		return -EINVAL;
	}
	measure_program(nic);
	return 0;
}

static int open_machine(struct device *device)
{
	int rc = soc__open(&device->soc, &device->target, &nic_hooks, device);

	device->soc.dma_takes_no_alias = 1;
	device->on_room = ingress__room;
	return rc ? rc : packet_buffer__open(&device->packet_buffer, device->soc.memory.l2_packet_bytes);
}

static int open_elf(struct pspin *nic, const void *image, size_t image_bytes, char *err, size_t err_bytes)
{
	if (pspin_target__check(&nic->device->target, err, err_bytes))
		return -EINVAL;
	nic->elf_data = malloc(image_bytes ? image_bytes : 1);
	if (!nic->elf_data)
		return -ENOMEM;
	memcpy(nic->elf_data, image, image_bytes);
	return hw_elf__open(&nic->elf, nic->elf_data, image_bytes, err, err_bytes);
}

/* Names the HPU that never waits for a task, and its pc. */
static void report_boot_failure(const struct pspin *nic, char *err, size_t err_bytes)
{
	const struct hpu *hpu = nic->device->soc.hpus, *end = hpu + nic->device->soc.hpu_count;
	const char *what, *name;
	uint32_t pc, start = 0, error;
	struct rv32_trap trap;

	while (hpu + 1 < end && hpu->of->idle_pc && !hpu->result.error)
		hpu++;
	error = hpu->result.error ? hpu->result.error : hpu->stopped; /* the first error counts */
	pc = hpu->result.error ? hpu->result.error_pc : rv32_core__pc(hpu->core);
	if (!hpu->result.error && error == PSPIN_ERROR_WATCHDOG && rv32_core__in_trap(hpu->core, 0, &trap)) {
		error = trap.cause;
		pc = trap.pc;
	}
	what = error == PSPIN_ERROR_WATCHDOG ? "hangs" : "traps";
	name = hw_elf__symbol_at(nic->elf, pc, &start);
	if (event_unit__sleeps(hpu)) {
		snprintf(err, err_bytes,
			 "the image sleeps before its first task: HPU %u of cluster %u waits at 0x%08x (%s+0x%x) for a word from the "
			 "dispatch FIFO that no HPU of its cluster gives it, or whose event it has not enabled",
			 hpu->index, hpu->cluster, pc, name ? name : "no symbol", pc - start);
		return;
	}
	snprintf(err, err_bytes, "the image traps or hangs before its first task: HPU %u of cluster %u %s (mcause %u) at 0x%08x (%s+0x%x)",
		 hpu->index, hpu->cluster, what, error, pc, name ? name : "no symbol", pc - start);
}

static int boot(struct pspin *nic, char *err, size_t err_bytes)
{
	int rc = soc__boot_program(&nic->device->soc, nic->number);

	if (rc) {
		report_boot_failure(nic, err, err_bytes);
		return rc;
	}
	nic->device->opened = nic->device->soc.now;
	nic->put_id = 1;
	return 0;
}

/* Checks that need no machine. */
static int check_context(const struct pspin *nic, char *err, size_t err_bytes)
{
	if (nic->meta.magic != SPIN_META_MAGIC || nic->meta.api_version != SPIN_API_VERSION) {
		snprintf(err, err_bytes, "metadata of another version: build the handler again with this spincc");
		return -EINVAL;
	}
	if (check_rule(nic, err, err_bytes))
		return -EINVAL;
	if (nic->device->target.clusters > 1 && nic->device->target.hpus > SOC_NUMBERED_HPUS) {
		snprintf(err, err_bytes,
			 "images of spincc number up to %u HPUs of a cluster: target %s has %llu in each of %llu; give it one "
			 "cluster, or fewer HPUs",
			 SOC_NUMBERED_HPUS, nic->device->target.name, (unsigned long long)nic->device->target.hpus,
			 (unsigned long long)nic->device->target.clusters);
		return -EINVAL;
	}
	if (nic->device->target.l1_kib < L1_KIB) {
		snprintf(err, err_bytes, "images of spincc need %u KiB of L1 in a cluster: target %s has %llu", L1_KIB,
			 nic->device->target.name, (unsigned long long)nic->device->target.l1_kib);
		return -EINVAL;
	}
	return 0;
}

/* Boots the context's program, which is loaded and known to the machine, and opens its messages. */
static int start(struct pspin *nic, char *err, size_t err_bytes)
{
	uint32_t from = 0, end = 0;
	int rc;

	/* images use L1 after the scratchpads (pspin.ld), not in front of them */
	nic->memory->l1_scratchpads = L1_PACKETS + nic->memory->l1_packet_bytes;
	rc = find_entries(nic, err, err_bytes);
	pspin__symbol(nic, "spin_clusters_start_", &from, NULL);
	pspin__symbol(nic, "spin_clusters_end_", &end, NULL);
	if (end - from < L1_STRIDE) /* boot clears them, at half a cycle per byte (boot.S) */
		nic->device->soc.clear_cycles = end - from;
	if (rc)
		return rc;
	set_image_words(nic);
	rc = boot(nic, err, err_bytes);
	if (rc)
		return rc;
	soc__set_watchdog(&nic->device->soc, nic->number, watchdog_cycles(nic));
	if (nic->meta.registration.delivery == SPIN_DELIVER_ME)
		return nic_messages__open(nic);
	rc = open_datagrams(nic);
	return rc || nic->meta.registration.delivery != SPIN_DELIVER_SEGMENTS ? rc : nic_connections__open(nic);
}

static int open_context(struct pspin *nic, const void *image, size_t image_bytes, char *err, size_t err_bytes)
{
	int rc = check_context(nic, err, err_bytes);

	if (!rc)
		rc = open_elf(nic, image, image_bytes, err, err_bytes);
	if (!rc)
		rc = open_machine(nic->device);
	if (!rc)
		rc = load(nic, err, err_bytes);
	return rc ? rc : start(nic, err, err_bytes);
}

/* The context's messages must have been freed. */
static void close_context(struct pspin *nic)
{
	slots__close(nic);
	ingress__close(nic);
	event_log__free(&nic->event_log);
	if (nic->number)
		storage__close(&nic->own_memory);
	hw_elf__close(nic->elf);
	free(nic->elf_data);
	free(nic);
}

/*
 * Adds the context to the device. It stays there even if its start fails; on an earlier error it is closed, and the others are not
 * changed.
 */
static int join_context(struct pspin *nic, const void *image, size_t image_bytes, char *err, size_t err_bytes)
{
	struct device *device = nic->device;
	int rc = check_context(nic, err, err_bytes);

	if (!rc)
		rc = open_elf(nic, image, image_bytes, err, err_bytes);
	if (!rc)
		rc = storage__open_more(&nic->own_memory, &device->target, &device->soc.memory);
	if (!rc)
		rc = load(nic, err, err_bytes);
	if (!rc)
		rc = device__admit(device, nic, err, err_bytes);
	if (!rc)
		rc = soc__add_program(&device->soc, nic->memory, nic->code_at);
	if (rc < 0) {
		close_context(nic);
		return rc;
	}
	device->contexts[device->count++] = nic;
	rc = start(nic, err, err_bytes);
	return rc ? rc : device__divide(device, err, err_bytes);
}

static struct pspin *new_context(struct device *device)
{
	struct pspin *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->device = device;
	nic->number = device->count;
	nic->memory = nic->number ? &nic->own_memory : &device->soc.memory;
	return nic;
}

static struct pspin *new_nic(const struct pspin_target *target)
{
	struct device *device = calloc(1, sizeof(*device));
	struct pspin *nic;

	if (!device)
		return NULL;
	device->target = *target;
	nic = new_context(device);
	if (nic)
		device->contexts[device->count++] = nic;
	else
		free(device);
	return nic;
}

/* Ends an open: returns the NIC, or closes it on error with the reason in err. */
static int finish_open(struct pspin *nic, int rc, struct pspin **out, char *err, size_t err_bytes)
{
	if (rc == -ENOMEM)
		snprintf(err, err_bytes, "out of memory");
	*out = rc ? NULL : nic;
	if (rc)
		pspin__close(nic);
	return rc;
}

int pspin__open(struct pspin **out, const struct pspin_target *target, const struct spin_meta *meta, const void *image, size_t image_bytes,
		const struct spin_rule *rule, char *err, size_t err_bytes)
{
	struct pspin *nic = new_nic(target);
	char unused[1];

	if (!err || !err_bytes) {
		err = unused;
		err_bytes = sizeof(unused);
	}
	err[0] = 0;
	if (!nic)
		return finish_open(nic, -ENOMEM, out, err, err_bytes);
	nic->meta = *meta;
	nic->rule = *rule;
	return finish_open(nic, open_context(nic, image, image_bytes, err, err_bytes), out, err, err_bytes);
}

int pspin__join(struct pspin **out, struct pspin *nic, const struct spin_meta *meta, const void *image, size_t image_bytes,
		const struct spin_rule *rule, char *err, size_t err_bytes)
{
	struct pspin *joined = NULL;
	char unused[1];
	int rc;

	if (!err || !err_bytes) {
		err = unused;
		err_bytes = sizeof(unused);
	}
	err[0] = 0;
	*out = NULL;
	rc = device__may_join(nic->device, rule, err, err_bytes);
	if (!rc && !(joined = new_context(nic->device)))
		rc = -ENOMEM;
	if (!rc) {
		joined->meta = *meta;
		joined->rule = *rule;
		rc = join_context(joined, image, image_bytes, err, err_bytes);
	}
	if (rc == -ENOMEM)
		snprintf(err, err_bytes, "out of memory");
	if (!rc)
		*out = joined;
	return rc;
}

/* Third-party images have stacks for as many HPUs of a cluster as PsPIN has: limits the threads to that number. */
static void limit_threads(struct pspin_target *target)
{
	const uint64_t most = SOC_NUMBERED_HPUS / target->hpus;

	if (target->hpu_threads > most)
		target->hpu_threads = most ? most : 1;
}

int pspin__open_image(struct pspin **out, const struct pspin_target *target, const struct pspin_image *image, char *err, size_t err_bytes)
{
	struct pspin *nic = new_nic(target);
	char unused[1];
	int rc;

	if (!err || !err_bytes) {
		err = unused;
		err_bytes = sizeof(unused);
	}
	err[0] = 0;
	if (!nic)
		return finish_open(nic, -ENOMEM, out, err, err_bytes);
	limit_threads(&nic->device->target);
	rc = open_elf(nic, image->elf, image->elf_bytes, err, err_bytes);
	if (!rc)
		rc = open_machine(nic->device);
	if (!rc)
		rc = load(nic, err, err_bytes);
	if (!rc)
		rc = image__open(nic, image, err, err_bytes);
	if (!rc)
		rc = boot(nic, err, err_bytes);
	if (!rc)
		rc = image__booted(nic, err, err_bytes);
	return finish_open(nic, rc, out, err, err_bytes);
}

void pspin__close(struct pspin *nic)
{
	struct device *device;

	if (!nic)
		return;
	device = nic->device;
	for (unsigned i = 0; i < device->count; i++)
		nic_messages__free(device->contexts[i]);
	for (unsigned i = 0; i < device->count; i++)
		nic_connections__free(device->contexts[i]);
	inflights__close(&device->inflights);
	packet_buffer__close(&device->packet_buffer);
	for (unsigned i = 0; i < device->count; i++)
		close_context(device->contexts[i]);
	soc__close(&device->soc);
	free(device);
}
