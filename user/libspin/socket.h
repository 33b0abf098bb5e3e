/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SOCKET_H
#define USER_LIBSPIN_SOCKET_H

/* Contexts (loaded packet handlers) that the daemon spind holds for this process: the functions of socket.c for ctx.c and attach.c. */
struct spin_ctx;
struct remote;

/* For a context with `remote`. Return 0 or a negative errno with a reason. */
int remote__attach(struct spin_ctx *ctx);
int remote__detach(struct spin_ctx *ctx);
/* Like spin_ctx__alive(). */
int remote__alive(const struct spin_ctx *ctx);
/* Closes the connection, which ends the context if it belonged to the connection. Does nothing for NULL. */
void remote__free(struct remote *remote);

#endif
