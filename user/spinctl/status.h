/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_STATUS_H
#define SPINCTL_STATUS_H

#include "spinctl.h"

/* One attached context, whichever process has it. */
struct status_row {
	char handler[16];
	char device[32];        /* "ifindex 7" if it is in another network namespace */
	int ifindex, here;      /* here: in this namespace */
	uint32_t program_id, link_id;
	int owner_pid;          /* 0: not visible */
	char owner[64];
	char rule[256];
	uint64_t packets[SPIN_REASON_COUNT];
};

/* Calls fn for every context attached on this machine. 0, or -errno. */
int status__each(void (*fn)(void *arg, const struct status_row *row), void *arg);

#endif
