/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SLMP_PLAIN_H
#define TESTS_COMMON_SLMP_PLAIN_H

/*
 * A plain sender of SLMP messages, written from the protocol alone, as somebody would who knows nothing of sPIN:
 * blocking, and it never sends a packet twice.
 */
#include <stddef.h>
#include <stdint.h>

struct slmp_plain {
	int fd;
	unsigned window;        /* 0: the first packet and the last ask for an acknowledgement */
	unsigned payload_bytes; /* of all packets but the last */
	int last_is_silent;     /* 1, with window 0: the last one does not ask for one */
};

/* The window and all else is set by the caller. 0, or -errno. */
int slmp_plain__open(struct slmp_plain *s, const char *address, uint16_t port);
void slmp_plain__close(struct slmp_plain *s);
/* 0; -ETIMEDOUT: an acknowledgement has not come within a second; -EPROTO: something else has. */
int slmp_plain__send(struct slmp_plain *s, uint32_t id, const void *data, uint32_t bytes);

#endif
