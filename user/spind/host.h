/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HOST_H
#define USER_SPIND_HOST_H

/*
 * Addresses and interfaces of the network namespace of this process. Called by client.c to attach a context wherever its socket's
 * packets can arrive.
 */
#include <stddef.h>

#include <spin/libspin.h>

#include "user/libspin/guard.h"
#include "user/spind/settings.h"

#define HOST_INTERFACES_MAX 16 /* of a context; libspin has no more */

/*
 * Makes what the guards here share, and fills in this host's addresses; a thread keeps them up to date. 0 or a negative errno with a reason in
 * spin_strerror_last().
 */
int host__open(const struct settings *settings);
/* How often addresses have changed: contexts then look for interfaces that have become theirs. May be called from any thread. */
unsigned host__changes(void);
/* What the guards here share. */
const struct spin_guards *host__guards(void);

/*
 * The interfaces that a socket's datagrams come by: those with an address, virtual ones first, or the one with this index. At most
 * HOST_INTERFACES_MAX are written. Returns how many, or a negative errno with a reason in spin_strerror_last(): -ENODEV: none. The
 * caller closes them. May be called from any thread.
 */
int host__interfaces(const struct settings *settings, int ifindex, struct spin_nic *nics[HOST_INTERFACES_MAX]);
/* The same of one interface by name, whatever the settings say. */
int host__interface(const char *name, struct spin_nic **out);
void host__close(struct spin_nic **nics, int count);

#endif
