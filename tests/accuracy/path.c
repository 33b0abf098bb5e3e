/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calibration rows of a packet's way through the NIC, from its HER (the request to run its handlers) to the feedback that ends it: one
 * packet on an idle machine, and saturation by empty handlers. Values measured on PsPIN's RTL, each with the function that measures it in
 * the model. Run by accuracy.c. See hwmodel/README.md, "Packet path".
 */
#include <stdlib.h>

#include <hwmodel/traffic.h>

#include "tests/accuracy/accuracy.h"

/* Events of a packet, in order: HER arrives, HPU takes the task, first instruction, return, doorbell, feedback. */
enum moment { HER, STARTED, FIRST, RETURNED, DOORBELL, FEEDBACK };

static double cycle_of(const struct ended *ended, long moment)
{
	const uint64_t cycles[] = { [HER] = ended->her,
				    [STARTED] = ended->task.started,
				    [FIRST] = ended->task.first,
				    [RETURNED] = ended->task.returned,
				    [DOORBELL] = ended->task.doorbell,
				    [FEEDBACK] = ended->task.feedback };

	return (double)cycles[moment];
}

/* The time between two events of a packet of arg[2] bytes. */
static void interval(struct machine *machine, const struct row *row, struct values *out)
{
	const struct ended *ended;

	run_at_once(machine, row->text[0], 1, 1, (unsigned)row->arg[2]);
	ended = machine__task(machine, 0, SOC_PAYLOAD);
	values__add(out, cycle_of(ended, row->arg[1]) - cycle_of(ended, row->arg[0]));
}

/* The time from HER to the last feedback of one packet with header, payload and completion handler. */
static void chain(struct machine *machine, const struct row *row, struct values *out)
{
	struct packet packet = { .bytes = (unsigned)row->arg[0], .last = 1 };
	const char *handler = row->text[0];

	machine__warm(machine, handler);
	packet.context = machine__context(machine, handler, handler, handler, WHOLE);
	machine__group(machine, &packet, 1);
	values__add(out,
		    cycle_of(machine__task(machine, 0, SOC_COMPLETION), FEEDBACK) - cycle_of(machine__task(machine, 0, SOC_HEADER), HER));
}

/*
 * The time from the start of a task to the next start on the same HPU: from its second task, for which it did not wait, to its
 * third. The message has no more packets than its home cluster takes, since copies of packets for other clusters would interleave
 * with those of the home cluster.
 */
static void start_to_start(struct machine *machine, const struct row *row, struct values *out)
{
	struct packet packets[20];
	double starts[20];
	unsigned n = 0;

	machine__warm(machine, row->text[0]);
	machine__group(machine, packets,
		       add_packets(packets, 0, 0, machine__context(machine, NULL, row->text[0], NULL, WHOLE), 64, (unsigned)row->arg[0]));
	machine__sort_by_start(machine);
	for (unsigned i = 0; i < machine->count; i++) {
		if (machine->ended[i].cluster == 0 && machine->ended[i].hpu == 0)
			starts[n++] = (double)machine->ended[i].task.started;
	}
	if (n < 3)
		machine__fail("%u tasks on the first HPU", n);
	values__add(out, starts[2] - starts[1]);
}

/* Cycles per packet over the middle half of the packets of arg[0] alternating messages. */
static void per_packet(struct machine *machine, const struct row *row, struct values *out)
{
	/* a single message has no more packets than its home cluster takes */
	unsigned messages = (unsigned)row->arg[0], bytes = (unsigned)row->arg[1], count = messages > 1 ? 96 : 16;
	const struct soc_context *context;
	struct packet packets[96];

	machine__warm(machine, "empty");
	context = machine__context(machine, NULL, "empty", NULL, WHOLE);
	for (unsigned i = 0; i < count; i++)
		packets[i] = (struct packet){ i % messages, context, bytes, i + messages >= count };
	machine__group(machine, packets, count);
	machine__sort_by_start(machine);
	values__add(out, (double)(machine->ended[3 * count / 4].task.started - machine->ended[count / 4].task.started) / (count / 2));
}

static void note_packet(void *arg, const struct pspin_packet_record *record)
{
	*(struct pspin_packet_record *)arg = *record;
}

