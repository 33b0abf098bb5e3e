/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_FACTS_H
#define USER_SPIND_FACTS_H

/*
 * Properties of a socket to which spind is asked to attach handlers, read from its descriptor. Nothing of the client's request is used.
 * Called by front.c, which needs the socket's network namespace, and client.c, which attaches the handlers.
 */
#include <stdint.h>

#include <spin/rule.h>

/* The properties of a socket. */
struct facts {
	struct spin_rule rule; /* matches all packets that may be the socket's; the guard (bpf/guard.h) decides which are */
	int is_tcp;
	int is_listening; /* of a TCP socket: 1: it listens; 0: it is connected */
	int ifindex;      /* the only device that receives its packets (SO_BINDTODEVICE, or lo); 0: any */
};

/*
 * Returns 0, or a negative errno with the reason in `text`: -ENOTSOCK; -EPROTONOSUPPORT: neither UDP nor TCP; -EDESTADDRREQ: not bound;
 * -ENOTCONN: a TCP socket that neither listens nor is connected.
 */
int facts__read(int socket_fd, struct facts *out, char *text, size_t text_bytes);

/* Returns a descriptor of the socket's network namespace and sets *inode, or returns a negative errno with a reason. */
int facts__namespace(int socket_fd, uint64_t *inode, char *text, size_t text_bytes);

/* The same for a descriptor of the namespace itself. Returns a new descriptor. */
int facts__open_namespace(int ns_fd, uint64_t *inode, char *text, size_t text_bytes);

#endif
