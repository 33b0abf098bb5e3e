/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The packets that `make rtl-kit` runs through the NIC model for each handler: 8 single packets on an idle NIC ("idle"), or the same
 * followed by a burst of 256 ("saturated"). Also opens the NIC with the handler, its state and tables filled. Called by kit.c and
 * kit_predict.c. Everything is deterministic.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/wire.h>

#include "hwmodel/nic/nic.h"
#include "hwmodel/soc/storage.h"
#include "tests/accuracy/kit/kit.h"
#include "user/libspin/internal.h"

#define APART_PS 20000000ull /* longer than any of these handlers runs */
#define MESSAGES 512u        /* count that counting handlers wait for: more than arrive, so that all packets take the same path */

const struct kit_series kit_series[] = { { "idle", 8, 0 }, { "saturated", 8, 256 }, { 0 } };
const unsigned kit_sizes[] = { 64, 256, 512, 1024, 0 };

struct workload kit_workload(const char *handler, const struct spin_object *object)
{
	struct workload w = { .handler = handler };

	for (unsigned i = 0; i < workload_count; i++) {
		if (!strcmp(workloads[i].handler, handler))
			return workloads[i];
	}
	w.takes_messages = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_ME;
	w.takes_segments = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_SEGMENTS;
	w.message_bytes = w.takes_messages ? 2048 : 0;
	w.values = strcmp(handler, "host_direct") ? 0
						  : 1; /* its records begin with their numbers, and record 0 always exists in host memory */
	return w;
}

struct pspin *kit_nic(const struct spin_object *object, const struct workload *w, const struct pspin_target *target, enum kit_ids ids)
{
	const struct spin_segment all = { 0, SPIN_HOST_BYTES_MAX };
	const struct pspin_limits limits = {
		.host_bytes = SPIN_HOST_BYTES_MAX,
		.handler_mem = &all,
		.handler_segments = 1,
		.ids_in_turn = ids == KIT_IDS_IN_TURN,
		.lacks_extensions = 1,
	};
	const struct spin_rule rule = { .protocol = w->takes_segments ? SPIN_IP_TCP : 0 };
	char err[512] = "its state cannot be set";
	struct pspin *nic = NULL;
	size_t bytes;
	const void *image = spin_object__image(object, &bytes);

	if (image && !pspin__open(&nic, target, spin_object__meta(object), image, bytes, &rule, err, sizeof(err)) &&
	    !pspin__limit(nic, &limits) && !workload__fill(nic, object, w, MESSAGES))
		return nic;
	fprintf(stderr, "rtl-kit: %s: %s\n", w->handler, image ? err : "no rv32 image");
	if (nic)
		pspin__close(nic);
	return NULL;
}

unsigned kit_series__packets(const struct kit_series *series, const struct workload *w)
{
	return series->apart + (series->at_once && w->burst ? w->burst : series->at_once);
}

/* Offers the frames of a series at their times. */
static int offer(struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes)
{
	struct workload_packets *packets = calloc(1, sizeof(*packets));
	unsigned count = kit_series__packets(series, w);
	int rc = packets ? 0 : -1;

	for (unsigned i = 0; !rc && i < count; i++) {
		struct pspin_offer offer = { .at_ps = (i < series->apart ? i + 1 : series->apart + 1) * APART_PS };

		packets->workload = w;
		packets->packet_bytes = packet_bytes;
		workload_packets__make(packets, count - 1);
		offer.frame = packets->frame;
		offer.frame_bytes = packets->frame_bytes;
		rc = pspin__offer(nic, &offer);
	}
	free(packets);
	return rc;
}

/*
 * Allocates the packet memory of the packets that ran alone. In the model they reuse the same memory, in the simulator each has its own.
 * The addresses of the later packets matter, since DMAs split transfers at pages (hwmodel/soc/pages.h), and must be the simulator's.
 */
static int reserve_packet_memory(struct pspin *nic, const struct pspin_her_record *last, unsigned count)
{
	const uint32_t bytes = (last->l2 % BUFFER_UNIT_BYTES + last->bytes + BUFFER_UNIT_BYTES - 1) / BUFFER_UNIT_BYTES * BUFFER_UNIT_BYTES;
	int incomplete = 0;

	return packet_buffer__alloc(&nic->device->packet_buffer, count * bytes, &incomplete) ? 0 : -ENOMEM;
}

int kit_run(struct pspin *nic, const struct workload *w, const struct kit_series *series, unsigned packet_bytes,
	    const struct pspin_her_record *last)
{
	/* after the packets that run alone are done, and before the others arrive */
	const uint64_t between_ps = series->apart * APART_PS + APART_PS / 2;
	int rc = offer(nic, w, series, packet_bytes);

	if (!rc && series->at_once)
		rc = pspin__run(nic, between_ps);
	if (!rc && series->at_once)
		rc = reserve_packet_memory(nic, last, series->apart);
	return rc ? rc : pspin__run(nic, UINT64_MAX);
}
