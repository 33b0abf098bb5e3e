/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What handlers sent against what they were to send, in its order. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "user/conformance/vector_compare.h"
#include "user/conformance/vector_send.h"
#include "user/conformance/vector_wire.h"

static void process_text(const struct spin_process *p, char *text, size_t bytes)
{
	char address[INET6_ADDRSTRLEN] = "?";
	int four = p->ip_version == 4, more = four && (p->addr[1] || p->addr[2] || p->addr[3]);

	inet_ntop(four ? AF_INET : AF_INET6, p->addr, address, sizeof(address));
	snprintf(text, bytes, "%s%s %u%s", address, more ? " and more" : "", ntohs(p->port),
		 four || p->ip_version == 6 ? "" : " of no IP version");
}

static int has_frame(const struct spin_request *r)
{
	return r->type == SPIN_REQUEST_PACKET || r->type == SPIN_REQUEST_PUT_BYTES;
}

void send_line(const struct spin_request *r, char line[SEND_LINE_MAX])
{
	char target[96], source[96], acked[96] = "";

	process_text(&r->put.target, target, sizeof(target));
	if (r->type != SPIN_REQUEST_PACKET && r->acked)
		snprintf(acked, sizeof(acked), " options %u user %" PRIu64 " me %u", r->options, r->user_ptr, r->me);
	if (has_frame(r)) {
		snprintf(line, SEND_LINE_MAX, "packet to %s, IP header at %u%s", target, r->ip_at, acked);
		return;
	}
	process_text(&r->source, source, sizeof(source));
	snprintf(line, SEND_LINE_MAX, "%s %u %u to %s from %s match %" PRIu64 " data %" PRIu64 " off %" PRIu64 "%s",
		 r->type == SPIN_REQUEST_PUT ? "host" : "unknown", r->start, r->bytes, target, source, r->put.match_bits, r->put.hdr_data,
		 r->put.remote_offset, acked);
}

void send_request(const struct vector_send *send, struct spin_request *out)
{
	struct vector_wire w;

	*out = (struct spin_request){ .type = SPIN_REQUEST_PUT,
				      .start = send->start,
				      .bytes = send->bytes,
				      .source = send->source,
				      .put = send->put,
				      .acked = send->acked,
				      .options = send->options,
				      .user_ptr = send->user_ptr,
				      .me = send->me };
	if (!send->frame)
		return;
	out->type = send->acked ? SPIN_REQUEST_PUT_BYTES : SPIN_REQUEST_PACKET;
	out->bytes = send->frame_bytes;
	memcpy(out->frame, send->frame, send->frame_bytes < sizeof(out->frame) ? send->frame_bytes : sizeof(out->frame));
	if (vector_wire_udp(send->frame, send->frame_bytes, &w))
		return;
	out->ip_at = w.ip_at;
	send_destination(send->frame, &w, &out->put.target);
}

/* One send, or NULL where there is none. */
static void add_send(struct differences *d, unsigned number, const struct spin_request *got, const struct spin_request *want)
{
	char a[SEND_LINE_MAX] = "none", b[SEND_LINE_MAX] = "none", what[32];

	if (got)
		send_line(got, a);
	if (want)
		send_line(want, b);
	snprintf(what, sizeof(what), "sent, %u", number);
	if (strcmp(a, b))
		differences_add(d, what, a, b);
	if (got && want && has_frame(got) && has_frame(want))
		differences_frame(d, want->frame, want->bytes, got->frame, got->bytes);
}

void vector_compare_sends(const struct vector_step *step, int flip, struct vector_result *r)
{
	unsigned kept = r->sends->count < ENGINE_SENDS_MAX ? r->sends->count : ENGINE_SENDS_MAX;
	unsigned count = step->send_count + (flip && !step->send_count);
	static struct spin_request want;

	for (unsigned i = 0; i < kept || i < count; i++) {
		if (i < step->send_count)
			send_request(&step->send[i], &want);
		else
			want = (struct spin_request){ .type = SPIN_REQUEST_PUT };
		if (flip && i == step->line % count) {
			want.frame[want.bytes / 3 % sizeof(want.frame)] ^= 0x10;
			want.start ^= 8;
		}
		add_send(&r->differences, i + 1, i < kept ? &r->sends->send[i] : NULL, i < count ? &want : NULL);
	}
	if (r->sends->count > ENGINE_SENDS_MAX)
		differences_add(&r->differences, "sent", "more than are kept", "fewer");
}
