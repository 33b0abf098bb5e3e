/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_DOCTOR_LOAD_H
#define SPINCTL_DOCTOR_LOAD_H

/* What of ours the kernel loads: each thing is loaded as `spinctl run` would, and closed. */
#include <spin/libspin.h>

enum trial_id {
	TRIAL_DISPATCHER,
	TRIAL_DATAGRAM,
	TRIAL_MESSAGE,
	TRIAL_SENDER,
	TRIAL_DISPATCHER_ISOLATED,
	TRIAL_DATAGRAM_ISOLATED,
	TRIAL_SENDER_ISOLATED,
	TRIALS,
};

struct trial {
	int tried;         /* 0: not, because this process may not load that class, or nobody asked */
	int err;           /* 0: it loaded; else -errno */
	char message[600]; /* why not, as the library and the kernel say it; "" if it loaded */
};

/* Fills in TRIALS rows. all: 0 loads only what no handler can do without. Takes one to two seconds for all. */
void doctor_load__try(struct trial *trials, int all);
/* 1 if datagram handlers of this class load, with their dispatcher. */
int doctor_load__has(const struct trial *trials, enum spin_class class);

#endif
