/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SOCKET_H
#define USER_LIBSPIN_SOCKET_H

/* Contexts that spind holds for this process: what ctx.c and attach.c ask of socket.c. */
struct spin_ctx;
struct remote;

/* Functions of a context with `remote`: 0 or a negative errno with a reason. */
int remote__attach(struct spin_ctx *ctx);
int remote__detach(struct spin_ctx *ctx);
/* As spin_ctx__alive(). */
int remote__alive(const struct spin_ctx *ctx);
/* Ends the connection; the context goes with it if that held it. NULL is none. */
void remote__free(struct remote *remote);

#endif
