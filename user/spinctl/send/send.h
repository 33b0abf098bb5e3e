/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_SEND_SEND_H
#define USER_SPINCTL_SEND_SEND_H

/* spinctl send sends files as messages over UDP: the file that is sent, and the state that send.c, file.c and print.c share. */
#include <spin/libspin_send.h>
#include "user/spinctl/spinctl.h"
#include "user/spinctl/transfer.h"

/* A file to send. data: all its bytes, mapped or read; or those read until it was known that the file must be cut. */
struct send_file {
	const char *name;
	void *data;
	size_t bytes;
	int mapped;
	/* for files that are cut */
	int is_cut;
	uint64_t total; /* bytes, or TRANSFER_UNKNOWN */
	int fd;         /* -1: closed */
	size_t given;   /* bytes of data that send_file__read() has returned */
	int ended;      /* 1: the end of the file was read */
};

/*
 * Opens a file; "-" is standard input, which is read to its end or until it has more than max_bytes. A file with more than
 * max_bytes is cut, or refused if `cut` is 0. Returns DONE, or FAILED after a message.
 */
int send_file__open(struct send_file *file, const char *path, uint64_t max_bytes, int cut);
/*
 * Reads the next bytes of a file that is cut. Sets *got to their number, which is less than requested at the end, and when a pipe has
 * no more for now. Returns DONE, or FAILED after a message.
 */
int send_file__read(struct send_file *file, void *to, size_t bytes, size_t *got);
void send_file__close(struct send_file *file);

/* Parses HOST, HOST:PORT, [ADDR]:PORT, or an IPv6 address without brackets. Returns 0, or -1 if a part is empty or too long. */
struct send_target {
	char host[256];
	char port[8]; /* "": none was given */
};
int send_target__parse(const char *text, struct send_target *out);

/* The state of progress and results, for text and JSON. */
struct send_print {
	int json, bar; /* bar: progress on stderr */
	const char *name, *to;
	const char *hint;            /* appended to error messages: what --to may have meant; or "" */
	uint64_t bytes;              /* length of the file, or TRANSFER_UNKNOWN */
	unsigned messages;           /* messages of the file that have arrived */
	struct spin_send_report sum; /* sum over these; the id of the first one */
	double start_s;
};

/* Counts a message that has arrived. */
void send_print__add(struct send_print *p, const struct spin_send_report *report);
/* Draws the bar over the previous one. */
void send_print__progress(const struct send_print *p, const struct spin_send_report *so_far);
/* Erases the bar. */
void send_print__clear(const struct send_print *p);
void send_print__arrived(const struct send_print *p);

/* Only one sender is open at a time, because --source may name a port. */
enum send_kind {
	SEND_NONE,
	SEND_WHOLE,  /* for files that are one message */
	SEND_PIECES, /* for files that are cut: its timeout allows for a receiver that writes to disk */
};

/* The command's connection to the receiver. */
struct senders {
	struct send_target target;
	struct spin_send_opts opts;
	int has_timeout; /* 1: --timeout was given; else the timeout depends on the kind */
	int is_opening;  /* 1: sending the message that announces pieces, which has the timeout of a file that is not cut */
	struct spin_send_put put;
	struct spin_sender *sender;
	enum send_kind kind;
	uint64_t most;      /* bytes of the longest message */
	size_t piece_bytes; /* 0: nothing is cut */
	struct send_print *print;
};

/* Makes s->sender a sender of this kind. Returns DONE, or FAILED after a message. */
int senders__use(struct senders *s, enum send_kind kind);

/* Sends a file that is cut. Returns DONE, or FAILED after a message. */
int send_pieces(struct senders *s, struct send_file *file);

#endif
