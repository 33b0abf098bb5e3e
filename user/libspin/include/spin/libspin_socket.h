/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_SOCKET_H
#define LIBSPIN_SOCKET_H

/*
 * Processing sockets (PsPIN 3.4.2): handlers on a socket of the program's own, without privileges.
 *
 *	bind(fd, ...);                                    // an ordinary socket of UDP, or of TCP that listens or is connected
 *	spin_object__open("histogram.spin", &obj);
 *	spin_socket__attach(fd, obj, NULL, &ctx);
 *	recv(fd, ...);                                    // what the handlers let through
 *	spin_ctx__value(ctx, "counts", &counts, sizeof(counts));
 *
 * Here handlers/histogram.c is built for datagrams (spincc -D HISTOGRAM_DATAGRAMS); handlers of messages are refused on a socket.
 *
 * spind(8) has the privileges, and holding the socket is the authority: spind reads address, port and namespace from the descriptor.
 * The handlers run on each datagram that the kernel would give to the socket (or TCP, see below), before the firewall and NAT. The socket
 * does not receive datagrams that they drop, and receives those that they rewrite as rewritten; replies leave at XDP. Handlers see no
 * packets of other sockets, and send only to the sender of the packet.
 *
 * The context is a struct spin_ctx like any other: spin_ctx__symbol(), _value(), _set(), _table_insert(), _fields(), _counters(),
 * _events() and _event_fd() work without system calls or privileges. It has no interface and no tap, and runs no given packets.
 *
 * It ends with the first of these events; afterwards datagrams arrive at the socket as if there had never been handlers:
 *   - spin_ctx__destroy(); spin_ctx__detach() stops the handlers and keeps their memories
 *   - the last descriptor of the socket is closed, including those made by dup(), fork() or passing it on
 *   - the last descriptor of the connection to spind is closed: it is close-on-exec, but a child of fork() inherits it
 *   - spind's process for the namespace ends, or `spinctl stop`. spin_ctx__alive() then returns -ENOTCONN
 *
 * The handlers belong to the socket, not to a process: whoever has a descriptor of it (SCM_RIGHTS, fork()), as whatever user, reads what
 * they let through, and so do several processes that wait for the socket's connections together. The context belongs to the process that has
 * attached it, and to its children by fork(): it ends when the last of them has exited or called exec(), whoever has the socket then, or when
 * one of them calls spin_ctx__destroy(). Until then nobody else can attach handlers to the socket (-EEXIST), and then whoever holds it can.
 *
 * On a TCP socket the handlers have each connection that a listening socket accepts from then on, or the connected socket itself;
 * connections from before never. There are two kinds; the object's registration says which one. Both need Linux 6.9.
 *
 * Streams (SPIN_DELIVER_STACK): the handlers see the bytes in order and once, after TCP (spin_connection() of spin-handler(7)). Connections
 * keep their handlers after the listening socket is closed, and the context lives as long as one of them. spin_ctx__detach() removes the
 * handlers from all of them permanently; spin_ctx__attach() attaches handlers to later connections. Up to 1024 connections at a time have
 * handlers; others work as without.
 *
 * Segments (SPIN_DELIVER_SEGMENTS): the handlers see each segment as it arrives, before TCP, as described in <spin/segment.h>: from the
 * SYN, which they may refuse, to the end. A connected socket begins with its next payload. The context ends when its socket is closed.
 * Connections then go on without handlers, as after spin_ctx__detach(); after spin_ctx__attach() they have handlers again. Of a
 * SO_REUSEPORT group the handlers have the connections of the attached socket.
 *
 * Sockets: UDP, IPv4 and IPv6, bound (also to any address, to a multicast group, and to a device), connected or not. In an SO_REUSEPORT
 * group one socket is attached, for the datagrams of all. Broadcasts, and datagrams to groups that a socket bound to any address has
 * joined, arrive without handlers.
 */
#include <spin/libspin.h>

struct spin_socket_opts {
	size_t bytes;       /* sizeof(struct spin_socket_opts); fields beyond it count as zero */
	const char *name;   /* of the context, at most 15 characters; NULL: the handler's */
	const char *broker; /* spind's socket; NULL: what SPIN_SPIND says, or /run/spin/spind.sock */
	/*
	 * 0: SPIN_CLASS_ISOLATED. 1: SPIN_CLASS_TRUSTED, which is several times faster in payload loops, for root and the group that
	 * spind trusts: -EPERM for others.
	 */
	int trusted;
	/* 1: load but do not attach yet, so that tables can be filled before the first packet; spin_ctx__attach() attaches it. */
	int detached;
	size_t host_bytes; /* host memory for handlers that use it; 0: SPIN_HOST_BYTES */
	/*
	 * 0: its own state. Otherwise the number (spin_socket__id()) of another context of this user, in the same network namespace, whose
	 * handlers have the same state and tables: the two then share the state, the counters, and the queue of events. Each context lives
	 * as long as its own socket, and the state as long as one of them. So the UDP and TCP sockets of a server can share a cache. The
	 * context whose state is shared takes the others' HPUs into account only if it is one of TCP.
	 */
	uint32_t share;
};

