/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RECORD_RECORD_H
#define USER_SPINCTL_RECORD_RECORD_H

/* What record.c (the command) shares with keep.c (the loop that writes the recording). */
#include "user/conformance/recording/recording.h"
#include "user/spinctl/spinctl.h"

struct recorder {
	/* options */
	const char *output, *ready_file; /* ready_file: NULL, none */
	double duration_s;               /* these two: 0, without end */
	unsigned packets;
	unsigned ring_mib;
	/* what is recorded */
	struct spin_ctx *ctx;
	struct spin_nic *nic;
	struct recording_writer *writer;
	struct recording_info info;
	double start_s;               /* when the recording begins: a replay's clock starts here */
	uint64_t events, events_lost; /* of messages: reported, and those that found no room */
	int status;                   /* of the callbacks that take packets and events */
	int whole;                    /* the recording has its name */
};

/*
 * Attaches the context and records until a wish is fulfilled or a signal comes; info then has
 * the counts. DONE; or FAILED after a message, also for an interface that went away: then the
 * recording is whole all the same.
 */
int record_keep__run(struct recorder *r, const void *object, size_t object_bytes);

#endif
