/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The model's clusters and schedulers with a bare program and without the NIC around them: boots an image, runs a group of packets, records
 * the tasks. Used by the rows of `make accuracy`, through machine.h. Every failure ends the process, which has only one row to measure.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/machine.h"

/* Packets are stored from this address on. Words that programs access are below it. */
#define PACKETS_AT   (L2_PACKET + 0x200000u)
#define IDLE_CYCLES  200u
#define WARM_MESSAGE 128u
#define WARM_ROUNDS  16u

_Noreturn void machine__fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	fflush(stdout);
	_Exit(1);
}

static void on_start(void *arg, struct soc_task *task)
{
	(void)arg;
	(void)task;
}

static int on_command(void *arg, struct soc_task *task, const struct hpu_command *on_command)
{
	struct machine *machine = arg;

	if (machine->issues < MACHINE_TASKS)
		machine->issued[machine->issues++] = (struct issue){ on_command->issued, (unsigned)(task->hpu - machine->soc.hpus) };
	return 0;
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	struct machine *machine = arg;
	struct ended *ended = &machine->ended[machine->count];

	(void)pops;
	if (machine->count == MACHINE_TASKS)
		machine__fail("more tasks than %d", MACHINE_TASKS);
	machine->count++;
	ended->task = *task;
	ended->task.her = NULL;
	ended->packet = (unsigned)(task->her->packet - machine->first_packet);
	ended->message = task->her->message_id;
	ended->cluster = task->hpu->cluster;
	ended->hpu = task->hpu->index;
	ended->her = machine->her[ended->packet];
}

static void on_freed(void *arg, uint32_t message, uint64_t cycle)
{
	(void)arg;
	(void)message;
	(void)cycle;
}

static void on_room(void *arg, uint64_t cycle)
{
	(void)arg;
	(void)cycle;
}

static const struct soc_nic nic = {
	.on_start = on_start,
	.on_command = on_command,
	.on_end = on_end,
	.on_freed = on_freed,
	.on_room = on_room,
};

/* Reads the whole file. The buffer is never freed. */
static void *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "re");
	void *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
		machine__fail("cannot read %s", path);
	data = malloc((size_t)size + 1);
	if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
		machine__fail("cannot read %s", path);
	fclose(file);
	*bytes = (size_t)size;
	return data;
}

static void boot(struct machine *machine)
{
	char err[160] = "";

	if (hw_elf__open(&machine->elf, machine->file, machine->file_bytes, err, sizeof(err)))
		machine__fail("the image: %s", err);
	if (soc__open(&machine->soc, pspin_target__find("pspin-rtl"), &nic, machine) || storage__load(&machine->soc.memory, machine->elf))
		machine__fail("the machine does not take the image");
	machine->soc.third_party_image = 1;
	if (soc__boot(&machine->soc))
		machine__fail("the machine does not boot");
}

void machine__open(struct machine *machine, const char *elf_path)
{
	memset(machine, 0, sizeof(*machine));
	machine->file = read_file(elf_path, &machine->file_bytes);
	boot(machine);
}

struct machine *machine__another(const struct machine *machine)
{
	struct machine *other = calloc(1, sizeof(*other));

	if (!other)
		machine__fail("no memory");
	other->file = machine->file;
	other->file_bytes = machine->file_bytes;
	boot(other);
	return other;
}

void machine__close(struct machine *other)
{
	soc__close(&other->soc);
	hw_elf__close(other->elf);
	free(other);
}

uint32_t machine__symbol(const struct machine *machine, const char *name)
{
	uint32_t addr;

	if (hw_elf__symbol(machine->elf, name, &addr, NULL))
		machine__fail("no symbol %s in the image", name);
	return addr;
}

