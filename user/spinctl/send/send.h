/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_SEND_SEND_H
#define USER_SPINCTL_SEND_SEND_H

/* spinctl send: the file that is sent, and the state that its files share. */
#include <spin/libspin_send.h>
#include "user/spinctl/spinctl.h"
#include "user/spinctl/transfer.h"

/* What is sent: a file's bytes, mapped or read, or so much of it that it is known to be cut. */
struct send_file {
	const char *name;
	void *data;
	size_t bytes;
	int mapped;
	/* of files that are longer than one message is to be */
	int is_cut;
	uint64_t total; /* bytes, or TRANSFER_UNKNOWN */
	int fd;         /* -1: closed */
	size_t given;   /* bytes of data that were read already */
	int ended;      /* 1: nothing comes behind them */
};

/*
 * "-": standard input, read to its end or until it has more than `most` bytes. What has more is cut, or refused where
 * `cut` is 0. DONE, or FAILED after a message.
 */
int send_file__open(struct send_file *file, const char *path, uint64_t most, int cut);
/*
 * The next bytes of a file that is cut; *got: how many, fewer than asked for at the end, and where a pipe has no more for
 * now. DONE, or FAILED after a message.
 */
int send_file__read(struct send_file *file, void *to, size_t bytes, size_t *got);
void send_file__close(struct send_file *file);

/* HOST, HOST:PORT, [ADDR]:PORT; an IPv6 address may stand bare. 0, or -1: too long, or empty. */
struct send_target {
	char host[256];
	char port[8]; /* "": none was given */
};
int send_target__parse(const char *text, struct send_target *out);

/* Text and JSON of what has arrived come from this. */
struct send_print {
	int json, bar; /* bar: progress on stderr */
	const char *name, *to;
	const char *hint;            /* behind a complaint: what --to may have meant; or "" */
	uint64_t bytes;              /* of the file, or TRANSFER_UNKNOWN */
	unsigned messages;           /* that have arrived of it */
	struct spin_send_report sum; /* of these; the id is the first one's */
	double start_s;
};

/* Counts a message that has arrived. */
void send_print__add(struct send_print *p, const struct spin_send_report *report);
/* Draws the bar, over the one before. */
void send_print__progress(const struct send_print *p, const struct spin_send_report *so_far);
/* Takes it away. */
void send_print__clear(const struct send_print *p);
void send_print__arrived(const struct send_print *p);

/* One sender at a time, as --source may name a port. */
enum send_kind {
	SEND_NONE,
	SEND_WHOLE,  /* files that are one message */
	SEND_PIECES, /* files that are cut: it waits for a receiver that writes to its disk */
};

struct senders {
	struct send_target target;
	struct spin_send_opts opts;
	int has_timeout; /* that of opts was given; else it depends on the kind */
	int is_opening;  /* the message that announces pieces is sent: it is given up like a file that is not cut */
	struct spin_send_put put;
	struct spin_sender *sender;
	enum send_kind kind;
	uint64_t most;      /* bytes of the longest message */
	size_t piece_bytes; /* 0: nothing is cut */
	struct send_print *print;
};

/* s->sender is of that kind then. DONE, or FAILED after a message. */
int senders__use(struct senders *s, enum send_kind kind);

/* Sends a file that is cut. DONE, or FAILED after a message. */
int send_pieces(struct senders *s, struct send_file *file);

#endif
