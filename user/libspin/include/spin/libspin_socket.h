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
 *
 * spind(8) holds the privileges, and holding the socket is the authority: it reads address, port and namespace from the descriptor.
 * The handlers run on each datagram that the kernel would give to the socket, before the firewall and NAT: what they drop is never read, what they rewrite is
 * read rewritten, and replies leave at XDP. They see no packet of others, and send to nobody but the sender of the packet.
 *
 * The context is a struct spin_ctx like any other: spin_ctx__symbol(), _value(), _set(), _table_insert(), _fields(), _counters(),
 * _events() and _event_fd() work without system calls or privileges. It has no interface, no tap, and runs no given packets.
 *
 * It ends with the first of these; datagrams then come to the socket as if there had never been handlers:
 *   - spin_ctx__destroy(); spin_ctx__detach() stops the handlers and keeps their memories
 *   - the last descriptor of the socket is closed. dup(), fork() and passing it on make more of them, and change nothing
 *   - the last descriptor of the connection to spind is closed: it is close-on-exec, and a child of fork() has it, too
 *   - spind's process for the namespace ends, or `spinctl stop`. spin_ctx__alive() then says -ENOTCONN
 *
 * On a socket of TCP handlers see the bytes of each connection that it accepts from then on, or of the one that it is, in order and once
 * (spin_connection() of spin-handler(7)). Connections keep their handlers after the listening socket is closed, and the context lives as
 * long as one of them. spin_ctx__detach() takes the handlers from all of them for good; handlers of later connections are attached by
 * spin_ctx__attach(). Up to 1024 connections at a time have handlers; others are as without. Needs Linux 6.9.
 *
 * Sockets: UDP, IPv4 and IPv6, bound (also to any address, to a multicast group, and to a device), connected or not. Of a group of
 * SO_REUSEPORT one socket is attached, for the datagrams of all. Broadcasts, and groups that a socket bound to any address has
 * joined, come to it untouched.
 */
#include <spin/libspin.h>

struct spin_socket_opts {
	size_t bytes;       /* sizeof(struct spin_socket_opts); fields behind it count as zero */
	const char *name;   /* of the context, at most 15 characters; NULL: the handler's */
	const char *broker; /* spind's socket; NULL: what SPIN_SPIND says, or /run/spin/spind.sock */
	/*
	 * 0: SPIN_CLASS_ISOLATED. 1: SPIN_CLASS_TRUSTED, which is several times faster in payload loops, for root and the group that
	 * spind trusts: -EPERM for others.
	 */
	int trusted;
	/* 1: loaded, and not attached yet, so that tables can be filled before the first packet; spin_ctx__attach() attaches it. */
	int detached;
	size_t host_bytes; /* host memory for handlers that use some; 0: SPIN_HOST_BYTES */
	/*
	 * 0: a state of its own. Or the number (spin_socket__id()) of another context of this user, in the same network namespace, with handlers
	 * that have the same state and tables: the two have one state then, one set of counters, and one queue of events; each lives as
	 * long as its own socket, and the state as long as one of them. So a server's sockets of UDP and TCP can have one cache. The context
	 * that others share takes their HPUs into account only if it is one of TCP.
	 */
	uint32_t share;
};

/*
 * Attaches handlers to a socket. The descriptor stays the caller's. opts may be NULL: all zero. May be called from any
 * thread; the context belongs to one at a time.
 * -ECONNREFUSED, -ENOENT: spind is not running. -ENOTSOCK, -EPROTONOSUPPORT (neither UDP nor TCP), -EDESTADDRREQ (not bound). -ENOTCONN, too: a socket of TCP
 * that neither listens nor is connected. -ENOSYS: sockets of TCP need Linux 6.9. -EOPNOTSUPP: the handlers take messages, send packets, or want a user header of a stream. -EPERM: the class is
 * not for this user, or spincc does not make such objects. -EEXIST: another context has this socket, or packets of it. -EDQUOT: a
 * limit of spind's configuration, which the reason names. -EINVAL: the verifier refuses the handler. -ENOTCONN: spind ended
 * in the meantime.
 */
