/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_socket - handlers of the TCP segments of a user's socket, for tests/sockets
 *
 * Capitalizes the first two letters of each segment, so what is sent again is rewritten to the same. Refuses connections of the peer's port
 * `refused`. Counts what it is given.
 */
#include <spin/spin.h>
#include <spin/wire.h>

struct seg_socket {
	uint32_t refused; /* set by the test */
	uint32_t port;    /* set by the test: of the socket; packets of other ports are counted in `foreign` */
	uint32_t foreign;
	uint32_t begun, syns, bytes, ended;
	uint32_t length, dropped_bytes;  /* sums of what completion handlers were given */
	uint32_t begun_port, ended_port; /* of the last peer */
};

SPIN_STATE(struct seg_socket);

static enum spin_header_rc seg_socket_header(struct spin_header *h, struct seg_socket *s)
{
	const uint32_t port = spin_ntoh16(spin_src_port(h));

	spin_add32(&s->begun, 1);
	spin_add32(&s->syns, !!(spin_tcp_flags(h) & SPIN_TCP_SYN));
	spin_add32(&s->foreign, spin_ntoh16(spin_dst_port(h)) != s->port);
	s->begun_port = port;
	return port == s->refused ? SPIN_HEADER_DROP : SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc seg_socket_payload(struct spin_payload *p, struct seg_socket *s)
{
	const uint16_t *two;

	spin_add32(&s->foreign, spin_ntoh16(spin_dst_port(p)) != s->port);
	spin_add32(&s->bytes, p->length);
	two = SPIN_GET(p, 0, uint16_t);
	if (!two)
		return SPIN_SUCCESS;
	spin_set16(p, two, *two & 0xdfdf);
	return SPIN_SUCCESS;
}

static enum spin_completion_rc seg_socket_completion(struct spin_completion *m, struct seg_socket *s)
{
	s->ended_port = spin_ntoh16(spin_src_port(m));
	spin_add32(&s->length, m->length);
	spin_add32(&s->dropped_bytes, m->dropped_bytes);
	spin_add32(&s->ended, 1);
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(seg_socket, .header = seg_socket_header, .payload = seg_socket_payload, .message_completion = seg_socket_completion,
	      .delivery = SPIN_DELIVER_SEGMENTS);