/*
 * Attaches handlers to a socket. The caller keeps the descriptor. opts may be NULL: all zero. May be called from any thread; the context
 * may be used by one thread at a time. -ECONNREFUSED, -ENOENT: spind is not running. -ENOTSOCK, -EPROTONOSUPPORT (neither UDP nor TCP),
 * -EDESTADDRREQ (not bound). -ENOTCONN: a TCP socket that neither listens nor is connected, or spind ended during the call. -ENOSYS: TCP
 * sockets need Linux 6.9. -EOPNOTSUPP: the handlers take messages, send packets, want a user header of a stream, or take TCP segments of a
 * socket of UDP. -EPERM: this user may not use the class, or spincc does not make such objects. -EEXIST: another context has this socket,
 * or some of its packets; a TCP socket may have handlers of segments and of streams. -EDQUOT: a limit of spind's configuration, which the
 * reason names. -EINVAL: the verifier refuses the handler.
 */
int spin_socket__attach(int fd, const struct spin_object *obj, const struct spin_socket_opts *opts, struct spin_ctx **out);

/*
 * Opens a context of spind by its number, as `spinctl list` prints it, to read and change its memories while it runs; for its owner and
 * root. The context continues when this handle is destroyed. *obj is opened as well; the caller closes it afterwards. -ENOENT: there is no
 * such context. -EPERM: it belongs to another user.
 */
int spin_socket__open(uint32_t id, const char *broker, struct spin_object **obj, struct spin_ctx **out);

/*
 * Makes spind attach handlers to an interface of the caller's network namespace, by a rule as spin_rule__parse() takes it; for root only.
 * The context has no socket and no program: it lives until spin_socket__stop(), or until the interface goes away. Only for datagram
 * handlers without SPIN_PUTS. *id is its number. Errors as of spin_ctx__create() and spin_ctx__attach().
 */
int spin_socket__add(const struct spin_object *obj, const char *interface, const char *rule, const struct spin_socket_opts *opts,
		     uint32_t *id);

/* A context of spind as lists show it. Strings are valid during the callback. */
struct spin_socket_info {
	size_t bytes; /* sizeof(struct spin_socket_info) */
	uint32_t id;
	uint32_t uid, pid; /* of the process that attached it */
	enum spin_class class;
	int attached;
	uint64_t handled; /* packets for which its handlers ran */
	uint64_t left;    /* packets that matched its rule but were not the socket's: untouched */
	uint64_t refused; /* packets that would have gone to others than the socket or the sender: dropped */
	uint64_t over;    /* packets dropped because its handlers had used their share of CPU time or events (spind(8)) */
	uint64_t busy_ns; /* time in its handlers, on all CPUs; 0: spind sets no limit */
	uint64_t swaps;   /* number of times its handlers were replaced */
	uint64_t map_bytes;
	uint64_t netns; /* inode of the network namespace */
	const char *name, *handler, *interfaces, *rule;
};

/* Calls fn for each context of spind, of all users, until it returns non-zero, which is returned. */
int spin_socket__list(const char *broker, int (*fn)(void *arg, const struct spin_socket_info *info), void *arg);

/*
 * Ends a context, as if its program had closed its connection; for its owner and root, like spin_socket__swap(). When it returns, none of
 * its handlers runs any more. -ENOENT, -EPERM.
 */
int spin_socket__stop(uint32_t id, const char *broker);

/* spin_ctx__swap() of a context of spind. */
int spin_socket__swap(uint32_t id, const struct spin_object *obj, const char *broker);

/*
 * spin_ctx__migrate() of a context of spind. A process that has mapped the context's memory keeps the old one, which no longer changes and
 * is no longer read: what the process writes there after the first copy is lost. For the program that owns the context, spin_ctx__alive()
 * then returns -ESTALE until spin_socket__renew(). report is filled in on success only.
 */
int spin_socket__migrate(uint32_t id, const struct spin_object *obj, const char *broker, struct spin_migration *report);
/*
 * Maps the current memory of a context of spind; its handlers may have been replaced since it was mapped. Addresses from spin_ctx__symbol()
 * become invalid. Events continue. Errors as of spin_socket__open(); on error the old mapping stays.
 */
int spin_socket__renew(struct spin_ctx *ctx);

/* spin_ctx__set_rule() of a context that spin_socket__add() made, for root. The rule is a text, as spin_rule__parse() takes it. */
int spin_socket__set_rule(uint32_t id, const char *rule, const char *broker);

/* The context's number; 0: it is not one of spind's. */
uint32_t spin_socket__id(const struct spin_ctx *ctx);

#endif
