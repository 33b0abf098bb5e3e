/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_CLIENT_H
#define TESTS_COMMON_MEMCACHED_CLIENT_H

/*
 * A client of memcached: sockets in the thread's network namespace, whole commands and their answers. It knows UDP's frame header, lines of the
 * text protocol, and headers of the binary one. Failures end the test.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MC_DATAGRAM_BYTES 1400u

int mc_client__tcp(const char *addr, uint16_t port);
int mc_client__udp(const char *addr, uint16_t port);

/* Sends all bytes, in `pieces` calls that cut them at random places; seed NULL: in one. */
void mc_client__send(int fd, const void *bytes, size_t count, unsigned pieces, uint64_t *seed);

/* What comes back: a stream, or one datagram. */
struct mc_answer {
	int fd; /* -1: there is no more than what is in `data` */
	size_t at, have;
	char data[8192];
};

/* Returns the next line without its end. It is valid until the next call. NULL: there is none. */
char *mc_client__line(struct mc_answer *from);
/* Returns the next bytes, valid until the next call, or NULL. */
char *mc_client__bytes(struct mc_answer *from, size_t count);

/* Sends a datagram with this request id and a command behind the frame header. */
void mc_client__ask(int fd, uint16_t id, const void *command, size_t count);
/*
 * Reads the answer to request `id`, and skips others. Returns the bytes of the text, or -1 if it does not come within the time, is cut, or
 * has several datagrams.
 */
ssize_t mc_client__hear(int fd, uint16_t id, unsigned ms, struct mc_answer *out);

/* Sends one command on a connection and checks the first line of the answer. */
void mc_client__expect(struct mc_answer *on, const char *command, const char *line);

/* A number of memcached's own "stats": "cmd_get". */
uint64_t mc_client__stat(const char *addr, uint16_t port, const char *name);

#endif
