/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Ways for packets through a NIC: one after the other, with cold caches, and as fast as it takes them. */
#include <errno.h>

#include "user/spinctl/cost_run.h"

/*
 * Packets in front of the wire, and cycles until there have to be as many again: it never runs dry, at a packet a cycle
 * either, and no trace need lie in memory as a whole.
 */
#define AHEAD         1024
#define AHEAD_OF_MANY (64 * AHEAD) /* of several contexts: what waits for one of them must not keep the others' from coming */
#define SLICE_CYCLES  512

/* An L1 has rings for packets; one that is larger stays in front of it for ever. */
static int is_too_large(const struct pspin_target *target, const struct cost_packet *packet, uint64_t *ring_bytes)
{
	uint64_t kib = 0, rings = 1;

	pspin_target__get(target, "l1_packet_kib", &kib);
	pspin_target__get(target, "l1_rings", &rings);
	*ring_bytes = kib * 1024 / (rings ? rings : 1);
	return packet->counted_bytes > *ring_bytes;
}

static int refuse(const struct cost_program *program, struct pspin *nic, const struct cost_packet *packet, uint64_t number, int rc)
{
	uint64_t ring_bytes;

	if (rc == -EDEADLK && is_too_large(program->target, packet, &ring_bytes))
		return complain("packet %llu of %u bytes does not fit: the target's L1 has rings of %llu bytes for packets; "
				"leave it out, or enlarge l1_packet_kib of the target",
				(unsigned long long)number, packet->counted_bytes, (unsigned long long)ring_bytes);
	if (rc == -EDEADLK)
		return complain("the NIC is stuck after packet %llu: %s", (unsigned long long)number, pspin__stuck(nic));
	if (rc == -ENOMEM)
		return complain("no memory for packet %llu", (unsigned long long)number);
	return complain("packet %llu of %u bytes does not fit: the NIC takes frames of 1 to %u bytes that its packet memory "
			"has room for; leave it out of the trace, or enlarge l2_packet_kib of the target",
			(unsigned long long)number, packet->bytes, PSPIN_FRAME_BYTES_MAX);
}

static int offer(const struct cost_program *program, struct pspin *nic, const struct cost_packet *packet, uint64_t at_ps, uint64_t number)
{
	const struct pspin_offer offer = { at_ps, packet->frame, packet->bytes, packet->message, packet->end_of_message };
	int rc = pspin__offer(nic, &offer);

	return rc ? refuse(program, nic, packet, number, rc) : DONE;
}

static uint64_t now(const struct pspin *nic)
{
	struct pspin_traffic traffic;

	pspin__traffic(nic, &traffic);
	return traffic.now_ps;
}

/* The packet when all before it is done; of a trace of messages at its time, which ends idle ones. */
static int step(const struct cost_program *program, struct pspin *nic, const struct cost_packet *packet, uint64_t number, uint32_t *at_ms)
{
	struct pspin_result swept;
	int rc;

	if (packet->at_ms != *at_ms)
		pspin__clock(nic, *at_ms = packet->at_ms, &swept);
	if (offer(program, nic, packet, now(nic), number))
		return FAILED;
	rc = pspin__run(nic, UINT64_MAX);
	return rc ? refuse(program, nic, packet, number, rc) : DONE;
}

static int step_through(const struct cost_program *program, struct pspin *nic, struct cost_source *source, struct cost_collector *c,
			uint64_t most, int cool)
{
	struct cost_packet packet;
	uint64_t number = 0;
	uint32_t at_ms = 0;
	int rc = 0, status = DONE;

	while (!status && number < most && (rc = cost_source__next(source, &packet)) == 1) {
		if (cool)
			pspin__cool(nic);
		status = step(program, nic, &packet, ++number, &at_ms);
		if (!status)
			status = cost_collector__status(c);
	}
	return rc == FAILED_SOURCE ? FAILED : status;
}

static int one_by_one(const struct cost_program *program, struct cost_source *source, struct rv32_profile *profile, uint64_t most, int cool,
		      struct cost_view *out)
{
	struct cost_collector *c = cost_collector__new(program);
	struct pspin *nic = NULL;
	int status = c ? cost_program__open(program, &nic) : FAILED;

	if (!status) {
		cost_collector__observe(c, nic);
		pspin__set_profile(nic, profile);
		status = step_through(program, nic, source, c, most, cool);
		pspin__set_profile(nic, NULL);
		cost_collector__conclude(c, nic, out);
	}
	pspin__close(nic);
	cost_collector__free(c);
	return status;
}

int cost_pass__alone(const struct cost_program *program, struct cost_source *source, struct rv32_profile *profile, struct cost_view *out)
{
	return one_by_one(program, source, profile, UINT64_MAX, 0, out);
}

int cost_pass__cold(const struct cost_program *program, struct cost_source *source, struct cost_view *out)
{
	if (cost_source__rewind(source))
		return FAILED;
	return one_by_one(program, source, NULL, COST_COLD_PACKETS, 1, out);
}

int cost_pass__worst(const struct cost_program *program, struct cost_source *source, uint64_t packet, struct rv32_profile *profile)
{
	struct cost_collector *c = cost_collector__new(program);
	struct pspin *nic = NULL;
	int status = c ? cost_program__open(program, &nic) : FAILED;

	if (!status)
		status = cost_source__rewind(source);
	if (!status) {
		cost_collector__observe(c, nic);
		status = step_through(program, nic, source, c, packet, 0);
	}
	if (!status) {
		pspin__set_profile(nic, profile);
		status = step_through(program, nic, source, c, 1, 0);
		pspin__set_profile(nic, NULL);
	}
	pspin__close(nic);
	cost_collector__free(c);
	return status;
}

