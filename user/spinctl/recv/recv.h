/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RECV_RECV_H
#define USER_SPINCTL_RECV_RECV_H

/* spinctl recv: the state that recv.c (events of messages), transfer.c (files in pieces) and print.c share. */
#include "user/lib/atomic_file.h"
#include "user/spinctl/run/options.h"
#include "user/spinctl/transfer.h"

#define RECV_SLOTS 16 /* pieces of a file that are received or written at a time, at most */

/* A matching entry for one message. */
struct recv_entry {
	int posted;
	unsigned me;
};

/* Room for a piece. */
struct recv_slot {
	struct recv_entry entry;
	int full; /* 1: a piece lies there that is not in the file yet */
	uint64_t position;
	uint32_t bytes;
};

enum recv_state {
	RECV_IDLE,     /* whatever comes first */
	RECV_TRANSFER, /* pieces of one file */
	RECV_CLOSING,  /* no more pieces of it, but a message may still have one of its entries */
};

/* A file that comes in pieces (transfer.h). */
struct recv_transfer {
	uint32_t id, piece_bytes;
	uint64_t total;         /* bytes, or TRANSFER_UNKNOWN */
	struct spin_event from; /* of its first message */
	/* as it goes on */
	unsigned slots, messages;
	uint32_t slot_bytes;
	uint64_t position; /* bytes in the file */
	struct transfer_digest digest;
	int has_end; /* 1: these are known: */
	uint64_t end_bytes, end_digest;
	double heard_s;
};

/* Into files, one after the other. */
struct receiver {
	struct session set;
	struct message_options message;
	const char *path;
	unsigned wanted; /* files; 0: as many as come */
	unsigned received;
	unsigned bad;    /* messages that were not written */
	int was_refused; /* 1: packets were refused when that was looked at last */
	int json, bar;
	int status; /* FAILED after a message */
	/* host memory: messages, or the slots; behind them what transfers begin and end with */
	const uint8_t *memory;
	size_t memory_bytes;     /* of messages */
	uint32_t control;        /* offset */
	struct atomic_file file; /* the next message's */
	enum recv_state state;
	struct recv_entry whole, open, end; /* of messages that are a file, and of transfers */
	struct recv_slot slot[RECV_SLOTS];
	struct recv_transfer now;
	struct recv_transfer next; /* announced while this one is received */
	int has_next;
};

/* Where the next file goes: its directory is there and can be written to. DONE, or FAILED after a message. */
int recv_file__prepare(struct receiver *r);
/* Writes what is in host memory behind what was written. DONE, or FAILED after a message. */
int recv_file__write(struct receiver *r, size_t from, size_t bytes);
/* Gives the file its name. DONE, or FAILED after a message. */
int recv_file__publish(struct receiver *r);

/* Posts the entries for what comes first. DONE, or FAILED after a message. */
int recv_transfer__start(struct receiver *r);
/*
 * An entry's message is complete. *is_whole: it is a file of its own, which the caller takes; then the entry is to be
 * posted again with recv_transfer__ready(). DONE, or FAILED after a message.
 */
int recv_transfer__event(struct receiver *r, const struct spin_event *event, int *is_whole);
int recv_transfer__ready(struct receiver *r);
/* Advances the transfer, also without an event: DONE, or FAILED after a message. */
int recv_transfer__step(struct receiver *r);

void recv_print__start(const struct receiver *r, unsigned port);
/* What is in flight, on one line of a terminal. */
void recv_print__progress(const struct receiver *r);
void recv_print__clear(const struct receiver *r);
void recv_print__received(const struct receiver *r, const struct spin_event *event, uint64_t bytes, unsigned messages);
/* On stderr: a message will not go on. */
void recv_print__given_up(const struct receiver *r, const struct spin_event *event);
/* The same of a file in pieces. */
void recv_print__transfer_given_up(const struct receiver *r);
void recv_print__end(const struct receiver *r);

#endif
