/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RECV_RECV_H
#define USER_SPINCTL_RECV_RECV_H

/*
 * spinctl recv receives files as messages over UDP. The state that recv.c (events of messages), transfer.c (files in pieces) and print.c
 * share.
 */
#include "user/lib/atomic_file.h"
#include "user/spinctl/run/options.h"
#include "user/spinctl/transfer.h"

#define RECV_SLOTS 16 /* pieces of a file that are received or written at a time, at most */

/* A matching entry for one message. */
struct recv_entry {
	int posted;
	unsigned me;
};

/* A part of host memory for one piece. */
struct recv_slot {
	struct recv_entry entry;
	int full; /* 1: it has a piece that has not been written to the file yet */
	uint64_t position;
	uint32_t bytes, offset; /* offset: of its first byte in the slot */
};

/* What the command waits for. */
enum recv_state {
	RECV_IDLE,     /* waits for a message that is a file, or for a transfer */
	RECV_TRANSFER, /* receives the pieces of one file */
	RECV_CLOSING,  /* the file is complete or given up, but messages may still use some of its entries */
};

/* A file that is received in pieces (transfer.h). */
struct recv_transfer {
	uint32_t id, piece_bytes;
	uint64_t total;         /* bytes, or TRANSFER_UNKNOWN */
	struct spin_event from; /* event of its first message: names the sender */
	/* progress */
	unsigned slots, messages;
	uint32_t slot_bytes;
	uint64_t position; /* bytes written to the file so far */
	struct transfer_digest digest;
	int has_end; /* 1: the last message has arrived, with length and digest: */
	uint64_t end_bytes, end_digest;
	double heard_s; /* last sign of life from its sender, in now_s() */
};

/* The state of the command. It receives one file at a time. */
struct receiver {
	struct session set;
	struct message_options message;
	const char *path;
	unsigned wanted; /* number of files; 0: no limit */
	unsigned received;
	unsigned bad;    /* messages that were not written */
	int was_refused; /* 1: packets were refused at the last check */
	int json, bar;
	int status; /* FAILED after a message */
	/* host memory: one message or the slots, then the first and last message of a transfer */
	const uint8_t *memory;
	size_t memory_bytes;     /* size of the part for messages and slots */
	uint32_t control;        /* offset of the other part */
	struct atomic_file file; /* the file that is being received */
	enum recv_state state;
	struct recv_entry whole, open, end; /* for a message that is a file; for the first and the last message of a transfer */
	struct recv_slot slot[RECV_SLOTS];
	struct recv_transfer now;
	struct recv_transfer next; /* announced while this one is received */
	int has_next;
};

/* Opens a temporary file for the next file. Returns DONE, or FAILED after a message. */
int recv_file__prepare(struct receiver *r);
/* Appends bytes of host memory to the file. Returns DONE, or FAILED after a message. */
int recv_file__write(struct receiver *r, size_t from, size_t bytes);
/* Renames the file to its final name. Returns DONE, or FAILED after a message. */
int recv_file__publish(struct receiver *r);

/* Posts the entries for the first message. Returns DONE, or FAILED after a message. */
int recv_transfer__start(struct receiver *r);
/*
 * Handles the event of a complete message. Sets *is_whole to 1 if the message is a whole file: then the caller writes it and posts the
 * entry again with recv_transfer__post_whole(). Returns DONE, or FAILED after a message.
 */
int recv_transfer__event(struct receiver *r, const struct spin_event *event, int *is_whole);
int recv_transfer__post_whole(struct receiver *r);
/* Returns 1 while a message or a file in pieces is being received. */
int recv_transfer__is_busy(const struct receiver *r);
/* Checks timeouts and changes the state. Must be called periodically. Returns DONE, or FAILED after a message. */
int recv_transfer__step(struct receiver *r);

void recv_print__start(const struct receiver *r, unsigned port);
/* Shows the message or file in flight on one line of the terminal. */
void recv_print__progress(const struct receiver *r);
void recv_print__clear(const struct receiver *r);
void recv_print__received(const struct receiver *r, const struct spin_event *event, uint64_t bytes, unsigned messages);
/* Reports on stderr that a message was given up. */
void recv_print__abandoned(const struct receiver *r, const struct spin_event *event);
/* Same for a file in pieces. */
void recv_print__transfer_given_up(const struct receiver *r);
void recv_print__end(const struct receiver *r);

#endif
