/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_SEGMENTS_INJECT_H
#define TESTS_SEGMENTS_INJECT_H

/*
 * Sends TCP segments as frames that no TCP has made: forged ones, and those of connections that do not exist. Used by tests in
 * tests/segments, in namespaces of their own. Failures end the test.
 */
#include "tests/segments/frame.h"

#define INJECT_BYTES_MAX 512u /* of payload, which is zeros */

struct injector {
	int fd; /* packet socket */
	uint8_t to[6];
};

/* `dev` is a device of this thread's namespace; `to` the Ethernet address that frames are for. */
void injector__open(struct injector *i, const char *dev, const uint8_t to[6]);
void injector__close(struct injector *i);
/* Reads the Ethernet address of a device of this thread's namespace. */
void injector__address(const char *dev, uint8_t address[6]);

/* Addresses of one family, as text. */
struct segref_key injector__key(const char *src, uint16_t src_port, const char *dst, uint16_t dst_port);
void injector__send(const struct injector *i, const struct segref_key *key, uint32_t seq, uint8_t flags, uint32_t bytes);

#endif
