/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_SEND_H
#define USER_CONFORMANCE_VECTOR_SEND_H

/* What handlers are expected to send: packets, and puts from host memory. */
#include "user/conformance/template/template.h"
#include "user/conformance/vector/vector.h"

struct vector_wire;

#define SEND_LINE_MAX 384

/* A request as text, without its frame. Requests are equal if text and frame are equal. */
void send_line(const struct spin_request *request, char line[SEND_LINE_MAX]);
/* The request that an engine returns if it behaves as expected. */
void send_request(const struct vector_send *send, struct spin_request *out);

/*
 * Begins the frame of a put that is made because of this packet, as <spin/put.h> has it: lines of payload follow. `id`
 * NULL: a context of datagrams. `fields` are those of `put`, but for its length, which send_put_finish() knows.
 */
int send_put_start(struct template *t, const struct vector_step *cause, const struct spin_process *target, const char *id,
		   const char *fields);
void send_put_finish(struct template *t);
/* The packet, forwarded as <spin/put.h> has it; of_message: without its `put`. */
int send_forward(const struct vector_step *cause, const struct spin_process *target, int of_message, struct vector_send *out);

/* From the text of an address and a port. 0 or -EINVAL. */
int send_process(const char *word, const char *address, const char *port, struct spin_process *out);
/* The target of a frame. */
void send_destination(const uint8_t *frame, const struct vector_wire *w, struct spin_process *out);
/* The target of the packet: this context. */
int send_here(const struct vector_step *cause, struct spin_process *out);

#endif
