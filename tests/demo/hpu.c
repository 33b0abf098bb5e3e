/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a handler on the model of the NIC, packet by packet, and adds up the cycles that its core (HPU) takes (hpu.h). Called by the parts
 * of the demo and kv_replay.c. A failure ends the demo.
 */
#include <string.h>

#include "tests/common/proc.h"
#include "tests/demo/hpu.h"

void hpu_open(struct hpu *hpu, const struct spin_object *object, const struct spin_rule *rule)
{
	const void *image;
	char reason[256] = "no image in the object";
	size_t bytes;

	memset(hpu, 0, sizeof(*hpu));
	hpu->target = pspin_target__find("pspin-rtl");
	image = spin_object__image(object, &bytes);
	if (!hpu->target || !image ||
	    pspin__open(&hpu->nic, hpu->target, spin_object__meta(object), image, bytes, rule, reason, sizeof(reason)))
		die("HPU model: %s", reason);
}

void hpu_close(struct hpu *hpu)
{
	pspin__close(hpu->nic);
}

uint32_t hpu_symbol(const struct hpu *hpu, const char *name, size_t bytes)
{
	uint32_t addr, have;

	if (pspin__symbol(hpu->nic, name, &addr, &have) || have != bytes)
		die("HPU model: no %s of %zu bytes", name, bytes);
	return addr;
}

void hpu_set(struct hpu *hpu, const char *symbol, const void *from, size_t bytes)
{
	if (pspin__write(hpu->nic, hpu_symbol(hpu, symbol, bytes), from, bytes))
		die("HPU model: cannot set %s", symbol);
}

const struct pspin_result *hpu_packet(struct hpu *hpu, const struct frame *frame)
{
	static struct pspin_result result;

	if (pspin__packet(hpu->nic, frame->data, frame->bytes, &result))
		die("HPU model: a frame of %u bytes is refused", frame->bytes);
	return &result;
}

void hpu_count(struct hpu_class *class, const struct pspin_result *result)
{
	class->packets++;
	for (unsigned t = 0; t < result->task_count; t++)
		class->cycles += result->tasks[t].body_cycles;
}

double hpu_mean_cycles(const struct hpu_class *class)
{
	return class->packets ? (double)class->cycles / (double)class->packets : 0;
}

double hpu_needed(const struct hpu *hpu, double body_cycles, double gbit_s, double bytes_per_packet)
{
	double packets_per_ns = gbit_s / (8 * bytes_per_packet);

	return packets_per_ns * (body_cycles + pspin_target__runtime_cycles(hpu->target)) / pspin_target__clock_ghz(hpu->target);
}
