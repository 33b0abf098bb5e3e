/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_BROKER_H
#define USER_LIBSPIN_BROKER_H

/*
 * What programs and spind say to each other, on a SOCK_SEQPACKET socket: one request is one message, and so is each answer. Both
 * run on one machine, so integers are in host byte order. Descriptors come with a message (SCM_RIGHTS).
 *
 *	CREATE   a context for a socket, loaded and not attached; descriptors: the socket, the object (a sealed memfd). The connection
 *	         holds the context: when its last descriptor is closed, the context is gone. Answer: descriptors of its memories.
 *	ATTACH   the connection's context gets packets from now on
 *	DETACH   and no more
 *	ADD      a context by interface and rule, attached, for root alone; descriptors: the network namespace, the object. It is nobody's
 *	         connection's, and lives until it is stopped or its interface goes away.
 *	LIST     an answer for each context of all users, with BROKER_MORE, then one without
 *	OPEN     a context by number; descriptors of its memories and its object. Like the next ones for its owner and root.
 *	STOP     the context is detached, and its connection closed
 *	SWAP     descriptor: an object. The context's handlers are replaced; its state is kept.
 *	MIGRATE  the same, and state and tables are moved to the layout that the object has. The answer says what was done. The connection that
 *	         holds the context gets an answer, too, with BROKER_MOVED: the memories that it has are used no more.
 *	SET_RULE a context of ADD gets another rule; its state is kept
 */
#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

#define BROKER_PATH    "/run/spin/spind.sock"
#define BROKER_MAGIC   0x444e5053u /* "SPND" */
#define BROKER_VERSION 2u

/* Programs look for the socket here first. */
#define BROKER_ENV "SPIN_SPIND"

enum broker_op {
	BROKER_CREATE = 1,
	BROKER_ATTACH,
	BROKER_DETACH,
	BROKER_LIST,
	BROKER_OPEN,
	BROKER_STOP,
	BROKER_SWAP,
	BROKER_ADD,
	BROKER_SET_RULE,
	BROKER_MIGRATE
};

struct broker_request {
	uint32_t magic, version;
	uint32_t op;
	uint32_t class;      /* CREATE, ADD: enum spin_class */
	uint32_t id;         /* OPEN, STOP, SWAP, SET_RULE, MIGRATE */
	uint32_t share;      /* CREATE: another context whose state this one has, too; 0: its own */
	uint64_t host_bytes; /* CREATE, ADD: host memory; 0: the default */
	char name[16];       /* CREATE, ADD: of the context; "": the handler's */
	char interface[16];  /* ADD */
	char rule[256];      /* ADD, SET_RULE */
};

/* Descriptors of an answer, in this order, each if its bit is set in `memories`. */
enum broker_memory { BROKER_DATA, BROKER_BSS, BROKER_EVENTS, BROKER_HOST, BROKER_OBJECT, BROKER_MEMORIES };

/* In `flags`. */
#define BROKER_MORE  1u /* another answer follows */
#define BROKER_MOVED 2u /* not an answer to a request: the context's memories are others now */

struct broker_answer {
	uint32_t magic, version;
	int32_t error; /* 0, or a negative errno with a reason in `text` */
	uint32_t flags;
	uint32_t memories; /* bits by enum broker_memory */
	/* of a context */
	uint32_t id, uid, pid;
	uint32_t class, attached;
	uint32_t hpus, bounded;
	uint64_t host_bytes;
	uint64_t map_bytes; /* memory of its maps */
	uint64_t handled;   /* packets that its handlers ran for */
	uint64_t left, refused, over, busy_ns;
	uint64_t swaps; /* how often its handlers were replaced */
	uint64_t netns; /* inode of its network namespace */
	char name[16];
	char handler[32];
	char interfaces[128];
	/* of MIGRATE: struct spin_migration, whose `lost` is `text` */
	uint64_t moved_bytes, late_bytes, wait_ns;
	uint32_t tries, unused;
	char text[1024]; /* its rule, or the reason of an error */
};

/* Descriptors with one message, at most. */
#define BROKER_FDS 8

/* 0, or a negative errno: of what does not go out at once with MSG_DONTWAIT in flags, -EAGAIN. The descriptors stay the caller's. */
int broker__send(int connection, const void *message, size_t bytes, const int *fds, unsigned count, int flags);

/*
 * Receives one message. Returns its bytes, 0 at the end, or a negative errno: -EMSGSIZE if it is longer than `bytes` or has more
 * descriptors than BROKER_FDS. *count descriptors are the caller's, close-on-exec; of a message that failed there are none.
 */
ssize_t broker__receive(int connection, void *message, size_t bytes, int fds[BROKER_FDS], unsigned *count, int flags);

/* A file in memory with these bytes that nobody can change or shorten any more: a descriptor, or a negative errno. */
int broker__seal(const void *data, size_t bytes);
/* 1: the descriptor is of such a file, and not of a device or a network file that may never end. */
int broker__is_sealed(int fd);

void broker__close(int *fds, unsigned count); /* they are -1 then */

/* A connection to the spind at `path`; NULL: of BROKER_ENV, or BROKER_PATH. A descriptor or a negative errno. */
int broker__connect(const char *path);
/* The path that broker__connect() takes. */
const char *broker__path(const char *path);

#endif