/* Packets of sources in turn, to a NIC with a context for each program. */
struct stream {
	const struct cost_program *program; /* any of them */
	struct pspin *const *nics;
	unsigned count;
	struct cost_source *const *sources;
	unsigned source_count, turn, ended;
	int leaves_others_out;
	double gbps, at_ps;
	uint64_t number;
};

/* Of a capture with others' packets, too, a NIC that a context has for itself gets its own. */
static int is_wanted(const struct stream *s, const struct cost_packet *packet)
{
	return !s->leaves_others_out || pspin__matches(s->nics[0], packet->frame, packet->bytes);
}

/* 1 and the next packet; 0 after the last one of all sources; FAILED_SOURCE. */
static int next_packet(struct stream *s, struct cost_packet *packet)
{
	int rc = 0;

	for (unsigned i = 0; i < s->source_count && !rc; i++) {
		unsigned n = s->turn++ % s->source_count;

		if (s->ended >> n & 1)
			continue;
		do
			rc = cost_source__next(s->sources[n], packet);
		while (rc == 1 && !is_wanted(s, packet));
		if (!rc)
			s->ended |= 1u << n;
	}
	return rc;
}

static uint64_t arrived(const struct stream *s)
{
	struct pspin_traffic traffic;
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->count; i++) {
		pspin__traffic(s->nics[i], &traffic);
		sum += traffic.packets;
	}
	return sum;
}

/* Offers until enough wait at the wire. */
static int feed(struct stream *s, int *ended)
{
	struct cost_packet packet;
	uint64_t most = arrived(s) + (s->count > 1 ? AHEAD_OF_MANY : AHEAD);

	while (!*ended && s->number < most) {
		int rc = next_packet(s, &packet);

		if (rc == FAILED_SOURCE)
			return FAILED;
		*ended = rc == 0;
		if (*ended)
			return DONE;
		if (offer(s->program, s->nics[0], &packet, (uint64_t)s->at_ps, ++s->number))
			return FAILED;
		if (s->gbps > 0)
			s->at_ps += packet.counted_bytes * 8e3 / s->gbps;
	}
	return DONE;
}

static int flood(struct stream *s, struct cost_collector *const *collectors)
{
	struct pspin *nic = s->nics[0];
	struct cost_packet none = { 0 };
	int ended = 0, status = DONE, rc;
	uint64_t until = 0, slice_ps = SLICE_CYCLES * pspin_target__cycle_ps(s->program->target);

	s->at_ps = (double)now(nic);
	while (!status && !ended) {
		status = feed(s, &ended);
		if (status)
			break;
		until = (now(nic) > until ? now(nic) : until) + slice_ps;
		rc = pspin__run(nic, ended ? UINT64_MAX : until);
		status = rc ? refuse(s->program, nic, &none, s->number, rc) : DONE;
		for (unsigned i = 0; i < s->count && !status; i++)
			status = cost_collector__status(collectors[i]);
	}
	return status;
}

int cost_pass__loaded(const struct cost_program *program, struct cost_source *source, double gbps, struct cost_trace_writer *writer,
		      struct cost_view *view, struct cost_throughput *throughput, struct cost_occupancy *occupancy)
{
	struct cost_collector *c = cost_collector__new(program);
	struct pspin *nic = NULL;
	int status = c ? cost_program__open(program, &nic) : FAILED;

	if (!status) {
		struct stream s = { .program = program, .nics = &nic, .count = 1, .sources = &source, .source_count = 1, .gbps = gbps };

		cost_collector__tee(c, writer);
		cost_collector__observe(c, nic);
		status = flood(&s, &c);
	}
	if (!status) {
		throughput->packets = cost_collector__done(c);
		throughput->is_steady = cost_collector__rate(c, &throughput->packets_per_us, &throughput->gbps);
		throughput->gbps *= 8e-3; /* from bytes per us */
		if (occupancy)
			cost_collector__occupancy(c, occupancy);
		cost_collector__conclude(c, nic, view);
	}
	pspin__close(nic);
	cost_collector__free(c);
	return status;
}

int cost_pass__together(const struct cost_together *t)
{
	struct pspin *nics[COST_CONTEXTS_MAX] = { NULL };
	struct stream s = { .program = t->programs[0],
			    .nics = nics,
			    .count = t->count,
			    .sources = t->sources,
			    .source_count = t->source_count,
			    .gbps = t->gbps,
			    .leaves_others_out = t->count == 1 };
	int status = cost_program__open(t->programs[0], &nics[0]);

	for (unsigned i = 1; i < t->count && !status; i++)
		status = cost_program__join(t->programs[i], nics[0], &nics[i]);
	for (unsigned i = 0; i < t->count && !status; i++) {
		pspin__set_weight(nics[i], t->weights[i]);
		cost_collector__observe(t->collectors[i], nics[i]);
	}
	if (!status)
		status = flood(&s, t->collectors);
	for (unsigned i = 0; i < t->count && !status; i++)
		cost_collector__conclude(t->collectors[i], nics[i], t->views[i]);
	pspin__close(nics[0]);
	return status;
}
