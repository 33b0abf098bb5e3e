/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lines - handlers of TCP streams for tests/sockets: the results depend on the bytes, and not on how the stream is segmented.
 *
 * Records for each connection how often it began and ended, its bytes, and their hash (FNV-1a) as received. Capitalizes the first letter of
 * each line. A connection whose first byte is '!' is dropped from there on. With 'S' in `verdict` the header handler proceeds, with 'D' it
 * drops, with 'F' payload handlers fail, with 'R' they try to reply, which streams do not support. Datagrams are counted.
 */
#include <spin/spin.h>

struct connection {
	uint32_t begun, ended, bytes, hash, inside_line, drops;
	uint32_t dropped_bytes, length; /* arguments of the completion handler */
	uint32_t port, end_port;        /* of the peer, at the start and at the end */
};

struct lines {
	uint32_t verdict, datagrams, begun, ended;
	uint32_t missed; /* spin_connections_missed(), as of the last piece or datagram */
	struct connection connection[SPIN_CONNECTIONS_MAX];
};

SPIN_STATE(struct lines);

static struct connection *of(struct lines *l, uint32_t number)
{
	return &l->connection[number & (SPIN_CONNECTIONS_MAX - 1)];
}

static enum spin_header_rc lines_header(struct spin_header *h, struct lines *l)
{
	struct connection *c = of(l, spin_connection(h));

	l->missed = spin_connections_missed(h);
	if (spin_connection(h) == SPIN_NO_CONNECTION) {
		spin_add32(&l->datagrams, 1);
		return SPIN_HEADER_PROCEED_COMPLETE;
	}
	spin_add32(&l->begun, 1);
	c->begun++;
	c->bytes = c->inside_line = c->drops = c->dropped_bytes = c->length = 0;
	c->hash = 0x811c9dc5;
	c->port = spin_ntoh16(spin_src_port(h));
	return l->verdict == 'S' ? SPIN_HEADER_PROCEED : l->verdict == 'D' ? SPIN_HEADER_DROP : SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc lines_payload(struct spin_payload *p, struct lines *l)
{
	struct connection *c = of(l, spin_connection(p));

	l->missed = spin_connections_missed(p);
	if (l->verdict == 'F')
		return SPIN_FAIL;
	if (l->verdict == 'R')
		return spin_reply(p, p->length);
	SPIN_FOR_EACH(p, uint8_t, byte) {
		c->hash = (c->hash ^ *byte) * 0x01000193;
		c->drops |= !c->bytes & (*byte == '!');
		if (!c->inside_line && *byte >= 'a' && *byte <= 'z')
			spin_set8(p, byte, *byte - 32);
		c->inside_line = *byte != '\n';
		c->bytes++;
	}
	return c->drops ? SPIN_DROP : SPIN_SUCCESS;
}

static enum spin_completion_rc lines_completion(struct spin_completion *m, struct lines *l)
{
	struct connection *c = of(l, spin_connection(m));

	if (spin_connection(m) == SPIN_NO_CONNECTION)
		return SPIN_COMPLETION_SUCCESS;
	spin_add32(&l->ended, 1);
	c->ended++;
	c->dropped_bytes = m->dropped_bytes;
	c->length = m->length;
	c->end_port = spin_ntoh16(spin_src_port(m));
	return SPIN_COMPLETION_SUCCESS;
}

SPIN_HANDLERS(lines, .header = lines_header, .payload = lines_payload, .message_completion = lines_completion);
