/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_RECV_H
#define SPINCTL_RECV_H

#include "common/whole_file.h"
#include "run.h"

/* Messages into files, one after the other: the matching entry is for one at a time. */
struct receiver {
	struct run_set set;
	struct message_options message;
	const char *path;
	unsigned wanted;         /* messages; 0: as many as come */
	unsigned received;
	unsigned bad;            /* messages that were not written */
	int json, bar;
	int status;              /* FAILED after a message */
	const uint8_t *memory;
	size_t memory_bytes;
	struct whole_file file;  /* the next message's */
};

/* Where the next message goes: its folder is there and can be written to. DONE, or FAILED after a message. */
int recv_file__prepare(struct receiver *r);
/* Writes a complete message, and gives the file its name. DONE, or FAILED after a message. */
int recv_file__write(struct receiver *r, size_t bytes);

void recv_print__start(const struct receiver *r, unsigned port);
/* What is in flight, on one line of a terminal. */
void recv_print__progress(const struct receiver *r);
void recv_print__clear(const struct receiver *r);
void recv_print__received(const struct receiver *r, const struct spin_event *event);
/* On stderr: a message will not go on. */
void recv_print__given_up(const struct receiver *r, const struct spin_event *event);
void recv_print__end(const struct receiver *r);

#endif
