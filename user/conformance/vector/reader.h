/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_READER_H
#define USER_CONFORMANCE_VECTOR_READER_H

/* Internals of reading a vector line by line, shared by its parsers. Functions return 0 or a negative errno with engine_error(). */
#include "user/conformance/template/template.h"
#include "user/conformance/vector/vector.h"

struct vector_reader {
	struct vector *v;
	struct template template; /* the frame being filled */
	struct template headers;  /* what every packet begins with */
	enum { NOTHING, HEADERS, PACKET, EXPECT, SEND } filling;
	int templated; /* a template line was seen since `packet`, `expect` or `send` */
	int is_put;    /* SEND: the frame is a put, which contains its length */
	int begun;     /* 1: the packet or clock line of the last step was read: further lines come after it */
	int expected;  /* the packet has its `expect` */
	unsigned packets;
	uint64_t now_ns; /* at the last step */
	unsigned line;   /* 0: the reason does not concern a line */
};

int vector_read_line(struct vector_reader *r, char *line);
/* Ends the frame that is being filled, if one is. */
int vector_finish_frame(struct vector_reader *r);

/* Moves the filled frame to memory of its own. */
int vector_take_frame(struct vector_reader *r, uint8_t **to, uint32_t *bytes);

/* 1 if the line's first word is `word`; *rest is the text behind it. */
int vector_word(char *line, const char *word, char **rest);
/* Cuts the next word off *rest, in place; NULL: none is left. */
char *vector_next(char **rest);

/* messages, parking, idle, tombstone, host BYTES, handler_mem, put, no_entry. 1: the line was one; 0: it was not. */
int vector_read_context(struct vector_reader *r, char *line);
/* set, entry, host, post, unlink, ct, seed. 1: the line was one. */
int vector_is_change(char *line);
int vector_read_before(struct vector_changes *changes, char *line);
/* Reads the rest of a line `after`. */
int vector_read_after(struct vector_changes *changes, char *rest);
/* Reads the rest of a line `event`. */
int vector_read_event(struct vector_step *step, char *rest, unsigned line);
/* START+LENGTH...: segments of handlers' host memory, as many as SPIN_SEGMENTS_MAX. */
int vector_read_segment(const char *word, struct spin_segment *segment, unsigned *count);
/* Reads the rest of a line `send`. */
int vector_read_send(struct vector_reader *r, char *rest);
/* Ends the frame of a `send`. */
int vector_finish_send(struct vector_reader *r);
/* Sets the source of events, after all packets are read. */
int vector_complete_events(struct vector *v, unsigned *line);

void vector_free_changes(struct vector_changes *changes);

#endif
