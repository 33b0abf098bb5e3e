/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_SEND_H
#define SPINCTL_SEND_H

#include "libspin/libspin_send.h"
#include "spinctl.h"

/* What a message is made of: a file's bytes, mapped or read. */
struct send_file {
	const char *name;
	void *data;
	size_t bytes;
	int mapped;
};

/* "-": standard input, read to its end. DONE, or FAILED after a message. */
int send_file__open(struct send_file *file, const char *path);
void send_file__close(struct send_file *file);

/* HOST, HOST:PORT, [ADDR]:PORT; an IPv6 address may stand bare. 0, or -1: too long, or empty. */
struct send_target {
	char host[256];
	char port[8];  /* "": none was given */
};
int send_target__parse(const char *text, struct send_target *out);

/* Text and JSON of a message that has arrived come from this. */
struct send_print {
	int json, bar;         /* bar: progress on stderr */
	const char *name, *to;
	const char *hint;      /* behind a complaint: what --to may have meant; or "" */
	uint64_t bytes;
};

/* Draws the bar, over the one before. */
void send_print__progress(const struct send_print *p, const struct spin_send_report *so_far);
/* Takes it away. */
void send_print__clear(const struct send_print *p);
void send_print__arrived(const struct send_print *p, const struct spin_send_report *report);

#endif
