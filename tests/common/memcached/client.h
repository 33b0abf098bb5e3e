/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_CLIENT_H
#define TESTS_COMMON_MEMCACHED_CLIENT_H

/*
 * A client of memcached: sockets in the thread's network namespace, whole commands and their answers. It handles UDP's frame header, lines
 * of the text protocol, and headers of the binary one. Failures end the test. Used by the other files of this directory,
 * tests/fuzz/fuzz_memcached.c and tests/sockets/memcached_flushes_late.c.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MC_DATAGRAM_BYTES 1400u

int mc_client__tcp(const char *addr, uint16_t port);
int mc_client__udp(const char *addr, uint16_t port);

/* Sends all bytes, in `pieces` calls that split them at random offsets; seed NULL: in one call. */
void mc_client__send(int fd, const void *bytes, size_t count, unsigned pieces, uint64_t *seed);

/* An answer: a stream, or one datagram. */
struct mc_answer {
	int fd; /* -1: `data` has everything */
	size_t at, have;
	char data[8192];
};

/* Returns the next line without its line end, valid until the next call; NULL if there is none. */
char *mc_client__line(struct mc_answer *from);
/* Returns the next bytes, valid until the next call, or NULL. */
char *mc_client__bytes(struct mc_answer *from, size_t count);

/* Sends a datagram: a frame header with this request id, then the command. */
void mc_client__send_udp(int fd, uint16_t id, const void *command, size_t count);
/*
 * Reads the answer to request `id`, and skips others. Returns the length of the text, or -1 if it does not arrive in time, is truncated, or
 * has several datagrams.
 */
ssize_t mc_client__receive_udp(int fd, uint16_t id, unsigned ms, struct mc_answer *out);

/* Sends one command on a connection and checks the first line of the answer. */
void mc_client__expect(struct mc_answer *on, const char *command, const char *line);

/* Returns a number from memcached's own "stats", for example "cmd_get". */
uint64_t mc_client__stat(const char *addr, uint16_t port, const char *name);

#endif
