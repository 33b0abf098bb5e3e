/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_DOCTOR_LOAD_H
#define USER_SPINCTL_DOCTOR_LOAD_H

/* What of ours the kernel loads: each thing is loaded as `spinctl run` would, and closed. */
#include "user/spinctl/doctor/facts.h"

/* Fills in TRIALS rows. all: 0 loads only what no handler can do without. Takes one to two seconds for all. */
void doctor_load__try(struct trial *trials, int all);
/* 1 if datagram handlers of this class load, with their dispatcher. */
int doctor_load__has(const struct trial *trials, enum spin_class class);

#endif
