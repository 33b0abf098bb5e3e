/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets of a capture, or made ones; as often, and as long, as is asked for. */
#include <stdlib.h>

#include "user/spinctl/cost_run.h"

struct cost_source {
	struct cost_trace *trace; /* NULL: made */
	struct cost_made made;    /* as they are made now */
	unsigned size;            /* of a trace's packets; 0: as they are */
	struct cost_maker maker;
	uint32_t message; /* of made ones: the next */
	unsigned packet;
	uint64_t out, wanted, rounds; /* wanted: packets, 0: one round */
	uint64_t frames, cut_short;   /* of the first round */
};

struct cost_source *cost_source__open(const struct cost_source_options *options)
{
	struct cost_source *s = calloc(1, sizeof(*s));

	if (!s) {
		complain("no memory");
		return NULL;
	}
	s->made = options->made;
	s->maker.rule = options->rule;
	s->maker.takes_messages = options->takes_messages;
	s->maker.is_raw = options->is_raw;
	s->maker.random = 1;
	if (options->trace)
		s->trace = cost_trace__open(options->trace);
	if (!options->trace || s->trace)
		return s;
	free(s);
	return NULL;
}

void cost_source__close(struct cost_source *s)
{
	if (s)
		cost_trace__close(s->trace);
	free(s);
}

int cost_source__rewind(struct cost_source *s)
{
	s->message = 0;
	s->packet = 0;
	s->out = s->wanted = s->rounds = 0;
	s->maker.random = 1;
	return s->trace ? cost_trace__rewind(s->trace) : DONE;
}

int cost_source__resize(struct cost_source *s, unsigned bytes)
{
	unsigned headers = cost_maker__header_bytes(&s->maker);
	unsigned least = !s->maker.is_raw && cost_is_icmp(s->maker.rule) ? COST_ICMP_LEAST : 4;

	s->size = bytes;
	if (bytes && !s->trace)
		s->made.payload_bytes = bytes >= headers + least ? (bytes - headers) & ~3u : least;
	return cost_source__rewind(s);
}

void cost_source__repeat(struct cost_source *s, uint64_t packets)
{
	s->wanted = packets;
}

/* A trace goes round as long as there is something in it. */
static int next_of_trace(struct cost_source *s, struct cost_packet *out)
{
	int rc = cost_trace__next(s->trace, out);

	if (!s->rounds)
		cost_trace__counts(s->trace, &s->frames, &s->cut_short);
	if (!rc && s->out && s->out < s->wanted) {
		s->rounds++;
		rc = cost_trace__rewind(s->trace) ? FAILED_SOURCE : cost_trace__next(s->trace, out);
	}
	if (rc == 1)
		out->message = s->out; /* each its own, in every round */
	if (rc == 1 && s->size) {
		unsigned bytes = cost_resize(s->maker.frame, out->frame, out->bytes, s->size);

		if (bytes)
			*out = (struct cost_packet){
				.frame = s->maker.frame, .bytes = bytes, .at_ms = out->at_ms, .message = out->message, .end_of_message = 1
			};
	}
	return rc;
}

static int next_made(struct cost_source *s, struct cost_packet *out)
{
	uint64_t round = (uint64_t)s->made.messages * s->made.packets;

	if (s->out >= round && !(s->wanted > round && (s->out < s->wanted || s->packet)))
		return 0;
	cost_maker__make(&s->maker, &s->made, s->message, s->packet);
	*out = (struct cost_packet){
		.frame = s->maker.frame, .bytes = s->maker.bytes, .message = s->message, .end_of_message = s->packet + 1 == s->made.packets
	};
	if (++s->packet == s->made.packets) {
		s->packet = 0;
		s->message++;
	}
	if (s->out < round)
		s->frames = s->out + 1;
	return 1;
}

int cost_source__next(struct cost_source *s, struct cost_packet *out)
{
	int rc = s->trace ? next_of_trace(s, out) : next_made(s, out);

	if (rc == 1) {
		unsigned link = s->maker.is_raw ? 0 : cost_link_bytes(out->frame, out->bytes);

		out->counted_bytes = out->bytes > link ? out->bytes - link : 0;
		s->out++;
	}
	return rc;
}

void cost_source__counts(const struct cost_source *s, uint64_t *frames, uint64_t *cut_short)
{
	*frames = s->frames;
	*cut_short = s->cut_short;
}
