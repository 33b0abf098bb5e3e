/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_OPERATE_H
#define USER_SPIND_OPERATE_H

/* Serves spind's requests about another program's context (attached packet handlers), from its owner's user or root. Called by client.c. */
struct client;

/* Serves OPEN, STOP, SWAP, MIGRATE and SET_RULE. */
void operate__serve(struct client *client);

#endif
