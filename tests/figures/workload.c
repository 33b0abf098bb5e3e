/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs the handlers of PsPIN's and sPIN's figures on the model, with their tables and states filled. Lists why values differ from the
 * paper's. Called by the figures and by `make rtl-kit` (tests/accuracy/kit).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "tests/common/built.h"
#include <kvstore.h>
#include "user/libspin/internal.h"
#include "user/libspin/object/layout.h"

#include "tests/figures/workload.h"

#define GAP_PS 100000000ull

/* Reasons why our values differ from PsPIN's. Each mechanism is a row of `make accuracy`. */
static const char in_own_l1[] = "an AMO per word on sums in the own L1, one cycle and one behind it: 4.2 cycles a word";
static const char at_an_index[] = "5.6 cycles a word, the index checked: rv32imac has no address of base and scaled index, and a "
				  "load's use and an AMO's bank cost a cycle each; each message of 2 KiB has a completion "
				  "handler of 38 cycles, of 105 outside of the cluster that has the state";
static const char counted[] = "each hit counts in its route, which the paper's handler does not: an AMO takes L2 handler memory for 10 "
			      "cycles, and longer among loads: bound by packets, not by bytes";
static const char by_the_link[] = "bound by the link";
static const char by_the_line[] = "a set and a line of the cache come by DMA, the line's tag by two loads: bound by packets, not by bytes";
static const char in_pieces[] =
	"not the handler's cycles: the host DMA reads packet memory in lines of 64 bytes, one a cycle, and where a block ends "
	"within a packet a line is read twice. The NIC lets the payload begin a line (.payload_aligned), which saves one of "
	"10.8 lines of a packet of 512 bytes; without that it is no faster than the row .bare";
static const char by_words[] = "one test for sixteen words and one AMO per packet, in the "
			       "message's scratchpad; the loop is unrolled";

/* clang-format off */
const struct workload workloads[] = {
	{.handler = "aggregate",
	 .takes_messages = 1,
	 .message_bytes = 1 << 20,
	 .goal_gbps = 200,
	 .paper_gbps = 200,
	 .is_more = 1,
	 .reason = by_words},
	{.handler = "reduce",
	 .takes_messages = 1,
	 .message_bytes = 2048,
	 .has_amo_per_word = 1,
	 .sets = {"spin_state.messages=%u"},
	 .goal_gbps = 200,
	 .paper_gbps = 200,
	 .is_more = 1,
	 .reason = in_own_l1},
	{.handler = "histogram",
	 .takes_messages = 1,
	 .message_bytes = 2048,
	 .has_amo_per_word = 1,
	 .values = 1024,
	 .sets = {"spin_state.messages=%u"},
	 .goal_gbps = 180,
	 .paper_gbps = 200,
	 .is_more = 1,
	 .reason = at_an_index},
	{.handler = "filtering",
	 .sources = 512,
	 .insert = "src=%s port=7000",
	 .goal_gbps = 400,
	 .paper_gbps = 400,
	 .reason = by_the_link},
	{.handler = "filter_counts",
	 .sources = 512,
	 .insert = "src=%s port=7000",
	 .paper_gbps = 400,
	 .reason = counted},
	{.handler = "kvstore",
	 .is_kv = 1,
	 .burst = 1024,
	 .bytes_min = 28 + sizeof(struct kv_message),
	 .goal_gbps = 400,
	 .paper_gbps = 400,
	 .reason = by_the_line},
	{.handler = "strided_ddt",
	 .takes_messages = 1,
	 .message_bytes = 1 << 20,
	 .goal_gbps = 400,
	 .paper_gbps = 400,
	 .reason = in_pieces},
};
/* clang-format on */
const unsigned workload_count = sizeof(workloads) / sizeof(workloads[0]);

/* A variable of the handler: layout, address and a copy of its memory. */
struct variable {
	struct layout_variable layout;
	uint32_t at;
	uint8_t *memory;
};

static int variable__read(struct pspin *nic, const struct btf *btf, const char *name, struct variable *v)
{
	uint32_t bytes;

	if (layout__find(btf, name, &v->layout) || pspin__symbol(nic, name, &v->at, &bytes) || bytes != v->layout.bytes)
		return -1;
	v->memory = malloc(bytes);
	return v->memory && !pspin__read(nic, v->at, v->memory, bytes) ? 0 : -1;
}

static int set_state(struct pspin *nic, const struct btf *btf, const char *format, unsigned messages)
{
	struct variable v = { 0 };
	char text[128], name[64];
	const char *path;
	int rc = variable__read(nic, btf, "spin_state", &v);

	snprintf(text, sizeof(text), format, messages);
	if (!rc)
		rc = layout__split(text, name, sizeof(name), &path) || layout__set(btf, &v.layout, v.memory, path) ||
		     pspin__write(nic, v.at, v.memory, v.layout.bytes);
	free(v.memory);
	return rc;
}

