/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests tables of HPUs (<spin/hpu.h>) in the NIC model, where they are in the L1 of each HPU's cluster. All 32 HPUs count in their own
 * entries, starting from the values that the host wrote, and the host must be able to read the entries of all clusters. Run by tests/run.
 */
#include <spin/slmp.h>

#include "tests/common/built.h"
#include <spin/libspin.h>

#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

enum { PACKETS = 512, BYTES = 16, HPUS = 32 };

struct own {
	uint32_t packets, bytes;
}; /* of the handler act_hpu */

static int failures;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static struct pspin *open_nic(struct spin_object **object)
{
	struct spin_rule any = { 0 };
	char err[128] = "";
	struct pspin *nic;
	const void *image;
	size_t bytes;

	*object = built_open("act_hpu");
	image = spin_object__image(*object, &bytes);
	if (!pspin__open(&nic, pspin_target__find("pspin-rtl"), spin_object__meta(*object), image, bytes, &any, err, sizeof(err)))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

/* With more HPUs than numbers, two would share an entry: the NIC must refuse to open. */
static void too_many_hpus_are_refused(const struct spin_object *object)
{
	struct pspin_target *target = pspin_target__copy(pspin_target__find("pspin-rtl"));
	struct spin_rule any = { 0 };
	char err[256] = "";
	struct pspin *nic;
	const void *image;
	size_t bytes;

	image = spin_object__image(object, &bytes);
	check(target && !pspin_target__set(target, "hpus", 9, err, sizeof(err)), "a target may have nine HPUs in each cluster");
	check(pspin__open(&nic, target, spin_object__meta(object), image, bytes, &any, err, sizeof(err)) == -EINVAL &&
		      strstr(err, "number up to 8 HPUs of a cluster"),
	      "an image does not run there");
	check(!pspin_target__set(target, "clusters", 1, err, sizeof(err)) &&
		      !pspin__open(&nic, target, spin_object__meta(object), image, bytes, &any, err, sizeof(err)),
	      "but with one cluster");
	pspin__close(nic);
	pspin_target__free(target);
}

int main(void)
{
	static struct own own[SPIN_HPUS_MAX], now[SPIN_HPUS_MAX];
	uint32_t at, bytes, total = 0, idle = 0, changed = 0;
	struct spin_object *object;
	struct pspin *nic = open_nic(&object);
	uint8_t payload[BYTES] = { 0 }, frame[BYTES + 64];

	check(!pspin__symbol(nic, "own", &at, &bytes) && bytes == sizeof(own), "the table has an entry for each HPU there can be");
	check(at >> 24 == 0x1b, "a small table is in the own L1");
	for (uint32_t i = 0; i < SPIN_HPUS_MAX; i++)
		own[i] = (struct own){ 1000 * i, 3 * i };
	check(!pspin__write(nic, at, own, sizeof(own)), "the host writes all of it");
	own[13].bytes = 77;
	check(!pspin__write(nic, at + 13 * sizeof(*own) + 4, &own[13].bytes, 4), "and a word of it");
	check(!pspin__read(nic, at, now, sizeof(now)) && !memcmp(own, now, sizeof(own)), "the host reads what it wrote");
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct pspin_offer offer = { .frame = frame, .end_of_message = 1 };

		offer.message = i;
		offer.frame_bytes = packet__make(frame, 0x0100000a, payload, BYTES);
		check(!pspin__offer(nic, &offer), "a packet is offered");
	}
	check(!pspin__run(nic, UINT64_MAX), "the NIC runs");
	check(!pspin__read(nic, at, now, sizeof(now)), "the host reads the table");
	for (uint32_t i = 0; i < SPIN_HPUS_MAX; i++) {
		const uint32_t packets = now[i].packets - own[i].packets;

		total += packets;
		idle += i < HPUS && !packets;
		changed += i >= HPUS && packets;
		check(now[i].bytes - own[i].bytes == packets * BYTES, "an entry's words belong together");
	}
	check(total == PACKETS, "every packet is counted once");
	check(!idle, "every HPU has counted");
	check(!changed, "entries of HPUs that are not there stay");
	too_many_hpus_are_refused(object);
	pspin__close(nic);
	spin_object__close(object);
	return failures != 0;
}
