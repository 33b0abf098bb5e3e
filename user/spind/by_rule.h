/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_BY_RULE_H
#define USER_SPIND_BY_RULE_H

/* Contexts of an interface and a rule, which are no program's. */
struct client;

/* Makes the context that the client has asked for with ADD, answers, and keeps it until it is stopped. */
void by_rule__serve(struct client *client);

#endif