static int fill_routes(struct pspin *nic, const struct btf *btf, const struct workload *w)
{
	struct variable v = { 0 };
	char text[128], address[32];
	int rc = variable__read(nic, btf, "routes", &v);

	for (unsigned i = 1; !rc && i <= w->sources; i++) {
		snprintf(address, sizeof(address), "10.0.%u.%u", i >> 8, i & 255);
		snprintf(text, sizeof(text), w->insert, address);
		rc = layout__insert(btf, &v.layout, v.memory, text);
	}
	if (!rc)
		rc = pspin__write(nic, v.at, v.memory, v.layout.bytes);
	free(v.memory);
	return rc;
}

/* Fills the cache with the most popular keys, as it would be after some traffic. */
static int fill_cache(struct pspin *nic, const struct btf *btf)
{
	struct variable v = { 0 };
	int rc = variable__read(nic, btf, "spin_state", &v);
	struct kv_cache *cache = (struct kv_cache *)v.memory;

	if (!rc && v.layout.bytes >= sizeof(*cache)) {
		for (uint32_t key = 0; key < KV_SETS * KV_WAYS; key++) {
			struct kv_line *line = &cache->set[key % KV_SETS].line[key / KV_SETS];

			line->tag = 1 << 2 | KV_VALID;
			line->key = key;
		}
		rc = pspin__write(nic, v.at, v.memory, v.layout.bytes);
	}
	free(v.memory);
	return rc;
}

int workload__fill(struct pspin *nic, const struct spin_object *object, const struct workload *w, unsigned messages)
{
	const struct btf *btf = bpf_object__btf(object->types);
	int rc = 0;

	for (unsigned i = 0; !rc && i < 4 && w->sets[i]; i++)
		rc = set_state(nic, btf, w->sets[i], messages);
	if (!rc && w->insert)
		rc = fill_routes(nic, btf, w);
	if (!rc && w->is_kv)
		rc = fill_cache(nic, btf);
	return rc;
}

static int offer_packets(struct pspin *nic, const struct workload *w, unsigned packet_bytes, unsigned packets, int at_once)
{
	struct workload_packets *p = calloc(1, sizeof(*p));
	int rc = p ? 0 : -1;

	for (unsigned i = 0; !rc && i < packets; i++) {
		struct pspin_offer offer = { .at_ps = at_once ? 0 : i * GAP_PS };

		p->workload = w;
		p->packet_bytes = packet_bytes;
		workload_packets__make(p, packets - 1);
		offer.frame = p->frame;
		offer.frame_bytes = p->frame_bytes;
		rc = pspin__offer(nic, &offer);
	}
	free(p);
	return rc;
}

static int run_on(struct pspin *nic, const struct workload *w, unsigned packet_bytes, unsigned packets, int at_once,
		  struct bench_result *out, char *err, size_t err_bytes)
{
	struct bench_recorder heard = { .skip = packets / 4 };
	int rc = bench_recorder__open(&heard, packets);

	if (!rc) {
		bench_recorder__observe(&heard, nic);
		rc = offer_packets(nic, w, packet_bytes, packets, at_once);
	}
	if (!rc)
		rc = pspin__run(nic, UINT64_MAX);
	if (rc)
		snprintf(err, err_bytes, "%s: %s %s", w->handler, strerror(-rc), pspin__stuck(nic));
	if (!rc && (heard.error || heard.lost || heard.packets != packets)) {
		snprintf(err, err_bytes, "%s: a task failed with 0x%x, or %llu packets were lost", w->handler, heard.error,
			 (unsigned long long)heard.lost);
		rc = -1;
	}
	if (!rc)
		bench_recorder__finalize(&heard, nic, out);
	bench_recorder__close(&heard);
	return rc ? -1 : 0;
}

int workload__run(const struct workload *w, const struct pspin_target *target, unsigned packet_bytes, unsigned packets, int at_once,
		  struct bench_result *out, char *err, size_t err_bytes)
{
	const struct spin_segment all = { 0, SPIN_HOST_BYTES_MAX };
	const struct pspin_limits limits = { .host_bytes = SPIN_HOST_BYTES_MAX, .handler_mem = &all, .handler_segments = 1 };
	const struct spin_rule udp = { .protocol = 0 };
	struct spin_object *object = NULL;
	struct pspin *nic = NULL;
	char path[512];
	const void *image;
	size_t bytes;
	int rc = -1;

	if (built_object(w->handler, path, sizeof(path)) || spin_object__open(path, &object)) {
		snprintf(err, err_bytes, "no handler %s", w->handler);
		return -1;
	}
	image = spin_object__image(object, &bytes);
	if (image && !pspin__open(&nic, target, spin_object__meta(object), image, bytes, &udp, err, err_bytes)) {
		rc = pspin__limit(nic, &limits) || workload__fill(nic, object, w, workload__messages(w, packet_bytes, packets));
		if (rc)
			snprintf(err, err_bytes, "%s: its state cannot be set", w->handler);
		else
			rc = run_on(nic, w, packet_bytes, packets, at_once, out, err, err_bytes);
		pspin__close(nic);
	}
	spin_object__close(object);
	return rc ? -1 : 0;
}
