/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HOLDERS_H
#define USER_SPIND_HOLDERS_H

/*
 * The processes that hold contexts, one for each network namespace, as the process that clients connect to finds them. They outlive
 * it: each listens at a socket of its own, in a directory that only root can enter, and the next spind finds them there.
 */
#include <stdint.h>

#include "user/spind/order.h"
#include "user/spind/settings.h"

/* directory: of the holders' sockets; made if it is not there. 0, or -1 after a line on stderr. */
int holders__open(const char *directory, const struct settings *settings);

/*
 * Gives an order with its descriptors to the holder of a namespace, which is started if there is none. It comes to be in the namespace
 * by ns_fd. 0, or a negative errno. Of an order that is taken all descriptors but the first are closed, and -1 then, before the holder
 * goes on; so they are by holders__give_all().
 */
int holders__give(uint64_t netns, int ns_fd, const struct order *order, int *fds, unsigned count, struct receipt *receipt);

/*
 * Gives it to each holder in turn, until one takes it, or is busy (RECEIPT_BUSY); *sum has the counts of those that were asked. Returns
 * sum->taken.
 */
int holders__give_all(const struct order *order, int *fds, unsigned count, struct receipt *sum);

/* Closes all descriptors but the first, and waits until a holder that is being started has no copies of them either. */
void holders__give_back(int *fds, unsigned count);

#endif
