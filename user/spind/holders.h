/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HOLDERS_H
#define USER_SPIND_HOLDERS_H

/*
 * Starts and finds holders, the processes of spind that load handlers, one for each network namespace, and sends them requests. Holders
 * outlive the front process, which accepts the clients: each listens at its own socket in a directory that only root can enter, and the
 * next spind finds them there. Called by main.c and front.c.
 */
#include <stdint.h>

#include "user/spind/handoff.h"
#include "user/spind/settings.h"

/* `directory` holds the holders' sockets; it is created if missing. Returns 0, or -1 after a line on stderr. */
int holders__open(const char *directory, const struct settings *settings);

/*
 * Sends a handoff with its descriptors to the holder of a namespace. If there is none, starts one, which enters the namespace by ns_fd.
 * Returns 0 or a negative errno. If the handoff is taken, all descriptors but the first are closed and set to -1 before the holder
 * continues. The same holds for holders__send_all().
 */
int holders__send(uint64_t netns, int ns_fd, const struct handoff *handoff, int *fds, unsigned count, struct handoff_reply *reply);

/*
 * Sends the handoff to each holder in turn until one takes it or is busy (HANDOFF_BUSY). *sum adds up the counts of the holders that were
 * asked. Returns sum->taken.
 */
int holders__send_all(const struct handoff *handoff, int *fds, unsigned count, struct handoff_reply *sum);

/* Closes all descriptors but the first, and waits until a holder that is being started has closed its copies. */
void holders__close_fds(int *fds, unsigned count);

#endif
