/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_HOLDER_H
#define USER_SPIND_HOLDER_H

/*
 * A holder: spind's process that holds the contexts (loaded packet handlers) of one network namespace. Its main thread takes requests from
 * the front process (holders.h). Each client has a thread, which owns the client's context (client.h). It ends 2 s after its last client, or
 * earlier when another holder is to be started; if the front process has ended, as soon as it has no client. Started by holders.c.
 */
#include "user/spind/settings.h"

/* Takes handoffs at the listening socket; called in the namespace. Returns an exit status. */
int holder__main(int listen_fd, const struct settings *settings);

#endif
