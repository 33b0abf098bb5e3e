/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_OPERATE_H
#define USER_SPIND_OPERATE_H

/* Requests about another program's context, from its owner or root. Called by client.c. */
struct client;

/* Serves OPEN, STOP, SWAP, MIGRATE and SET_RULE. */
void operate__serve(struct client *client);

#endif
