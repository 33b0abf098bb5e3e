/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_CAPTURE_H
#define TESTS_DEMO_CAPTURE_H

/*
 * Captures the first frames that a client of the demo sends to a UDP port, as on the wire. Used by the parts of `make demo`, which replay
 * them on the modelled NIC and in the kernel.
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/common/net/netlab.h"

#define CAPTURE_FRAME_BYTES 1600

struct frame {
	uint16_t bytes;
	uint8_t data[CAPTURE_FRAME_BYTES];
};

struct capture {
	int fd;
	uint16_t port;
	struct frame *frame;
	size_t frames;
};

/* Starts queueing frames in the kernel. port: host byte order. */
void capture_start(struct capture *capture, const struct lab *lab, uint16_t port);
/* Takes at most frames_max of the queued frames and stops. */
void capture_stop(struct capture *capture, size_t frames_max);
double capture_mean_bytes(const struct capture *capture);
/* Writes a pcap file, for `spinctl cost` and other tools. */
void capture_write(const struct capture *capture, const char *path);

#endif