/* The time from a frame's first byte to its HER, in the complete NIC. */
static void inbound(struct machine *machine, const struct row *row, struct values *out)
{
	static const uint8_t frame[PSPIN_FRAME_BYTES_MAX];
	const struct pspin_target *target = pspin_target__find("pspin-rtl");
	struct pspin_packet_record record = { 0 };
	struct pspin_observer observer = { .arg = &record, .packet = note_packet };
	struct pspin_image image = { .elf = machine->file,
				     .elf_bytes = machine->file_bytes,
				     .payload = "empty",
				     .framing = PSPIN_FRAMING_RAW,
				     .bytes_in_l1 = WHOLE };
	struct pspin_offer offer = { .frame = frame, .frame_bytes = (size_t)row->arg[0], .end_of_message = 1 };
	char err[200] = "";
	struct pspin *nic;

	if (pspin__open_image(&nic, target, &image, err, sizeof(err)))
		machine__fail("%s", err);
	pspin__observe(nic, &observer);
	if (pspin__offer(nic, &offer) || pspin__run(nic, UINT64_MAX) || !record.her_ps)
		machine__fail("the NIC does not take a packet");
	values__add(out, (double)(record.her_ps - record.arrived_ps) / (double)pspin_target__cycle_ps(target));
	pspin__close(nic);
}

#define BETWEEN(name, measured, from, to, handler, bytes)                       \
	{                                                                       \
		"soc path", name, measured, "cycles", 0, interval, { handler }, \
		{                                                               \
			from, to, bytes                                         \
		}                                                               \
	}
#define RUN(name, measured, flags, measure, handler, ...)                          \
	{                                                                          \
		"soc path", name, measured, "cycles", flags, measure, { handler }, \
		{                                                                  \
			__VA_ARGS__                                                \
		}                                                                  \
	}

/* clang-format off */
const struct row path_rows[] = {
	RUN("inbound_64", "5", 0, inbound, NULL, 64),
	RUN("inbound_256", "8", 0, inbound, NULL, 256),
	RUN("inbound_1024", "20", 0, inbound, NULL, 1024),
	BETWEEN("her_to_task_64", "17", HER, STARTED, "empty", 64),
	BETWEEN("her_to_task_256", "20", HER, STARTED, "empty", 256),
	BETWEEN("her_to_task_512", "24", HER, STARTED, "empty", 512),
	BETWEEN("her_to_task_1000", "32", HER, STARTED, "empty", 1000),
	BETWEEN("her_to_task_1024", "32", HER, STARTED, "empty", 1024),
	BETWEEN("task_to_first_instruction", "4", STARTED, FIRST, "empty", 64),
	BETWEEN("task_to_doorbell_body_2", "9", STARTED, DOORBELL, "empty", 64),
	BETWEEN("task_to_doorbell_body_19", "26", STARTED, DOORBELL, "busy_26", 64),
	BETWEEN("task_to_doorbell_body_403", "410", STARTED, DOORBELL, "busy_410", 64),
	BETWEEN("doorbell_to_feedback", "1", DOORBELL, FEEDBACK, "empty", 64),
	BETWEEN("her_to_feedback_64_body_2", "27", HER, FEEDBACK, "empty", 64),
	BETWEEN("her_to_feedback_1024_body_2", "42", HER, FEEDBACK, "empty", 1024),
	BETWEEN("her_to_feedback_512_body_83", "115", HER, FEEDBACK, "busy_90", 512),
	RUN("start_to_start_body_403", "412", 0, start_to_start, "busy_410", 20),
	RUN("start_to_start_empty", "12", 0, start_to_start, "empty", 20),
	RUN("header_payload_completion_empty", "81", 0, chain, "empty", 64),
	RUN("tasks_of_one_message", "2", 0, per_packet, NULL, 1, 64),
	RUN("peak_64", "1", 0, per_packet, NULL, 4, 64),
	RUN("peak_256", "4", 0, per_packet, NULL, 4, 256),
	RUN("peak_512", "8", 0, per_packet, NULL, 4, 512),
	RUN("peak_1024", "16", 0, per_packet, NULL, 4, 1024),
	/* whole handlers, for reference */
	BETWEEN("counter_body", "10", FIRST, RETURNED, "pspin_counter", 64),
	BETWEEN("counter_64", "35", HER, FEEDBACK, "pspin_counter", 64),
	BETWEEN("counter_1024", "50", HER, FEEDBACK, "pspin_counter", 1024),
	BETWEEN("ping_pong_body", "28", FIRST, RETURNED, "pspin_ping_pong", 64),
	BETWEEN("ping_pong_64", "55", HER, FEEDBACK, "pspin_ping_pong", 64),
	BETWEEN("ping_pong_1024", "85", HER, FEEDBACK, "pspin_ping_pong", 1024),
	{0}};

/* clang-format on */