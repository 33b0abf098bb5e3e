/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_BY_RULE_H
#define USER_SPIND_BY_RULE_H

/*
 * Contexts (attached packet handlers) that root asks spind to add by interface and match rule, without a program or a socket. Called by
 * client.c, which serves the request of a client.
 */
struct client;

/* Creates the context of an ADD request, answers, and keeps it until it is stopped. */
void by_rule__serve(struct client *client);

#endif
