/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_REPLAY_FRAMES_H
#define TESTS_DEMO_REPLAY_FRAMES_H

/* The map of captured frames that replay.c fills and replay.bpf.c reads, for the demo's measurement. All frames have the same length. */
#include <linux/types.h>

#define REPLAY_FRAMES_MAX 1024
#define REPLAY_BYTES      90 /* Ethernet, IPv4, UDP, and a whole message of the key-value store */

struct replay_head {
	__u64 word[REPLAY_BYTES / 8];
	__u16 last;
} __attribute__((packed, aligned(2)));

struct replay_frames {
	__u32 next, count;
	struct replay_head head[REPLAY_FRAMES_MAX];
};

_Static_assert(sizeof(struct replay_head) == REPLAY_BYTES, "a head is a frame's first bytes");

#endif
