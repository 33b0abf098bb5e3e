/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_EXEC_TRAP_H
#define USER_SPINCTL_EXEC_TRAP_H

/*
 * Stops a program and its children at each bind(), connect() and listen(), so that handlers can be attached to the socket before the
 * call returns. It uses seccomp's user notification, which works for any program, also a statically linked one.
 */
#include <sys/types.h>

/* Called in the child before exec. Returns the descriptor by which the parent is notified, or -errno. */
int trap__install(void);

/* The call at which the program was stopped. */
enum trap_call { TRAP_BIND, TRAP_CONNECT, TRAP_LISTEN };

/*
 * Called in the parent: handles one notification. fn gets a descriptor of a UDP socket that has just got its port by bind() or
 * connect(), or of a TCP socket that has just begun to listen. The descriptor is closed afterwards; a non-zero result of fn makes the
 * call fail with -EPERM. Returns 0 or -errno: -ENOENT if the program has ended in the meantime.
 */
int trap__handle(int notify_fd, int (*fn)(void *arg, int socket_fd, enum trap_call call), void *arg);

/* Returns the local port of a socket, in host byte order, or 0. */
unsigned trap__port(int fd);

#endif
