/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_SEND_H
#define USER_CONFORMANCE_VECTOR_SEND_H

/*
 * The packets and puts (messages that write to the receiver's memory) that a vector (a test as text) expects handlers to send. Used by the
 * parsers of vectors and by compare.c. Implemented by send_frame.c and compare.c.
 */
#include "user/conformance/template/template.h"
#include "user/conformance/vector/vector.h"

struct vector_headers;

#define SEND_LINE_MAX 384

/* Formats a request without its frame. Requests are equal if text and frame are equal. */
void send_line(const struct spin_request *request, char line[SEND_LINE_MAX]);
/* Fills in the request that an engine must return. */
void send_request(const struct vector_send *send, struct spin_request *out);

/*
 * Begins the frame of a put that is sent in response to the packet of `cause`, as <spin/put.h> specifies. The payload lines follow. `id`
 * NULL: a context of datagrams. `fields` are those of `put`, except its length, which send_put_finish() sets.
 */
int send_put_start(struct template *t, const struct vector_step *cause, const struct spin_process *target, const char *id,
		   const char *fields);
void send_put_finish(struct template *t);
/* Builds the forwarded packet as <spin/put.h> specifies. of_message: removes its put extension. */
int send_forward(const struct vector_step *cause, const struct spin_process *target, int of_message, struct vector_send *out);

/* Parses an address and a port. Returns 0 or -EINVAL. */
int send_parse_process(const char *word, const char *address, const char *port, struct spin_process *out);
/* Reads the destination of a frame. */
void send_destination(const uint8_t *frame, const struct vector_headers *w, struct spin_process *out);
/* Reads the destination of the packet, which is this context. */
int send_own_address(const struct vector_step *cause, struct spin_process *out);

#endif
