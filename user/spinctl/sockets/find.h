/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_SOCKETS_FIND_H
#define USER_SPINCTL_SOCKETS_FIND_H

/*
 * Finds a context (attached packet handlers) of the daemon spind by its number, or by its name if only one context has it. Called by
 * spinctl stop, swap, rule, state and table.
 */
#include <stdint.h>

#include <spin/libspin_socket.h>

/* Sets *id. Returns DONE, or FAILED after a message. broker: path of spind's socket, NULL: the default. */
int find__id(const char *broker, const char *text, uint32_t *id);

/* Same, and opens the context. The caller destroys ctx and closes obj. */
int find__open(const char *broker, const char *text, struct spin_object **obj, struct spin_ctx **ctx);

/* The option --socket of all commands that talk to spind. */
#define BROKER_OPTION(TYPE, member)                                                          \
	{                                                                                    \
		"socket", 0, OPTION_STRING, "PATH", offsetof(TYPE, member),                  \
			"where spind listens (default: SPIN_SPIND, or /run/spin/spind.sock)" \
	}

#endif
