/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the NIC model under too much traffic. A full packet memory must hold the wire back or lose packets, as configured. A deadlock must
 * be reported with its cause. Faults in handlers of third-party programs must be reported with their address. Run by tests/run.
 */
#include <hwmodel/traffic.h>
#include <spin/slmp.h>

#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

static int failures;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

struct seen {
	unsigned handled, lost;
	uint32_t error, error_pc;
};

static void on_packet(void *arg, const struct pspin_packet_record *r)
{
	struct seen *seen = arg;

	seen->handled += r->disposition == PSPIN_DISPOSITION_HANDLED;
	seen->lost += r->disposition == PSPIN_DISPOSITION_NO_BUFFER;
}

static void on_task(void *arg, const struct pspin_task_record *r)
{
	struct seen *seen = arg;

	seen->error = r->task->error;
	seen->error_pc = r->task->error_pc;
}

static void observe(struct pspin *nic, struct seen *seen)
{
	struct pspin_observer observer = { .arg = seen, .packet = on_packet, .task = on_task };

	*seen = (struct seen){ 0 };
	pspin__observe(nic, &observer);
}

/* Returns a target with one HPU and room for few packets. */
static struct pspin_target small_target(void)
{
	struct pspin_target target = *pspin_target__find("pspin-rtl");

	target.clusters = target.hpus = 1;
	target.l2_packet_kib = 16;
	target.mpqs = 4;
	target.watchdog_cycles = 5000;
	return target;
}

static struct pspin *open_context(struct rig_file file, enum spin_delivery delivery)
{
	const struct pspin_target target = small_target();
	struct spin_meta meta = { .magic = SPIN_META_MAGIC,
				  .api_version = SPIN_API_VERSION,
				  .registration = { .payload = 1, .delivery = (uint8_t)delivery } };
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[256];

	if (pspin__open(&nic, &target, &meta, file.data, file.bytes, &any, err, sizeof(err))) {
		printf("FAIL open: %s\n", err);
		exit(1);
	}
	return nic;
}

#define PACKETS 200u

static void offer(struct pspin *nic, const void *payload, uint32_t bytes)
{
	uint8_t frame[2048];
	struct pspin_offer offer = { .frame = frame };

	offer.frame_bytes = packet__make(frame, 0x0100000a, payload, bytes);
	check(!pspin__offer(nic, &offer), "a packet is taken");
}

static void memory_is_full(struct rig_file file, int lossy)
{
	struct pspin *nic = open_context(file, SPIN_DELIVER_STACK);
	static const uint8_t payload[1000];
	struct pspin_traffic traffic;
	struct seen seen;

	observe(nic, &seen);
	pspin__lossy(nic, lossy);
	for (unsigned i = 0; i < PACKETS; i++)
		offer(nic, payload, sizeof(payload));
	check(!pspin__run(nic, UINT64_MAX) && !*pspin__stuck(nic), "packets come to an end whether the memory is full or not");
	pspin__traffic(nic, &traffic);
	check(seen.handled + seen.lost == PACKETS && traffic.lost_no_buffer == seen.lost, "each packet is told of once");
	check(lossy ? seen.lost && !traffic.held_back_ps : !seen.lost && traffic.held_back_ps,
	      "a full memory loses packets or holds the wire back, as told");
	check(traffic.packet_memory_peak_bytes > 14 * 1024 && traffic.packet_memory_peak_bytes <= 16 * 1024,
	      "the memory was as full as it can be");
	pspin__close(nic);
}

/* Packets that wait for their message's first packet fill the memory, so the first one can never arrive. */
static void parked_packets_deadlock(struct rig_file file)
{
	struct pspin *nic = open_context(file, SPIN_DELIVER_ME);
	uint8_t datagram[sizeof(struct spin_slmp) + 1000] = { 0 };

	for (uint32_t i = 20; i; i--) {
		struct spin_slmp slmp = { 0, spin_hton32(7), spin_hton32((i - 1) * 1000) };

		slmp.flags = spin_hton16(i == 1 ? SPIN_SLMP_SYN : i == 20 ? SPIN_SLMP_EOM : 0);
		memcpy(datagram, &slmp, sizeof(slmp));
		offer(nic, datagram, sizeof(datagram));
	}
	check(pspin__run(nic, UINT64_MAX) == -EDEADLK, "a deadlock is one");
	check(strstr(pspin__stuck(nic), "packet memory") != NULL, "it is told what it waits for");
	pspin__close(nic);
}

