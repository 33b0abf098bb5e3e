/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HOST_H
#define USER_SPIND_HOST_H

/*
 * Addresses and interfaces of this process's network namespace. Called by spind's client.c and by_rule.c to attach handlers wherever a
 * socket's packets can arrive, and by holder.c.
 */
#include <stddef.h>

#include <spin/libspin.h>

#include "user/libspin/guard.h"
#include "user/spind/settings.h"

#define HOST_INTERFACES_MAX 16 /* of a context; libspin's limit */

/*
 * Opens the maps that all guards of this process share, and starts the thread that fills in the host's addresses and keeps them up to date.
 * Returns 0, or a negative errno with a reason in spin_strerror_last().
 */
int host__open(const struct settings *settings);
/*
 * Returns a generation that grows when addresses change; contexts then look for new interfaces. Waits until the addresses have been read
 * once, so that a context's first packet finds them. May be called from any thread.
 */
unsigned host__changes(void);
/* Returns what all guards of this process share. */
const struct spin_guards *host__guards(void);

/*
 * Opens the interfaces at which a socket's datagrams arrive: those with an address, virtual ones first; if ifindex is not 0, only that one.
 * Writes at most HOST_INTERFACES_MAX. Returns their number, or a negative errno with a reason in spin_strerror_last(); -ENODEV if there is
 * none. The caller closes them. May be called from any thread.
 */
int host__interfaces(const struct settings *settings, int ifindex, struct spin_nic *nics[HOST_INTERFACES_MAX]);
/* Opens one interface by name, regardless of the settings. */
int host__interface(const char *name, struct spin_nic **out);
void host__close(struct spin_nic **nics, int count);

#endif
