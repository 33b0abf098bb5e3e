/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_OPERATE_H
#define USER_SPIND_OPERATE_H

/* Requests about a context that another program has: its owner's, or root's. */
struct client;

/* Serves OPEN, STOP, SWAP and SET_RULE. */
void operate__serve(struct client *client);

#endif
