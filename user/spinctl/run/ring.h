/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_RING_H
#define USER_SPINCTL_RUN_RING_H

/*
 * spinctl run --delivery ring: receives the packets that handlers deliver past the kernel's stack (an AF_XDP ring), counts them, and prints
 * some. Called by run.c and print.c.
 */
#include "user/spinctl/run/options.h"

/* The options of --delivery ring. */
struct run_ring_options {
	const char *delivery, *mode;
	struct option_list queues;
	unsigned frames, print;
};

#define RUN_RING_DELIVERY "host"
#define RUN_RING_DEFAULTS                                     \
	{                                                     \
		.delivery = RUN_RING_DELIVERY, .mode = "auto" \
	}
/* clang-format off */
#define RUN_RING_OPTIONS(TYPE, member) \
	{ "delivery", 0, OPTION_STRING, "host|ring", offsetof(TYPE, member.delivery), \
	  "where datagrams go that handlers deliver: host: to the host's sockets; ring: to this program, past the host's stack " \
	  "(AF_XDP), which counts them (default: host)" }, \
	{ "ring-mode", 0, OPTION_STRING, "auto|copy|zero-copy", offsetof(TYPE, member.mode), \
	  "of --delivery ring: copy: the kernel copies each packet once; zero-copy: the driver receives into the ring; auto: " \
	  "zero-copy, or copy where the driver has none (default: auto)" }, \
	{ "ring-queues", 0, OPTION_LIST, "FIRST[-LAST]", offsetof(TYPE, member.queues), \
	  "of --delivery ring: the receive queues of a context's ring, for each file in order: a queue has one ring; packets of " \
	  "others go to the host (default: all)" }, \
	{ "ring-frames", 0, OPTION_UINT, "N", offsetof(TYPE, member.frames), \
	  "of --delivery ring: packets of a queue that can wait, a power of two (default: 4096)" }, \
	{ "ring-print", 0, OPTION_UINT, "N", offsetof(TYPE, member.print), \
	  "of --delivery ring: print the first N packets of each context (default: 0)" }
/* clang-format on */

/* Creates the rings, before contexts are attached. Returns DONE, or FAILED or USAGE after a message. */
int run_ring__open(struct session *set, const struct run_ring_options *options);
/* Prints the queues and mode of each ring. Called when everything is attached. */
void run_ring__start(const struct session *set, int json);
/* Reads the packets that have arrived; limited in time. Returns their number. json: prints packets as objects. */
unsigned run_ring__poll(struct session *set, int json);

/* Print lines below a report, and members of the context's object in JSON. Print nothing without a ring. */
void run_ring__text(const struct run_context *c);
void run_ring__json(struct json *j, const struct run_context *c);

#endif
