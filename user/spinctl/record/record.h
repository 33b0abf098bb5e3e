/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RECORD_RECORD_H
#define USER_SPINCTL_RECORD_RECORD_H

/* The state of spinctl record, shared by record.c (the command) and loop.c (the loop that writes the recording, a pcapng file). */
#include "user/conformance/recording/recording.h"
#include "user/spinctl/spinctl.h"

/* The state of the command. */
struct recorder {
	/* options */
	const char *output, *ready_file; /* ready_file: NULL, none */
	double duration_s;               /* 0: no limit; same for packets */
	unsigned packets;
	unsigned ring_mib;
	/* what is recorded */
	struct spin_ctx *ctx;
	struct spin_nic *nic;
	struct recording_writer *writer;
	struct recording_info info;
	double start_s;               /* when the recording begins, in now_s(): a replay's clock starts here */
	uint64_t events, events_lost; /* events of messages: recorded, and lost because the queue was full */
	int status;                   /* the exit status that the callbacks for packets and events set */
	int whole;                    /* 1: the recording is complete and has its name */
};

/*
 * Attaches the context and records until a limit is reached or a signal arrives. Sets the counts in r->info. Returns DONE, or FAILED
 * after a message. It also returns FAILED if the interface was removed, but then the recording is complete.
 */
int record_loop__run(struct recorder *r, const void *object, size_t object_bytes);

#endif
