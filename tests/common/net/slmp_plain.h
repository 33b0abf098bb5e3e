/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SLMP_PLAIN_H
#define TESTS_COMMON_SLMP_PLAIN_H

/*
 * A plain sender of SLMP messages (a message protocol over UDP), for tests/transfer/plain_sender_is_received.c, written from the protocol's
 * description without any sPIN code. It blocks, and never retransmits.
 */
#include <stddef.h>
#include <stdint.h>

struct slmp_plain {
	int fd;
	unsigned window;        /* 0: only the first and the last packet ask for an acknowledgement */
	unsigned payload_bytes; /* of all packets except the last */
	int last_is_silent;     /* with window 0: the last packet does not ask for an acknowledgement */
};

/* The caller sets the window and the other fields. Returns 0 or -errno. */
int slmp_plain__open(struct slmp_plain *s, const char *address, uint16_t port);
void slmp_plain__close(struct slmp_plain *s);
/* Returns 0; -ETIMEDOUT if no acknowledgement arrives within a second; -EPROTO if another packet arrives. */
int slmp_plain__send(struct slmp_plain *s, uint32_t id, const void *data, uint32_t bytes);

#endif
