/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_READER_H
#define USER_CONFORMANCE_VECTOR_READER_H

/*
 * The state of reading a vector (a test as text) line by line, shared by its parsers (line.c, change.c, event.c and others). Functions
 * return 0 or a negative errno with engine_error().
 */
#include "user/conformance/template/template.h"
#include "user/conformance/vector/vector.h"

/* Where reading is: the step, and the part of it, that the next line belongs to. */
struct vector_reader {
	struct vector *v;
	struct template template; /* the frame being filled */
	struct template headers;  /* prefix of every packet */
	enum { NOTHING, HEADERS, PACKET, EXPECT, SEND } filling;
	int templated; /* a template line was seen since `packet`, `expect` or `send` */
	int is_put;    /* SEND: the frame is a put, which contains its length */
	int begun;     /* 1: the `packet` or clock line of the last step was read */
	int expected;  /* 1: the `expect` line of the packet was read */
	unsigned packets;
	uint64_t now_ns; /* time at the last step */
	unsigned line;   /* 0: the reason does not concern a line */
};

int vector_read_line(struct vector_reader *r, char *line);
/* Ends the frame that is being filled, if one is. */
int vector_finish_frame(struct vector_reader *r);

/* Copies the filled frame to allocated memory. */
int vector_copy_frame(struct vector_reader *r, uint8_t **to, uint32_t *bytes);

/* Returns 1 if the line's first word is `word`; *rest is then the text after it. */
int vector_word(char *line, const char *word, char **rest);
/* Splits the next word off *rest in place. Returns NULL if none is left. */
char *vector_next(char **rest);

/* Reads messages, parking, idle, tombstone, host BYTES, handler_mem, put, no_entry. Returns 1, or 0 if the line is another. */
int vector_read_context(struct vector_reader *r, char *line);
/* Returns 1 if the line is a change: set, entry, host, post, unlink, ct, seed. */
int vector_is_change(char *line);
/* Reads a change. The caller has checked that the line is one. */
int vector_read_before(struct vector_changes *changes, char *line);
/* Reads the rest of a line `after`. */
int vector_read_after(struct vector_changes *changes, char *rest);
/* Reads the rest of a line `event`. */
int vector_read_event(struct vector_step *step, char *rest, unsigned line);
/* Reads START+LENGTH and appends it to segment[]: a segment of the handlers' host memory. At most SPIN_SEGMENTS_MAX. */
int vector_read_segment(const char *word, struct spin_segment *segment, unsigned *count);
/* Reads the rest of a line `send`. */
int vector_read_send(struct vector_reader *r, char *rest);
/* Ends the frame of a `send`. */
int vector_finish_send(struct vector_reader *r);
/* Completes the events from the packets. Called after all lines are read. */
int vector_complete_events(struct vector *v, unsigned *line);

void vector_free_changes(struct vector_changes *changes);

#endif
