/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_READER_H
#define USER_CONFORMANCE_VECTOR_READER_H

/* Reading a vector, line by line: for its parts only. Functions return 0 or a negative errno with engine_why(). */
#include "user/conformance/template/template.h"
#include "user/conformance/vector/vector.h"

struct vector_reader {
	struct vector *v;
	struct template template; /* the frame being filled */
	struct template headers;  /* what every packet begins with */
	enum { NOTHING, HEADERS, PACKET, EXPECT, SEND } filling;
	int templated; /* a template line was seen since `packet`, `expect` or `send` */
	int is_put;    /* SEND: a put, which tells its length */
	int begun;     /* the last step of v has its line: what comes belongs behind it */
	int expected;  /* the packet has its `expect` */
	unsigned packets;
	unsigned line; /* 0: the reason is about none */
};

int vector_read_line(struct vector_reader *r, char *line);
/* Ends the frame that is being filled, if one is. */
int vector_finish_frame(struct vector_reader *r);

/* What it has become, in memory of its own. */
int vector_take_frame(struct vector_reader *r, uint8_t **to, uint32_t *bytes);

/* The first word of a line; *rest is what is behind it. 1 if it is `word`. */
int vector_word(char *line, const char *word, char **rest);
/* The next word of *rest, NULL: none left; it is cut off in place. */
char *vector_next(char **rest);

/* messages, parking, idle, tombstone, host BYTES, handler_mem, put, no_entry. 1: the line was one; 0: it was not. */
int vector_read_context(struct vector_reader *r, char *line);
/* set, entry, host, post, unlink, ct. 1: the line was one. */
int vector_is_change(char *line);
int vector_read_before(struct vector_changes *changes, char *line);
/* What is behind `after`. */
int vector_read_after(struct vector_changes *changes, char *rest);
/* What is behind `event`. */
int vector_read_event(struct vector_step *step, char *rest, unsigned line);
/* START+LENGTH...: segments of handlers' host memory, as many as SPIN_SEGMENTS_MAX. */
int vector_read_segment(const char *word, struct spin_segment *segment, unsigned *count);
/* What is behind `send`. */
int vector_read_send(struct vector_reader *r, char *rest);
/* Ends the frame behind it. */
int vector_finish_send(struct vector_reader *r);
/* Gives the events the source of their messages, when all packets are there. */
int vector_complete_events(struct vector *v, unsigned *line);

void vector_free_changes(struct vector_changes *changes);

#endif
