/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_STREAMS_MARKS_H
#define TESTS_HANDLERS_STREAMS_MARKS_H

/*
 * Handlers of TCP streams that replace one another, for tests/sockets/streams_swapped.c. They have the same state, and each sets a bit of
 * its own in every byte. Senders use the low six bits alone, so a reader can tell by each byte whether it was handled, by whom, and whether
 * it is the next one. The state counts for each connection the bytes that the handlers of any kind have seen.
 */
#include <spin/spin.h>

struct marked_connection {
	uint32_t begun, ended;
	uint32_t bytes;                 /* seen by payload handlers since it began */
	uint32_t length, dropped_bytes; /* arguments of the completion handler */
};

struct marks {
	uint32_t begun, ended, missed; /* missed: spin_connections_missed(), as of the last piece */
	uint32_t completed_by;         /* the bit of the handlers whose completion handler ran last */
	struct marked_connection connection[SPIN_CONNECTIONS_MAX];
};

SPIN_STATE(struct marks);

static struct marked_connection *marks_connection(struct marks *m, uint32_t number)
{
	return &m->connection[number & (SPIN_CONNECTIONS_MAX - 1)];
}

static enum spin_header_rc marks_header(struct spin_header *h, struct marks *m)
{
	struct marked_connection *c = marks_connection(m, spin_connection(h));

	spin_add32(&m->begun, 1);
	c->begun++;
	c->bytes = 0;
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc marks_payload(struct spin_payload *p, struct marks *m)
{
	struct marked_connection *c = marks_connection(m, spin_connection(p));

	m->missed = spin_connections_missed(p);
	SPIN_FOR_EACH(p, uint8_t, byte)
		spin_set8(p, byte, *byte | MARK);
	c->bytes += p->length;
	return SPIN_SUCCESS;
}

static enum spin_completion_rc marks_completion(struct spin_completion *m, struct marks *marks)
{
	struct marked_connection *c = marks_connection(marks, spin_connection(m));

	c->ended++;
	c->length = m->length;
	c->dropped_bytes = m->dropped_bytes;
	marks->completed_by = MARK;
	spin_add32(&marks->ended, 1);
	return SPIN_COMPLETION_SUCCESS;
}

#endif
