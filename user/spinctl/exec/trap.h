/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_EXEC_TRAP_H
#define USER_SPINCTL_EXEC_TRAP_H

/*
 * Stops a program, and all that it starts, at each bind(), connect() and listen(), so that its sockets can be looked at before it goes on: by
 * seccomp's user notification, which no program notices, however it is linked.
 */
#include <sys/types.h>

/* In the child, before it becomes the program. Returns the descriptor by which the parent is notified, or a negative errno. */
int trap__install(void);

enum trap_call { TRAP_BIND, TRAP_CONNECT, TRAP_LISTEN };

/*
 * In the parent: handles one notification. fn gets a descriptor of the socket of UDP that has just got its port, by bind() or
 * connect(), or of the socket of TCP that has just begun to listen; it is closed afterwards, and non-zero makes the call fail with
 * -EPERM. 0, or a negative errno: -ENOENT if the
 * program has ended in the meantime.
 */
int trap__handle(int notify_fd, int (*fn)(void *arg, int socket_fd, enum trap_call call), void *arg);

/* The port of a socket; 0: none. */
unsigned trap__port(int fd);

#endif
