/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_STATUS_H
#define USER_SPINCTL_STATUS_H

/*
 * Lists the contexts (handlers attached to an interface) of all processes on this machine, by interface. Called by spinctl status, dump and
 * mpq.
 */
#include "user/spinctl/spinctl.h"

/* A context as it is found in the kernel. */
struct status_context {
	char name[16];
	char rule[256];
	uint32_t program_id;
	int has_ring; /* 1: packets that its handlers deliver go to a ring */
	uint64_t packets[SPIN_REASON_COUNT];
};

/* An interface with contexts, of any process. */
struct status_interface {
	char device[32];     /* "ifindex 7" if it is in another network namespace */
	int ifindex, here;   /* here: 1 if it is in this network namespace */
	enum spin_mode mode; /* AUTO: unknown, because the interface is in another namespace */
	int shared;          /* 1: attached through libxdp's dispatcher, next to other programs */
	uint32_t program_id, link_id;
	int owner_pid; /* 0: not visible */
	char owner[64];
	uint64_t packets[SPIN_REASON_COUNT]; /* packets of no context; with OFFLOAD all that the card counts */
	unsigned contexts;                   /* 0 with OFFLOAD: the card has one, without a name */
	struct status_context context[SPIN_CONTEXTS_MAX];
};

/* Calls fn for each such interface on this machine. Returns 0 or -errno. */
int status__each(void (*fn)(void *arg, const struct status_interface *found), void *arg);

#endif
