/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_CLIENT_H
#define USER_SPIND_CLIENT_H

/*
 * Serves one client of a holder (spind's process for one network namespace), in a thread of its own: its requests, and the context (loaded
 * packet handlers) that lives as long as its connection. Called by holder.c.
 */
struct client;

/* Serves the client until its connection ends. */
void client__serve(struct client *client);

#endif