static int open_image(struct pspin **nic, struct rig_file file, const char *payload, char *err, size_t err_bytes)
{
	const struct pspin_target target = small_target();
	const struct pspin_image image = { .elf = file.data, .elf_bytes = file.bytes, .payload = payload, .framing = PSPIN_FRAMING_IP };

	return pspin__open_image(nic, &target, &image, err, err_bytes);
}

static void messages_without_end(struct rig_file file)
{
	struct pspin_offer offer = { 0 };
	struct pspin *nic;
	uint8_t frame[128];
	char err[256];

	if (open_image(&nic, file, "good", err, sizeof(err))) {
		check(0, err);
		return;
	}
	offer.frame = frame;
	offer.frame_bytes = packet__make(frame, 0x0100000a, "abcd", 4);
	for (; offer.message < 6; offer.message++)
		check(!pspin__offer(nic, &offer), "a packet is taken");
	check(pspin__run(nic, UINT64_MAX) == -EDEADLK && strstr(pspin__stuck(nic), "MPQ"),
	      "messages whose end does not come take all MPQs");
	offer.at_ps = 5;
	check(!pspin__offer(nic, &offer) && (offer.at_ps = 4, pspin__offer(nic, &offer) == -EINVAL), "time does not go back");
	offer.at_ps = 5;
	offer.frame_bytes = 0;
	check(pspin__offer(nic, &offer) == -EINVAL, "an empty frame is refused");
	offer.frame_bytes = PSPIN_FRAME_BYTES_MAX + 1;
	check(pspin__offer(nic, &offer) == -EINVAL, "a frame longer than there are is refused");
	pspin__close(nic);
}

/* The handler's task must end with this error, at an address inside the handler. */
static void handler_fails(struct rig_file file, const char *handler, uint32_t error)
{
	struct pspin_offer offer = { .end_of_message = 1 };
	uint32_t at, bytes;
	struct pspin *nic;
	struct seen seen;
	uint8_t frame[128];
	char err[256];

	if (open_image(&nic, file, handler, err, sizeof(err)) || pspin__symbol(nic, handler, &at, &bytes)) {
		check(0, handler);
		return;
	}
	observe(nic, &seen);
	offer.frame = frame;
	offer.frame_bytes = packet__make(frame, 0x0100000a, "abcd", 4);
	check(!pspin__offer(nic, &offer) && !pspin__run(nic, UINT64_MAX) && seen.handled == 1, "its packet comes to an end");
	if (seen.error != error || (error && (seen.error_pc < at || seen.error_pc >= at + bytes))) {
		printf("FAIL %s: error 0x%x at 0x%08x, expected 0x%x in 0x%08x + %u\n", handler, seen.error, seen.error_pc, error, at,
		       bytes);
		failures++;
	}
	pspin__close(nic);
}

static void handler_is_missing(struct rig_file file)
{
	struct pspin *nic;
	char err[256] = "";

	check(open_image(&nic, file, "nobody", err, sizeof(err)) == -EINVAL && !nic && strstr(err, "nobody") && strstr(err, "endless"),
	      "a handler that is not there is told, and which are");
	check(open_image(&nic, file, NULL, err, sizeof(err)) == -EINVAL && *err, "no handler at all is refused");
}

int main(void)
{
	struct rig_file deliver =
		rig__build("fits_deliver", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/handlers/messages/deliver.c\"'");
	struct rig_file asks =
		rig__build("fits_asks", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/message_asks.c\"'");
	struct rig_file faulty =
		rig__build("faulty", "tests/model/programs/faulty.S -Wl,-u,good,-u,illegal,-u,wild,-u,endless,-u,reserves");

	memory_is_full(deliver, 0);
	memory_is_full(deliver, 1);
	parked_packets_deadlock(asks);
	messages_without_end(faulty);
	handler_fails(faulty, "good", 0);
	handler_fails(faulty, "illegal", 2);
	handler_fails(faulty, "wild", 5);
	handler_fails(faulty, "endless", PSPIN_ERROR_WATCHDOG);
	handler_fails(faulty, "reserves", 5);
	handler_is_missing(faulty);
	free(deliver.data);
	free(asks.data);
	free(faulty.data);
	return failures != 0;
}
