/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_BROKER_H
#define USER_LIBSPIN_BROKER_H

/*
 * The protocol between programs (libspin's socket.c) and spind, the daemon that attaches handlers for programs without privileges. It runs
 * on a SOCK_SEQPACKET socket: each request and each answer is one message. Both run on the same machine, so integers are in host byte
 * order. Descriptors come with a message (SCM_RIGHTS). A context is a set of loaded handlers with their memories.
 *
 *	CREATE   creates a context for a socket, loaded and not attached; descriptors: the socket, the object (a sealed memfd). The context
 *	         belongs to the connection and ends when its last descriptor is closed. Answer: descriptors of its memories.
 *	ATTACH   attaches the connection's context
 *	DETACH   detaches it
 *	ADD      creates and attaches a context by interface and rule, for root only; descriptors: the network namespace, the object. It
 *	         belongs to no connection, and lives until it is stopped or its interface goes away.
 *	LIST     sends an answer with BROKER_MORE for each context of all users, then one without
 *	OPEN     opens a context by number: descriptors of its memories and its object. Like the following requests for its owner and root.
 *	STOP     detaches the context and closes its connection
 *	SWAP     replaces the context's handlers and keeps its state; descriptor: an object
 *	MIGRATE  like SWAP, and moves state and tables to the object's layout. The answer reports what was done. The connection to which the
 *	         context belongs gets an additional answer with BROKER_MOVED: the memories that it has mapped are no longer used.
 *	SET_RULE gives a context of ADD another rule and keeps its state
 */
#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

#define BROKER_PATH    "/run/spin/spind.sock"
#define BROKER_MAGIC   0x444e5053u /* "SPND" */
#define BROKER_VERSION 2u

/* Programs look for the socket at this variable's path first. */
#define BROKER_ENV "SPIN_SPIND"

/* The requests, as described above. */
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

/* A request. A field that is only for some operations names them. */
struct broker_request {
	uint32_t magic, version;
	uint32_t op;
	uint32_t class;      /* CREATE, ADD: enum spin_class */
	uint32_t id;         /* OPEN, STOP, SWAP, SET_RULE, MIGRATE */
	uint32_t share;      /* CREATE: another context with which this one shares its state; 0: none */
	uint64_t host_bytes; /* CREATE, ADD: host memory; 0: the default */
	char name[16];       /* CREATE, ADD: name of the context; "": the handler's */
	char interface[16];  /* ADD */
	char rule[256];      /* ADD, SET_RULE */
};

/* Descriptors of an answer, in this order, each if its bit is set in `memories`. */
enum broker_memory { BROKER_DATA, BROKER_BSS, BROKER_EVENTS, BROKER_HOST, BROKER_OBJECT, BROKER_MEMORIES };

/* Bits of `flags`. */
#define BROKER_MORE  1u /* another answer follows */
#define BROKER_MOVED 2u /* not an answer to a request: the context now has other memories */

/* An answer: an error, or the description of a context. */
struct broker_answer {
	uint32_t magic, version;
	int32_t error; /* 0, or a negative errno with a reason in `text` */
	uint32_t flags;
	uint32_t memories; /* bits by enum broker_memory */
	/* of the context */
	uint32_t id, uid, pid;
	uint32_t class, attached;
	uint32_t hpus, bounded;
	uint64_t host_bytes;
	uint64_t map_bytes; /* memory of its maps */
	uint64_t handled;   /* packets for which its handlers ran */
	uint64_t left, refused, over, busy_ns;
	uint64_t swaps; /* number of times its handlers were replaced */
	uint64_t netns; /* inode of its network namespace */
	char name[16];
	char handler[32];
	char interfaces[128];
	/* for MIGRATE: struct spin_migration, whose `lost` is in `text` */
	uint64_t moved_bytes, late_bytes, wait_ns;
	uint32_t tries;
	uint32_t direct_bytes; /* of the context: as in struct spin_ctx */
	char text[1024];       /* its rule, or the reason of an error */
};

/* Maximum number of descriptors in a message. */
#define BROKER_FDS 8

/*
 * Returns 0 or a negative errno. With MSG_DONTWAIT in flags, -EAGAIN if the message cannot be sent at once. The caller keeps the
 * descriptors.
 */
int broker__send(int connection, const void *message, size_t bytes, const int *fds, unsigned count, int flags);

/*
 * Receives one message. Returns its length in bytes, 0 at the end, or a negative errno; -EMSGSIZE if it is longer than `bytes` or has more
 * descriptors than BROKER_FDS. The caller owns the *count descriptors, which are close-on-exec. A failed call returns no descriptors.
 */
ssize_t broker__receive(int connection, void *message, size_t bytes, int fds[BROKER_FDS], unsigned *count, int flags);

/* Copies the bytes to a memory file that can no longer be changed or shortened. Returns a descriptor or a negative errno. */
int broker__seal(const void *data, size_t bytes);
/* Returns 1 if the descriptor is such a file, as opposed to a device or a network file, which may never end. */
int broker__is_sealed(int fd);

void broker__close(int *fds, unsigned count); /* sets them to -1 */

/* Connects to the spind at `path`; NULL: at BROKER_ENV, or else BROKER_PATH. Returns a descriptor or a negative errno. */
int broker__connect(const char *path);
/* Returns the path that broker__connect() uses. */
const char *broker__path(const char *path);

#endif