const struct soc_context *machine__context(struct machine *machine, const char *header, const char *payload, const char *completion,
					   uint32_t bytes_in_l1)
{
	struct soc_context *context = &machine->contexts[machine->context_count++];

	if (machine->context_count > MACHINE_CONTEXTS)
		machine__fail("more contexts than %d", MACHINE_CONTEXTS);
	context->header = header ? machine__symbol(machine, header) : 0;
	context->payload = payload ? machine__symbol(machine, payload) : 0;
	context->completion = completion ? machine__symbol(machine, completion) : 0;
	context->handler_mem = L2_STATE;
	context->handler_mem_bytes = L2_STATE_BYTES;
	context->host_mem = HOST_BASE;
	context->host_mem_bytes = HOST_BYTES;
	context->scratchpad = machine->soc.memory.l1_scratchpads;
	context->scratchpad_bytes = 0x1000;
	context->bytes_in_l1 = machine->stored ? 64 : bytes_in_l1;
	return context;
}

static void fill(struct machine *machine, uint32_t at, uint32_t bytes)
{
	uint8_t *packet = machine->soc.memory.l2_packet + (at - L2_PACKET);

	packet[0] = 0x50;
	packet[2] = (uint8_t)bytes;
	packet[3] = (uint8_t)(bytes >> 8);
}

void machine__group(struct machine *machine, const struct packet *packets, unsigned count)
{
	uint64_t cycle = machine->soc.now + IDLE_CYCLES;
	uint32_t l2 = PACKETS_AT;

	if (count > MACHINE_TASKS)
		machine__fail("more packets than %d", MACHINE_TASKS);
	machine->count = 0;
	machine->issues = 0;
	machine->first_packet = machine->packets;
	machine->from = cycle;
	cycle += 4;
	for (unsigned i = 0; i < count; i++) {
		struct soc_her her = { .packet = machine->packets++,
				       .message_id = packets[i].message,
				       .l2 = l2,
				       .bytes = machine->stored ? 4096 : packets[i].bytes,
				       .end_of_message = packets[i].last,
				       .context = packets[i].context };

		fill(machine, l2, her.bytes);
		/* reserve 1 KiB: commands may access more bytes than the packet has */
		if (!machine->one_place)
			l2 += her.bytes < 1024 ? 1024 : (her.bytes + 63) & ~63u;
		cycle += (packets[i].bytes + 63) / 64;
		machine->her[i] = cycle;
		if (!soc__takes_her(&machine->soc, her.message_id) || soc__her(&machine->soc, cycle, &her))
			machine__fail("HER %u is not taken", i);
	}
	soc__run(&machine->soc, UINT64_MAX);
}

void machine__warm(struct machine *machine, const char *function)
{
	const struct soc_context *context = machine__context(machine, NULL, function, NULL, WHOLE);

	for (unsigned round = 0, cold = 1; cold && round < WARM_ROUNDS; round++) {
		cold = 0;
		for (unsigned c = 0; c < machine->soc.target->clusters; c++) {
			struct packet packet = { WARM_MESSAGE + c, context, 64, 1 };

			machine__group(machine, &packet, 1);
			if (machine->count != 1)
				machine__fail("%u tasks of the packet that warms %s up", machine->count, function);
			cold += (unsigned)machine->ended[0].task.is_cold;
		}
	}
}

const struct ended *machine__task(const struct machine *machine, unsigned packet, enum soc_task_kind kind)
{
	for (unsigned i = 0; i < machine->count; i++) {
		const struct ended *ended = &machine->ended[i];

		if (ended->packet == packet && ended->task.kind == kind) {
			if (ended->task.result.error)
				machine__fail("packet %u: the task fails, 0x%x", packet, ended->task.result.error);
			return ended;
		}
	}
	machine__fail("packet %u: no task of kind %d among %u", packet, kind, machine->count);
}

static int by_start(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->task.started != y->task.started)
		return x->task.started < y->task.started ? -1 : 1;
	return x->packet < y->packet ? -1 : x->packet > y->packet;
}

void machine__sort_by_start(struct machine *machine)
{
	qsort(machine->ended, machine->count, sizeof(machine->ended[0]), by_start);
}
