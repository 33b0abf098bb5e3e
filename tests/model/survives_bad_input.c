/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Feeds random frames, random code in the image, damaged images and invalid arguments, to the NIC model, for datagrams and for messages.
 * The model must report errors and must never crash or hang. Run by tests/run.
 */
#include <spin/slmp.h>

#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

static uint32_t seed = 1;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static struct spin_meta meta = {
	.magic = SPIN_META_MAGIC,
	.api_version = SPIN_API_VERSION,
	.registration = { .header = 1,
			  .payload = 1,
			  .completion = 1,
			  .checksum = SPIN_CHECKSUM_HOST,
			  .scratchpad_bytes = SPIN_SCRATCHPAD_MAX },
};

static int open_image(struct pspin **nic, const void *data, size_t bytes)
{
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct spin_rule any = { 0 };
	char err[128];

	target.watchdog_cycles = 2000;
	return pspin__open(nic, &target, &meta, data, bytes, &any, err, sizeof(err));
}

/* Usually makes a packet of one of a few messages. */
static void random_slmp(uint8_t *payload)
{
	static const uint16_t flags[] = { SPIN_SLMP_SYN, SPIN_SLMP_SYN | SPIN_SLMP_EOM, SPIN_SLMP_EOM, 0, SPIN_SLMP_SYN | SPIN_SLMP_PUT };
	struct spin_slmp slmp = { spin_hton16(flags[next_random() % 5]), spin_hton32(next_random() % 8),
				  spin_hton32(next_random() % 4 * (next_random() % 64)) };
	struct spin_slmp_put put = { .op = SPIN_SLMP_OP_PUT,
				     .version = SPIN_SLMP_VERSION,
				     .length = next_random(),
				     .match_bits = next_random(),
				     .offset = next_random() & 1 ? next_random() : 0 };

	memcpy(payload, &slmp, sizeof(slmp));
	memcpy(payload + sizeof(slmp), &put, sizeof(put));
}

/* Makes a valid datagram, changes up to four bytes and truncates it at a random length. */
static size_t random_frame(uint8_t *frame)
{
	uint8_t payload[256];
	size_t bytes;

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)next_random();
	if (meta.registration.delivery == SPIN_DELIVER_ME)
		random_slmp(payload);
	bytes = packet__make(frame, next_random() % 4, payload, next_random() % sizeof(payload));
	for (unsigned n = next_random() % 5; n; n--)
		frame[next_random() % bytes] = (uint8_t)next_random();
	return next_random() % 4 ? bytes : next_random() % (bytes + 1);
}

static int send_packets(struct pspin *nic, unsigned count)
{
	struct pspin_result result;
	uint8_t frame[512];
	uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++) {
		if (pspin__packet(nic, frame, random_frame(frame), &result)) {
			printf("FAIL a frame is refused\n");
			return 1;
		}
		if (meta.registration.delivery == SPIN_DELIVER_ME && pspin__clock(nic, i * 7, &result)) {
			printf("FAIL the time is refused\n");
			return 1;
		}
	}
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
		sum += pspin__count(nic, r);
	if (sum != count)
		printf("FAIL %u packets, %llu counted\n", count, (unsigned long long)sum);
	return sum != count;
}

static int survive(struct rig_file file)
{
	const struct pspin_limits limits = {
		.mpqs = 4, .parking = 8, .host_bytes = 4096, .idle_ms = 100, .tombstone_ms = 50, .take_put = 1
	};
	static uint8_t huge[PSPIN_FRAME_BYTES_MAX + 1];
	struct pspin_result result;
	struct pspin *nic;
	uint8_t byte = 0;
	int failures = 0;

	if (open_image(&nic, file.data, file.bytes))
		return 1;
	failures += pspin__limit(nic, &limits) != (meta.registration.delivery == SPIN_DELIVER_ME ? 0 : -EOPNOTSUPP);
	failures += send_packets(nic, 50000);
	failures += pspin__packet(nic, huge, sizeof(huge), &result) != -EINVAL;
	failures += pspin__packet(nic, huge, 0, &result) != 0 || result.reason != SPIN_REASON_TRUNCATED;
	failures += pspin__read(nic, 0, &byte, 1) != -EFAULT;
	failures += pspin__read(nic, 0x1c400000 + 0x3fffff, huge, 2) != -EFAULT;
	failures += pspin__write(nic, 0x1d007fff, huge, 2) != -EFAULT;
	failures += pspin__symbol(nic, "nothing", NULL, NULL) != -ENOENT;
	pspin__close(nic);
	pspin__close(NULL);

	/* random code after the runtime loop */
	for (unsigned round = 0; round < 200; round++) {
		uint8_t code[1024];
		uint32_t entry;

		if (open_image(&nic, file.data, file.bytes) || pspin__symbol(nic, "hpu_header_ip4", &entry, NULL))
			return 1;
		for (size_t i = 0; i < sizeof(code); i++)
			code[i] = (uint8_t)next_random();
		failures += pspin__write(nic, entry, code, sizeof(code)) != 0;
		failures += send_packets(nic, 20);
		pspin__close(nic);
	}

	/* damaged images must be refused or run without a crash */
	for (unsigned round = 0; round < 500; round++) {
		uint8_t *damaged = malloc(file.bytes);

		if (!damaged)
			return 1;
		memcpy(damaged, file.data, file.bytes);
		for (unsigned n = 1 + next_random() % 8; n; n--)
			damaged[next_random() % (round & 1 ? 256 : file.bytes)] = (uint8_t)next_random();
		if (!open_image(&nic, damaged, next_random() % 8 ? file.bytes : next_random() % file.bytes)) {
			failures += send_packets(nic, 5);
			pspin__close(nic);
		}
		free(damaged);
	}
	free(file.data);
	return failures;
}

int main(void)
{
	int failures = survive(rig__build("survives", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/handlers/datagrams/sum.c\"'"));

	meta.registration.delivery = SPIN_DELIVER_ME;
	failures += survive(
		rig__build("survives_messages", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/message_asks.c\"'"));
	if (failures)
		printf("FAIL %d\n", failures);
	return failures != 0;
}
