/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_FRONT_H
#define USER_SPIND_FRONT_H

/*
 * The process of spind that clients connect to. Called by main.c. It reads one request of each connection, identifies the user, and passes
 * both to the holder of the socket's network namespace: the process that loads the handlers and keeps them. The front process loads
 * nothing, so it can end and restart while handlers run.
 */
#include "user/spind/settings.h"

/* Serves clients of the listening socket at `path` until SIGTERM or SIGINT. Returns an exit status. */
int front__serve(int listen_fd, const char *path, struct settings *settings);

#endif