int spin_socket__attach(int fd, const struct spin_object *obj, const struct spin_socket_opts *opts, struct spin_ctx **out);

/*
 * A context of spind by its number, as `spinctl list` prints it: to read and change its memories while it runs, for its owner and root. It
 * goes on when this is destroyed. *obj is opened, too, and the caller's to close afterwards.
 * -ENOENT: there is no such context. -EPERM: it is another user's.
 */
int spin_socket__open(uint32_t id, const char *broker, struct spin_object **obj, struct spin_ctx **out);

/*
 * Has spind attach handlers to an interface of the caller's network namespace, by a rule as spin_rule__parse() takes it: for root alone.
 * The context has no socket and no program: it lives until spin_socket__stop(), or until the interface goes away. Datagram handlers without
 * SPIN_PUTS. *id is its number. Errors as of spin_ctx__create() and spin_ctx__attach().
 */
int spin_socket__add(const struct spin_object *obj, const char *interface, const char *rule, const struct spin_socket_opts *opts,
		     uint32_t *id);

/* A context of spind, as others see it. Strings are valid while they are handed over. */
struct spin_socket_info {
	size_t bytes; /* sizeof(struct spin_socket_info) */
	uint32_t id;
	uint32_t uid, pid; /* of who attached it */
	enum spin_class class;
	int attached;
	uint64_t handled; /* packets that its handlers ran for */
	uint64_t left;    /* packets that its rule matched and that were not the socket's: untouched */
	uint64_t refused; /* packets that would have gone to others than the socket or the sender: dropped */
	uint64_t over;    /* packets dropped, as its handlers had had their part of the CPU, or of events (spind(8), hpu-time and events) */
	uint64_t busy_ns; /* time of its handlers, of all CPUs; 0: spind sets no limit */
	uint64_t swaps;   /* how often its handlers were replaced */
	uint64_t map_bytes;
	uint64_t netns; /* inode of the network namespace */
	const char *name, *handler, *interfaces, *rule;
};

/* Calls fn for each context of spind, of all users, until it returns non-zero, which is returned. */
int spin_socket__list(const char *broker, int (*fn)(void *arg, const struct spin_socket_info *info), void *arg);

/*
 * Ends a context, as if its program had closed its connection: for its owner and root, as spin_socket__swap(). When it returns no handler
 * of it runs. -ENOENT, -EPERM.
 */
int spin_socket__stop(uint32_t id, const char *broker);

/* spin_ctx__swap() of a context of spind. */
int spin_socket__swap(uint32_t id, const struct spin_object *obj, const char *broker);

/*
 * spin_ctx__migrate() of a context of spind. Whoever has the context's memory mapped keeps the old one, in which nothing changes any more and
 * which nobody reads: what it writes there from the first copy on is lost. spin_ctx__alive() of the program whose context it is returns
 * -ESTALE then, until spin_socket__renew(). report is filled on success only.
 */
int spin_socket__migrate(uint32_t id, const struct spin_object *obj, const char *broker, struct spin_migration *report);
/*
 * Maps the memory that a context of spind has now, whose handlers may be other ones since it was mapped. Addresses from spin_ctx__symbol() are
 * invalid afterwards. Events go on. Errors as of spin_socket__open(), with which what was mapped before stays.
 */
int spin_socket__renew(struct spin_ctx *ctx);

/* spin_ctx__set_rule() of a context that spin_socket__add() made, for root. The rule is a text, as spin_rule__parse() takes it. */
int spin_socket__set_rule(uint32_t id, const char *rule, const char *broker);

/* The context's number; 0: it is none of spind's. */
uint32_t spin_socket__id(const struct spin_ctx *ctx);

#endif
