/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_FACTS_H
#define USER_SPIND_FACTS_H

/* The facts about a socket, read from its descriptor: nothing that the client says is used. */
#include <stdint.h>

#include <spin/rule.h>

struct facts {
	struct spin_rule rule; /* the packets that may be the socket's; its guard tells which are */
	int is_stream;         /* 1: of TCP; the rule is for people, and its protocol counts as TCP */
	int is_listening;      /* of TCP: 1: it listens; 0: it is connected */
	int ifindex;           /* of the only device that has its packets: its own (SO_BINDTODEVICE), or lo; 0: any */
};

/*
 * 0, or a negative errno with the reason in `text`: -ENOTSOCK, -EPROTONOSUPPORT: it is none of UDP or TCP; -EDESTADDRREQ: it is not bound;
 * -ENOTCONN: it is of TCP and neither listens nor is connected.
 */
int facts__read(int socket_fd, struct facts *out, char *text, size_t text_bytes);

/* The network namespace of the socket: a descriptor, and *inode; or a negative errno with a reason. */
int facts__namespace(int socket_fd, uint64_t *inode, char *text, size_t text_bytes);

/* The same of a descriptor of the namespace itself; a new descriptor. */
int facts__open_namespace(int ns_fd, uint64_t *inode, char *text, size_t text_bytes);

#endif
